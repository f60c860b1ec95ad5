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
static atomic_size_t fail_in_threads;

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
#else
static bool
mem_fails(void)
{
	return false;
}
#endif

void *
mem_new(size_t count, size_t size)
{
	if (mem_fails())
		return NULL;
	return calloc(count ? count : 1, size ? size : 1);
}

void *
mem_resize(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return NULL;
	if (mem_fails())
		return NULL;
	size_t bytes = count * size;
	return realloc(old, bytes > 0 ? bytes : 1);
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
	free(p);
}
