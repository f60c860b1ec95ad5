/* SPDX-License-Identifier: MIT */
/* Options of comparison: what they ignore, and what they reject. */
#include "diff_help.h"

static void
a_window_lets_records_move(void **state)
{
	(void)state;
	const char *moved = "3 clk R r13 40800f14\n"
			    "4 clk 0 IT (4) 0001060a 466a T usr : mov r2, sp\n"
			    "4 clk R r1 00000002\n";
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const struct change change = {5, 3, moved};
	struct buf sample = load_sample(SAMPLE), changed = changed_sample(&change);
	options.window = 2;
	expect_between(&sample, &changed, "qemu4v", &options, "");
	buf_free(&sample);
	buf_free(&changed);
}

static void
the_order_within_an_instruction_counts_on_request(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *a = "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n"
			"1 clk R r1 00000001\n1 clk R r2 00000002\n";
	const char *b = "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n"
			"1 clk R r2 00000002\n1 clk R r1 00000001\n";
	expect_texts(a, b, &options, "");
	options.ordered = true;
	expect_texts(a, b, &options, "reordered register r1 0x1|with instruction 1 @1|1\n");
	/* What is tolerated does not stand elsewhere. */
	const char *words[] = {"repeated-writes,split-accesses", NULL};
	options.tolerate = words;
	const char *c = "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n"
			"1 clk R r3 00000001\n1 clk R r1 00000001\n1 clk R r1 00000002\n"
			"1 clk MR4 00002000 00000000\n1 clk MR2 00002004 0000\n";
	const char *d = "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n"
			"1 clk R r3 00000001\n1 clk R r1 00000001\n1 clk R r1 00000002\n"
			"1 clk MR2 00002000 0000\n1 clk MR4 00002002 00000000\n";
	expect_texts(c, c, &options, "");
	expect_texts(c, d, &options, "");
}

static void
a_shorter_trace_is_reported_unless_ignored(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *const ignore[] = {"tail", NULL};
	const struct change change = {1500, 1000000, ""};
	struct buf sample = load_sample(SAMPLE), cut = changed_sample(&change);
	size_t all = 0, kept = 0;
	for (const char *p = buf_text(&sample); (p = strstr(p, " clk 0 I")); p++)
		all++;
	for (const char *p = buf_text(&cut); (p = strstr(p, " clk 0 I")); p++)
		kept++;
	struct buf expected = {0};
	buf_printf(&expected,
		"tail %zu more instructions in the first trace -|- @%zu|0 +%zu|0\n", all - kept,
		kept + 1, all - kept);
	/* The cut may have taken records of the last instruction too. */
	struct poly_reader *const readers[2] = {
		open_rows(&sample, "qemu4v", 0), open_rows(&cut, "qemu4v", 0)};
	struct buf found = compare(readers, &options);
	const char *tail = strstr(buf_text(&found), "tail ");
	assert_non_null(tail);
	assert_string_equal(tail, buf_text(&expected));
	options.ignore = ignore;
	struct poly_reader *const again[2] = {
		open_rows(&sample, "qemu4v", 0), open_rows(&cut, "qemu4v", 0)};
	struct buf ignored = compare(again, &options);
	assert_null(strstr(buf_text(&ignored), "tail "));
	buf_free(&found);
	buf_free(&ignored);
	buf_free(&expected);
	buf_free(&sample);
	buf_free(&cut);
}

static void
ignored_columns_are_not_differences(void **state)
{
	(void)state;
	const char *a = "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n1 clk R r1 00000001\n"
			"1 clk MR4 00002000 00000005\n";
	const char *b = "1 clk 0 IT (1) 00001000 e0000001 A svc : x\n1 clk R r1 00000002\n"
			"1 clk MR4 00002000 00000006\n";
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *words[] = {NULL, NULL};
	options.ignore = words;
	words[0] = "opcode,value";
	expect_texts(a, b, &options, "");
	words[0] = "opcode,reg:R1,memory";
	expect_texts(a, b, &options, "");
	words[0] = "opcode,registers,read";
	expect_texts(a, b, &options, "");
	words[0] = "registers,0x2000..0x2fff";
	expect_texts(a, b, &options, "opcode opcode e0000000|e0000001 @1|1\n");
	words[0] = "opcode,registers,0x2001..0x2fff";
	expect_texts(a, b, &options, "value read of 4 bytes at 0x00002000 0x5|0x6 @1|1\n");
	const char *const also[] = {"mode", NULL};
	options.also = also;
	words[0] = "opcode,value";
	expect_texts(a, b, &options, "field mode usr|svc @1|1\n");
}

static void
aliases_name_the_same_register(void **state)
{
	(void)state;
	const char *a = "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n1 clk R x10 00000001\n";
	const char *b = "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n1 clk R a0 00000001\n";
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *words[] = {NULL, NULL};
	expect_texts(a, b, &options, "register register x10 x10|a0 @1|1\n");
	options.aliases = words;
	words[0] = "x11=a1,x10=a0";
	expect_texts(a, b, &options, "");
	words[0] = "riscv";
	expect_texts(a, b, &options, "");
	words[0] = "arm";
	expect_texts(a, b, &options, "register register x10 x10|a0 @1|1\n");
}

static void
tolerated_forms_are_not_differences(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *words[] = {NULL, NULL};
#define I1 "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n"
#define I2 "2 clk 0 IT (2) 00001004 e0000000 A usr : x\n"
	static const struct {
		const char *word, *a, *b, *found;
	} cases[] = {
		{"redundant-writes", I1 "1 clk R r1 00000001\n" I2 "2 clk R r1 00000001\n",
			I1 "1 clk R r1 00000001\n" I2,
			"missing-record register r1 0x1|- @2|2\n"},
		{"repeated-writes", I1 "1 clk R r1 00000001\n1 clk R r1 00000002\n" I2,
			I1 "1 clk R r1 00000002\n" I2,
			"missing-record register r1 0x1|- @1|1\n"},
		{"repeated-reads",
			I1 "1 clk MR4 00002000 00000001\n2 clk MR4 00002000 00000001\n" I2,
			I1 "1 clk MR4 00002000 00000001\n" I2,
			"missing-record read of 4 bytes at 0x00002000 0x1|- @2|2\n"},
		{"split-accesses", I1 "1 clk MR8 00002000 1122334455667788\n" I2,
			I1 "1 clk MR4 00002000 55667788\n1 clk MR4 00002004 11223344\n" I2,
			NULL},
		{"split-accesses", I1 "1 clk MW8 00002000 1122334455667788\n" I2,
			I1 "1 clk MW4 00002000 11223344\n1 clk MW4 00002004 55667788\n" I2,
			NULL},
		{"unknown-values", I1 "1 clk R r1 0000xxxx\n" I2, I1 "1 clk R r1 00001234\n" I2,
			"value register r1 0x0000xxxx|0x1234 @1|1\n"},
		{"skipped",
			I1 "2 clk 0 IS (2) 00001004 e0000000 A usr : x\n"
			   "3 clk 0 IT (2) 00001008 e0000000 A usr : x\n",
			I1 "3 clk 0 IT (2) 00001008 e0000000 A usr : x\n",
			"missing-instruction pc 0x00001004|- @2|2 +1|0\n"},
		/* A record before its instruction does not belong to the skipped one. */
		{"skipped",
			I1 "2 clk 0 IS (2) 00001004 e0000000 A usr : x\n"
			   "2 clk R r2 00000002\n3 clk R r1 00000001\n"
			   "3 clk 0 IT (2) 00001008 e0000000 A usr : x\n",
			I1 "3 clk R r1 00000001\n"
			   "3 clk 0 IT (2) 00001008 e0000000 A usr : x\n",
			NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		options.tolerate = NULL;
		if (cases[i].found)
			expect_texts(cases[i].a, cases[i].b, &options, cases[i].found);
		options.tolerate = words;
		words[0] = cases[i].word;
		expect_texts(cases[i].a, cases[i].b, &options, "");
	}
	words[0] = "unknown-values";
	expect_texts(I1 "1 clk R r1 0000xxxx\n", I1 "1 clk R r1 00011234\n", &options,
		"value register r1 0x0000xxxx|0x11234 @1|1\n");
	/* Other bytes are a difference in whatever pieces, and another value is not redundant.
	 */
	words[0] = "split-accesses,redundant-writes";
	expect_texts(I1 "1 clk MR2 00002000 7788\n", I1 "1 clk MR1 00002000 88\n", &options,
		"size read of 2 bytes at 0x00002000 2|1 @1|1\n");
	expect_texts(I1 "1 clk R r1 00000001\n" I2 "2 clk R r1 00000002\n",
		I1 "1 clk R r1 00000001\n" I2, &options,
		"missing-record register r1 0x2|- @2|2\n");
	/* Nor is one where the value was not known, or was another one in this trace. */
	words[0] = "redundant-writes";
#define I3 "3 clk 0 IT (3) 00001008 e0000000 A usr : x\n"
#define I4 "4 clk 0 IT (4) 0000100c e0000000 A usr : x\n"
#define I9 "2 clk 0 IT (9) 00009000 e0000000 A usr : x\n2 clk R r1 00000007\n"
	expect_texts(I1 "1 clk R r1 00000001\n" I2 "2 clk R r1 0000000x\n" I3
			"3 clk R r1 00000001\n",
		I1 "1 clk R r1 00000001\n" I2 "2 clk R r1 0000000x\n" I3, &options,
		"missing-record register r1 0x1|- @3|3\n");
	expect_texts(I1 "1 clk R r1 00000001\n" I2 I3 I4,
		I1 "1 clk R r1 00000001\n" I9 I2 I3 I4 "4 clk R r1 00000001\n", &options,
		"extra-instruction pc -|0x00009000 @2|2 +0|1\n"
		"extra-record register r1 -|0x1 @4|5\n");
	expect_texts(I1 "1 clk R r1 00000001\n" I2 I3 I4 "4 clk R r1 00000001\n",
		I1 "1 clk R r1 00000001\n" I9 I2 I3 I4, &options,
		"extra-instruction pc -|0x00009000 @2|2 +0|1\n");
}

static void
records_before_their_instruction_belong_to_it(void **state)
{
	(void)state;
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *before = "1 clk R r1 00000001\n" I1 "2 clk R r2 00000002\n" I2;
	const char *after = I1 "1 clk R r1 00000001\n" I2 "2 clk R r2 00000002\n";
	expect_texts(before, after, &options, "");
	/* But a later time alone takes a record to no other instruction. */
	expect_texts(
		I1 "1 clk R r1 00000001\n" I2, I1 "9 clk R r1 00000001\n" I2, &options, "");
}

static void
processors_are_compared_by_themselves_on_request(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	struct buf a = {0}, b = {0};
	/* Two processors, whose turns are of other lengths in the second trace. */
	for (unsigned i = 0; i < 600; i++)
		buf_printf(&a, "%u clk %u IT (1) %08x e0000000 A usr : x\n", i, i % 2,
			0x1000 + 4 * (i / 2));
	for (unsigned turn = 0; turn < 6; turn++) {
		for (unsigned i = 0; i < 100; i++)
			buf_printf(&b, "%u clk %u IT (1) %08x e0000000 A usr : x\n", i,
				turn % 2, 0x1000 + 4 * (turn / 2 * 100 + i));
	}
	options.each_cpu = true;
	expect_between(&a, &b, "qemu4v", &options, "");
	buf_printf(&b, "7 clk 1 IT (1) %08x e0000000 A usr : x\n", 0x9000);
	expect_between(&a, &b, "qemu4v", &options,
		"tail 1 more instruction in the second trace -|- @0|601 +0|1\n");
	/* What follows of one that ends earlier in one trace is not waited for. */
	buf_clear(&b);
	for (unsigned i = 0; i < 10; i++)
		buf_printf(&b, "%u clk 0 IT (1) %08x e0000000 A usr : x\n", i, 0x1000 + 4 * i);
	expect_between(&a, &b, "qemu4v", &options,
		"tail the first trace continues -|- @21|0\n"
		"tail the first trace continues -|- @2|0\n");
	buf_free(&a);
	buf_free(&b);
}

static void
a_processor_that_is_too_far_ahead_is_reported(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	struct buf texts[2] = {{0}, {0}};
	/* The first processor's turn is over before the second one's begins, in one trace. */
	for (unsigned i = 0; i < 300000; i++) {
		buf_printf(
			&texts[0], "1 clk %u IT (1) 00001000 e0000000 A usr : x\n", i / 150000);
		buf_printf(&texts[1], "1 clk %u IT (1) 00001000 e0000000 A usr : x\n",
			1 - i / 150000);
	}
	struct poly_reader *const readers[2] = {
		open_rows(&texts[0], "qemu4v", 0), open_rows(&texts[1], "qemu4v", 0)};
	const struct poly_diff_side sides[2] = {
		{poly_reader_source(readers[0]), 0}, {poly_reader_source(readers[1]), 0}};
	const struct poly_difference *found;
	struct poly_diff *diff;
	struct poly_error error;
	options.each_cpu = true;
	assert_int_equal(poly_diff_new(&options, sides, &diff, NULL), POLY_OK);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(poly_diff_next(diff, &found, &error), POLY_ERR_LIMIT);
	assert_non_null(strstr(error.message, "instructions ahead in the "));
	poly_diff_free(diff);
	for (unsigned side = 0; side < 2; side++) {
		poly_reader_close(readers[side]);
		buf_free(&texts[side]);
	}
}

static void
unknown_words_are_rejected(void **state)
{
	(void)state;
	struct buf sample = load_sample(SAMPLE);
	struct poly_reader *reader = open_rows(&sample, "qemu4v", 0);
	const struct poly_diff_side sides[2] = {{{poly_reader_info(reader), NULL, NULL}, 0},
		{{poly_reader_info(reader), NULL, NULL}, 0}};
	const char *bad[] = {"no-such-word", NULL};
	for (int i = 0; i < 8; i++) {
		struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
		struct poly_diff *diff;
		struct poly_error error;
		switch (i) {
		case 0: options.ignore = bad; break;
		case 1: options.also = bad; break;
		case 2: options.aliases = bad; break;
		case 3: options.tolerate = bad; break;
		case 4: options.window = 0; break;
		case 5: options.resync = POLY_DIFF_RESYNC_MAX + 1; break;
		case 6: options.context = POLY_DIFF_CONTEXT_MAX + 1; break;
		default: options.size = 0; break;
		}
		assert_int_equal(poly_diff_new(&options, sides, &diff, &error), POLY_ERR_USAGE);
		assert_null(diff);
		assert_true(i > 3 || strstr(error.message, "unknown word 'no-such-word'"));
	}
	/* Columns that are not compared are not reported as compared. */
	const char *never[] = {"mode,raw", NULL};
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	struct poly_diff *diff;
	struct poly_error error;
	options.also = never;
	assert_int_equal(poly_diff_new(&options, sides, &diff, &error), POLY_ERR_USAGE);
	assert_non_null(strstr(error.message, "'raw' cannot be compared"));
	poly_reader_close(reader);
	buf_free(&sample);
}

/* Reads are repeated only if they are equal, and of one instruction; writes are not reads. */
static void
other_reads_are_not_repeated(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const char *words[] = {"repeated-reads", NULL};
	static const struct {
		const char *more, *found;
	} cases[] = {
		{"1 clk MR4 00002000 00000001\n1 clk MR4 00002000 00000001\n", ""},
		{"1 clk MR4 00002000 00000002\n",
			"extra-record read of 4 bytes at 0x00002000 -|0x2 @1|1\n"},
		{"1 clk MR4 00002004 00000001\n",
			"extra-record read of 4 bytes at 0x00002004 -|0x1 @1|1\n"},
		{"1 clk MR2 00002000 0001\n",
			"extra-record read of 2 bytes at 0x00002000 -|0x1 @1|1\n"},
		{"1 clk MW4 00002000 00000001\n1 clk MW4 00002000 00000001\n",
			"extra-record write of 4 bytes at 0x00002000 -|0x1 @1|1\n"
			"extra-record write of 4 bytes at 0x00002000 -|0x1 @1|1\n"},
		{"2 clk 0 IT (2) 00001004 e0000000 A usr : x\n2 clk MR4 00002000 00000001\n",
			"tail 1 more instruction in the second trace -|- @0|2 +0|1\n"},
	};
	options.tolerate = words;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf b = {0};
		const char *a = "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n"
				"1 clk MR4 00002000 00000001\n";
		buf_printf(&b, "%s%s", a, cases[i].more);
		expect_texts(a, buf_text(&b), &options, cases[i].found);
		buf_free(&b);
	}
}

/* A register is a record, a part of a state, or the number of a column. */
static void
ignored_registers_are_the_same_in_every_format(void **state)
{
	(void)state;
#define Q(line) "1 clk 0 IT (1) 00001000 e0000000 A usr : x\n1 clk R " line "\n"
#define T(line) "1 clk cpu0 IT (1) 00001000 e0000000 A usr : x\n1 clk cpu0 R " line "\n"
#define J(row)                                                           \
	"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"jsonl\"}\n" \
	"{\"kind\":\"instruction\",\"pc\":\"0x1000\",\"dest\":" row "}\n"
	static const struct {
		const char *format, *word, *a, *b;
	} cases[] = {
		{"qemu4v", "reg:r1", Q("r1 00000001"), Q("r1 00000002")},
		{"qemu4v", "reg:R13 (svc)", Q("r13_svc 00000001"), Q("r13_svc 00000002")},
		{"tarmac", "reg:r13_svc", T("r13 (svc) 00000001"), T("r13 (svc) 00000002")},
		{"tarmac", "reg:v0", T("V0<127:64> 0000000000000001"),
			T("V0<127:64> 0000000000000002")},
		{"jsonl", "reg:5", J("5"), J("6,\"src1\":5")},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *words[] = {NULL, NULL};
		struct buf a = {0}, b = {0};
		buf_string(&a, cases[i].a);
		buf_string(&b, cases[i].b);
		struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
		struct poly_reader *const readers[2] = {
			open_rows(&a, cases[i].format, 1), open_rows(&b, cases[i].format, 1)};
		struct buf found = compare(readers, &options);
		assert_int_not_equal(found.size, 0);
		options.ignore = words;
		words[0] = "registers";
		expect_between(&a, &b, cases[i].format, &options, "");
		words[0] = cases[i].word;
		expect_between(&a, &b, cases[i].format, &options,
			i == 4 ? "field dest -|6 @1|1\n" : "");
		words[0] = "reg:r99";
		expect_between(&a, &b, cases[i].format, &options, buf_text(&found));
		buf_free(&found);
		buf_free(&a);
		buf_free(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_lets_records_move),
		cmocka_unit_test(the_order_within_an_instruction_counts_on_request),
		cmocka_unit_test(a_shorter_trace_is_reported_unless_ignored),
		cmocka_unit_test(ignored_columns_are_not_differences),
		cmocka_unit_test(aliases_name_the_same_register),
		cmocka_unit_test(tolerated_forms_are_not_differences),
		cmocka_unit_test(other_reads_are_not_repeated),
		cmocka_unit_test(ignored_registers_are_the_same_in_every_format),
		cmocka_unit_test(records_before_their_instruction_belong_to_it),
		cmocka_unit_test(processors_are_compared_by_themselves_on_request),
		cmocka_unit_test(a_processor_that_is_too_far_ahead_is_reported),
		cmocka_unit_test(unknown_words_are_rejected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
