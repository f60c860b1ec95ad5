/* SPDX-License-Identifier: MIT */
/*
 * Growable arrays: a pointer to the elements and a capacity, which is a uint32_t or a size_t,
 * both zero at first; mem_free frees the array. Arrays of one capacity grow alike from copies
 * of it; then one of the copies is stored.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes room for count elements, doubling the capacity; new elements are undefined. False: out
 * of memory or of capacity; the array is unchanged. Evaluates its arguments several times.
 */
#define VEC_RESERVE(array, capacity, count) \
	((count) <= (capacity) ||           \
		vec_grow(&(array), sizeof *(array), &(capacity), sizeof(capacity), (count)))

/* Makes room for one element after count, as VEC_RESERVE. */
#define VEC_ROOM(array, capacity, count)                                          \
	((count) < (capacity) || vec_grow(&(array), sizeof *(array), &(capacity), \
					 sizeof(capacity), (size_t)(count) + 1))

/* VEC_RESERVE, with new elements zeroed. */
#define VEC_RESERVE_ZEROED(array, capacity, count)                                        \
	((count) <= (capacity) || vec_grow_zeroed(&(array), sizeof *(array), &(capacity), \
					  sizeof(capacity), (count)))

/* VEC_ROOM, with new elements zeroed. */
#define VEC_ROOM_ZEROED(array, capacity, count)                                          \
	((count) < (capacity) || vec_grow_zeroed(&(array), sizeof *(array), &(capacity), \
					 sizeof(capacity), (size_t)(count) + 1))

/* Enlarge the array at *array, of elements of size bytes, to at least count of them; *capacity
 * has width bytes. */
bool vec_grow(void *array, size_t size, void *capacity, size_t width, size_t count);
bool vec_grow_zeroed(void *array, size_t size, void *capacity, size_t width, size_t count);

#endif
