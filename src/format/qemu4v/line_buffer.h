/* SPDX-License-Identifier: MIT */
/* A line that is being written, in the room of the output. */
#ifndef FORMAT_QEMU4V_LINE_BUFFER_H
#define FORMAT_QEMU4V_LINE_BUFFER_H

#include "format/qemu4v/qemu4v.h"

#include "base/num.h"

struct line_buffer {
	char *text;
	size_t used;
};

static inline void
append_text(struct line_buffer *line, const char *text, size_t n)
{
	memcpy(line->text + line->used, text, n);
	line->used += n;
}

static inline void
append_string(struct line_buffer *line, const char *text)
{
	append_text(line, text, strlen(text));
}

static inline void
append_decimal(struct line_buffer *line, uint64_t v)
{
	line->used += num_decimal(line->text + line->used, v);
}

static inline void
append_hex(struct line_buffer *line, uint64_t v, unsigned digits)
{
	num_hex(line->text + line->used, v, digits);
	line->used += digits;
}

/* Appends bytes as digits. */
static inline void
append_bytes(struct line_buffer *line, const uint8_t *bytes, size_t n)
{
	num_hex_bytes(line->text + line->used, bytes, n);
	line->used += 2 * n;
}

/* Data of an access or a register. */
struct row_content {
	uint64_t value, size;
	bool guessed;		  /* its size depends on the value */
	struct qemu4v_word bytes; /* if it is larger than 8 bytes */
};

#endif
