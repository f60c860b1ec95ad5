/* SPDX-License-Identifier: MIT */
/* What every unit test needs: cmocka, bytes in memory, sinks and the law of memory. */
#ifndef TESTS_TEST_HELP_H
#define TESTS_TEST_HELP_H

#include "memory_law.h"
#include "sampling.h"
#include "sinks.h"

#include "base/buf.h"
#include "base/mem.h"
#include "polytrace/polytrace.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns whether the build lacks a library, by its name in meson_options.txt. */
static inline bool
lacks_library(const char *name)
{
	const char *next = getenv("POLYTRACE_LACKS");
	const size_t n = strlen(name);
	for (; next && *next; next += strcspn(next, " "), next += *next == ' ') {
		if (strcspn(next, " ") == n && memcmp(next, name, n) == 0)
			return true;
	}
	return false;
}

/* Skips a test if the build lacks a library; tests/unit/tap.py reads the reason. */
static inline void
need_library(const char *name)
{
	if (!lacks_library(name))
		return;
	print_message("# the build lacks %s\n", name);
	skip();
}

/* Skips a test whose operation needs a library that the build lacks, as its error states. */
static inline void
skip_unsupported(enum poly_status status, const struct poly_error *error)
{
	const char *lacks = getenv("POLYTRACE_LACKS");
	if (status != POLY_ERR_UNSUPPORTED || !strstr(error->message, "this build lacks"))
		return;
	if (!lacks || !*lacks)
		fail_msg("the build lacks no library: %s", error->message);
	print_message("# %s\n", error->message);
	skip();
}

/* Skips all tests of a program if the build lacks a library; before they are run. */
static inline void
need_library_in_all(const char *name)
{
	if (!lacks_library(name))
		return;
	printf("1..0 # SKIP the build lacks %s\n", name);
	exit(0);
}

/* Returns a number below n; a seed determines those of all calls. */
static inline uint32_t
draw_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)n * *seed >> 32);
}

/* Appends a word, the most significant byte first. */
static inline void
append_word(struct buf *to, uint32_t word)
{
	const uint8_t bytes[] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16),
		(uint8_t)(word >> 8), (uint8_t)word};
	buf_append(to, bytes, sizeof bytes);
}

/* The bytes of a text. */
static inline struct buf
bytes_of(const char *text)
{
	struct buf bytes = {0};
	buf_string(&bytes, text);
	return bytes;
}

/* Checks the law of lack of memory; returns the number of the operation's allocations. */
static inline size_t
law_memory_as(const struct memory_law *law)
{
	const struct memory_result result = memory_law_check(law);
	if (result.fault[0])
		fail_msg("%s", result.fault);
	return result.allocations;
}

/* The same of an operation that needs no preparation. */
static inline size_t
law_memory(enum poly_status (*run)(void *context), void *context)
{
	return law_memory_as(&(struct memory_law){.run = run, .context = context});
}

static inline void
expect_same(const struct buf *got, const struct buf *expected)
{
	assert_int_equal(got->size, expected->size);
	if (expected->size)
		assert_memory_equal(got->data, expected->data, expected->size);
}

#endif
