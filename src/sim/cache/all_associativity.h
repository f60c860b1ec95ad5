/* SPDX-License-Identifier: MIT */
/*
 * Many LRU caches in one pass: all set counts 2^a to 2^b, each with 1 to 16 ways. The first w
 * lines of a set, newest first, are the contents of the cache with w ways. The newest line of
 * a set is the newest with more sets, too, which ends most accesses early.
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
#define ALL_ASSOCIATIVITY_BITS_MAX 20 /* log2 of the number of sets */

struct all_associativity;

/* Creates caches of 2^min to 2^max sets. POLY_ERR_USAGE if min > max or max >
 * ALL_ASSOCIATIVITY_BITS_MAX; POLY_ERR_MEMORY. Memory: 64 bytes per set, over all set counts.
 */
enum poly_status all_associativity_new(
	unsigned min, unsigned max, struct all_associativity **all, struct poly_error *error);
void all_associativity_free(struct all_associativity *all);

/* Accesses lines in order: their numbers (address / line size), which select the sets, and
 * their dense numbers (sim/memory/dense_index.h), below 2^32 - 1. */
void all_associativity_run(struct all_associativity *all, const uint64_t *lines,
	const uint32_t *ids, size_t count);

/* Assigns new ids to the lines that some cache holds, from 0, and stores them in ids by old id,
 * where the caller stored UINT32_MAX. Returns their number, at most 16 times that of the sets.
 */
uint32_t all_associativity_renumber(struct all_associativity *all, uint32_t *ids);

/* Returns the misses of the cache of 2^bits sets and the given ways (1 to 16). */
uint64_t all_associativity_misses(
	const struct all_associativity *all, unsigned bits, unsigned ways);

/* Switches counting, which is initially on. For warm-up. */
void all_associativity_counting(struct all_associativity *all, bool counting);

#endif
