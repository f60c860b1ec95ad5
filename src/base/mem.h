/* SPDX-License-Identifier: MIT */
/*
 * All allocations of the library: multiplication of sizes is checked, and tests can inject
 * failures.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* count elements of size bytes, zeroed; NULL: out of memory, or the product
 * overflows. */
void *mem_new(size_t count, size_t size);

/* As realloc for count elements of size bytes; new bytes are undefined. */
void *mem_resize(void *old, size_t count, size_t size);

/* Returns a copy of a string; NULL: out of memory. */
char *mem_string(const char *text);

/* Frees memory returned by these functions. Accepts NULL. */
void mem_free(void *p);

#ifdef POLY_FAULT_INJECTION
/*
 * Only in test builds: lets the calling thread's k-th allocation from now on (k from 1) fail,
 * and every later one; 0 lets none fail. Returns how many allocations it has made since the
 * last call.
 */
size_t mem_fail_at(size_t k);

/*
 * The same for every thread that starts later and has not called mem_fail_at; 0: no failures.
 */
void mem_fail_in_threads(size_t k);

/* Returns the number of allocations of all threads that are not freed. */
size_t mem_live(void);
#endif

#endif
