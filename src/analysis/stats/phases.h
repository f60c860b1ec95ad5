/* SPDX-License-Identifier: MIT */
/*
 * Basic-block vectors of intervals, while they are counted.
 *
 * spec: T. Sherwood, E. Perelman, G. Hamerly, B. Calder, Automatically Characterizing Large
 * Scale Program Behavior, ASPLOS 2002; SimPoint 3.0 (see cluster.h).
 */
#ifndef ANALYSIS_STATS_PHASES_H
#define ANALYSIS_STATS_PHASES_H

#include "analysis/basic_blocks.h"
#include "analysis/cluster.h"

#include "base/map.h"

/* Where intervals adapt: their first length, and how many make them twice as long. */
#define PHASES_LEAST 100
#define PHASES_ADAPTED 512

/* Most intervals of a length that is given, most blocks, and most counts of vectors kept. */
#define PHASES_INTERVALS 16384
#define PHASES_BLOCKS ((uint32_t)1 << 20)
#define PHASES_COUNTS ((size_t)1 << 22)

/* Blocks that are found without looking into the map. */
#define PHASES_RECENT 4096

#define PHASES_NONE UINT32_MAX

/* A basic block. */
struct phases_block {
	uint64_t pc, count;			/* count: in the interval that is open */
	int16_t projection[CLUSTER_DIMENSIONS]; /* a random direction, by pc */
};

/* Instructions of the vector's blocks, each times the block's direction. */
struct phases_interval {
	int64_t sum[CLUSTER_DIMENSIONS];
	size_t end; /* of its counts, behind those of the interval before */
};

struct phases_count {
	uint32_t block;
	uint64_t count;
};

struct phases {
	uint64_t most, seeds, similarity; /* options */
	bool adapts, keeps_vectors;
	uint64_t length;	     /* of an interval in instructions */
	uint64_t instructions, open; /* all; those in the interval that is open */
	uint64_t beyond;	     /* instructions behind the last interval of the table */
	uint64_t unnumbered;	     /* executions of blocks beyond the most */
	struct basic_blocks blocks;
	uint32_t block_of[ANALYSIS_CONTEXTS_MAX]; /* that is being executed */
	struct map numbers;			  /* of blocks, by pc */
	struct phases_block *list;
	uint32_t count, capacity;
	uint32_t *touched; /* blocks of the open interval; as many as in list */
	uint32_t touched_count;
	struct phases_interval *intervals;
	uint32_t interval_count, interval_capacity;
	struct phases_count *counts; /* of all intervals */
	size_t counts_used, counts_capacity;
	bool counts_full;
	uint32_t recent[PHASES_RECENT]; /* blocks + 1, by pc */
};

/* What the intervals say together. */
struct phases_answer {
	struct cluster_point *points; /* an interval each */
	struct clusters clusters;
	uint32_t representative[CLUSTER_MAX]; /* the interval nearest to the center */
	uint32_t members[CLUSTER_MAX];
};

/* Finds phases; false: no memory, nothing is left behind. Nothing for no intervals. */
bool phases_answer(const struct phases *phases, struct phases_answer *answer);
void phases_answer_fini(struct phases_answer *answer);

/* Writes what was found. */
void phases_report(const void *state, const struct static_ops *ops, struct poly_report *report);

extern const struct analysis analysis_phases;

#endif
