/* SPDX-License-Identifier: MIT */
/* All allocation of the library. */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef POLY_FAULT_INJECTION
static _Thread_local size_t fail_at, allocations;
static _Thread_local bool configured;
static atomic_size_t fail_in_threads, live;

size_t
mem_fail_at(size_t k)
{
	size_t count = allocations;
	fail_at = k;
	allocations = 0;
	configured = true;
	return count;
}

void
mem_fail_in_threads(size_t k)
{
	mem_fail_at(0);
	atomic_store(&fail_in_threads, k);
}

static bool
mem_fails(void)
{
	size_t k = configured ? fail_at : atomic_load(&fail_in_threads);
	allocations++;
	return k && allocations >= k;
}

size_t
mem_live(void)
{
	return atomic_load(&live);
}

/* Counts the result of an allocation, unless it replaces an earlier block. */
static void *
count_block(void *block, bool is_new)
{
	if (block && is_new)
		atomic_fetch_add(&live, 1);
	return block;
}
#else
static bool
mem_fails(void)
{
	return false;
}

static void *
count_block(void *block, bool is_new)
{
	(void)is_new;
	return block;
}
#endif

void *
mem_new(size_t count, size_t size)
{
	if (mem_fails())
		return NULL;
	return count_block(calloc(count ? count : 1, size ? size : 1), true);
}

void *
mem_resize(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return NULL;
	if (mem_fails())
		return NULL;
	const size_t bytes = count * size;
	const bool is_new = !old;
	return count_block(realloc(old, bytes > 0 ? bytes : 1), is_new);
}

char *
mem_string(const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = mem_new(n, 1);
	if (copy)
		memcpy(copy, text, n);
	return copy;
}

void
mem_free(void *p)
{
#ifdef POLY_FAULT_INJECTION
	if (p)
		atomic_fetch_sub(&live, 1);
#endif
	free(p);
}
