/* SPDX-License-Identifier: MIT */
/*
 * Uses of memory that are kept in temporary stores and seen a second time, with what is known
 * only then: when the line (or page) of each is used next. What goes wrong is remembered and
 * told at the end.
 *
 * Memory: 260 KiB, and for each size of lines as sim/next_use.h.
 */
#ifndef ANALYSIS_SIM_REPLAY_H
#define ANALYSIS_SIM_REPLAY_H

#include "analysis/sim/uses.h"
#include "sim/next_use.h"

#define REPLAY_SIZES 8			      /* of lines, at most */
#define REPLAY_LINES_MOST ((uint32_t)1 << 22) /* different lines */
#define REPLAY_STEP 4096		      /* uses that are seen again at a time */

struct replay;

/* Some uses, all of which are to be counted or none. Until the next ones. */
struct replay_step {
	struct cache_batch uses;
	const uint64_t *next[REPLAY_SIZES]; /* by size, in the order of replay_size */
	bool counts;
};

/* An empty replay. POLY_ERR_USAGE where there are no stores; POLY_ERR_MEMORY. */
enum poly_status replay_new(const struct poly_stats_stores *stores, struct replay **replay,
	struct poly_error *error);
void replay_free(struct replay *replay);

/* Says that next uses of lines of 2^shift bytes are needed, and tells their place among sizes;
 * before any use. POLY_ERR_USAGE: more than REPLAY_SIZES; POLY_ERR_IO, POLY_ERR_MEMORY. */
enum poly_status replay_size(
	struct replay *replay, unsigned shift, size_t *place, struct poly_error *error);

/* Keeps uses. */
void replay_keep(struct replay *replay, const struct uses *uses, bool counts);

/* Takes some uses of the second pass; false: no memory. */
typedef bool replay_fn(void *user, const struct replay_step *step);

/*
 * The second pass, once: gives all uses to take. *finished: it was whole, and need not be gone
 * through again; without it there were more lines than above. What was remembered of the first
 * pass: POLY_ERR_IO, POLY_ERR_MEMORY.
 */
enum poly_status replay_again(struct replay *replay, replay_fn *take, void *user,
	bool *finished, struct poly_error *error);

#endif
