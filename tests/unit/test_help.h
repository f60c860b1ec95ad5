/* SPDX-License-Identifier: MIT */
/* What every unit test needs: cmocka, bytes in memory, and failing allocations. */
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

/*
 * Runs a function while its first allocation fails, and all later ones; then from the second one
 * on, and so on, until none fails. Each failure is reported by a status, or by POLY_OK if the
 * function needs no memory there. Returns the number of allocations. Skips the test in builds whose
 * allocations cannot fail.
 */
static inline size_t
expect_failing_allocations_reported(enum poly_status (*run)(void *user), void *user)
{
#ifdef POLY_FAULT_INJECTION
	for (size_t k = 1;; k++) {
		if (!sample_takes())
			continue;
		mem_fail_at(k);
		const enum poly_status status = run(user);
		if (mem_fail_at(0) < k) {
			assert_int_equal(status, POLY_OK);
			return k - 1;
		}
		assert_true(status == POLY_ERR_MEMORY || status == POLY_OK);
	}
#else
	(void)run;
	(void)user;
	skip();
	return 0;
#endif
}

#endif
