/* SPDX-License-Identifier: MIT */
/* Arrays of counts that grow with the numbers that index them. */
#ifndef ANALYSIS_COUNTERS_H
#define ANALYSIS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes room for wanted elements of size bytes in an array of *capacity of them, at least
 * twice as many as before; what is added is zero. False: no memory, and nothing has changed.
 */
bool counters_grow_array(void **list, uint32_t *capacity, size_t wanted, size_t size);

/* Counts by number. Zeroed is empty. */
struct counters {
	uint64_t *list;
	uint32_t capacity; /* counts that there is room for; those never counted are 0 */
};

/* Makes room for the numbers below wanted; false: no memory. */
bool counters_reserve(struct counters *counts, size_t wanted);

/* The count of a number, 0 also where there is no room for it. */
static inline uint64_t
counters_at(const struct counters *counts, size_t number)
{
	return number < counts->capacity ? counts->list[number] : 0;
}

/*
 * Counts by number plus 1, so that UINT32_MAX, "none", counts as 0: adds from's, whose number n
 * is numbers[n] in into. False: no memory.
 */
bool counters_merge(
	struct counters *into, const struct counters *from, const uint32_t *numbers);

/* Gives the memory back. */
void counters_fini(struct counters *counts);

#endif
