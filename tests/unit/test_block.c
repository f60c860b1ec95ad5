/* SPDX-License-Identifier: MIT */
/* Where basic blocks begin. */
#include "rows_help.h"

#include "analysis/block.h"
#include "base/bits.h"

/*
 * A character a row of a trace in JSON Lines: b begins a block, i is another instruction, - is
 * none. thread: rows are of the parties that the column thread numbers.
 */
static void
expect_marks(const char *lines, bool thread, const char *expected)
{
	struct buf bytes = bytes_of("{\"polytrace\":\"trace\",\"version\":1,\"columns\":["
				    "\"kind\",\"thread\",\"pc\",\"opcode_size\",\"branch\","
				    "\"uop\",\"synthetic\"]}\n");
	static struct blocks blocks;
	struct block_marks marks;
	const struct poly_batch *batch;
	struct poly_error error;
	uint16_t party[16] = {0};
	char found[17] = "";
	buf_string(&bytes, lines);
	struct poly_reader *reader = open_bytes(&bytes, "jsonl", NULL, false);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_true(batch->rows < 17);
	for (size_t row = 0; thread && row < batch->rows; row++)
		party[row] = (uint16_t)batch->thread[row];
	const struct analysis_rows rows = {
		.batch = batch, .counts = true, .party = thread ? party : NULL};
	blocks_begin(&blocks);
	blocks_mark(&blocks, &rows, &marks);
	for (size_t row = 0; row < batch->rows; row++)
		found[row] = bit_test(marks.begins, row)	 ? 'b'
			     : bit_test(marks.instructions, row) ? 'i'
								 : '-';
	assert_string_equal(found, expected);
	poly_reader_close(reader);
	buf_free(&bytes);
}

#define AT(pc, size, more) \
	"{\"kind\":\"instruction\",\"pc\":\"" pc "\",\"opcode_size\":" size more "}\n"

static void
a_block_ends_at_a_branch_even_if_it_is_not_taken(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "4", "") AT("0x14", "4", ",\"branch\":\"not_taken\"")
			     AT("0x18", "4", "") AT("0x1c", "4", ",\"branch\":\"taken\"")
				     AT("0x10", "4", ""),
		false, "bibib");
}

static void
a_block_ends_where_the_next_instruction_does_not_stand_behind(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "2", "") AT("0x12", "4", "") AT("0x16", "2", "")
			     AT("0x1a", "2", "") AT("0x1a", "2", ""),
		false, "biibb");
}

static void
without_sizes_what_follows_within_sixteen_bytes_is_sequential(void **state)
{
	(void)state;
#define AT_PC(pc) "{\"kind\":\"instruction\",\"pc\":\"" pc "\"}\n"
	expect_marks(
		AT_PC("0x100") AT_PC("0x110") AT_PC("0x121") AT_PC("0x120"), false, "bibb");
}

static void
threads_have_blocks_of_their_own(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "4", ",\"thread\":0") AT("0x80", "4", ",\"thread\":1")
			     AT("0x14", "4", ",\"thread\":0") AT("0x84", "4", ",\"thread\":1"),
		true, "bbii");
}

static void
micro_operations_and_rows_of_the_tracer_are_no_instructions(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "4", ",\"uop\":1") AT(
			     "0x10", "4", ",\"uop\":2,\"branch\":\"not_taken\"")
			     AT("0x14", "4", ",\"uop\":1") "{\"kind\":\"access\"}\n" AT("0x700",
				     "4", ",\"synthetic\":true") AT("0x18", "4", ",\"uop\":1"),
		false, "b-b--i");
}

static void
an_instruction_without_an_address_is_in_no_block(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "4", "") "{\"kind\":\"instruction\"}\n" AT("0x14", "4", ""),
		false, "bib");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_ends_at_a_branch_even_if_it_is_not_taken),
		cmocka_unit_test(a_block_ends_where_the_next_instruction_does_not_stand_behind),
		cmocka_unit_test(without_sizes_what_follows_within_sixteen_bytes_is_sequential),
		cmocka_unit_test(threads_have_blocks_of_their_own),
		cmocka_unit_test(micro_operations_and_rows_of_the_tracer_are_no_instructions),
		cmocka_unit_test(an_instruction_without_an_address_is_in_no_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
