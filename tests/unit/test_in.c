/* SPDX-License-Identifier: MIT */
/* Input: windows, layers, limits and damage. The oracle is the plain data itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "io/in.h"

/* Bytes that do not repeat with the period of a block. */
static uint8_t *
make_data(size_t n)
{
	uint8_t *data = mem_new(n, 1);
	assert_non_null(data);
	uint32_t x = 1;
	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = (uint8_t)(i % 7 ? x >> 29 : x >> 24);
	}
	return data;
}

/* Consumes the whole input in pieces of changing sizes and compares it with the truth. */
static void
expect_bytes(struct in *in, const uint8_t *data, size_t n)
{
	size_t at = 0, have, step = 1;
	for (;;) {
		assert_int_equal(in_offset(in), at);
		const uint8_t *p = in_peek(in, step, &have);
		if (!have)
			break;
		assert_true(have >= step || in_status(in, NULL) != POLY_OK);
		size_t take = have < step ? have : step;
		assert_true(at + have <= n);
		assert_memory_equal(p, data + at, take);
		in_consume(in, take);
		at += take;
		step = step * 5 % 70001 + 1;
	}
	assert_int_equal(at, n);
	assert_int_equal(in_status(in, NULL), POLY_END);
	in_peek(in, 1, &have);
	assert_int_equal(have, 0);
	assert_int_equal(in_status(in, NULL), POLY_END);
}

static void
memory_is_read_alike_for_every_block_size(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 2, 4095, 65536, (size_t)8 << 20};
	size_t n = 900001;
	uint8_t *data = make_data(n);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct in *in;
		struct in_options options = {.nesting_limit = 4, .block_size = sizes[i]};
		assert_int_equal(in_open_memory(data, n, &options, &in, NULL), POLY_OK);
		assert_string_equal(in_layers(in), "none");
		expect_bytes(in, data, n);
		uint64_t taken, total;
		in_progress(in, &taken, &total);
		assert_int_equal(taken, n);
		assert_int_equal(total, n);
		in_close(in);
	}
	mem_free(data);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_read_alike_for_every_block_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
