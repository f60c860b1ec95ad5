/* SPDX-License-Identifier: MIT */
/*
 * San Francisco State's CSC 656: the branch predictors of project 1b and the cache of
 * project 2. There every record with T or N is a branch. The line of a branch in system 2 is
 * documented; the other numbers are, but not how they were worded, so those lines are `what =
 * number`.
 *
 * spec: reference cis501 7.1.7, 3 (rows 2, 5 and 7)
 */
#ifndef COURSE_SFSU_H
#define COURSE_SFSU_H

#include "course/cache.h"
#include "course/course.h"

#include "polytrace/status.h"

enum { COURSE_SFSU_ENTRIES_MAX = 1 << 22, COURSE_SFSU_BLOCK = 16, COURSE_SFSU_MEMORY = 80 };

/* System 1: backward (target <= pc) is taken, forward is not. Zeroed is ready. */
struct course_sfsu_static {
	uint64_t forward, forward_taken, backward, backward_taken;
};

/* Takes a record. */
void course_sfsu_static_uop(struct course_sfsu_static *system, const struct course_uop *uop);

/* Branches, and those that were mispredicted. */
uint64_t course_sfsu_static_branches(const struct course_sfsu_static *system);
uint64_t course_sfsu_static_wrong(const struct course_sfsu_static *system);

/* Prints the results. */
void course_sfsu_static_end(const struct course_sfsu_static *system, struct buf *to);

/* System 2: counters that start at 1, and a target buffer that is asked where they say taken.
 */
struct course_sfsu_dynamic {
	uint32_t predictors, entries; /* counters; of the target buffer */
	uint8_t *counters;
	struct btb *btb;
	uint64_t branches, wrong, accesses, misses; /* the last two of the target buffer */
};

/*
 * Prepares a system of so many counters and entries, any numbers from 1 to
 * COURSE_SFSU_ENTRIES_MAX. POLY_ERR_USAGE where they are others, POLY_ERR_MEMORY.
 */
enum poly_status course_sfsu_dynamic_init(struct course_sfsu_dynamic *system,
	uint32_t predictors, uint32_t entries, struct poly_error *error);

/* Takes a record, and prints the line of a branch; to may be NULL: it is not printed. */
void course_sfsu_dynamic_uop(
	struct course_sfsu_dynamic *system, const struct course_uop *uop, struct buf *to);

/* Prints the results. */
void course_sfsu_dynamic_end(const struct course_sfsu_dynamic *system, struct buf *to);

/* Gives the memory back, also after init failed. */
void course_sfsu_dynamic_fini(struct course_sfsu_dynamic *system);

/* Project 2's cache of that many bytes and ways: blocks of 16 bytes, LRU, valid bits. */
struct course_cache_config course_sfsu_cache(uint64_t capacity, uint32_t ways);

/*
 * The cycles that its loads or its stores took: 1 for each, COURSE_SFSU_MEMORY more for a miss,
 * twice that where a dirty block went.
 */
uint64_t course_sfsu_cache_cycles(const struct course_cache *cache, bool stores);

/* Prints project 2's results. */
void course_sfsu_cache_end(const struct course_cache *cache, struct buf *to);

#endif
