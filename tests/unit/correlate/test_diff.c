/* SPDX-License-Identifier: MIT */
/* Comparison of a trace with copies that have one planted change each. */
#include "diff_help.h"

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

/* A line of an instruction of four bytes. */
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
	const struct poly_diff_side sides[2] = {{poly_reader_source(both->readers[0]), 0},
		{poly_reader_source(both->readers[1]), 0}};
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
		cmocka_unit_test(a_branch_in_the_other_direction_is_named),
		cmocka_unit_test(another_round_of_a_loop_is_a_branch),
		cmocka_unit_test(traces_that_never_resynchronize_end_the_comparison),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
