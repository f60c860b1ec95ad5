/* SPDX-License-Identifier: MIT */
/*
 * Many lru caches at once: all set counts 2^a to 2^b, each with 1 to 16 ways. A set of 16
 * lines, newest first, has the contents of the caches with fewer ways in front. A line that is
 * the newest of its set is so with more sets too, which ends most accesses early.
 *
 * source: M. D. Hill, A. J. Smith, "Evaluating Associativity in CPU Caches", IEEE Transactions
 * on Computers 38 (12), 1989.
 */
#ifndef SIM_ALL_ASSOCIATIVITY_H
#define SIM_ALL_ASSOCIATIVITY_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALL_ASSOCIATIVITY_WAYS 16
#define ALL_ASSOCIATIVITY_BITS_MAX 20 /* of a number of sets */

struct all_associativity;

/* Caches of 2^least to 2^most sets. POLY_ERR_USAGE where least > most or most is more than
 * ALL_ASSOCIATIVITY_BITS_MAX; POLY_ERR_MEMORY. Memory: 64 bytes a set, of all numbers of sets.
 */
enum poly_status all_associativity_new(unsigned least, unsigned most,
	struct all_associativity **all, struct poly_error *error);
void all_associativity_free(struct all_associativity *all);

/* Uses lines one after the other: their numbers (address / line size), which tell the sets, and
 * dense numbers for them (sim/dense_index.h), below 2^32 - 1. */
void all_associativity_run(struct all_associativity *all, const uint64_t *lines,
	const uint32_t *ids, size_t count);

/* How many uses the cache of 2^bits sets and so many ways (1 to 16) missed. */
uint64_t all_associativity_misses(
	const struct all_associativity *all, unsigned bits, unsigned ways);

/* Whether uses are counted from now on, as they are at first. For warm-up. */
void all_associativity_counting(struct all_associativity *all, bool counting);

#endif
