/* SPDX-License-Identifier: MIT */
/* FULL traces in other layouts, and converted to TT6 and TT6E. */
#include "full_help.h"

/* Rewrites bytes with an option; returns the status, and sets out to the result. */
static enum poly_status
rewrite_with(const struct buf *bytes, const char *option, struct buf *out)
{
	struct poly_error error;
	struct poly_reader *reader = open_trace(bytes, NULL, false, false);
	enum poly_status status = copy_trace(reader, option, out, &error);
	if (status == POLY_ERR_LOSS)
		assert_true(strlen(error.message) > 20);
	poly_reader_close(reader);
	return status;
}

static void
layouts_of_one_width_are_converted(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	for (unsigned i = 0; i < 25; i++) {
		struct shape from = {sizes[i % 5], i % 2, false},
			     to = {sizes[i / 5], i % 2, false};
		struct buf bytes = pack(&from, list, 10), expected = pack(&to, list, 10),
			   out = {0};
		char option[40];
		snprintf(option, sizeof option, "amber.record=%u", to.size);
		bool same_width = (from.size < 1100) == (to.size < 1100);
		enum poly_status status = rewrite_with(&bytes, option, &out);
		assert_int_equal(status, same_width ? POLY_END : POLY_ERR_LOSS);
		if (same_width) {
			assert_int_equal(out.size, expected.size);
			assert_memory_equal(out.data, expected.data, out.size);
		}
		buf_free(&bytes);
		buf_free(&expected);
		buf_free(&out);
	}
	free(list);
}

static void
the_byte_order_is_converted(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	for (unsigned i = 0; i < 10; i++) {
		struct shape from = {sizes[i % 5], i / 5, false}, to = from;
		to.little = !from.little;
		struct buf bytes = pack(&from, list, 10), expected = pack(&to, list, 10),
			   out = {0};
		const char *option = to.little ? "amber.endian=le" : "amber.endian=be";
		assert_int_equal(rewrite_with(&bytes, option, &out), POLY_END);
		assert_int_equal(out.size, expected.size);
		assert_memory_equal(out.data, expected.data, out.size);
		buf_free(&bytes);
		buf_free(&expected);
		buf_free(&out);
	}
	free(list);
}

static void
padding_that_would_be_lost_is_refused(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	const struct shape shape = {1008, false, false};
	struct buf bytes = pack(&shape, list, 10), out = {0};
	bytes.data[4 + 1008 * 3 + 165] = 9;
	assert_int_equal(rewrite_with(&bytes, "amber.record=1004", &out), POLY_ERR_LOSS);
	assert_int_equal(rewrite_with(&bytes, "amber.record=1008", &out), POLY_END);
	assert_rewritten(&bytes, NULL, false);
	buf_free(&out);
	buf_free(&bytes);
	free(list);
}

static void
a_trace_without_registers_is_refused(void **unused)
{
	(void)unused;
	const struct poly_trace_info source = {.format = "tt6",
		.raw_format = "tt6",
		.isa = "powerpc",
		.columns = POLY_ALL_COLUMNS_INIT};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct buf out = {0};
	struct poly_sink sink = {collect, &out};
	struct poly_writer *writer;
	struct poly_error error;
	options.format = "full";
	assert_int_equal(poly_writer_open_sink(&sink, &source, &options, &writer, &error),
		POLY_ERR_LOSS);
	assert_non_null(strstr(error.message, "registers"));
	buf_free(&out);
}

/* Reference amber 7.2. */
static void
generated_runs_have_their_records(void **unused)
{
	(void)unused;
	static const char *const names[] = {"thread_001.full1004.gz", "thread_001.full1008.gz"};
	for (size_t i = 0; i < 2; i++) {
		const struct poly_batch *batch;
		struct poly_reader *reader;
		enum poly_status status =
			poly_reader_open(data_path(names[i]), NULL, &reader, NULL);
		if (status == POLY_ERR_UNSUPPORTED)
			skip();
		assert_int_equal(status, POLY_OK);
		assert_fact(reader, "amber.record", i ? "1008" : "1004");
		assert_fact(reader, "amber.state", "pre");
		assert_int_equal(poly_reader_info(reader)->first_pc, 0x100000b8);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		assert_int_equal(batch->rows, 90);
		assert_int_equal(batch->opcode[0], 0x3c201001);
		assert_int_equal(batch->pc[89], 0x100001a4);
		assert_int_equal(batch->opcode[89], 0x44000002);
		poly_reader_close(reader);
	}
}

/* ---- TT6 and TT6E ---- */

/* Converts bytes and compares with the first n bytes of a file; 0: with all of it. */
static void
assert_converted(const struct buf *bytes, const char *format, const char *file, size_t n)
{
	struct buf out = {0}, expected = slurp(file);
	struct poly_error error;
	struct poly_reader *reader = open_trace(bytes, NULL, false, false);
	if (copy_trace(reader, format, &out, &error) != POLY_END)
		fail_msg("%s", error.message);
	assert_int_equal(out.size, n ? n : expected.size);
	assert_memory_equal(out.data, expected.data, out.size);
	poly_reader_close(reader);
	buf_free(&out);
	buf_free(&expected);
}

static void
runs_are_converted_byte_for_byte(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	for (unsigned i = 0; i < 60; i++) {
		const char *name = names[i / 20], *format = i % 2 ? "tt6e" : "tt6";
		struct shape shape = {sizes[i % 5], i / 10 % 2, false};
		char file[40];
		struct listed *list = load_states(name);
		struct buf bytes = pack(&shape, list, RECORDS);
		snprintf(file, sizeof file, "../tt6/%s.%s", name, format);
		assert_converted(&bytes, format, file, 0);
		buf_free(&bytes);
		free(list);
	}
}

static void
a_last_branch_without_successor_is_dropped(void **unused)
{
	(void)unused;
	static const char *const names[] = {"thread_001.full1004.gz", "thread_001.full1008.gz"};
	for (size_t i = 0; i < 2; i++) {
		struct buf bytes = slurp(names[i]);
		assert_converted(&bytes, "tt6", "../amber/thread_001.tt6", 552);
		assert_converted(&bytes, "tt6e", "../amber/thread_001.tt6e", 588);
		buf_free(&bytes);
	}
}

/* Returns the words of a TT6E trace after its initial PC and its first record, which is
 * compute. */
static void
states_after_the_instruction_convert_except_the_first(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1004, false, true};
	struct buf bytes = pack(&shape, list, RECORDS - 1), out = {0},
		   whole = slurp("../tt6/sort.tt6e");
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_error error;
	options.skip = 1;
	struct poly_reader *reader = open_memory(&bytes, &options);
	assert_int_equal(copy_trace(reader, "tt6e", &out, &error), POLY_END);
	assert_int_equal(load_be32(out.data), list[1].pc);
	assert_int_equal(out.size, whole.size - 4);
	assert_memory_equal(out.data + 4, whole.data + 8, out.size - 4);
	poly_reader_close(reader);
	buf_free(&out);
	buf_free(&bytes);
	buf_free(&whole);
	free(list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_of_one_width_are_converted),
		cmocka_unit_test(the_byte_order_is_converted),
		cmocka_unit_test(padding_that_would_be_lost_is_refused),
		cmocka_unit_test(a_trace_without_registers_is_refused),
		cmocka_unit_test(generated_runs_have_their_records),
		cmocka_unit_test(runs_are_converted_byte_for_byte),
		cmocka_unit_test(a_last_branch_without_successor_is_dropped),
		cmocka_unit_test(states_after_the_instruction_convert_except_the_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
