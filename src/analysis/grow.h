/* SPDX-License-Identifier: MIT */
/* Arrays of counts that grow with the numbers that index them. */
#ifndef ANALYSIS_GROW_H
#define ANALYSIS_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes room for wanted elements of size bytes in an array of *capacity of them, at least
 * twice as many as before; what is added is zero. False: no memory, and nothing has changed.
 */
bool grow_array(void **list, uint32_t *capacity, size_t wanted, size_t size);

/* Counts by number. Zeroed is empty. */
struct counts {
	uint64_t *list;
	uint32_t capacity; /* counts that there is room for; those never counted are 0 */
};

/* Makes room for the numbers below wanted; false: no memory. */
bool counts_reach(struct counts *counts, size_t wanted);

/* The count of a number, 0 also where there is no room for it. */
static inline uint64_t
counts_at(const struct counts *counts, size_t number)
{
	return number < counts->capacity ? counts->list[number] : 0;
}

/*
 * Counts by number plus 1, so that UINT32_MAX, "none", counts as 0: adds from's, whose number n
 * is numbers[n] in into. False: no memory.
 */
bool counts_merge(struct counts *into, const struct counts *from, const uint32_t *numbers);

/* Gives the memory back. */
void counts_fini(struct counts *counts);

#endif
