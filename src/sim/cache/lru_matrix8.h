/* SPDX-License-Identifier: MIT */
/*
 * The LRU order of 8 ways, and their dirty bits, in one word. Bit 8a + b is set if way a was
 * used after way b; bit 9a, on the diagonal, if way a is dirty. A use and a release are an OR
 * and an AND, whatever the order: neither branches, and only the next use of the same set
 * depends on the result.
 *
 * source: A. Tanenbaum, "Modern Operating Systems", 3rd edition, section 3.4.6: a matrix of
 * bits, whose row of zeros belongs to the least recently used way.
 */
#ifndef SIM_LRU_MATRIX8_H
#define SIM_LRU_MATRIX8_H

#include <stdint.h>

#define LRU_MATRIX8_WAYS 8

/* Way 0 was used last, then way 1 and so on; all are clean. */
#define LRU_MATRIX8_START UINT64_C(0x0080c0e0f0f8fcfe)

#define LRU_MATRIX8_DIRTY UINT64_C(0x8040201008040201)

/* Bits set by a use of a way: its row; [1]: and its dirty bit. */
static const uint64_t lru_matrix8_rows[2][LRU_MATRIX8_WAYS] = {
	{0xfe, 0xfd00, 0xfb0000, 0xf7000000, 0xef00000000, 0xdf0000000000, 0xbf000000000000,
		0x7f00000000000000},
	{0xff, 0xff00, 0xff0000, 0xff000000, 0xff00000000, 0xff0000000000, 0xff000000000000,
		0xff00000000000000}};

/* Bits kept by a use: all but its column. */
static const uint64_t lru_matrix8_columns[LRU_MATRIX8_WAYS] = {0xfefefefefefefeff,
	0xfdfdfdfdfdfdfffd, 0xfbfbfbfbfbfffbfb, 0xf7f7f7f7fff7f7f7, 0xefefefffefefefef,
	0xdfdfffdfdfdfdfdf, 0xbfffbfbfbfbfbfbf, 0xff7f7f7f7f7f7f7f};

/* Returns the order after a use of a way; dirty: 1 for a write, else 0. */
static inline uint64_t
lru_matrix8_use(uint64_t order, unsigned way, uint64_t dirty)
{
	return (order | lru_matrix8_rows[dirty][way]) & lru_matrix8_columns[way];
}

/* Returns the order after a way was released: it is the oldest, and clean. */
static inline uint64_t
lru_matrix8_release(uint64_t order, unsigned way)
{
	return (order | ~lru_matrix8_columns[way]) & ~lru_matrix8_rows[1][way];
}

/* Returns the order with a clean way. */
static inline uint64_t
lru_matrix8_clean(uint64_t order, unsigned way)
{
	return order & ~(UINT64_C(1) << 9 * way);
}

/* Returns the least recently used way: the row of zeros. */
static inline unsigned
lru_matrix8_oldest(uint64_t order)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), rows = order & ~LRU_MATRIX8_DIRTY;
	return (unsigned)__builtin_ctzll((rows - ones) & ~rows & ones << 7) / 8;
}

/* Returns 1 if a way is dirty, else 0. */
static inline uint64_t
lru_matrix8_dirty(uint64_t order, unsigned way)
{
	return order >> 9 * way & 1;
}

#endif
