/* SPDX-License-Identifier: MIT */
/* Encodings of values, and of the metadata. spec: Apache Parquet, Encodings.md */
#ifndef PARQUET_ENCODING_H
#define PARQUET_ENCODING_H

#include "base/buf.h"

/* An array of numbers of 1, 2, 4 or 8 bytes. */
struct numbers {
	const uint8_t *data;
	size_t count;
	unsigned size; /* of a number in bytes */
};

/* Returns a number of an array. */
static inline uint64_t
number_at(const struct numbers *numbers, size_t i)
{
	switch (numbers->size) {
	case 1: return numbers->data[i];
	case 2: return ((const uint16_t *)(const void *)numbers->data)[i];
	case 4: return ((const uint32_t *)(const void *)numbers->data)[i];
	default: return ((const uint64_t *)(const void *)numbers->data)[i];
	}
}

/* Appends a number in 7 bits per byte, least significant first (ULEB128). */
void encode_varint(struct buf *dst, uint64_t value);

/* The same of a signed number (zigzag). */
void encode_zigzag(struct buf *dst, int64_t value);

/* Appends runs and bit-packed groups of numbers below 2^width; width is at most 32. */
void encode_hybrid(struct buf *dst, const uint32_t *values, size_t n, unsigned width);

/* Appends the definition levels of a page: rows bits of a map that starts at a byte. */
void encode_levels(struct buf *dst, const uint64_t *present, size_t rows);

/* Appends numbers as differences, in blocks of bit-packed ones (DELTA_BINARY_PACKED). */
void encode_delta(struct buf *dst, const struct numbers *numbers);

/* Appends numbers in 4 bytes, or 8 if they have 8. */
void encode_plain(struct buf *dst, const struct numbers *numbers);

/* Appends bytes as bits, 0 or 1. */
void encode_bits(struct buf *dst, const struct numbers *numbers);

/* Appends bytes after their number. */
void encode_bytes(struct buf *dst, const void *bytes, size_t n);

#endif
