/* SPDX-License-Identifier: MIT */
/*
 * The line sizes (or page sizes) of a sweep of caches: references are split once for each size,
 * and logged for a second pass where a cache of it needs one. The first accesses to lines are
 * found on request.
 */
#ifndef ANALYSIS_SIM_LINE_SIZES_H
#define ANALYSIS_SIM_LINE_SIZES_H

#include "analysis/sim/access_log.h"
#include "analysis/sim/line_refs.h"

#define LINE_SIZES_SHIFTS 31 /* CACHE_LINE_MAX and smaller */

/* Maximum number of sizes with logs. */
#define LINE_SIZES_LOGS_MAX 8

struct line_size {
	struct line_refs refs;
	const struct mem_refs *step; /* the current one; NULL: this size has no more */
	struct access_log *log;	     /* NULL: not requested */
	bool finished;		     /* the log has been replayed */
	struct line_table lines;     /* of the trace, if they are tracked */
	unsigned rate;		     /* of the sample that they are */
	uint8_t first[MEM_REFS_MAX]; /* of the current step: weights of line_table_weigh */
};

/* Zero-initialise, then set split and memory. */
struct line_sizes {
	bool split;
	bool tracked;				   /* first accesses are found */
	uint64_t memory;			   /* maximum, of tables of lines */
	struct line_size *list[LINE_SIZES_SHIFTS]; /* by log2 of the size; NULL: not added */
	unsigned logs;
};

/* Adds a size of 2^shift bytes unless it is present. POLY_ERR_MEMORY. */
enum poly_status line_sizes_add(
	struct line_sizes *sizes, unsigned shift, struct poly_error *error);

/* Removes a size, which may be absent. */
void line_sizes_remove(struct line_sizes *sizes, unsigned shift);

/* Requests a log for a size that was added. POLY_ERR_USAGE: more than LINE_SIZES_LOGS_MAX, or
 * stores is NULL; POLY_ERR_IO, POLY_ERR_MEMORY. */
enum poly_status line_sizes_log(struct line_sizes *sizes, unsigned shift,
	const struct poly_stats_stores *stores, struct poly_error *error);

/* Finds the first accesses to lines from now on; all sizes share the memory. POLY_ERR_MEMORY.
 */
enum poly_status line_sizes_track(struct line_sizes *sizes, struct poly_error *error);
void line_sizes_fini(struct line_sizes *sizes);

/* Begins with references, which must stay valid until the last step. */
void line_sizes_begin(struct line_sizes *sizes, const struct mem_refs *refs);

/* Sets the next step of each size, and appends it to its log; *more: false if the references
 * are complete. POLY_ERR_MEMORY. */
enum poly_status line_sizes_next(struct line_sizes *sizes, bool counts, bool *more);

/* Replays the logs one after the other, as access_log_replay; *finished: all are complete. */
enum poly_status line_sizes_replay(struct line_sizes *sizes, access_log_fn *step_fn, void *user,
	bool *finished, struct poly_error *error);

#endif
