/* SPDX-License-Identifier: MIT */
/* Growable arrays of any type: the pointer and the capacity are read and stored as bytes. */
#include "base/vec.h"

#include "base/mem.h"

#include <stdint.h>
#include <string.h>

/* Capacity of a new array. */
#define FIRST_COUNT 8

static size_t
load_capacity(const void *capacity, size_t width)
{
	uint32_t narrow;
	size_t wide;
	memcpy(width == sizeof narrow ? (void *)&narrow : &wide, capacity, width);
	return width == sizeof narrow ? narrow : wide;
}

static void
store_capacity(void *capacity, size_t width, size_t count)
{
	const uint32_t narrow = (uint32_t)count;
	memcpy(capacity, width == sizeof narrow ? (const void *)&narrow : &count, width);
}

bool
vec_grow(void *array, size_t size, void *capacity, size_t width, size_t count)
{
	const size_t max = width == sizeof(uint32_t) ? UINT32_MAX : SIZE_MAX;
	const size_t old = load_capacity(capacity, width);
	size_t grown = old > max / 2 ? max : old ? 2 * old : FIRST_COUNT;
	if (grown < count)
		grown = count;
	void *elements;
	memcpy(&elements, array, sizeof elements);
	elements = grown > max ? NULL : mem_resize(elements, grown, size);
	if (!elements)
		return false;
	memcpy(array, &elements, sizeof elements);
	store_capacity(capacity, width, grown);
	return true;
}

bool
vec_grow_zeroed(void *array, size_t size, void *capacity, size_t width, size_t count)
{
	const size_t old = load_capacity(capacity, width);
	char *elements;
	if (!vec_grow(array, size, capacity, width, count))
		return false;
	memcpy(&elements, array, sizeof elements);
	memset(elements + old * size, 0, (load_capacity(capacity, width) - old) * size);
	return true;
}
