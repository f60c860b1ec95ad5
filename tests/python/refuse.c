/* SPDX-License-Identifier: MIT */
/* Lets allocations of libpolytrace and of the extension fail, when it is preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

/* The allocation from which on all fail, from 1 (0: none), and the number of them so far. */
long refuse_from, refuse_count;

static int
is_refused(void *caller)
{
	Dl_info info;
	if (!refuse_from || !dladdr(caller, &info) || !info.dli_fname ||
		!(strstr(info.dli_fname, "libpolytrace") || strstr(info.dli_fname, "_native")))
		return 0;
	return ++refuse_count >= refuse_from;
}

void *
malloc(size_t size)
{
	return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
	return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
