/* SPDX-License-Identifier: MIT */
/* Comparison of samples and published traces with their copies in other formats. */
#include "diff_help.h"

/* Copies in other formats are the same, as far as those can hold the trace. */
static void
a_conversion_is_the_same_trace(void **state)
{
	static const struct {
		const char *sample, *from, *to, *option;
	} cases[] = {
		{SAMPLE, "qemu4v", "tarmac", NULL},
		{SAMPLE, "qemu4v", "jsonl", NULL},
		{SAMPLE, "qemu4v", "lackey", NULL},
		{SAMPLE, "qemu4v", "din", NULL},
		{"qemu4v/seed3.q4v", "qemu4v", "tarmac", NULL},
		{"tarmac/owner.tarmac", "tarmac", "qemu4v", NULL},
		{"tarmac/code.tarmac", "tarmac", "jsonl", NULL},
		{"tt6/sort.tt6e", "tt6e", "jsonl", NULL},
		{"tt6/sort.tt6e", "tt6e", "tt6", NULL},
		{"tt6/sort.tt6e", "tt6e", "lackey", NULL},
		{"tt6/isamix.tt6", "tt6", "jsonl", NULL},
		{"cis501/sort_1k.trace", "cis501", "jsonl", NULL},
		{"cis501/sort_1k.trace", "cis501", "text:kind,pc,access|-,address|-,branch|-",
			NULL},
		{"full/start.full1008", "full", "jsonl", NULL},
		{"lackey/words.lackey", "lackey", "jsonl", NULL},
		{"lackey/words.lackey", "lackey", "din", NULL},
		{"din/labels.din", "din", "jsonl", NULL},
		{"bach/special.tr", "bach", "jsonl", NULL},
		{"bach/special.tr", "bach", "bach-text", NULL},
	};
	(void)state;
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf sample = load_sample(cases[i].sample);
		struct buf copy = convert(open_bytes(&sample, cases[i].from, NULL, false),
			cases[i].to, cases[i].option, NULL);
		struct poly_reader *const readers[2] = {
			open_rows(&sample, cases[i].from, 0), open_rows(&copy, cases[i].to, 0)};
		struct buf found = compare(readers, &options);
		if (found.size)
			fail_msg(
				"%s as %s: %s", cases[i].sample, cases[i].to, buf_text(&found));
		buf_free(&found);
		buf_free(&copy);
		buf_free(&sample);
	}
}

/* Instructions of published traces equal QEMU4V / MicroTESK and ARM Tarmac text traces
 * 7 counts. */
static void
published_traces_are_compared_completely(void **state)
{
	static const struct {
		const char *name;
		unsigned instructions;
	} cases[] = {{"public/tarmac/quicksort.tarmac", 2044},
		{"public/tarmac/calculator-aarch64-fastmodel.tarmac", 4783}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
		struct buf trace = load_shared(cases[i].name);
		struct buf copy = convert(
			open_bytes(&trace, "tarmac", NULL, false), "qemu4v", NULL, NULL);
		struct poly_reader *const readers[2] = {
			open_rows(&trace, "tarmac", 0), open_rows(&copy, "qemu4v", 100)};
		const struct poly_diff_side sides[2] = {{poly_reader_source(readers[0]), 0},
			{poly_reader_source(readers[1]), 0}};
		const struct poly_difference *found;
		struct poly_diff_counts counts;
		struct poly_diff *diff;
		assert_int_equal(poly_diff_new(&options, sides, &diff, NULL), POLY_OK);
		assert_int_equal(poly_diff_next(diff, &found, NULL), POLY_END);
		poly_diff_count(diff, &counts);
		assert_int_equal(counts.pairs, cases[i].instructions);
		assert_int_equal(counts.instructions[0], cases[i].instructions);
		assert_int_equal(counts.instructions[1], cases[i].instructions);
		poly_diff_free(diff);
		poly_reader_close(readers[0]);
		poly_reader_close(readers[1]);
		buf_free(&copy);
		buf_free(&trace);
	}
}

static void
other_formats_have_differences_too(void **state)
{
	(void)state;
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	struct buf a = {0}, b = {0};
	buf_string(&a, "2 1000\n1 2000\n2 1004\n");
	buf_string(&b, "2 1000\n0 2000\n2 1004\n");
	expect_between(&a, &b, "din", &options, "access write at 0x00002000 write|read @1|1\n");
	buf_free(&a);
	buf_free(&b);
}

/*
 * A file of records of 1008 bytes after a magic number of 4: opcode, pc, msr and r0 have 4
 * bytes each, then r1 follows (Apple amber traces 4.7).
 */
static void
registers_of_full_records_are_named(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *const ignore[] = {"reg:r1", NULL};
	struct buf a = load_sample("full/start.full1008"), b = {0};
	buf_append(&b, a.data, a.size);
	b.data[4 + 2 * 1008 + 16 + 3] ^= 1;
	expect_between(&a, &b, "full", &options,
		"value register r1 0x100112e0|0x100112e1 @2|2\n"
		"extra-record register r1 -|0x100112e0 @3|3\n");
	options.ignore = ignore;
	expect_between(&a, &b, "full", &options, "");
	buf_free(&a);
	buf_free(&b);
}

/* All registers of states are registers; states of two layouts have the same ones. */
static void
registers_of_states_are_ignored_and_compared_in_any_layout(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *words[] = {"registers", NULL};
	struct buf a = load_sample("full/start.full1008"), b = {0};
	buf_append(&b, a.data, a.size);
	b.data[4 + 2 * 1008 + 16 + 3] ^= 1;
	b.data[4 + 4 * 1008 + 16 + 4 * 30 + 3] ^= 1;
	expect_between(&a, &b, "full", &options,
		"value register r1 0x100112e0|0x100112e1 @2|2\n"
		"extra-record register r1 -|0x100112e0 @3|3\n"
		"extra-record register r31 -|0x1 @4|4\n"
		"extra-record register r31 -|0x0 @5|5\n");
	options.ignore = words;
	expect_between(&a, &b, "full", &options, "");
	words[0] = "reg:r1,reg:R31";
	expect_between(&a, &b, "full", &options, "");
	buf_free(&a);
	buf_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_conversion_is_the_same_trace),
		cmocka_unit_test(published_traces_are_compared_completely),
		cmocka_unit_test(other_formats_have_differences_too),
		cmocka_unit_test(registers_of_full_records_are_named),
		cmocka_unit_test(registers_of_states_are_ignored_and_compared_in_any_layout),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
