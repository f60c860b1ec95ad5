/* SPDX-License-Identifier: MIT */
/*
 * Stack distances: the number of distinct lines accessed since the last access to the same
 * line. A fully associative lru cache of n lines misses if and only if the distance is n or
 * more, or undefined, so one pass gives the misses of all sizes.
 *
 * source: R. L. Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems
 * Journal 9 (2), 1970.
 *
 * Memory: at most 64 bytes per line.
 */
#ifndef SIM_STACK_DISTANCE_H
#define SIM_STACK_DISTANCE_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_distance;

/* POLY_ERR_MEMORY. */
enum poly_status stack_distance_new(struct stack_distance **distance, struct poly_error *error);
void stack_distance_free(struct stack_distance *distance);

/*
 * Accesses lines in order. Each is a number below lines, which never decreases from call to
 * call and determines the memory (see sim/memory/dense_index.h). POLY_ERR_MEMORY, after which
 * the distances are invalid.
 */
enum poly_status stack_distance_run(struct stack_distance *distance, const uint32_t *ids,
	size_t count, uint32_t lines, struct poly_error *error);

/*
 * Advances over accesses that part has alone, as if they had been passed to
 * stack_distance_run. ids: the number of each line of part, whose own numbers are in the order
 * of first access. POLY_ERR_MEMORY as above.
 *
 * source: Q. Niu et al., "PARDA: A Fast Parallel Reuse Distance Analysis Algorithm", IPDPS
 * 2012: only the first access to a line in a part needs what precedes the part.
 */
enum poly_status stack_distance_append(struct stack_distance *distance,
	const struct stack_distance *part, const uint32_t *ids, uint32_t lines,
	struct poly_error *error);

/* Forgets all accesses, and keeps the memory. Lines were numbered in the order of first access.
 */
void stack_distance_clear(struct stack_distance *distance);

/* Returns the accesses with each of *count distances; valid until the next run. */
const uint64_t *stack_distance_counts(const struct stack_distance *distance, size_t *count);

/* Returns the accesses that were the first to their line. */
uint64_t stack_distance_first(const struct stack_distance *distance);

/* Returns the misses of a fully associative lru cache of a number of lines. */
uint64_t stack_distance_misses(const struct stack_distance *distance, uint64_t lines);

/* Switches counting, which is initially on; the order of lines is updated in any case. For
 * warm-up. */
void stack_distance_counting(struct stack_distance *distance, bool counting);

#endif
