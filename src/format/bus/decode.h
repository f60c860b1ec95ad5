/* SPDX-License-Identifier: MIT */
/*
 * Decoding six-byte bus records into columns, many rows at a time. The portable version is the
 * reference; those with byte shuffles process 16 (SSE4.1) or 64 rows (AVX-512) per step, with
 * the same results. Pure.
 */
#ifndef FORMAT_BUS_DECODE_H
#define FORMAT_BUS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Interpretation of records. */
struct bus_layout {
	bool little;  /* addresses are little endian */
	uint8_t line; /* bytes that operations on a whole line transfer */
};

/* Destination columns; NULL: not selected. */
struct bus_columns {
	uint8_t *kind, *record, *enables, *control;
	uint8_t *access;   /* BUS_NO_ACCESS if the operation accesses nothing */
	uint64_t *address; /* with the low three bits replaced by the first enabled lane */
	uint32_t *size;	   /* bytes transferred: the enabled ones, or a line */
};

/* Properties of the decoded records. */
struct bus_found {
	bool odd;  /* the low three bits of an address were not 0 */
	bool idle; /* an operation accesses nothing; only set if access is selected */
	bool line; /* an operation transfers a line; only set if address is selected */
};

/* Bytes after the records that may be read. */
#define BUS_DECODE_SLACK 16

/* Decodes n records at p. */
typedef struct bus_found (*bus_decode_fn)(const uint8_t *p, size_t n,
	const struct bus_layout *layout, const struct bus_columns *columns);

/* The reference. */
struct bus_found bus_decode_plain(const uint8_t *p, size_t n, const struct bus_layout *layout,
	const struct bus_columns *columns);

/* Returns the i-th version that this processor can run, fastest first; the last one is the
 * reference; NULL after it. */
bus_decode_fn bus_decoder_at(size_t i);

/* Returns the columns from a row on. */
static inline struct bus_columns
bus_columns_from(const struct bus_columns *columns, size_t row)
{
#define FROM_ROW(column) columns->column ? columns->column + row : NULL
	return (struct bus_columns){FROM_ROW(kind), FROM_ROW(record), FROM_ROW(enables),
		FROM_ROW(control), FROM_ROW(access), FROM_ROW(address), FROM_ROW(size)};
#undef FROM_ROW
}

#endif
