/* SPDX-License-Identifier: MIT */
/*
 * The state of the analysis of phases: basic-block vectors of intervals.
 *
 * spec: T. Sherwood, E. Perelman, G. Hamerly, B. Calder, Automatically Characterizing Large
 * Scale Program Behavior, ASPLOS 2002; SimPoint 3.0 (see cluster.h).
 */
#ifndef ANALYSIS_STATS_PHASES_H
#define ANALYSIS_STATS_PHASES_H

#include "analysis/facts/basic_blocks.h"
#include "analysis/facts/cluster.h"

#include "base/map.h"

/* Adaptive intervals: their min. length, and their number at which the length doubles. */
#define PHASES_LENGTH_MIN 100
#define PHASES_ADAPTIVE_MAX 512

/* Max. number of times that a length was doubled. */
#define PHASES_DOUBLED_MAX 56

/* Max. number of intervals of fixed length, of blocks, and of stored counts of vectors. */
#define PHASES_INTERVALS_MAX 16384
#define PHASES_BLOCKS_MAX ((uint32_t)1 << 20)
#define PHASES_COUNTS_MAX ((size_t)1 << 22)

/* Entries of the cache of the map of blocks. */
#define PHASES_RECENT 4096

#define PHASES_NONE UINT32_MAX

/* A basic block. */
struct phases_block {
	uint64_t pc, count;			/* count: in the open interval */
	int16_t projection[CLUSTER_DIMENSIONS]; /* a random direction, by pc */
};

/* The projected vector: directions of blocks, weighted by their instructions. */
struct phases_interval {
	int64_t sum[CLUSTER_DIMENSIONS];
	size_t end; /* of its counts, which follow those of the previous interval */
	/* Its number in its trace, from 0: intervals of a trace are merged in pairs. */
	uint64_t number;
};

struct phases_count {
	uint32_t block;
	uint64_t count;
};

struct phases {
	uint64_t max_phases, seeds, similarity; /* options */
	bool is_adaptive, has_vectors;
	uint64_t length;	     /* of an interval in instructions */
	uint64_t instructions, open; /* all; those in the open interval */
	uint64_t number;	     /* of the open interval in its trace */
	/* Of the open interval: vectors of shorter intervals whose counts are not known. */
	int64_t open_sum[CLUSTER_DIMENSIONS];
	uint64_t untracked;	   /* instructions after the last interval of the table */
	uint64_t untracked_blocks; /* executions of blocks that exceed the table */
	struct basic_blocks blocks;
	uint32_t block_of[ANALYSIS_CONTEXTS_MAX]; /* current block of each context */
	struct map indices;			  /* of blocks, by pc */
	struct phases_block *list;
	uint32_t count, capacity;
	uint32_t *touched; /* blocks of the open interval; has the capacity of list */
	uint32_t touched_count;
	struct phases_interval *intervals;
	uint32_t interval_count, interval_capacity;
	struct phases_count *counts; /* of all intervals */
	size_t counts_used, counts_capacity;
	bool counts_full;
	uint32_t recent[PHASES_RECENT]; /* blocks + 1, by pc */
	bool failed;			/* out of memory */
};

/* The phases of all intervals. */
struct phase_result {
	struct cluster_point *points; /* one per interval */
	struct clusters clusters;
	uint32_t representative[CLUSTER_MAX]; /* the interval nearest to the center */
	uint32_t members[CLUSTER_MAX];
};

/* Finds phases, none without intervals; false: out of memory, and the result is empty. */
bool phases_find(const struct phases *phases, struct phase_result *result);
void phase_result_fini(struct phase_result *result);

/* Outputs. */
enum { PHASES_VECTORS, PHASES_SIMPOINTS, PHASES_WEIGHTS };

enum poly_status phases_write(const void *state, size_t output, const struct static_ops *ops,
	struct output_text *text, struct poly_error *error);

/* Writes the report. */
void phases_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
