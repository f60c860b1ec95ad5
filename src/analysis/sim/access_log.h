/* SPDX-License-Identifier: MIT */
/*
 * Memory references that are logged in temporary stores and replayed in a second pass, with
 * the next use of each one's line (or page). Errors are saved, and returned by the second
 * pass.
 *
 * Memory: 260 KiB, and that of sim/cache/next_use.h in the second pass.
 */
#ifndef ANALYSIS_SIM_ACCESS_LOG_H
#define ANALYSIS_SIM_ACCESS_LOG_H

#include "analysis/sim/mem_refs.h"
#include "sim/cache/next_use.h"

#define ACCESS_LOG_STEP 4096 /* references per step of the second pass */

struct access_log;

/* References of the second pass, of which all count or none. Valid until the next step. */
struct access_log_step {
	unsigned shift; /* log2 of the line size of the log */
	struct cache_batch refs;
	const uint64_t *next; /* next uses of their lines, those in a sample */
	const uint8_t *first; /* 1: it is marked as the first access to its line */
	bool counts;
};

/* Creates an empty log of references, each within a line of 2^shift bytes, whose next uses are
 * found in at most memory bytes. POLY_ERR_USAGE if stores is NULL; POLY_ERR_IO,
 * POLY_ERR_MEMORY. */
enum poly_status access_log_new(const struct poly_stats_stores *stores, unsigned shift,
	uint64_t memory, struct access_log **log, struct poly_error *error);
void access_log_free(struct access_log *log);

/* Appends references; first: not 0 for those that are marked as first accesses; NULL: none. */
void access_log_append(
	struct access_log *log, const struct mem_refs *refs, const uint8_t *first, bool counts);

/* Processes a step of the second pass; false: out of memory. */
typedef bool access_log_fn(void *user, const struct access_log_step *step);

/*
 * Runs the second pass, once: calls step_fn for all references. *finished: the pass was
 * complete; it is not run again. False with POLY_OK: the next uses of all lines do not fit in
 * the memory. Saved errors of the first pass: POLY_ERR_IO, POLY_ERR_MEMORY.
 */
enum poly_status access_log_replay(struct access_log *log, access_log_fn *step_fn, void *user,
	bool *finished, struct poly_error *error);

/* Runs a second pass for a sample, whose rate is reduced until its lines fit: calls step_fn for
 * all references; next uses of other lines are undefined. POLY_ERR_IO, POLY_ERR_MEMORY. */
enum poly_status access_log_replay_sample(struct access_log *log, struct line_sample *sample,
	access_log_fn *step_fn, void *user, struct poly_error *error);

#endif
