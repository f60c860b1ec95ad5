/* SPDX-License-Identifier: MIT */
/*
 * Uses of memory that are kept in temporary stores and seen a second time, with what is known
 * only then: when the line (or page) of each is used next. What goes wrong is remembered and
 * told at the end.
 *
 * Memory: 260 KiB, and for each size of lines as sim/next_use.h.
 */
#ifndef ANALYSIS_SIM_ACCESS_LOG_H
#define ANALYSIS_SIM_ACCESS_LOG_H

#include "analysis/sim/mem_refs.h"
#include "sim/next_use.h"

#define ACCESS_LOG_SIZES 8			 /* of lines, at most */
#define ACCESS_LOG_LINES_MAX ((uint32_t)1 << 22) /* different lines */
#define ACCESS_LOG_STEP 4096			 /* uses that are seen again at a time */

struct access_log;

/* Some uses, all of which are to be counted or none. Until the next ones. */
struct access_log_step {
	struct cache_batch uses;
	const uint64_t
		*next[ACCESS_LOG_SIZES]; /* by size, in the order of access_log_add_size */
	bool counts;
};

/* An empty log. POLY_ERR_USAGE where there are no stores; POLY_ERR_MEMORY. */
enum poly_status access_log_new(const struct poly_stats_stores *stores, struct access_log **log,
	struct poly_error *error);
void access_log_free(struct access_log *log);

/* Says that next uses of lines of 2^shift bytes are needed, and tells their place among sizes;
 * before any use. POLY_ERR_USAGE: more than ACCESS_LOG_SIZES; POLY_ERR_IO, POLY_ERR_MEMORY. */
enum poly_status access_log_add_size(
	struct access_log *log, unsigned shift, size_t *place, struct poly_error *error);

/* Keeps uses. */
void access_log_append(struct access_log *log, const struct mem_refs *uses, bool counts);

/* Takes some uses of the second pass; false: no memory. */
typedef bool access_log_fn(void *user, const struct access_log_step *step);

/*
 * The second pass, once: gives all uses to take. *finished: it was whole, and need not be gone
 * through again; without it there were more lines than above. What was remembered of the first
 * pass: POLY_ERR_IO, POLY_ERR_MEMORY.
 */
enum poly_status access_log_replay(struct access_log *log, access_log_fn *take, void *user,
	bool *finished, struct poly_error *error);

#endif
