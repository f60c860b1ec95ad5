/* SPDX-License-Identifier: MIT */
/* The state of the analysis of blocks and loops, which its counting and its report share. */
#ifndef ANALYSIS_STATS_BLOCKS_H
#define ANALYSIS_STATS_BLOCKS_H

#include "analysis/basic_blocks.h"
#include "analysis/pair_index.h"

/* Blocks of so many instructions or more are one size. */
#define BLOCKS_LONG 256

/* Loops that may be open at once in a context; further ones are counted as too deep. */
#define BLOCKS_NESTED 64

/* Most loops that are told apart; further ones are counted as beyond them. */
#define BLOCKS_LOOPS ((uint32_t)1 << 18)

/* A block, by the site of its first instruction. */
struct block_count {
	uint64_t executions, instructions;
};

/* A loop, by the address of its first instruction. */
struct loop {
	uint64_t latch; /* highest address that jumped back */
	uint64_t entries, iterations, longest;
	uint64_t instructions; /* executed in it, with those of what it calls */
	unsigned depth;	       /* greatest nesting, from 1 */
};

/* A loop that a context is in. */
struct open_loop {
	uint64_t head, latch;
	uint64_t iterations;
	uint64_t mark; /* instructions of the context that are counted already */
	int64_t level; /* calls that the context was in */
	uint32_t loop; /* its number; PAIR_INDEX_FULL: beyond the most */
};

/* Where a context is. */
struct walker {
	uint64_t pc, behind, instructions;
	uint64_t block; /* instructions of the open block; 0: none is open */
	uint32_t site;	/* of its first one */
	uint32_t open;	/* loops that it is in */
	int64_t level;	/* calls that it is in, from where the trace began */
	uint8_t flow;	/* of the last instruction, or that of the branch before a slot */
	bool is_known;	/* there was one */
	bool has_behind;
	struct open_loop *loops; /* BLOCKS_NESTED of them, allocated with the first one */
};

struct block_profile {
	bool is_empty; /* nothing is known of what any context did before */
	struct basic_blocks blocks;
	struct walker walkers[ANALYSIS_CONTEXTS_MAX];
	struct block_count *counts; /* by site of the first instruction */
	uint32_t capacity;
	uint64_t sizes[BLOCKS_LONG + 1]; /* blocks that have ended, by instructions */
	struct pair_index heads;	 /* of loops */
	struct loop *loops;		 /* by number of their head */
	uint32_t loop_capacity;
	uint64_t trips[65]; /* loops that have ended, by bits of their iterations */
	uint64_t deep;	    /* loops that were nested too deep */
	uint64_t beyond;    /* loops beyond the most */
	uint64_t top;
};

void block_profile_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
