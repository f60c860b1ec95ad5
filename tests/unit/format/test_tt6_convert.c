/* SPDX-License-Identifier: MIT */
/* Conversions to TT6 and TT6E. */
#include "tt6_help.h"

static void
tt6e_becomes_tt6(void **state)
{
	static const char *const names[] = {
		"amber/thread_001", "tt6/isamix", "tt6/sort", "tt6/altivec"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char name[100];
		struct buf from = {0}, expected = {0};
		snprintf(name, sizeof name, "%s.tt6e", names[i]);
		load(name, &from);
		snprintf(name, sizeof name, "%s.tt6", names[i]);
		load(name, &expected);
		struct conversion conversion = {.read = options_for("tt6e"), .to = "tt6"};
		assert_int_equal(run_conversion(&conversion, &from), POLY_OK);
		assert_bytes(&conversion.out, expected.data, expected.size);
		buf_free(&conversion.out);
		buf_free(&from);
		buf_free(&expected);
	}
}

static void
a_cache_operation_needs_its_address_in_tt6e(void **state)
{
	static const uint32_t words[] = {0x1000, DCBZ, NOP};
	static const uint32_t with_zero[] = {0x1000, DCBZ, 0, NOP};
	static const uint32_t escaped[] = {0x1000, 0x00010001, 0x2000, DCBZ};
	static const uint32_t filled[] = {0x1000, 0x00010001, 0x2000, DCBZ, 0x2000};
	static const char *const zero[] = {"tt6e.missing=zero", NULL};
	struct buf bytes = {0}, expected = {0};
	(void)state;
	put_words(&bytes, words, 3);
	struct conversion refused = {.read = options_for("tt6"), .to = "tt6e"};
	assert_int_equal(run_conversion(&refused, &bytes), POLY_ERR_LOSS);
	assert_non_null(strstr(refused.error.message, "'address'"));
	assert_non_null(strstr(refused.error.message, "tt6e.missing"));
	assert_int_equal(refused.error.record, 2);
	struct conversion zeroed = {.read = options_for("tt6"),
		.to = "tt6e",
		.options = zero,
		.note = "written as 0"};
	assert_int_equal(run_conversion(&zeroed, &bytes), POLY_OK);
	put_words(&expected, with_zero, 4);
	assert_bytes(&zeroed.out, expected.data, expected.size);
	assert_int_equal(zeroed.notes, 1);
	buf_clear(&bytes);
	buf_clear(&expected);
	put_words(&bytes, escaped, 4);
	put_words(&expected, filled, 5);
	struct conversion taken = {.read = options_for("tt6"), .to = "tt6e"};
	assert_int_equal(run_conversion(&taken, &bytes), POLY_OK);
	assert_bytes(&taken.out, expected.data, expected.size);
	buf_free(&refused.out);
	buf_free(&zeroed.out);
	buf_free(&taken.out);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
every_twi_has_its_pair_in_tt6e(void **state)
{
	/* The escape after a twi follows the pair; a last twi is dropped. */
	static const uint32_t words[] = {
		0x1000, TWI, 0x00020001, 7, TWI, NOP, TWI, 0x00020001, 8};
	static const uint32_t paired[] = {0x1000, TWI, 0x48000702, 0x700, 0x4c000064, 0x1004,
		0x00020001, 7, TWI, 0x48000702, 0x700, 0x4c000064, 0x1008, NOP, 0x00020001, 8};
	struct buf bytes = {0}, expected = {0};
	(void)state;
	put_words(&bytes, words, 9);
	put_words(&expected, paired, 16);
	struct conversion conversion = {
		.read = options_for("tt6"), .to = "tt6e", .note = "last twi"};
	assert_int_equal(run_conversion(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, expected.data, expected.size);
	assert_int_equal(conversion.notes, 1);
	buf_free(&conversion.out);
	/* In a TT6E source the pairs of twi are explicit. */
	conversion = (struct conversion){.read = options_for("tt6e"), .to = "tt6e"};
	assert_int_equal(run_conversion(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, bytes.data, bytes.size);
	buf_free(&conversion.out);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
a_pc_discontinuity_becomes_a_splice(void **state)
{
	static const uint32_t trapped[] = {
		0x1000, TWI, 0x48000702, 0x700, TT6_RFI, 0x5000, NOP};
	static const uint32_t plain[] = {0x1000, TWI, TT6_SPLICE, 0x5000, NOP};
	struct buf bytes = {0}, expected = {0};
	(void)state;
	put_words(&bytes, trapped, 7);
	put_words(&expected, plain, 5);
	struct conversion conversion = {
		.read = options_for("tt6e"), .to = "tt6", .note = "PC discontinuities"};
	assert_int_equal(run_conversion(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, expected.data, expected.size);
	assert_int_equal(conversion.notes, 1);
	buf_free(&conversion.out);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
concatenated_traces_are_spliced(void **state)
{
	static const uint32_t one[] = {0x1000, NOP, BLR, 0x2000}, two[] = {0x3000, LWZ, 0x4000};
	static const uint32_t both[] = {
		0x1000, NOP, BLR, 0x2000, TT6_SPLICE, 0x3000, LWZ, 0x4000};
	struct buf bytes = {0}, expected = {0};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	(void)state;
	put_words(&bytes, one, 4);
	put_words(&bytes, two, 3);
	put_words(&expected, both, 8);
	struct buf parts[] = {
		{.data = bytes.data, .size = 16}, {.data = bytes.data + 16, .size = 12}};
	struct conversion conversion = {.read = options_for("tt6")};
	struct poly_reader *readers[] = {open_memory(&parts[0], &conversion.read),
		open_memory(&parts[1], &conversion.read)};
	const struct poly_sink sink = {collect, &conversion.out};
	options.format = "tt6";
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(readers[0]), &options, &writer, NULL),
		POLY_OK);
	const struct poly_batch *batch;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(poly_reader_next(readers[i], &batch, NULL), POLY_OK);
		assert_int_equal(poly_writer_write(writer, batch, NULL), POLY_OK);
		poly_reader_close(readers[i]);
	}
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	assert_bytes(&conversion.out, expected.data, expected.size);
	poly_writer_close(writer);
	buf_free(&conversion.out);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
a_branch_waits_for_the_next_instruction(void **state)
{
	struct buf bytes = {0};
	(void)state;
	load("amber/thread_001.tt6", &bytes);
	struct conversion conversion = {
		.read = options_for("tt6"), .to = "tt6", .note = "last branch"};
	conversion.read.columns = POLY_COLUMNS_EXCEPT(next_pc);
	assert_int_equal(run_conversion(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, bytes.data, 552); /* but the last one, an sc */
	assert_int_equal(conversion.notes, 1);
	buf_free(&conversion.out);
	buf_free(&bytes);
}

static void
full_becomes_tt6_and_tt6e(void **state)
{
	static const struct {
		const char *from, *to;
		size_t size; /* 0: all */
	} cases[] = {{"amber/thread_001.full1004", "amber/thread_001.tt6", 552},
		{"amber/thread_001.full1004", "amber/thread_001.tt6e", 588},
		{"amber/thread_001.full1008", "amber/thread_001.tt6", 552},
		{"amber/thread_001.full1008", "amber/thread_001.tt6e", 588},
		{"full/altivec.full", "full/altivec.tt6", 0},
		{"full/altivec.full", "full/altivec.tt6e", 0},
		{"full/isamix.full", "full/isamix.tt6", 0},
		{"full/isamix.full", "full/isamix.tt6e", 0},
		{"full/sort.full", "full/sort.tt6", 0},
		{"full/sort.full", "full/sort.tt6e", 0}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf from = {0}, to = {0};
		load(cases[i].from, &from);
		load(cases[i].to, &to);
		struct conversion conversion = {
			.read = options_for("full"), .to = strrchr(cases[i].to, '.') + 1};
		assert_int_equal(run_conversion(&conversion, &from), POLY_OK);
		assert_bytes(&conversion.out, to.data, cases[i].size ? cases[i].size : to.size);
		buf_free(&conversion.out);
		buf_free(&from);
		buf_free(&to);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tt6e_becomes_tt6),
		cmocka_unit_test(a_cache_operation_needs_its_address_in_tt6e),
		cmocka_unit_test(every_twi_has_its_pair_in_tt6e),
		cmocka_unit_test(a_pc_discontinuity_becomes_a_splice),
		cmocka_unit_test(concatenated_traces_are_spliced),
		cmocka_unit_test(a_branch_waits_for_the_next_instruction),
		cmocka_unit_test(full_becomes_tt6_and_tt6e),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
