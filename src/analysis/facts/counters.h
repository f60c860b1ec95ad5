/* SPDX-License-Identifier: MIT */
/* Growable arrays of counters, indexed by number. */
#ifndef ANALYSIS_COUNTERS_H
#define ANALYSIS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counters by number. Zeroed is empty. */
struct counters {
	uint64_t *list;
	uint32_t capacity; /* elements of list; counters beyond are 0 */
};

/* Grows to at least count counters; false: out of memory. */
bool counters_reserve(struct counters *counters, size_t count);

/* Returns the counter of a number; 0 beyond the capacity. */
static inline uint64_t
counters_at(const struct counters *counters, size_t number)
{
	return number < counters->capacity ? counters->list[number] : 0;
}

/*
 * Adds the counters of from, which are indexed by number + 1, so that UINT32_MAX, "none", has
 * index 0. numbers maps from's numbers to those of into. False: out of memory.
 */
bool counters_merge(
	struct counters *into, const struct counters *from, const uint32_t *numbers);

/* Frees the memory. */
void counters_fini(struct counters *counters);

#endif
