/* SPDX-License-Identifier: MIT */
/* Packed traces, examined and built by hand from the layout in polytrace-ptz(5). */
#ifndef TESTS_PTZ_HELP_H
#define TESTS_PTZ_HELP_H

#include "trace_help.h"

#include "base/bits.h"
#include "base/checksum.h"

/* Where a part stands, and what it is. */
struct section_at {
	char tag[5];
	size_t offset, front, body;
	size_t size; /* with the header and the optional sections that follow */
};

#define SECTIONS_MAX 64

/* The sections of a file; how many. */
static inline size_t
find_all_sections(const struct buf *file, struct section_at *sections)
{
	size_t count = 0, at = 8;
	while (at + 32 <= file->size && count < SECTIONS_MAX) {
		struct section_at *section = &sections[count++];
		memcpy(section->tag, file->data + at, 4);
		section->tag[4] = 0;
		section->offset = at;
		section->front = load_le32(file->data + at + 4);
		section->body = (size_t)load_le64(file->data + at + 8);
		section->size = 32 + section->body;
		at += section->size;
	}
	return count;
}

/* The sections of a file that are not optional; how many. */
static inline size_t
find_sections(const struct buf *file, struct section_at *sections)
{
	struct section_at all[SECTIONS_MAX];
	const size_t total = find_all_sections(file, all);
	size_t count = 0;
	for (size_t i = 0; i < total; i++) {
		if (all[i].tag[0] & 0x20)
			sections[count - 1].size += all[i].size;
		else
			sections[count++] = all[i];
	}
	return count;
}

static inline void
store_number(uint8_t *to, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

static inline void
put_number(struct buf *to, uint64_t v, unsigned bytes)
{
	uint8_t room[8];
	store_number(room, v, bytes);
	buf_append(to, room, bytes);
}

/* Mends the checksums of a part's front and head. */
static inline void
mend_section(uint8_t *p)
{
	store_number(p + 16, checksum(p + 32, load_le32(p + 4)), 8);
	store_number(p + 24, checksum(p, 24), 8);
}

/* Appends a part. */
static inline void
put_section(struct buf *file, const char *tag, const struct buf *front, const struct buf *rest)
{
	const size_t at = file->size;
	const size_t more = rest ? rest->size : 0;
	buf_append(file, tag, 4);
	put_number(file, front->size, 4);
	put_number(file, front->size + more, 8);
	put_number(file, 0, 8);
	put_number(file, 0, 8);
	buf_append(file, front->data, front->size);
	if (more)
		buf_append(file, rest->data, more);
	mend_section(file->data + at);
}

/* Computes the chain of the sections before an offset, by the page. */
static inline uint64_t
chain_before(const struct buf *file, size_t offset)
{
	uint8_t bytes[40] = {0};
	for (size_t at = 8; at < offset; at += 32 + (size_t)load_le64(file->data + at + 8)) {
		memcpy(bytes + 8, file->data + at, 32);
		store_number(bytes, checksum(bytes, 40), 8);
	}
	return load_le64(bytes);
}

/* Returns a sample of CIS 501, repeated, as text. */
static inline struct buf
long_text(unsigned times)
{
	struct buf sample = load_sample("cis501/sort_1k.trace"), text = {0};
	for (unsigned i = 0; i < times; i++)
		buf_append(&text, sample.data, sample.size);
	buf_free(&sample);
	return text;
}

/* The same packed, in segments of at most 4096 rows. */
static inline struct buf
long_packed(unsigned times)
{
	struct buf text = long_text(times);
	struct buf packed =
		convert(open_bytes(&text, "cis501", NULL, false), "ptz", "ptz.rows=4096", NULL);
	buf_free(&text);
	return packed;
}

/* What rows of CIS 501 are compared by. */
#define PTZ_COLUMNS "pc mnemonic address immediate branch"

/* A packed file, its parts and its rows. */
struct whole {
	struct buf file;
	struct section_at sections[SECTIONS_MAX];
	size_t count;	 /* of parts */
	struct buf rows; /* a line each */
};

static inline void
free_whole(struct whole *whole)
{
	buf_free(&whole->file);
	buf_free(&whole->rows);
}

/* Return the rows of a segment, and the preceding rows, from its front. */
static inline uint32_t
rows_of(const struct whole *whole, size_t section)
{
	return load_le32(whole->file.data + whole->sections[section].offset + 32 + 8);
}

static inline uint64_t
rows_before(const struct whole *whole, size_t section)
{
	return load_le64(whole->file.data + whole->sections[section].offset + 32);
}

/* Where the line of a row begins. */
static inline size_t
line_of(const struct buf *rows, uint64_t row)
{
	size_t at = 0;
	for (; row; row--)
		at = (size_t)((uint8_t *)memchr(rows->data + at, '\n', rows->size - at) -
			      rows->data) +
		     1;
	return at;
}

#endif
