/* SPDX-License-Identifier: MIT */
/* All allocation of the library: sizes are multiplied with a check, and tests can make it fail.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* count elements of size bytes, zeroed; NULL where memory cannot be had or the product
 * overflows. */
void *mem_new(size_t count, size_t size);

/* As realloc for count elements of size bytes; what is added is undefined. */
void *mem_resize(void *old, size_t count, size_t size);

/* A copy of a string; NULL where memory cannot be had. */
char *mem_string(const char *text);

/* Gives back what the above returned. Accepts NULL. */
void mem_free(void *p);

#ifdef POLY_FAULT_INJECTION
/*
 * Only in test builds: lets the calling thread's k-th allocation from now on (k from 1) fail,
 * and every later one; 0 lets none fail. Returns how many allocations it has made since the
 * last call.
 */
size_t mem_fail_at(size_t k);

/*
 * The same for every thread that begins later, and has not asked for itself; 0 lets none fail.
 */
void mem_fail_in_threads(size_t k);
#endif

#endif
