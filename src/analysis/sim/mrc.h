/* SPDX-License-Identifier: MIT */
/* Miss ratio curves: their state, shared by the files mrc*.c. */
#ifndef ANALYSIS_SIM_MRC_H
#define ANALYSIS_SIM_MRC_H

#include "analysis/sim/line_refs.h"
#include "sim/cache/all_associativity.h"
#include "sim/memory/dense_index.h"
#include "sim/memory/shards.h"
#include "sim/memory/stack_distance.h"

#include <stdatomic.h>

/*
 * Numbers of sampling rates. Lines are sampled at several rates from the start, as lines that
 * were accessed before the limit of memory would be missing in samples that begin there.
 */
#define RATES_MAX 3
#define RATE_FIRST 8
#define RATE_STEP 6

/* log2 of the maximum number of sets. */
#define SETS_LOG2_MAX 13

/* Maximum number of contexts with private caches. */
#define CONTEXTS_MAX 64

/* The caches of data or of instructions. */
struct mrc_curve {
	uint64_t accesses;
	uint64_t instructions; /* executed until the limit of lines */
	bool full;	       /* the number of lines exceeded the limit */
	/* Exact: */
	struct dense_index dense;	 /* beyond the limit of memory, of all alone */
	struct stack_distance *distance; /* NULL: only sampled */
	struct all_associativity *all;	 /* NULL: not requested */
	/* Sampled, at the rates of the simulation: */
	struct shards *samples[RATES_MAX + 1]; /* the last is NULL */
	unsigned rate; /* index of the first rate whose samples are within the limit */
};

enum { DATA, INSTRUCTIONS, CURVES };

/* Numbers of lines, of consecutive accesses to a line only one. */
struct mrc_lines {
	uint64_t *numbers;
	uint32_t capacity, count;
};

/* The lines of a part of a trace that a curve needs. */
struct mrc_stream {
	struct mrc_lines all, sampled; /* sampled: at the first rate */
	/* The distances within the part: */
	struct dense_index dense;
	struct mrc_lines first; /* by id */
	struct stack_distance *distance;
};

/* A step of references; ends: of its lines in those of the part. */
struct mrc_step {
	uint64_t instructions;
	uint64_t accesses[CURVES];
	uint32_t ends[CURVES], sampled_ends[CURVES];
};

/* What the curves of all contexts need of a part of a trace, whatever precedes it. */
struct mrc_part {
	struct mem_refs refs;
	struct line_refs split;
	bool counts;	    /* the rows do */
	bool has_distances; /* within the part, of all rows */
	struct mrc_stream streams[CURVES];
	struct mrc_step *steps;
	uint32_t step_capacity, step_count;
	uint32_t ids[MEM_REFS_MAX];
};

struct mrc_simulation {
	unsigned line_shift;
	bool split;		   /* references that cross lines */
	unsigned sample;	   /* k, 0: exact up to the limit of memory */
	unsigned rates[RATES_MAX]; /* k of the samples */
	unsigned rate_count;
	uint32_t line_max;    /* maximum of lines of all exact curves */
	uint32_t exact_lines; /* lines of all exact curves */
	unsigned points;      /* sizes from a power of two to the next */
	struct mrc_curve curves[CURVES];
	atomic_bool needs_distances; /* within parts: a curve is exact, without sets */
	bool by_context;
	const struct contexts *contexts;
	struct mrc_curve context_curves[CONTEXTS_MAX]
				       [CURVES]; /* opened at its first reference */
	uint64_t instructions;			 /* counted */
	uint64_t untracked;			 /* references of contexts beyond the limit */
	uint64_t truncated;			 /* accesses simulated in part */
	struct mrc_part part;			 /* of an update */
	struct mrc_lines of_context;
	uint32_t *ids; /* of the lines being simulated */
	uint32_t id_capacity;
};

/* Lines of a step for a curve. */
struct mrc_access {
	const uint64_t *lines, *sampled;
	uint32_t count, sampled_count;
	uint64_t accesses, instructions;
	bool counts;
	bool is_appended; /* the exact distances have them */
};

/* Allocates the exact distances of a curve of at most lines lines. POLY_ERR_MEMORY. */
enum poly_status mrc_open_exact(
	struct mrc_curve *curve, uint32_t lines, struct poly_error *error);

/* Simulates a step; false: out of memory. */
bool mrc_run(
	struct mrc_simulation *sim, struct mrc_curve *curve, const struct mrc_access *access);

/* Appends the distances within a part to the exact ones if they cannot reach the limit of
 * memory; *appended: they were. False: out of memory. */
bool mrc_append(struct mrc_simulation *sim, const struct mrc_part *part, bool *appended);

/* Ends the exact stack distances; set-associative caches remain exact. POLY_ERR_MEMORY. */
enum poly_status mrc_close_exact(struct mrc_simulation *sim, struct mrc_curve *curve);

/* Adds the references of rows to a part; with_distances: within the part. False: out of
 * memory. */
bool mrc_part_add(const struct mrc_simulation *sim, struct mrc_part *part,
	const struct analysis_rows *rows, bool with_distances);

/* Removes all rows. */
void mrc_part_clear(struct mrc_part *part);

/* Frees the memory. */
void mrc_part_fini(struct mrc_part *part);

/* Simulates the rows of a part; false: out of memory. */
bool mrc_advance(struct mrc_simulation *sim, const struct mrc_part *part);

/* As limit and report of struct analysis. */
const char *mrc_limit(const void *state);
void mrc_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
