/* SPDX-License-Identifier: MIT */
/*
 * Six-byte bus records taken apart into columns, many rows at a time. The plain version is the
 * reference; those with byte shuffles take 16 (SSE4.1) or 64 rows (AVX-512) in one step and
 * give the same. Pure.
 */
#ifndef FORMAT_BUS_DECODE_H
#define FORMAT_BUS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How records are to be understood. */
struct bus_layout {
	bool little;  /* addresses stand little end first */
	uint8_t line; /* bytes that operations on a whole line move */
};

/* Where columns go; NULL: not wanted. */
struct bus_columns {
	uint8_t *kind, *record, *enables, *control;
	uint8_t *access;   /* BUS_NO_ACCESS where the operation accesses nothing */
	uint64_t *address; /* its low three bits replaced by the first lane asked for */
	uint32_t *size;	   /* bytes moved: those asked for, or a line */
};

/* What records showed while they were decoded. */
struct bus_found {
	bool odd;  /* the low three bits of an address were not 0 */
	bool idle; /* an operation accesses nothing; only known where access is wanted */
};

/* Bytes behind the records that may be read. */
#define BUS_DECODE_BEHIND 16

/* Decodes n records at p. */
typedef struct bus_found (*bus_decode_fn)(const uint8_t *p, size_t n,
	const struct bus_layout *layout, const struct bus_columns *to);

/* The reference. */
struct bus_found bus_decode_plain(const uint8_t *p, size_t n, const struct bus_layout *layout,
	const struct bus_columns *to);

/* The versions that this processor can run, fastest first; NULL after the last, the reference.
 */
bus_decode_fn bus_decoder_at(size_t i);

/* The columns from a row on. */
static inline struct bus_columns
bus_columns_behind(const struct bus_columns *to, size_t row)
{
#define BEHIND(column) to->column ? to->column + row : NULL
	return (struct bus_columns){BEHIND(kind), BEHIND(record), BEHIND(enables),
		BEHIND(control), BEHIND(access), BEHIND(address), BEHIND(size)};
#undef BEHIND
}

#endif
