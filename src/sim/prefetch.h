/* SPDX-License-Identifier: MIT */
/*
 * Prefetchers: told of every access to a cache, they say which lines to bring.
 *
 *   next    after a miss, the next lines
 *   stride  a table of 256 instructions, by pc / 4 mod 256 with the whole pc as the tag, of the
 *           last address and the last step; the second time in a row that an instruction's
 *           step is the same and not 0, the addresses one and more steps on
 *   stream  a table of 16 lines that missed; a miss of the line behind or before one of them
 *           gives it a direction, and brings the next lines there; so does a later access to
 * one of the 1 to degree lines behind it, missed or brought by this prefetcher. The line moves
 * there. Where there are several, the first place of the table counts; a miss that is of none
 * takes the place moved the longest ago.
 */
#ifndef SIM_PREFETCH_H
#define SIM_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum prefetch_kind {
	PREFETCH_NONE,
	PREFETCH_NEXT,
	PREFETCH_STRIDE,
	PREFETCH_STREAM,
	PREFETCHES
};

#define PREFETCH_DEGREE_MAX 16 /* lines of one access */
#define PREFETCH_STRIDES 256
#define PREFETCH_STREAMS 16

struct prefetch_stride {
	uint64_t pc, address, step;
	bool used, steady; /* the entry; the step was seen before */
};

struct prefetch_stream {
	uint64_t line, moved; /* moved: 0 where the entry is free */
	int direction;	      /* -1, 1; 0: none yet */
};

/* A prefetcher is plain memory; zeroed but for the first three. */
struct prefetcher {
	enum prefetch_kind kind;
	uint32_t degree; /* lines to bring, 1 to PREFETCH_DEGREE_MAX */
	unsigned line_shift;
	uint64_t time;
	struct prefetch_stride strides[PREFETCH_STRIDES];
	struct prefetch_stream streams[PREFETCH_STREAMS];
};

/* What a prefetcher is told. */
struct prefetch_access {
	uint64_t address, pc;
	bool missed; /* or was the first use of a line that this prefetcher brought: */
	bool brought;
};

/* The addresses to bring after an access; there is room for PREFETCH_DEGREE_MAX. Returns how
 * many there are. Some may be held already. */
size_t prefetch_see(struct prefetcher *prefetcher, const struct prefetch_access *access,
	uint64_t *addresses);

#endif
