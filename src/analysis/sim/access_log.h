/* SPDX-License-Identifier: MIT */
/*
 * Memory references that are logged in temporary stores and replayed in a second pass, with
 * the next use of each one's line (or page). Errors are saved, and returned by the second
 * pass.
 *
 * Memory: 260 KiB, and that of sim/cache/next_use.h for each line size.
 */
#ifndef ANALYSIS_SIM_ACCESS_LOG_H
#define ANALYSIS_SIM_ACCESS_LOG_H

#include "analysis/sim/mem_refs.h"
#include "sim/cache/next_use.h"

#define ACCESS_LOG_SIZES 8			 /* maximum number of line sizes */
#define ACCESS_LOG_LINES_MAX ((uint32_t)1 << 22) /* different lines */
#define ACCESS_LOG_STEP 4096			 /* references per step of the second pass */

struct access_log;

/* References of the second pass, of which all count or none. Valid until the next step. */
struct access_log_step {
	struct cache_batch refs;
	const uint64_t
		*next[ACCESS_LOG_SIZES]; /* by size, in the order of access_log_add_size */
	bool counts;
};

/* Creates an empty log. POLY_ERR_USAGE if stores is NULL; POLY_ERR_MEMORY. */
enum poly_status access_log_new(const struct poly_stats_stores *stores, struct access_log **log,
	struct poly_error *error);
void access_log_free(struct access_log *log);

/* Requests next uses of lines of 2^shift bytes, and returns the index of this size; before any
 * reference. POLY_ERR_USAGE: more than ACCESS_LOG_SIZES; POLY_ERR_IO, POLY_ERR_MEMORY. */
enum poly_status access_log_add_size(
	struct access_log *log, unsigned shift, size_t *index, struct poly_error *error);

/* Appends references. */
void access_log_append(struct access_log *log, const struct mem_refs *refs, bool counts);

/* Processes a step of the second pass; false: out of memory. */
typedef bool access_log_fn(void *user, const struct access_log_step *step);

/*
 * Runs the second pass, once: calls step_fn for all references. *finished: the pass was
 * complete; it is not run again. False with POLY_OK: more than ACCESS_LOG_LINES_MAX lines.
 * Saved errors of the first pass: POLY_ERR_IO, POLY_ERR_MEMORY.
 */
enum poly_status access_log_replay(struct access_log *log, access_log_fn *step_fn, void *user,
	bool *finished, struct poly_error *error);

#endif
