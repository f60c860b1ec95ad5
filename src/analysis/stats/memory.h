/* SPDX-License-Identifier: MIT */
/* What the analysis memory counts. */
#ifndef ANALYSIS_STATS_MEMORY_H
#define ANALYSIS_STATS_MEMORY_H

#include "analysis/analysis.h"

#include "analysis/adaptive_bins.h"

/* Sizes up to here have counts of their own; the last one is of all that are larger, too. */
#define MEMORY_SIZES 256

#define MEMORY_PAGE 4096

/* What is counted of one kind of access. */
struct memory_kind {
	uint64_t sizes[MEMORY_SIZES + 1]; /* by bytes; 0: it has no size */
	uint64_t more; /* bytes above MEMORY_SIZES of those that are larger */
	uint64_t misaligned, line_crossings, page_crossings;
};

/* Accesses of a line. */
struct memory_line {
	uint64_t reads, writes, fetches, others;
};

/* A read or write, as stores that loads might be served from are looked for. */
struct memory_access {
	uint64_t address;
	uint32_t size;
	bool is_store;
	bool is_done; /* counted already, or not to be counted */
};

/* Places for words of 8 bytes that were stored to. */
#define MEMORY_WORDS 256

/* The last reads and writes of a context, and its first ones. */
struct memory_ring {
	struct memory_access *last;  /* the oldest at next */
	struct memory_access *first; /* those that another part of the trace may serve */
	uint32_t next, first_count;
	uint64_t count;		      /* reads and writes so far */
	uint64_t words[MEMORY_WORDS]; /* number of the last store to a word, from 1; words share
					 places */
	uint64_t wide;		      /* number of the last store to more than two words */
};

struct memory {
	uint32_t line_option, line, top, window;
	struct memory_kind kinds[POLY_ACCESS_COUNT];
	struct adaptive_bins lines;
	struct memory_ring *rings[ANALYSIS_CONTEXTS_MAX];
	uint64_t loads, candidates, contained;
};

void memory_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
