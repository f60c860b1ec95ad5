/* SPDX-License-Identifier: MIT */
/* Standard output. */
#include "cli/files/output.h"

#include "polytrace/report.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of text that are quoted together. */
#define QUOTED_BYTES 1000

struct output *
output_new(void)
{
	return diag_allocate(1, sizeof(struct output));
}

static void
write_all(struct output *output, const char *data, size_t size)
{
	while (size && !output->failure) {
		ssize_t n = write(STDOUT_FILENO, data, size);
		if (n < 0 && errno == EAGAIN) {
			/* The descriptor is non-blocking. */
			struct pollfd wait = {.fd = STDOUT_FILENO, .events = POLLOUT};
			(void)poll(&wait, 1, -1);
		} else if (n < 0 && errno != EINTR) {
			output->failure = errno;
		}
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
}

void
output_quote(struct output *output)
{
	output->quotes = term_output();
}

/* Returns the bytes of a text, at most n, that do not end within a character of UTF-8. */
static size_t
whole_characters(const char *text, size_t n)
{
	for (size_t tail = 1; tail <= 3 && tail <= n; tail++) {
		const unsigned char c = (unsigned char)text[n - tail];
		const size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
		if ((c & 0xc0) == 0x80)
			continue;
		return length > tail ? n - tail : n;
	}
	return n;
}

/* Writes text without its control characters. */
static void
write_quoted(struct output *output, const char *text, size_t n)
{
	char visible[4 * QUOTED_BYTES + 1];
	while (n) {
		if (*text == '\n' || *text == '\t') {
			write_all(output, text++, 1);
			n--;
			continue;
		}
		size_t part = 0;
		while (part < n && part < QUOTED_BYTES && text[part] != '\n' &&
			text[part] != '\t')
			part++;
		const size_t whole = part < n ? whole_characters(text, part) : part;
		part = whole ? whole : part;
		write_all(output, visible,
			poly_text_visible(visible, sizeof visible, text, part));
		text += part;
		n -= part;
	}
}

/* Writes the buffered bytes, or all of them that are complete characters. */
static void
flush_part(struct output *output, bool all)
{
	const size_t n = !output->quotes || all ? output->used
						: whole_characters(output->data, output->used);
	if (output->quotes)
		write_quoted(output, output->data, n);
	else
		write_all(output, output->data, n);
	output->used -= n;
	memmove(output->data, output->data + n, output->used);
}

void
output_flush(struct output *output)
{
	flush_part(output, true);
}

char *
output_room(struct output *output)
{
	if (output->used > OUTPUT_ROOM)
		flush_part(output, false);
	return output->data + output->used;
}

void
output_commit(struct output *output, size_t n)
{
	output->used += n;
}

int
output_write(void *user, const void *data, size_t size)
{
	struct output *output = user;
	for (; output->quotes && size > OUTPUT_ROOM / 2; size -= OUTPUT_ROOM / 2) {
		output_write(user, data, OUTPUT_ROOM / 2);
		data = (const char *)data + OUTPUT_ROOM / 2;
	}
	if (size > OUTPUT_ROOM) {
		output_flush(output);
		write_all(output, data, size);
	} else if (size) {
		memcpy(output_room(output), data, size);
		output_commit(output, size);
	}
	return output->failure;
}

void
output_text(struct output *output, const char *text)
{
	output_write(output, text, strlen(text));
}

void
output_visible(struct output *output, const char *text)
{
	for (size_t n = strlen(text), part; n; text += part, n -= part) {
		char visible[4 * QUOTED_BYTES + 1];
		part = n < QUOTED_BYTES ? n : whole_characters(text, QUOTED_BYTES);
		poly_text_visible(visible, sizeof visible, text, part);
		output_text(output, visible);
	}
}

bool
output_failed(const struct output *output)
{
	return output->failure != 0;
}

int
output_finish(struct output *output)
{
	output_flush(output);
	if (!output->failure && close(STDOUT_FILENO) != 0)
		output->failure = errno;
	int failure = output->failure;
	free(output);
	if (!failure || failure == EPIPE)
		return STATUS_DONE;
	diag_print("standard output", "%s", strerror(failure));
	return STATUS_ERROR;
}
