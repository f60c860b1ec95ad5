/* SPDX-License-Identifier: MIT */
/* Functions of sinks. */
#ifndef TESTS_SINKS_H
#define TESTS_SINKS_H

#include "base/buf.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* Appends to a struct buf. */
static inline int
collect(void *user, const void *data, size_t size)
{
	buf_append(user, data, size);
	return 0;
}

/* Adds to a size_t, without an allocation. */
static inline int
count_bytes(void *user, const void *data, size_t size)
{
	(void)data;
	*(size_t *)user += size;
	return 0;
}

/* Fails, and counts the calls in an unsigned, if not NULL. */
static inline int
refuse(void *user, const void *data, size_t size)
{
	(void)data;
	(void)size;
	if (user)
		++*(unsigned *)user;
	return ENOSPC;
}

#endif
