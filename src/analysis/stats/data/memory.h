/* SPDX-License-Identifier: MIT */
/* The state of the analysis memory. */
#ifndef ANALYSIS_STATS_MEMORY_H
#define ANALYSIS_STATS_MEMORY_H

#include "analysis/core/analysis.h"

#include "analysis/facts/adaptive_bins.h"
#include "base/map.h"

/* Sizes up to MEMORY_SIZES are counted in an array, larger ones in a map: those up to
 * MEMORY_SIZES_EXACT each, the others by the power of two that they begin with. */
#define MEMORY_SIZES 256
#define MEMORY_SIZES_EXACT 65536

#define MEMORY_PAGE 4096
#define MEMORY_LINE_MAX ((uint32_t)1 << 31)

/* The counts of a kind of access. */
struct memory_kind {
	uint64_t sizes[MEMORY_SIZES + 1]; /* by bytes; 0: no size */
	uint64_t large, large_bytes;	  /* accesses larger than MEMORY_SIZES, their bytes */
	uint64_t misaligned, line_crossings, page_crossings;
};

/* Accesses of a line. */
struct memory_line {
	uint64_t reads, writes, fetches, others;
};

/* A read or write in the search for stores that can be forwarded to loads. */
struct ring_access {
	uint64_t address;
	uint32_t size;
	bool is_store;
	bool is_done; /* already counted, or excluded */
};

/* Buckets of stored words of 8 bytes. */
#define MEMORY_WORDS 256

/* The last reads and writes of a context, and its first ones. */
struct memory_ring {
	struct ring_access *last;  /* ring buffer; the oldest at next */
	struct ring_access *first; /* those that an earlier slice of the trace can forward to */
	uint32_t next, first_count;
	uint64_t count;		      /* reads and writes so far */
	uint64_t words[MEMORY_WORDS]; /* number of the last store to a bucket, from 1 */
	uint64_t wide;		      /* number of the last store to more than two words */
};

struct memory {
	uint32_t line_option, line, top, window;
	struct memory_kind kinds[POLY_ACCESS_COUNT];
	struct map sizes; /* accesses larger than MEMORY_SIZES, by memory_large_key */
	struct adaptive_bins lines;
	struct memory_ring *rings[ANALYSIS_CONTEXTS_MAX];
	uint64_t loads, candidates, contained;
};

/* Returns the key of a kind of access of a size: keys are in order of sizes. */
static inline uint64_t
memory_large_key(unsigned kind, uint32_t size)
{
	return (uint64_t)size * POLY_ACCESS_COUNT + kind;
}

void memory_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
