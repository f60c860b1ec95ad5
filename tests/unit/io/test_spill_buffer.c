/* SPDX-License-Identifier: MIT */
/* Appended bytes are read at any offset, in memory and in the file. */
#include "test_help.h"

#include "io/spill_buffer.h"

/* The byte at a offset: it differs from that at nearby ones. */
static uint8_t
byte_at(uint64_t offset)
{
	return (uint8_t)(offset * 2654435761u >> 7);
}

static void
expect_bytes(const struct spill_buffer *spill, uint64_t offset, size_t n)
{
	uint8_t bytes[300];
	assert_int_equal(spill_buffer_read(spill, offset, bytes, n, NULL), POLY_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(bytes[i], byte_at(offset + i));
}

static void
bytes_are_taken_from_any_place(void **state)
{
	(void)state;
	static const size_t memory[] = {0, 1, 100, 150, 10000};
	for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
		struct spill_buffer *spill = spill_buffer_new(memory[i]);
		assert_non_null(spill);
		for (uint64_t put = 0, n = 0; put < 1000; put += n) {
			uint8_t bytes[97];
			n = put % 97 + 1 > 1000 - put ? 1000 - put : put % 97 + 1;
			for (size_t k = 0; k < n; k++)
				bytes[k] = byte_at(put + k);
			assert_int_equal(
				spill_buffer_append(spill, bytes, (size_t)n, NULL), POLY_OK);
			assert_int_equal(spill_buffer_size(spill), put + n);
			expect_bytes(spill, put / 2, (size_t)(put + n - put / 2) % 300);
		}
		for (uint64_t offset = 0; offset + 300 <= 1000; offset += 7)
			expect_bytes(spill, offset, 300);
		expect_bytes(spill, 1000, 0);
		spill_buffer_free(spill);
	}
}

/* Some bytes are in memory, some in the file, and the last ones in memory again. */
static void
bytes_of_the_file_and_after_it_are_read(void **state)
{
	(void)state;
	static uint8_t bytes[100000];
	static const size_t sizes[] = {1, 300, 65000, 5000, 90000, 24, 65536, 99};
	struct spill_buffer *spill = spill_buffer_new(1000);
	uint64_t size = 0;
	assert_non_null(spill);
	for (size_t i = 0; i < 40; i++) {
		const size_t n = sizes[i % 8];
		for (size_t k = 0; k < n; k++)
			bytes[k] = byte_at(size + k);
		assert_int_equal(spill_buffer_append(spill, bytes, n, NULL), POLY_OK);
		size += n;
		for (uint64_t offset = 0; offset + 300 <= size; offset += 151)
			expect_bytes(spill, offset, 300);
		if (size >= 300)
			expect_bytes(spill, size - 300, 300);
	}
	/* A read of all three. */
	uint8_t *all = malloc((size_t)size);
	assert_int_equal(spill_buffer_read(spill, 0, all, (size_t)size, NULL), POLY_OK);
	for (uint64_t k = 0; k < size; k++)
		assert_int_equal(all[k], byte_at(k));
	free(all);
	spill_buffer_free(spill);
}

static void
an_empty_buffer_has_no_bytes(void **state)
{
	(void)state;
	struct spill_buffer *spill = spill_buffer_new(10);
	assert_non_null(spill);
	assert_int_equal(spill_buffer_size(spill), 0);
	assert_int_equal(spill_buffer_append(spill, "", 0, NULL), POLY_OK);
	expect_bytes(spill, 0, 0);
	spill_buffer_free(spill);
	spill_buffer_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_taken_from_any_place),
		cmocka_unit_test(bytes_of_the_file_and_after_it_are_read),
		cmocka_unit_test(an_empty_buffer_has_no_bytes),
	};
	return cmocka_run_group_tests_name("spill_buffer", tests, NULL, NULL);
}
