/* SPDX-License-Identifier: MIT */
/* The state of the analysis of blocks and loops, shared by its counting and its report. */
#ifndef ANALYSIS_STATS_BLOCKS_H
#define ANALYSIS_STATS_BLOCKS_H

#include "analysis/facts/basic_blocks.h"
#include "analysis/facts/pair_index.h"

/* Blocks of this many instructions or more are counted together. */
#define BLOCKS_LENGTH_MAX 256

/* Max. number of open loops of a context; loops nested deeper are counted as untracked. */
#define BLOCKS_NESTED_MAX 64

/* Max. number of unique loops; entries of others are counted as untracked. */
#define BLOCKS_LOOPS_MAX ((uint32_t)1 << 18)

/* A block, identified by the site of its first instruction. */
struct block_count {
	uint64_t executions, instructions;
};

/* A loop, identified by the address of its first instruction. */
struct loop {
	uint64_t latch; /* highest address of a branch back */
	uint64_t entries, iterations, max_iterations;
	uint64_t instructions; /* executed in it and in its callees */
	unsigned depth;	       /* max. nesting, from 1 */
};

/* A loop that a context is executing. */
struct open_loop {
	uint64_t head, latch;
	uint64_t iterations;
	uint64_t counted; /* instructions of the context that are already counted */
	int64_t level;	  /* call depth of the context at its entry */
	uint32_t loop;	  /* its index; PAIR_INDEX_FULL: untracked */
};

/* The control flow of a context. */
struct walker {
	uint64_t pc, fallthrough, instructions;
	uint64_t block; /* instructions of the open block; 0: none is open */
	uint32_t site;	/* of the first instruction of the open block */
	uint32_t open;	/* number of open loops */
	int64_t level;	/* call depth, 0 at the begin of the trace */
	uint8_t flow;	/* of the last instruction, or of the branch before a delay slot */
	bool is_known;	/* there is a last instruction */
	bool has_fallthrough;
	struct open_loop *loops; /* BLOCKS_NESTED_MAX of them, allocated with the first one */
};

struct block_profile {
	bool is_empty; /* no context has any history */
	struct basic_blocks blocks;
	struct walker walkers[ANALYSIS_CONTEXTS_MAX];
	struct block_count *counts; /* by site of the first instruction */
	uint32_t capacity;
	uint64_t lengths[BLOCKS_LENGTH_MAX + 1]; /* executions of blocks, by instructions */
	struct pair_index heads;		 /* of loops */
	struct loop *loops;			 /* by index of their head */
	uint32_t loop_capacity;
	uint64_t trips[65];	   /* executions of loops, by bits of their iterations */
	uint64_t untracked_nested; /* entries of loops nested too deep */
	uint64_t untracked_loops;  /* entries of loops that exceed the table */
	uint64_t top;
	bool failed; /* out of memory */
};

void block_profile_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
