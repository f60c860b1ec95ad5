/* SPDX-License-Identifier: MIT */
/*
 * San Francisco State's CSC 656: the branch predictors of project 1b and the cache of project
 * 2. Every record with T or N is a branch. The line of a branch in system 2 is documented; the
 * other numbers are documented without their wording, so their lines are `name = number`.
 *
 * spec: CSC 656 projects 1b and 2 (San Francisco State, 2018)
 */
#ifndef COURSE_SFSU_H
#define COURSE_SFSU_H

#include "course/cache.h"
#include "course/course.h"

#include "polytrace/status.h"

enum { COURSE_SFSU_ENTRIES_MAX = 1 << 22, COURSE_SFSU_BLOCK = 16, COURSE_SFSU_MEMORY = 80 };

/* System 1: backward (target <= pc) is taken, forward is not. Zero-initialise. */
struct course_sfsu_static {
	uint64_t forward, forward_taken, backward, backward_taken;
};

/* Processes a record. */
void course_sfsu_static_uop(struct course_sfsu_static *system, const struct course_uop *uop);

/* Returns the branches, and those that were mispredicted. */
uint64_t course_sfsu_static_branches(const struct course_sfsu_static *system);
uint64_t course_sfsu_static_mispredictions(const struct course_sfsu_static *system);

/* Prints the results. */
void course_sfsu_static_end(const struct course_sfsu_static *system, struct buf *out);

/* System 2: counters that are initially 1, and a BTB that is looked up if they predict taken.
 */
struct course_sfsu_dynamic {
	uint32_t predictors, entries; /* counters; entries of the BTB */
	uint8_t *counters;
	struct btb *btb;
	uint64_t branches, mispredictions, accesses, misses; /* the last two of the BTB */
};

/*
 * Initializes a system of 1 to COURSE_SFSU_ENTRIES_MAX counters and entries. POLY_ERR_USAGE if
 * they are out of range, POLY_ERR_MEMORY.
 */
enum poly_status course_sfsu_dynamic_init(struct course_sfsu_dynamic *system,
	uint32_t predictors, uint32_t entries, struct poly_error *error);

/* Processes a record, and prints the line of a branch unless out is NULL. */
void course_sfsu_dynamic_uop(
	struct course_sfsu_dynamic *system, const struct course_uop *uop, struct buf *out);

/* Prints the results. */
void course_sfsu_dynamic_end(const struct course_sfsu_dynamic *system, struct buf *out);

/* Frees the members, also after init failed. */
void course_sfsu_dynamic_fini(struct course_sfsu_dynamic *system);

/* Returns the configuration of project 2's cache: blocks of 16 bytes, LRU, valid bits. */
struct course_cache_config course_sfsu_cache(uint64_t capacity, uint32_t ways);

/*
 * Returns the cycles of its loads or of its stores: 1 for each, COURSE_SFSU_MEMORY more for a
 * miss, twice that if it replaces a dirty block.
 */
uint64_t course_sfsu_cache_cycles(const struct course_cache *cache, bool stores);

/* Prints project 2's results. */
void course_sfsu_cache_end(const struct course_cache *cache, struct buf *out);

#endif
