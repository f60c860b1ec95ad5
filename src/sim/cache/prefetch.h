/* SPDX-License-Identifier: MIT */
/*
 * Prefetchers: observe every access to a cache, and select the lines to fill.
 *
 *   next    after a miss, the next lines
 *   stride  a table of 256 instructions, by pc / 4 mod 256 with the whole pc as the tag, with
 * the last address and the last step; when an instruction repeats a nonzero step for the
 * second time in a row, the addresses one and more steps ahead
 *   stream  a table of 16 missed lines; a miss of the line after or before one of them sets
 * its direction, and fills the next lines there; so does a later access to one of the next 1
 * to degree lines, missed or filled by this prefetcher. The entry moves there. Of several
 * matches the first entry counts; a miss without a match replaces the entry moved least
 * recently.
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
	bool used, steady; /* valid entry; the step was repeated */
};

struct prefetch_stream {
	uint64_t line, moved; /* time of the last move; 0: free */
	int direction;	      /* -1, 1; 0: none yet */
};

/* A prefetcher; all but the first three fields start zeroed. */
struct prefetcher {
	enum prefetch_kind kind;
	uint32_t degree; /* lines per prefetch, 1 to PREFETCH_DEGREE_MAX */
	unsigned line_shift;
	uint64_t time;
	struct prefetch_stride strides[PREFETCH_STRIDES];
	struct prefetch_stream streams[PREFETCH_STREAMS];
};

/* An access as a prefetcher sees it. */
struct prefetch_access {
	uint64_t address, pc;
	bool missed; /* or was the first use of a line that this prefetcher filled */
	bool brought;
};

/* Stores the addresses to fill after an access, at most PREFETCH_DEGREE_MAX. Returns their
 * number. Some may be present already. */
size_t prefetch_see(struct prefetcher *prefetcher, const struct prefetch_access *access,
	uint64_t *addresses);

#endif
