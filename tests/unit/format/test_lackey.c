/* SPDX-License-Identifier: MIT */
/*
 * Lackey's traces compared with lackey's own counters, and hand-made lines. words.lackey is the
 * output of valgrind 3.19 with --detailed-counts=yes for a program that adds up 32 words and
 * increments each of them.
 */
#include "trace_help.h"

#define COLUMNS "record kind pc opcode_size access address size"

/* Sums the loads and stores that the sample counts, by type. */
static void
read_counters(const char *text, uint64_t *loads, uint64_t *stores)
{
	const char *p = strstr(text, "-----\n");
	int skipped;
	assert_non_null(p);
	*loads = *stores = 0;
	for (p = strchr(p, '\n') + 1;; p = strchr(p, '\n') + 1) {
		unsigned long long a, b;
		char type[20];
		skipped = sscanf(p, "==%*d== %19s %llu %llu", type, &a, &b);
		if (skipped != 3)
			return;
		*loads += a;
		*stores += b;
	}
}

static void
records_match_the_counts_of_lackey(void **state)
{
	(void)state;
	struct buf bytes = load_sample("lackey/words.lackey");
	uint64_t loads, stores, instructions = 0, reads = 0, writes = 0;
	read_counters(buf_text(&bytes), &loads, &stores);
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	assert_string_equal(poly_reader_info(reader)->producer, "lackey of valgrind 3.19.0");
	assert_string_equal(
		poly_trace_fact(poly_reader_info(reader), "lackey.command"), "./words");
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			instructions += poly_present(batch, POLY_COLUMN_pc, row);
			if (!poly_present(batch, POLY_COLUMN_access, row))
				continue;
			reads += batch->access[row] == POLY_ACCESS_READ;
			writes += batch->access[row] == POLY_ACCESS_WRITE;
		}
	}
	assert_int_equal(instructions, 215);
	assert_non_null(strstr(buf_text(&bytes), "guest instrs:  215\n"));
	assert_int_equal(loads, 103);
	assert_int_equal(reads, loads);
	assert_int_equal(stores, 70);
	assert_int_equal(writes, stores);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
every_kind_of_line_has_its_rows(void **state)
{
	(void)state;
	expect_rows("==7== Command: a\nI  04016d90,3\n L 1ffeffe7e8,8\n S 00000010,4\n"
		    " M 0421b1b4,2\nsum of words\n\nI  ffffffffff600000,15\n",
		"lackey", COLUMNS,
		"message other - - - - -\n"
		"instruction instruction 0x4016d90 3 - - -\n"
		"load access - - read 0x1ffeffe7e8 8\n"
		"store access - - write 0x10 4\n"
		"modify access - - read 0x421b1b4 2\n"
		"modify access - - write 0x421b1b4 2\n"
		"output other - - - - -\n"
		"output other - - - - -\n"
		"instruction instruction 0xffffffffff600000 15 - - -\n");
	expect_rows("==7== Command: a b\n--7-- x\n**8**\nfoo ==7==\r\n", "lackey",
		"record process text",
		"message 7 ==7== Command: a b\nmessage 7 --7-- x\nmessage 8 **8**\n"
		"output - foo ==7==\n");
}

static void
messages_may_have_a_time(void **state)
{
	(void)state;
	expect_rows("==00:00:00:00.012 27674== Command: a\n--00:00:01:02.003 8-- x\n"
		    "==00:00:00:00.012 == x\n==00:00:00:00.012== x\n==a 7== x\n== 7== x\n"
		    "==1 2",
		"lackey", "record process text",
		"message 27674 ==00:00:00:00.012 27674== Command: a\n"
		"message 8 --00:00:01:02.003 8-- x\n"
		"output - ==00:00:00:00.012 == x\noutput - ==00:00:00:00.012== x\n"
		"output - ==a 7== x\noutput - == 7== x\noutput - ==1 2\n");
	struct buf bytes = bytes_of("==00:00:00:00.012 7== Using Valgrind-3.19.0 and LibVEX\n"
				    "==00:00:00:00.012 7== Command: ./a b\n"
				    "I  04016d90,3\nI  04016d90,3\nI  04016d90,3\n");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_trace_info *info = poly_reader_info(reader);
	assert_string_equal(info->producer, "lackey of valgrind 3.19.0");
	assert_string_equal(poly_trace_fact(info, "lackey.command"), "./a b");
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
rows_of_a_modify_have_one_origin_in_any_batches(void **state)
{
	(void)state;
	struct buf bytes = bytes_of("I  04016d90,3\n M 0421b1b4,2\n M 0421b1b4,2\r\n");
	for (size_t rows = 1; rows <= 5; rows++) {
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		options.format = "lackey";
		options.batch_rows = rows;
		struct poly_reader *reader = open_memory(&bytes, &options);
		struct buf listed = list_rows(reader, "origin record access raw", NULL);
		assert_string_equal(buf_text(&listed),
			"0 instruction - -\n14 modify read -\n14 modify write -\n"
			"28 modify read 204d2030343231623162342c320d0a\n28 modify write -\n");
		buf_free(&listed);
	}
	buf_free(&bytes);
}

static const char *const kept[] = {
	" L 10,1\n M 20,1\n",
	"I  04016D90,3\n",
	"I  004016d90,3\n",
	"I  04016d90,03\n",
	" M 04016d90,3\r\n M 04016d90,3\n",
	"I  04016d90,3",
	" M 04016d90,3",
	"I  04016d90,3 \n",
	"I  04016d90,256\n",
	" S 04016d90,1000000000\n",
	"I  ,3\nI  11111111,\nI  1111111g,1\nI 04016d90,3\n L04016d90,3\n X 04016d90,3\n",
	" L 11111111111111111,1\n",
	"==1==\n==1== \n== 1==\n===\n==",
	"\n\r\n \n",
};

static void
every_line_is_reproduced(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		expect_kept(kept[i], "lackey", NULL);
}

static void
lines_are_records_only_if_lackey_writes_them(void **state)
{
	(void)state;
	expect_rows(" L 10,1\nI  04016D90,3\r\nI  04016d90,3 \nI  04016d90,256\n"
		    "I 04016d90,3\n L04016d90,3\n",
		"lackey", "record pc address size",
		"load - 0x10 1\ninstruction 0x4016d90 - -\noutput - - -\noutput - - -\n"
		"output - - -\noutput - - -\n");
	/* Reading never stops: possible output of the program is stored. */
	expect_found("I  04016d90,3\nhello\n S 10,1\n", "lackey", "TXT1:2 K05:3 ");
}

static void
unusual_lines_are_reported(void **state)
{
	(void)state;
	expect_found(" L 04016d90,8\nI  04016d90,3\n", "lackey", "K06:1 ");
	expect_found("I  04016d90,0\nI  04016d90,21\n S 04016d90,513\n", "lackey",
		"K03:1 K03:2 K03:3 ");
	expect_found("I  04016d90,3", "lackey", "K04:1 K05:1 ");
	expect_found("I  04016d90,3\n==1==   guest instrs:  1\n", "lackey", "");
	expect_found("I  04016d90,3\n==1==   guest instrs:  1,002\n", "lackey", "K07:2 ");
	expect_found("==2== x\nI  04016d90,3\n==1==   guest instrs:  2\n", "lackey", "");
	struct buf sample = load_sample("lackey/words.lackey");
	struct buf found = find_all(open_bytes(&sample, NULL, NULL, true));
	assert_string_equal(buf_text(&found), "TXT1:391 ");
	buf_free(&found);
	buf_free(&sample);
}

static void
a_selection_may_split_a_modify(void **state)
{
	(void)state;
	static const struct {
		uint64_t skip, count;
		const char *written;
	} windows[] = {
		{0, 2, "I  04016d90,3\n L 0421b1b4,2\n"},
		{2, 9, " S 0421b1b4,2\n M 0421b1b8,2\r\n"},
		{1, 2, " M 0421b1b4,2\n"},
		{3, 1, " M 0421b1b8,2\r\n"},
		{4, 1, " S 0421b1b8,2\n"},
	};
	struct buf bytes = bytes_of("I  04016d90,3\n M 0421b1b4,2\n M 0421b1b8,2\r\n");
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		options.format = "lackey";
		options.skip = windows[i].skip;
		options.count = windows[i].count;
		struct poly_reader *reader = open_memory(&bytes, &options);
		struct buf out = convert(reader, "lackey", NULL, NULL);
		assert_string_equal(buf_text(&out), windows[i].written);
		buf_free(&out);
	}
	buf_free(&bytes);
}

static void
other_traces_are_written(void **state)
{
	(void)state;
	struct buf notes = {0};
	struct buf bytes = bytes_of("i 401000 3\nr 1ffeffe7e8 8\nw 10 10\nc 0 4\nm 1 1\n");
	struct buf out =
		convert(open_bytes(&bytes, "din", NULL, false), "lackey", NULL, &notes);
	assert_string_equal(buf_text(&out), "I  00401000,3\n L 1ffeffe7e8,8\n S 00000010,16\n");
	assert_string_equal(buf_text(&notes),
		"1 accesses that are not loads or stores were dropped\n"
		"1 records that are neither instructions nor accesses were dropped\n");
	buf_free(&notes);
	buf_free(&out);
	buf_free(&bytes);
	/*
	 * An instruction that accesses is two lines; a read and a write do not form a modify.
	 */
	expect_converted("{\"kind\":\"instruction\",\"pc\":\"0x10\",\"opcode_size\":4,"
			 "\"access\":\"read\",\"address\":\"0x20\",\"size\":2}\n"
			 "{\"kind\":\"access\",\"access\":\"write\",\"address\":\"0x20\","
			 "\"size\":2}\n",
		"jsonl", "lackey", NULL, "I  00000010,4\n L 00000020,2\n S 00000020,2\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_match_the_counts_of_lackey),
		cmocka_unit_test(every_kind_of_line_has_its_rows),
		cmocka_unit_test(messages_may_have_a_time),
		cmocka_unit_test(rows_of_a_modify_have_one_origin_in_any_batches),
		cmocka_unit_test(every_line_is_reproduced),
		cmocka_unit_test(lines_are_records_only_if_lackey_writes_them),
		cmocka_unit_test(unusual_lines_are_reported),
		cmocka_unit_test(a_selection_may_split_a_modify),
		cmocka_unit_test(other_traces_are_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
