/* SPDX-License-Identifier: MIT */
/* What every unit test needs: cmocka, and bytes in memory. */
#ifndef TESTS_TEST_HELP_H
#define TESTS_TEST_HELP_H

#include "sampling.h"

#include "base/buf.h"
#include "base/mem.h"
#include "polytrace/polytrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The bytes of a text. */
static inline struct buf
bytes_of(const char *text)
{
	struct buf bytes = {0};
	buf_string(&bytes, text);
	return bytes;
}

/* Appends to a struct buf: the function of a sink. */
static inline int
collect(void *user, const void *data, size_t size)
{
	buf_append(user, data, size);
	return 0;
}

static inline void
expect_same(const struct buf *got, const struct buf *expected)
{
	assert_int_equal(got->size, expected->size);
	if (expected->size)
		assert_memory_equal(got->data, expected->data, expected->size);
}

#endif
