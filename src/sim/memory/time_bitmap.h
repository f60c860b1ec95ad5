/* SPDX-License-Identifier: MIT */
/*
 * Reuse distances after Bennett and Kruskal: a bitmap over access time, in which a bit is set
 * if that access is the last use of a line, with the counts of set bits per block, span and
 * range. A distance is the number of bits set after a moment; counting it reads one block, one
 * span and one range. When the bitmap is full, moments without a bit are removed. * * source:
 * B. T. Bennett, V. J. Kruskal, "LRU stack processing", IBM Journal of Research and
 * Development 19 (4), 1975.
 */
#ifndef SIM_TIME_BITMAP_H
#define SIM_TIME_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_SHIFT 9  /* moments of a block: 512 bits, a register of AVX-512 */
#define SPAN_SHIFT 14  /* of a span: 32 blocks, a register of 16-bit counts */
#define RANGE_SHIFT 19 /* of a range: 32 spans */
#define TIME_BITMAP_NONE UINT32_MAX

struct stack_distance {
	uint64_t *bits;	  /* of moments; blocks begin at multiples of 64 bytes */
	uint16_t *blocks; /* bits set in each block; spans begin at multiples of 64 bytes */
	uint32_t *spans, *ranges;
	uint32_t *lines;  /* of moments: the line used */
	uint32_t *last;	  /* of lines: the moment of its last use, or TIME_BITMAP_NONE */
	uint64_t *counts; /* of distances */
	void *memory[2];  /* the allocations of bits and blocks */
	uint32_t now;	  /* the next moment */
	uint32_t room;	  /* moments allocated, a multiple of a range */
	uint32_t live;	  /* bits set: lines in use */
	uint32_t known;	  /* capacity of last and counts */
	uint64_t first;
	/* The counts and first uses not reported; while not counting, the reported ones. */
	uint64_t *other_counts;
	uint64_t other_first;
	bool idle; /* not counting */
	size_t (*run)(struct stack_distance *, const uint32_t *, size_t);
};

/* Accesses lines until the bitmap is full. Returns the number accessed. */
size_t time_bitmap_run(struct stack_distance *s, const uint32_t *ids, size_t count);
size_t time_bitmap_run_x86(struct stack_distance *s, const uint32_t *ids, size_t count);
int time_bitmap_has_x86(void);

static inline void
time_bitmap_clear(struct stack_distance *s, uint32_t moment)
{
	s->bits[moment / 64] &= ~(UINT64_C(1) << moment % 64);
	s->blocks[moment >> BLOCK_SHIFT]--;
	s->spans[moment >> SPAN_SHIFT]--;
	s->ranges[moment >> RANGE_SHIFT]--;
}

static inline void
time_bitmap_set(struct stack_distance *s, uint32_t moment, uint32_t line)
{
	s->bits[moment / 64] |= UINT64_C(1) << moment % 64;
	s->blocks[moment >> BLOCK_SHIFT]++;
	s->spans[moment >> SPAN_SHIFT]++;
	s->ranges[moment >> RANGE_SHIFT]++;
	s->lines[moment] = line;
	s->last[line] = moment;
}

/* Accesses one line at the next moment; above counts the bits after a moment. */
#define TIME_BITMAP_LOOP(above)                                    \
	for (size_t i = 0; i < count; i++) {                       \
		const uint32_t line = ids[i], was = s->last[line]; \
		if (was == s->now - 1 && s->now) {                 \
			s->counts[0]++;                            \
			continue;                                  \
		}                                                  \
		if (s->now == s->room)                             \
			return i;                                  \
		if (was == TIME_BITMAP_NONE) {                     \
			s->first++;                                \
			s->live++;                                 \
		} else {                                           \
			s->counts[above(s, was)]++;                \
			time_bitmap_clear(s, was);                 \
		}                                                  \
		time_bitmap_set(s, s->now++, line);                \
	}                                                          \
	return count

#endif
