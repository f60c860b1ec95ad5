/* SPDX-License-Identifier: MIT */
/* Comparison of traces: one planted change each, copies in other formats, and brute force. */
#include "trace_help.h"

#include "correlate/diff/align.h"

#define SAMPLE "qemu4v/arm_start_2k.q4v"

/* Rows of the batches of both traces; what is found must not depend on them. */
static const size_t batch_rows[][2] = {
	{POLY_BATCH_ROWS, POLY_BATCH_ROWS}, {1, 1}, {64, 100}, {7, POLY_BATCH_ROWS}};

struct side {
	struct poly_reader *reader;
};

static enum poly_status
next_batch(void *user, const struct poly_batch **batch, struct poly_error *error)
{
	struct side *side = user;
	return poly_reader_next(side->reader, batch, error);
}

static struct poly_reader *
open_rows(const struct buf *bytes, const char *format, size_t rows)
{
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = format;
	options.batch_rows = rows;
	enum poly_status status =
		poly_reader_open_memory(bytes->data, bytes->size, &options, &reader, &error);
	if (status == POLY_ERR_UNSUPPORTED)
		skip();
	if (status != POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

/* A line of a difference: "value register r1 0x2|0x3 @3|3". */
static void
list_difference(struct buf *out, const struct poly_difference *found)
{
	buf_printf(out, "%s %s %s|%s @%llu|%llu", poly_diff_cause_name(found->cause),
		found->subject, found->values[0] ? found->values[0] : "-",
		found->values[1] ? found->values[1] : "-",
		(unsigned long long)found->instruction[0],
		(unsigned long long)found->instruction[1]);
	if (found->run[0] || found->run[1])
		buf_printf(out, " +%llu|%llu", (unsigned long long)found->run[0],
			(unsigned long long)found->run[1]);
	buf_string(out, found->ends ? " end\n" : "\n");
}

/* All differences of two open readers, which it closes; detailed: with what surrounds them. */
static struct buf
compare_closely(struct poly_reader *const readers[2], const struct poly_diff_options *options,
	bool detailed)
{
	struct buf out = {0};
	struct poly_diff *diff;
	struct poly_error error;
	const struct poly_difference *found;
	enum poly_status status;
	struct side of[2] = {{readers[0]}, {readers[1]}};
	const struct poly_diff_side sides[2] = {
		{{poly_reader_info(readers[0]), next_batch, &of[0]}, 0},
		{{poly_reader_info(readers[1]), next_batch, &of[1]}, 0}};
	if (poly_diff_new(options, sides, &diff, &error) != POLY_OK)
		fail_msg("%s", error.message);
	for (unsigned side = 0; side < 2; side++)
		poly_reader_plan(readers[side],
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = poly_diff_columns(diff, side)},
			NULL);
	while ((status = poly_diff_next(diff, &found, &error)) == POLY_OK) {
		struct poly_diff_line line;
		size_t here = 0;
		list_difference(&out, found);
		for (size_t i = 0; poly_diff_line_at(diff, i, &line); i++) {
			here += line.here;
			assert_true(line.steps[0].record || line.steps[1].record);
			if (detailed)
				buf_printf(&out, "%llu %s %c %llu %s (%llu)\n",
					(unsigned long long)line.steps[0].instruction,
					line.steps[0].text, line.mark,
					(unsigned long long)line.steps[1].instruction,
					line.steps[1].text, (unsigned long long)line.skipped);
		}
		assert_int_equal(here, 1);
		if (detailed)
			buf_printf(&out, "%llu agreed\n", (unsigned long long)found->matching);
	}
	assert_int_equal(status, POLY_END);
	poly_diff_free(diff);
	poly_reader_close(readers[0]);
	poly_reader_close(readers[1]);
	return out;
}

static struct buf
compare(struct poly_reader *const readers[2], const struct poly_diff_options *options)
{
	return compare_closely(readers, options, false);
}

/* What is found between two texts of a format, with batches of any size. */
static void
expect_between(const struct buf *a, const struct buf *b, const char *format,
	const struct poly_diff_options *options, const char *expected)
{
	for (size_t i = 0; i < sizeof batch_rows / sizeof *batch_rows; i++) {
		struct poly_reader *const readers[2] = {open_rows(a, format, batch_rows[i][0]),
			open_rows(b, format, batch_rows[i][1])};
		struct buf found = compare(readers, options);
		assert_string_equal(buf_text(&found), expected);
		buf_free(&found);
	}
}

/* The same for strings in QEMU4V. */
static void
expect_texts(const char *a, const char *b, const struct poly_diff_options *options,
	const char *expected)
{
	struct buf of_a = {0}, of_b = {0};
	buf_string(&of_a, a);
	buf_string(&of_b, b);
	expect_between(&of_a, &of_b, "qemu4v", options, expected);
	buf_free(&of_a);
	buf_free(&of_b);
}

/* A change of the sample: lines from first on, count of them, become text. */
struct change {
	size_t first, count;
	const char *text;
};

static struct buf
changed_sample(const struct change *change)
{
	struct buf sample = load_sample(SAMPLE), out = {0};
	const char *p = buf_text(&sample);
	for (size_t line = 1; *p; line++) {
		size_t n = strcspn(p, "\n") + 1;
		if (line == change->first)
			buf_string(&out, change->text);
		if (line < change->first || line >= change->first + change->count)
			buf_append(&out, p, n);
		p += n;
	}
	buf_free(&sample);
	return out;
}

/* What is found between the sample and the sample with a change. */
static void
expect_change(size_t first, size_t count, const char *text, const char *expected)
{
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const struct change change = {first, count, text};
	struct buf sample = load_sample(SAMPLE), changed = changed_sample(&change);
	expect_between(&sample, &changed, "qemu4v", &options, expected);
	buf_free(&sample);
	buf_free(&changed);
}

/* The sample's third instruction, of lines 3 to 6:
 *   3 clk 0 IT (3) 00010608 bc02 T usr : pop {r1}
 *   3 clk MR4 40800f10 00000002
 *   3 clk R r1 00000002
 *   3 clk R r13 40800f14
 */
static void
a_trace_is_the_same_as_itself(void **state)
{
	(void)state;
	expect_change(1, 0, "", "");
}

static void
a_changed_opcode_is_named(void **state)
{
	(void)state;
	expect_change(3, 1, "3 clk 0 IT (3) 00010608 bc04 T usr : pop {r2}\n",
		"opcode opcode bc02|bc04 @3|3\n");
}

static void
a_changed_register_is_named(void **state)
{
	(void)state;
	expect_change(5, 1, "3 clk R r2 00000002\n", "register register r1 r1|r2 @3|3\n");
}

static void
a_changed_value_is_named(void **state)
{
	(void)state;
	expect_change(5, 1, "3 clk R r1 00000003\n", "value register r1 0x2|0x3 @3|3\n");
	expect_change(4, 1, "3 clk MR4 40800f10 00000012\n",
		"value read of 4 bytes at 0x40800f10 0x2|0x12 @3|3\n");
}

static void
a_changed_address_is_named(void **state)
{
	(void)state;
	expect_change(4, 1, "3 clk MR4 40800f18 00000002\n",
		"address read of 4 bytes at 0x40800f10 0x40800f10|0x40800f18 @3|3\n");
}

static void
a_changed_size_is_named(void **state)
{
	(void)state;
	expect_change(4, 1, "3 clk MR2 40800f10 0002\n",
		"size read of 4 bytes at 0x40800f10 4|2 @3|3\n");
}

static void
a_changed_direction_is_named(void **state)
{
	(void)state;
	expect_change(4, 1, "3 clk MW4 40800f10 00000002\n",
		"access read of 4 bytes at 0x40800f10 read|write @3|3\n");
}

static void
a_missing_record_is_named(void **state)
{
	(void)state;
	expect_change(5, 1, "", "missing-record register r1 0x2|- @3|3\n");
	expect_change(4, 1, "", "missing-record read of 4 bytes at 0x40800f10 0x2|- @3|3\n");
}

static void
an_extra_record_is_named(void **state)
{
	(void)state;
	expect_change(6, 0, "3 clk R r9 00000007\n", "extra-record register r9 -|0x7 @3|3\n");
	/* Also for the same record of another instruction. */
	expect_change(6, 0, "3 clk R r1 00000002\n", "extra-record register r1 -|0x2 @3|3\n");
}

static void
a_changed_place_is_named(void **state)
{
	(void)state;
	expect_change(3, 1, "3 clk 0 IT (3) 00020608 bc02 T usr : pop {r1}\n",
		"pc pc 0x00010608|0x00020608 @3|3 +1|1\n");
}

static void
whether_it_was_executed_is_named(void **state)
{
	(void)state;
	expect_change(3, 1, "3 clk 0 IS (3) 00010608 bc02 T usr : pop {r1}\n",
		"field executed true|false @3|3\n");
}

static void
a_missing_instruction_is_named(void **state)
{
	(void)state;
	expect_change(3, 4, "", "missing-instruction pc 0x00010608|- @3|3 +1|0\n");
}

static void
an_extra_instruction_is_named(void **state)
{
	(void)state;
	expect_change(7, 0, "3 clk 0 IT (3) 00010700 0000 T usr : movs r0, r0\n",
		"extra-instruction pc -|0x00010700 @4|4 +0|1\n");
}

static void
an_inserted_handler_is_named_once(void **state)
{
	struct buf handler = {0};
	(void)state;
	for (unsigned i = 0; i < 300; i++)
		buf_printf(&handler,
			"3 clk 0 IT (9) %08x e1a00000 A irq : nop\n"
			"3 clk R r0 %08x\n",
			0xffff0018 + 4 * (i % 100), i);
	expect_change(7, 0, buf_text(&handler),
		"inserted 300 instructions only in the second trace -|0xffff0018 @4|4 "
		"+0|300\n");
	buf_free(&handler);
}

static void
a_record_of_the_next_instruction_is_reordered(void **state)
{
	(void)state;
	/* r1 is written by instruction 4 instead of 3. */
	const char *moved = "3 clk R r13 40800f14\n"
			    "4 clk 0 IT (4) 0001060a 466a T usr : mov r2, sp\n"
			    "4 clk R r1 00000002\n";
	expect_change(5, 3, moved, "reordered register r1 0x2|with instruction 4 @3|3\n");
}

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

/* A line of an instruction of four bytes. */
static void
put_insn(struct buf *text, unsigned pc)
{
	buf_printf(text, "1 clk 0 IT (1) %08x e0000000 A usr : x\n", pc);
}

static void
put_run(struct buf *text, unsigned first, unsigned last)
{
	for (unsigned pc = first; pc <= last; pc += 4)
		put_insn(text, pc);
}

static void
a_branch_in_the_other_direction_is_named(void **state)
{
	(void)state;
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	struct buf a = {0}, b = {0};
	/* a falls through to 0x1010, b jumps to 0x2000; both meet at 0x3000. */
	put_run(&a, 0x1000, 0x1018);
	put_run(&a, 0x3000, 0x3040);
	put_run(&b, 0x1000, 0x100c);
	put_run(&b, 0x2000, 0x2010);
	put_run(&b, 0x3000, 0x3040);
	expect_between(
		&a, &b, "qemu4v", &options, "branch branch 0x00001010|0x00002000 @5|5 +3|5\n");
	buf_free(&a);
	buf_free(&b);
}

static void
another_round_of_a_loop_is_a_branch(void **state)
{
	(void)state;
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	struct buf a = {0}, b = {0};
	for (unsigned i = 0; i < 3; i++) {
		put_run(&a, 0x1000, 0x1010);
		put_run(&b, 0x1000, 0x1010);
	}
	put_run(&b, 0x1000, 0x1010);
	put_run(&a, 0x1014, 0x1040);
	put_run(&b, 0x1014, 0x1040);
	expect_between(&a, &b, "qemu4v", &options,
		"branch branch 0x00001014|0x00001000 @16|16 +0|5\n");
	buf_free(&a);
	buf_free(&b);
}

static void
traces_that_never_resynchronize_end_the_comparison(void **state)
{
	(void)state;
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	struct buf a = {0}, b = {0};
	put_run(&a, 0x1000, 0x1010);
	put_run(&b, 0x1000, 0x1010);
	put_run(&a, 0x2000, 0x2100);
	put_run(&b, 0x3000, 0x3100);
	expect_between(&a, &b, "qemu4v", &options, "path pc 0x00002000|0x00003000 @6|6 end\n");
	/* They agree again, but farther off than is looked ahead. */
	put_run(&a, 0x4000, 0x4100);
	put_run(&b, 0x4000, 0x4100);
	options.resync = 64;
	expect_between(&a, &b, "qemu4v", &options, "path pc 0x00002000|0x00003000 @6|6 end\n");
	options.resync = 65;
	expect_between(
		&a, &b, "qemu4v", &options, "path pc 0x00002000|0x00003000 @6|6 +65|65\n");
	buf_free(&a);
	buf_free(&b);
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
	struct side of[2] = {
		{open_rows(&texts[0], "qemu4v", 0)}, {open_rows(&texts[1], "qemu4v", 0)}};
	const struct poly_diff_side sides[2] = {
		{{poly_reader_info(of[0].reader), next_batch, &of[0]}, 0},
		{{poly_reader_info(of[1].reader), next_batch, &of[1]}, 0}};
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
		poly_reader_close(of[side].reader);
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
		struct side of[2] = {
			{open_rows(&trace, "tarmac", 0)}, {open_rows(&copy, "qemu4v", 100)}};
		const struct poly_diff_side sides[2] = {
			{{poly_reader_info(of[0].reader), next_batch, &of[0]}, 0},
			{{poly_reader_info(of[1].reader), next_batch, &of[1]}, 0}};
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
		poly_reader_close(of[0].reader);
		poly_reader_close(of[1].reader);
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

/* A small generator: the same numbers on every machine. */
static unsigned
chance(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % below;
}

/* By the words of align.h, tried one by one. */
static bool
agree_again(const struct align_side sides[2], size_t p, size_t q)
{
	size_t i = 0;
	for (; i < ALIGN_CONFIRM; i++) {
		bool ends[2] = {p + i >= sides[0].count, q + i >= sides[1].count};
		if (ends[0] || ends[1])
			return i > 0 &&
			       ((ends[0] && sides[0].ended) || (ends[1] && sides[1].ended));
		if (sides[0].keys[p + i] != sides[1].keys[q + i])
			return false;
	}
	return true;
}

static bool
align_slowly(const struct align_side sides[2], size_t most, struct alignment *found)
{
	for (size_t sum = 1; sum <= 2 * most; sum++) {
		for (size_t p = 0; p <= sum && p <= most; p++) {
			if (sum - p > most || !agree_again(sides, p, sum - p))
				continue;
			*found = (struct alignment){{p, sum - p}};
			return true;
		}
	}
	return false;
}

static void
alignment_is_that_of_brute_force(void **state)
{
	(void)state;
	uint64_t seed = 5;
	unsigned found = 0;
	for (unsigned round = 0; round < 20000; round++) {
		uint64_t keys[2][16];
		struct align_side sides[2];
		unsigned letters = 1 + chance(&seed, 4);
		for (unsigned side = 0; side < 2; side++) {
			sides[side] = (struct align_side){
				keys[side], chance(&seed, 17), chance(&seed, 2)};
			for (size_t i = 0; i < 16; i++)
				keys[side][i] = chance(&seed, letters);
		}
		/* It is called if the next keys differ. */
		keys[0][0] = 1000;
		size_t most = chance(&seed, 16);
		struct alignment fast, slow;
		bool expected = align_slowly(sides, most, &slow);
		assert_int_equal(align_find(sides, most, &fast), expected);
		if (expected) {
			assert_int_equal(fast.skipped[0], slow.skipped[0]);
			assert_int_equal(fast.skipped[1], slow.skipped[1]);
		}
		found += expected;
	}
	assert_true(found > 1000 && found < 19000);
}

/* Random instructions, of few registers and values. */
struct made {
	unsigned count;
	unsigned effects[40];
	unsigned kinds[40][4];
};

static void
make_random(struct made *made, uint64_t *seed)
{
	made->count = 1 + chance(seed, 40);
	for (unsigned i = 0; i < made->count; i++) {
		made->effects[i] = chance(seed, 5);
		for (unsigned e = 0; e < 4; e++)
			made->kinds[i][e] = chance(seed, 6);
	}
}

static void
print_made(struct buf *text, const struct made *made)
{
	for (unsigned i = 0; i < made->count; i++) {
		buf_printf(text, "%u clk 0 IT (%u) %08x e0000000 A usr : x\n", i, i,
			0x1000 + 4 * i);
		for (unsigned e = 0; e < made->effects[i]; e++) {
			unsigned kind = made->kinds[i][e];
			if (kind < 4)
				buf_printf(text, "%u clk R r%u %08x\n", i, kind % 2, kind / 2);
			else
				buf_printf(text, "%u clk MW4 00002000 %08x\n", i, kind);
		}
	}
}

/* True where each instruction has the same records, in whatever order. */
static bool
same_sets(const struct made *a, const struct made *b)
{
	for (unsigned i = 0; i < a->count; i++) {
		int counts[6] = {0};
		for (unsigned e = 0; e < a->effects[i]; e++)
			counts[a->kinds[i][e]]++;
		for (unsigned e = 0; e < b->effects[i]; e++)
			counts[b->kinds[i][e]]--;
		for (unsigned k = 0; k < 6; k++) {
			if (counts[k])
				return false;
		}
	}
	return true;
}

static void
random_traces_differ_just_where_their_sets_do(void **state)
{
	(void)state;
	uint64_t seed = 11;
	unsigned same = 0;
	for (unsigned round = 0; round < 400; round++) {
		struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
		struct made a, b;
		struct buf texts[2] = {{0}, {0}};
		make_random(&a, &seed);
		b = a;
		for (unsigned swaps = chance(&seed, 4); swaps; swaps--) {
			unsigned i = chance(&seed, a.count);
			unsigned kind = b.kinds[i][0];
			b.kinds[i][0] = b.kinds[i][3];
			b.kinds[i][3] = kind;
		}
		print_made(&texts[0], &a);
		print_made(&texts[1], &b);
		options.context = chance(&seed, 4);
		struct poly_reader *const readers[2] = {
			open_rows(&texts[0], "qemu4v", 1 + chance(&seed, 30)),
			open_rows(&texts[1], "qemu4v", 1 + chance(&seed, 30))};
		struct buf found = compare(readers, &options);
		assert_int_equal(found.size == 0, same_sets(&a, &b));
		same += found.size == 0;
		buf_free(&found);
		buf_free(&texts[0]);
		buf_free(&texts[1]);
	}
	assert_true(same > 50 && same < 350);
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
	expect_between(
		&a, &b, "full", &options, "value register r1 0x100112e0|0x100112e1 @3|3\n");
	options.ignore = ignore;
	expect_between(&a, &b, "full", &options, "");
	buf_free(&a);
	buf_free(&b);
}

/* Runs of instructions that one trace alone executes, at known places. */
static void
planted_runs_are_found_at_their_position(void **state)
{
	(void)state;
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	uint64_t seed = 3;
	for (unsigned round = 0; round < 60; round++) {
		struct buf texts[2] = {{0}, {0}}, expected = {0};
		unsigned numbers[2] = {1, 1}, fresh = 0x100000, since = 0;
		for (unsigned pc = 0x1000; pc < 0x1000 + 4 * 300; pc += 4) {
			unsigned run = chance(&seed, 3) ? 1 + chance(&seed, 150) : 1;
			unsigned side = chance(&seed, 2);
			/* Runs less than a confirmation apart would be one. */
			if (++since > ALIGN_CONFIRM && chance(&seed, 30) == 0) {
				put_run(&texts[side], fresh, fresh + 4 * (run - 1));
				if (run == 1)
					buf_printf(&expected, "%s-instruction pc",
						side ? "extra" : "missing");
				else
					buf_printf(&expected,
						"inserted %u instructions only in the %s trace",
						run, side ? "second" : "first");
				buf_printf(&expected, side ? " -|0x%08x" : " 0x%08x|-", fresh);
				buf_printf(&expected, " @%u|%u +%u|%u\n", numbers[0],
					numbers[1], side ? 0 : run, side ? run : 0);
				numbers[side] += run;
				fresh += 4 * run + 16;
				since = 0;
			}
			put_insn(&texts[0], pc);
			put_insn(&texts[1], pc);
			numbers[0]++;
			numbers[1]++;
		}
		expect_between(&texts[0], &texts[1], "qemu4v", &options, buf_text(&expected));
		buf_free(&texts[0]);
		buf_free(&texts[1]);
		buf_free(&expected);
	}
}

/* The sample with removed, repeated or changed lines. */
static struct buf
random_sample(const struct buf *sample, uint64_t *seed)
{
	struct buf out = {0};
	const unsigned one_in = 20 + chance(seed, 2000);
	const char *p = (const char *)sample->data, *end = p + sample->size;
	while (p < end) {
		size_t n = strcspn(p, "\n") + 1;
		unsigned what = chance(seed, one_in);
		if (what != 1)
			buf_append(&out, p, n);
		if (what == 2)
			buf_append(&out, p, n);
		if (what == 3 || what == 4)
			out.data[out.size - 2 - chance(seed, (unsigned)n - 1)] = '7';
		p += n;
	}
	return out;
}

static void
findings_do_not_depend_on_batches(void **state)
{
	(void)state;
	uint64_t seed = 29;
	size_t shown = 0;
	struct buf sample = load_sample(SAMPLE);
	buf_text(&sample);
	for (unsigned round = 0; round < 60; round++) {
		struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
		struct buf changed = random_sample(&sample, &seed), first = {0};
		options.context = chance(&seed, 6);
		options.window = 1 + chance(&seed, 12);
		options.ordered = chance(&seed, 2);
		for (size_t i = 0; i < sizeof batch_rows / sizeof *batch_rows; i++) {
			struct poly_reader *const readers[2] = {
				open_rows(&sample, "qemu4v", batch_rows[i][0]),
				open_rows(&changed, "qemu4v", batch_rows[i][1])};
			struct buf found = compare_closely(readers, &options, true);
			if (i == 0)
				buf_append(&first, found.data, found.size);
			assert_string_equal(buf_text(&found), buf_text(&first));
			buf_free(&found);
		}
		shown += first.size != 0;
		buf_free(&first);
		buf_free(&changed);
	}
	assert_true(shown > 30);
	buf_free(&sample);
}

struct comparison {
	struct buf texts[2];
	struct poly_reader *readers[2];
};

static void
open_both(void *context)
{
	struct comparison *both = context;
	for (size_t i = 0; i < 2; i++)
		both->readers[i] = open_rows(&both->texts[i], "qemu4v", 0);
}

static enum poly_status
compare_both(void *context)
{
	struct comparison *both = context;
	const char *const alias[] = {"arm", NULL}, *const tolerate[] = {
							   "redundant-writes", NULL};
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	struct side of[2] = {{both->readers[0]}, {both->readers[1]}};
	const struct poly_diff_side sides[2] = {
		{{poly_reader_info(both->readers[0]), next_batch, &of[0]}, 0},
		{{poly_reader_info(both->readers[1]), next_batch, &of[1]}, 0}};
	const struct poly_difference *found;
	struct poly_diff_line line;
	struct poly_diff *diff;
	struct poly_error error;
	options.aliases = alias;
	options.tolerate = tolerate;
	enum poly_status status = poly_diff_new(&options, sides, &diff, &error);
	while (status == POLY_OK &&
		(status = poly_diff_next(diff, &found, &error)) == POLY_OK) {
		for (size_t i = 0; poly_diff_line_at(diff, i, &line); i++)
			assert_non_null(line.steps[0].text);
	}
	poly_diff_free(diff);
	return status;
}

static void
close_both(void *context)
{
	struct comparison *both = context;
	poly_reader_close(both->readers[0]);
	poly_reader_close(both->readers[1]);
}

static void
lack_of_memory_is_reported(void **state)
{
	const struct change change = {100, 40, ""};
	struct comparison both = {.texts = {load_sample(SAMPLE), changed_sample(&change)}};
	(void)state;
	law_memory_as(&(struct memory_law){.run = compare_both,
		.prepare = open_both,
		.release = close_both,
		.context = &both,
		.is_tolerant = true,
		.every = 20});
	buf_free(&both.texts[0]);
	buf_free(&both.texts[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_is_the_same_as_itself),
		cmocka_unit_test(a_changed_opcode_is_named),
		cmocka_unit_test(a_changed_register_is_named),
		cmocka_unit_test(a_changed_value_is_named),
		cmocka_unit_test(a_changed_address_is_named),
		cmocka_unit_test(a_changed_size_is_named),
		cmocka_unit_test(a_changed_direction_is_named),
		cmocka_unit_test(a_missing_record_is_named),
		cmocka_unit_test(an_extra_record_is_named),
		cmocka_unit_test(a_changed_place_is_named),
		cmocka_unit_test(whether_it_was_executed_is_named),
		cmocka_unit_test(a_missing_instruction_is_named),
		cmocka_unit_test(an_extra_instruction_is_named),
		cmocka_unit_test(an_inserted_handler_is_named_once),
		cmocka_unit_test(a_record_of_the_next_instruction_is_reordered),
		cmocka_unit_test(a_window_lets_records_move),
		cmocka_unit_test(the_order_within_an_instruction_counts_on_request),
		cmocka_unit_test(a_shorter_trace_is_reported_unless_ignored),
		cmocka_unit_test(a_branch_in_the_other_direction_is_named),
		cmocka_unit_test(another_round_of_a_loop_is_a_branch),
		cmocka_unit_test(traces_that_never_resynchronize_end_the_comparison),
		cmocka_unit_test(ignored_columns_are_not_differences),
		cmocka_unit_test(aliases_name_the_same_register),
		cmocka_unit_test(tolerated_forms_are_not_differences),
		cmocka_unit_test(records_before_their_instruction_belong_to_it),
		cmocka_unit_test(processors_are_compared_by_themselves_on_request),
		cmocka_unit_test(a_processor_that_is_too_far_ahead_is_reported),
		cmocka_unit_test(unknown_words_are_rejected),
		cmocka_unit_test(a_conversion_is_the_same_trace),
		cmocka_unit_test(published_traces_are_compared_completely),
		cmocka_unit_test(other_formats_have_differences_too),
		cmocka_unit_test(alignment_is_that_of_brute_force),
		cmocka_unit_test(registers_of_full_records_are_named),
		cmocka_unit_test(planted_runs_are_found_at_their_position),
		cmocka_unit_test(findings_do_not_depend_on_batches),
		cmocka_unit_test(lack_of_memory_is_reported),
		cmocka_unit_test(random_traces_differ_just_where_their_sets_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
