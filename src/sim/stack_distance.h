/* SPDX-License-Identifier: MIT */
/*
 * Stack distances: how many other lines were used since the last use of the same one. A fully
 * associative lru cache of n lines misses just where the distance is n or more, or there is
 * none, so one pass gives the misses of all sizes.
 *
 * source: R. L. Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems
 * Journal 9 (2), 1970.
 *
 * Memory: at most 64 bytes a line.
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
 * Uses lines one after the other. Each is a number below lines, which never falls from call to
 * call and which memory grows with (see sim/dense_index.h). POLY_ERR_MEMORY, after which
 * the distances are of no use.
 */
enum poly_status stack_distance_run(struct stack_distance *distance, const uint32_t *ids,
	size_t count, uint32_t lines, struct poly_error *error);

/* How many uses had each distance; their number is *count. Until the next run. */
const uint64_t *stack_distance_counts(const struct stack_distance *distance, size_t *count);

/* How many uses were the first of their line. */
uint64_t stack_distance_first(const struct stack_distance *distance);

/* How many uses a fully associative lru cache of so many lines misses. */
uint64_t stack_distance_misses(const struct stack_distance *distance, uint64_t lines);

/* Whether uses are counted from now on, as they are at first; the order of lines changes in any
 * case. For warm-up. */
void stack_distance_counting(struct stack_distance *distance, bool counting);

#endif
