/* SPDX-License-Identifier: MIT */
/*
 * AIX traces compared with the listings of tests/data/aix/make_aix.py, and hand-made bytes.
 * Expected values are derived from trcfmt File Format, Trace Entries, and AIX <sys/trchdr.h>.
 */
#include "trace_help.h"

#include "base/bits.h"

#include <unistd.h>

#define LISTED                                                                              \
	"kind record time cpu thread hook subhook hook_type counters payload address size " \
	"value raw origin"

static const char *const samples[] = {"raw32", "raw64", "log1111", "log1112", "log1113",
	"stream1114", "wrapped1112", "wrapped1113", "base", "base-0", "base-1", "damaged1112",
	"damaged32", "damaged64"};
#define SAMPLES (sizeof samples / sizeof *samples)

static struct buf
load(const char *name, const char *ending)
{
	char path[100];
	snprintf(path, sizeof path, "aix/%s%s", name, ending);
	return load_sample(path);
}

static void
every_row_equals_the_builders_listing(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		struct buf bytes = load(samples[i], ".trc"),
			   expected = load(samples[i], ".lst");
		struct buf rows =
			list_rows(open_bytes(&bytes, NULL, NULL, false), LISTED, NULL);
		assert_string_equal(buf_text(&rows), buf_text(&expected));
		buf_free(&bytes);
		buf_free(&expected);
		buf_free(&rows);
	}
}

/* Creates a file of bytes, and its path; closed by the caller. */
static FILE *
file_of(const struct buf *bytes, char path[40])
{
	FILE *file = tmpfile();
	assert_non_null(file);
	assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
	rewind(file);
	snprintf(path, 40, "/dev/fd/%d", fileno(file));
	return file;
}

/* A file that is opened by its path has random access; standard input and pipes do not. */
static void
blocks_are_read_in_order_from_any_kind_of_input(void **state)
{
	(void)state;
	struct buf bytes = load("wrapped1112", ".trc"), expected = load("wrapped1112", ".lst");
	char path[40];
	FILE *file = file_of(&bytes, path);
	int saved = dup(STDIN_FILENO);
	for (int way = 0; way < 2; way++) {
		struct poly_reader *reader;
		struct poly_error error;
		if (way == 1)
			assert_int_equal(dup2(fileno(file), STDIN_FILENO), STDIN_FILENO);
		assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
		if (poly_reader_open(way ? "-" : path, NULL, &reader, &error) != POLY_OK)
			fail_msg("%s", error.message);
		struct buf rows = list_rows(reader, LISTED, NULL);
		assert_string_equal(buf_text(&rows), buf_text(&expected));
		buf_free(&rows);
	}
	dup2(saved, STDIN_FILENO);
	close(saved);
	fclose(file);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
every_trace_is_reproduced_through_json_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		struct buf bytes = load(samples[i], ".trc");
		struct buf lines =
			convert(open_bytes(&bytes, NULL, NULL, false), "jsonl", NULL, NULL);
		struct buf out =
			convert(open_bytes(&lines, "jsonl", NULL, false), "aix", NULL, NULL);
		expect_same(&out, &bytes);
		buf_free(&bytes);
		buf_free(&lines);
		buf_free(&out);
	}
}

/* Parses bytes from hexadecimal words separated by blanks. */
static struct buf
hex(const char *text)
{
	struct buf bytes = {0};
	unsigned byte;
	for (; *text; text += *text == ' ') {
		if (*text == ' ')
			continue;
		assert_int_equal(sscanf(text, "%2x", &byte), 1);
		buf_byte(&bytes, (uint8_t)byte);
		text += 2;
	}
	return bytes;
}

static void
expect_hex(const char *bytes, const char *option, const char *columns, const char *expected)
{
	struct buf data = hex(bytes);
	struct buf rows = list_rows(open_bytes(&data, "aix", option, false), columns, NULL);
	assert_string_equal(buf_text(&rows), expected);
	buf_free(&data);
	buf_free(&rows);
}

/* Returns the violated rules of bytes, except for the note on absent process hooks. */
static void
expect_broken(const char *bytes, const char *option, const char *codes)
{
	struct buf data = hex(bytes);
	struct buf found = find_all(open_bytes(&data, "aix", option, true));
	const char *rest = buf_text(&found);
	char without[400] = "";
	while (*rest) {
		size_t n = strcspn(rest, " ") + 1;
		if (strncmp(rest, "L12:", 4) != 0)
			strncat(without, rest, n);
		rest += n;
	}
	assert_string_equal(without, codes);
	buf_free(&data);
	buf_free(&found);
}

#define COLUMNS "record hook subhook hook_type payload thread time"

static void
the_constructed_vectors_are_read(void **state)
{
	(void)state;
	/* Constructed vectors: types 9 and 8, and an unstamped entry. */
	expect_hex("0F19002A 00000064 00000010", NULL, COLUMNS,
		"hook32 0xf10 0x2a 0x9 - 100 16\n");
	expect_hex("0F1A0001 FFFFFFFE 00000064 00000020", NULL, COLUMNS,
		"hook32 0xf10 0x1 0xa fffffffe 100 32\n");
	expect_hex("0F18000C 00000007 0B68656C6C6F20776F726C64 00000064 00000050", NULL,
		COLUMNS, "hook32 0xf10 0xc 0x8 000000070b68656c6c6f20776f726c64 100 80\n");
	/* Vector 10: a 64-bit hook word with two data words. */
	expect_hex("80000010 0F100002 0000000000000001 0000000000000002 0000000000000064 "
		   "0000000000000030",
		"aix.form=raw64", COLUMNS,
		"hook64 0xf10 0x2 0x8000 00000000000000010000000000000002 100 48\n");
}

static void
traces_from_before_aix_4_1_have_no_thread_ids(void **state)
{
	(void)state;
	expect_hex("0F19002A 00000010 0F110001", "aix.tid=no", COLUMNS,
		"hook32 0xf10 0x2a 0x9 - - 16\nhook32 0xf10 0x1 0x1 - - -\n");
}

static void
the_length_of_generic_data_may_include_the_data_word(void **state)
{
	(void)state;
	const char *trace = "40000010 0F100000 0000000000000007 4142434445464748 "
			    "0000000000000064";
	const char *const row =
		"hook64 0xf10 0x0 0x4000 00000000000000074142434445464748 100 -\n";
	expect_hex(trace, "aix.len64g=buffer", COLUMNS,
		"corrupt - - - - - -\n"); /* 16 bytes and a data word need 40 */
	expect_hex(trace, "aix.form=raw64", COLUMNS, row);
	struct buf data = hex(trace);
	struct poly_reader *reader;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const char *words[] = {"aix.form=raw64", "aix.len64g=data", NULL};
	options.format = "aix";
	options.options = words;
	for (int turn = 0; turn < 2; turn++) {
		reader = open_memory(&data, &options);
		if (turn == 0) {
			struct buf rows = list_rows(reader, COLUMNS, NULL);
			assert_string_equal(buf_text(&rows), row);
			buf_free(&rows);
		} else {
			struct buf out = convert(reader, "aix", NULL, NULL);
			expect_same(&out, &data);
			buf_free(&out);
		}
	}
	buf_free(&data);
}

/* A log of magic 0xefdf1112 with two blocks: hooks 201 and 202; words can be replaced. */
#define LOG_HEAD "EFDF1112 00000002 "
#define LOG_REST " 00000000 00000000 00000000"
#define ENTRY_A "20190001 00000064 00000010"
#define ENTRY_B "20290002 00000064 00000020"

static void
rules_of_logs_report_their_smallest_violations(void **state)
{
	(void)state;
	/* header 36, directory 16 bytes: the blocks begin at 0x34 and 0x40 */
	expect_broken(LOG_HEAD "00000000 00000000 00000000" LOG_REST
			       " 00000000 00000034 0000000C 00000040 0000000C " ENTRY_A
			       " " ENTRY_B,
		NULL, "");
	/* L02: truncated directory; invalid currentry; invalid initial conditions. */
	expect_broken(LOG_HEAD "00000000 00000000 00000000" LOG_REST " 00000000 00000034", NULL,
		"L02:1 ");
	expect_broken(LOG_HEAD "00000002 00000000 00000000" LOG_REST
			       " 00000000 00000034 0000000C 00000040 0000000C " ENTRY_A
			       " " ENTRY_B,
		NULL, "L02:1 ");
	expect_broken(LOG_HEAD "00000000 00000000 00000000 00000000 00000000 00001000 00000010 "
			       "00000034 0000000C 00000040 0000000C " ENTRY_A " " ENTRY_B,
		NULL, "L02:2 ");
	expect_broken("EFDF1112 FFFFFFFF 00000000 00000000 00000000" LOG_REST " 00000000 "
		      "00000034",
		NULL, "L02:1 ");
	/* L03: the second block is truncated, lies past the end, or within the first. */
	expect_broken(LOG_HEAD "00000000 00000000 00000000" LOG_REST
			       " 00000000 00000034 0000000C 00000040 0000000D " ENTRY_A
			       " " ENTRY_B,
		NULL, "L03:6 ");
	expect_broken(LOG_HEAD "00000000 00000000 00000000" LOG_REST
			       " 00000000 00000034 0000000C 00000050 0000000C " ENTRY_A,
		NULL, "L03:4 ");
	expect_broken(LOG_HEAD "00000000 00000000 00000000" LOG_REST
			       " 00000000 00000034 0000000C 00000038 0000000C " ENTRY_A,
		NULL, "L03:1 ");
	/*
	 * L05: the entry is longer than its block. L04: type 3; reading resumes at the next
	 * block.
	 */
	expect_broken(LOG_HEAD "00000000 00000000 00000000" LOG_REST
			       " 00000000 00000034 00000008 00000040 0000000C " ENTRY_A
			       " " ENTRY_B,
		NULL, "L05:3 ");
	expect_broken(LOG_HEAD
		"00000000 00000000 00000000" LOG_REST
		" 00000000 00000034 0000000C 00000040 0000000C 20130001 00000064 "
		"00000010 " ENTRY_B,
		NULL, "L04:3 ");
	/* L13: it wrapped around; entry 1 is the oldest. */
	expect_broken(LOG_HEAD "00000001 00000000 00000001" LOG_REST
			       " 00000000 00000034 0000000C 00000040 0000000C " ENTRY_B
			       " " ENTRY_A,
		NULL, "L13:0 ");
}

static void
rules_of_entries_report_their_smallest_violations(void **state)
{
	(void)state;
	/* L04 for all invalid hook types. */
	expect_broken(ENTRY_A " 20130000", "aix.form=raw32", "L04:2 ");
	expect_broken(ENTRY_A " 20140000", "aix.form=raw32", "L04:2 ");
	expect_broken(ENTRY_A " 20150000", "aix.form=raw32", "L04:2 ");
	expect_broken(ENTRY_A " 201F0000", "aix.form=raw32", "L04:2 ");
	/* trcfmt File Format, HookID: 0AA0 is legal, 0AAA is not. */
	expect_broken("00000000 0AA00000 0000000000000064", "aix.form=raw64", "");
	expect_broken("00000000 0AAA0000 0000000000000064", "aix.form=raw64", "L04:1 ");
	/* L05 */
	expect_broken(ENTRY_A " 20190001 00000064", NULL, "L05:2 ");
	/* L07: hook 000 without a timestamp; with a timestamp it is a TSYNC. */
	expect_broken("00010000 00000064", "aix.form=raw32", "L07:1 ");
	expect_broken("00090000 00000064 00000001", "aix.form=raw32", "");
	/* L10 */
	expect_broken(ENTRY_B " " ENTRY_A, NULL, "L10:2 ");
	/* The times of two processors may alternate. */
	expect_broken("90000000 20100000 0000000000000064 0000000000000001 0000000000000009 "
		      "90000000 20100000 0000000000000064 0000000000000002 0000000000000008",
		"aix.form=raw64", "");
	expect_broken("90000000 20100000 0000000000000064 0000000000000001 0000000000000009 "
		      "90000000 20100000 0000000000000064 0000000000000001 0000000000000008",
		"aix.form=raw64", "L10:2 ");
	expect_broken("90000000 20100000 0000000000000064 0000000000000001 0000000000000009 "
		      "90000000 20100000 0000000000000064 0000000000000002 0000000000000008 "
		      "90000000 20100000 0000000000000064 0000000000000001 0000000000000008",
		"aix.form=raw64", "L10:3 ");
	/* L11 */
	expect_broken("00590000 00000064 00000001 006A0000 00000011 00000064 00000002",
		"aix.form=raw32", "L11:1 L11:2 ");
}

static void
generic_data_above_4096_bytes_are_reported(void **state)
{
	(void)state;
	for (size_t n = 4096; n <= 4097; n++) {
		struct buf data = hex("0F100000 00000001");
		store_be32(data.data, 0x0F100000 | (uint32_t)n);
		for (size_t i = 0; i < (n + 3) / 4 * 4 + 4; i++)
			buf_byte(&data, i < n ? 'x' : 0);
		struct buf found = find_all(open_bytes(&data, "aix", "aix.form=raw32", true));
		assert_string_equal(buf_text(&found), n == 4096 ? "L12:0 " : "L06:1 L12:0 ");
		buf_free(&found);
		buf_free(&data);
	}
}

static void
absent_process_hooks_are_reported(void **state)
{
	(void)state;
	static const char *const entries[] = {"10690000 00000064 00000001",
		"10C90000 00000064 00000001", "13490000 00000064 00000001",
		"13990000 00000064 00000001", "46590000 00000064 00000001"};
	for (size_t i = 0; i < 5; i++) {
		struct buf data = hex(entries[i]);
		struct buf found = find_all(open_bytes(&data, "aix", "aix.form=raw32", true));
		assert_string_equal(buf_text(&found), "");
		buf_free(&found);
		buf_free(&data);
	}
}

static void
other_bytes_are_rejected(void **state)
{
	(void)state;
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "aix";
	struct buf data = hex("EFDF1115 00050000");
	assert_int_equal(
		poly_reader_open_memory(data.data, data.size, &options, &reader, &error),
		POLY_ERR_FORMAT);
	assert_string_equal(error.message,
		"L01: the trace begins with 0xefdf1115, expected the magic of a log, "
		"0xefdf1111 to 0xefdf1114, or events; set aix.form=raw32 or aix.form=raw64 for "
		"bare events");
	buf_free(&data);
}

/* A wrapped timer continues; a time that is less than 2^28 ticks lower went back. */
static void
timers_of_32_bits_are_unwrapped(void **state)
{
	(void)state;
	expect_hex("20190000 00000064 F0000000 20190000 00000064 00000001 "
		   "20190000 00000064 FFFFFFFF 20190000 00000064 10000000 "
		   "20190000 00000064 00000001 20190000 00000064 00000000",
		"aix.form=raw32", "time",
		"4026531840\n4294967297\n4294967295\n4563402752\n4294967297\n4294967296\n");
	expect_hex("20190000 00000064 10000001 20190000 00000064 00000001 "
		   "20190000 00000064 FFFFFFFF",
		"aix.form=raw32", "time", "268435457\n4294967297\n4294967295\n");
	/* No time precedes the first one. */
	expect_hex("20190000 00000064 00000001 20190000 00000064 FFFFFFFF", "aix.form=raw32",
		"time", "1\n4294967295\n");
}

/*
 * The built-in table, all assumed: a dispatch (106) has the process in D1 and the thread in D2.
 * Threads that no hook identified have no process.
 */
static void
events_belong_to_the_process_of_earlier_hooks(void **state)
{
	(void)state;
	static const char trace[] =
		"20190000 00000064 00000001 "
		"106E0000 0000000B 00000064 00000000 00000000 00000000 00000064 00000002 "
		"20190000 00000064 00000003 20190000 00000065 00000004";
	char path[40], option[60];
	expect_hex(trace, "aix.form=raw32", "thread process", "100 -\n100 11\n100 11\n101 -\n");
	struct buf table = bytes_of("106 dispatch pid=D2 tid=D1\n");
	FILE *file = file_of(&table, path);
	snprintf(option, sizeof option, "aix.hooks=%s", path);
	/* Then thread 11 of process 100 runs. */
	expect_hex(trace, option, "thread process", "100 -\n100 100\n100 -\n101 -\n");
	fclose(file);
	buf_free(&table);
}

/* Converts JSON Lines to bytes. */
static void
expect_made(const char *lines, const char *option, const char *expected)
{
	struct buf source = bytes_of(lines), bytes = hex(expected);
	struct buf out =
		convert(open_bytes(&source, "jsonl", NULL, false), "aix", option, NULL);
	expect_same(&out, &bytes);
	buf_free(&source);
	buf_free(&bytes);
	buf_free(&out);
}

static void
logs_are_built_from_json_lines(void **state)
{
	(void)state;
	/* One block after 36 bytes of header and 8 of directory. */
	expect_made("{\"hook\":\"0x1340\",\"subhook\":\"0x2a\",\"thread\":100,\"time\":16}\n",
		NULL,
		"EFDF1112 00000001 00000000 00000000 00000000 00000000 00000000 00000000 "
		"00000000 0000002C 0000000C 1349002A 00000064 00000010");
	/* A fourth digit needs hook words of 64 bits: 48 bytes of header, 16 of directory. */
	expect_made("{\"hook\":\"0x1341\",\"thread\":100,\"time\":16}\n", NULL,
		"EFDF1113 00000001 00000000 00000000 00000000 00000000 0000000000000000 "
		"0000000000000000 0000000000000000 0000000000000040 0000000000000018 "
		"80000000 13410000 0000000000000064 0000000000000010");
	expect_made("{\"hook\":\"0x1340\",\"record\":\"hook64\",\"thread\":100}\n",
		"aix.container=stream", "EFDF1114 00000000 13400000 0000000000000064");
	expect_made("{\"hook\":\"0x1340\",\"thread\":100}\n", "aix.container=raw",
		"13410000 00000064");
	expect_made("{\"hook\":\"0x1340\",\"thread\":100}\n", "aix.word=64",
		"EFDF1113 00000001 00000000 00000000 00000000 00000000 0000000000000000 "
		"0000000000000000 0000000000000000 0000000000000040 0000000000000010 "
		"00000000 13400000 0000000000000064");
	/* No events, no blocks. */
	expect_made("", NULL,
		"EFDF1112 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
		"00000000");
}

static void
hook_types_are_derived_from_data_and_time(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"\"payload\":\"\"", "13410000 00000064"},
		{"\"payload\":\"00000001\"", "13420000 00000001 00000064"},
		{"\"payload\":\"0000000100000002\",\"time\":3",
			"134E0000 00000001 00000002 00000000 00000000 00000000 00000064 "
			"00000003"},
		{"\"payload\":\"0000000141\",\"time\":3",
			"13480001 00000001 41000000 00000064 00000003"},
		{"\"payload\":\"000000010000000200000003000000040000000500000006\"",
			"13400014 00000001 00000002 00000003 00000004 00000005 00000006 "
			"00000064"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char line[300];
		snprintf(line, sizeof line, "{\"hook\":\"0x1340\",\"thread\":100,%s}\n",
			cases[i][0]);
		expect_made(line, "aix.container=raw", cases[i][1]);
	}
}

static void
flags_are_derived_from_data_time_cpu_and_counters(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"\"payload\":\"0000000000000001\",\"time\":3",
			"80000008 13410000 0000000000000001 0000000000000064 0000000000000003"},
		{"\"payload\":\"00000001\"",
			"20000004 13410000 00000001 00000000 0000000000000064"},
		{"\"payload\":\"000000000000000141\"",
			"40000001 13410000 0000000000000001 4100000000000000 0000000000000064"},
		{"\"payload\":\"0000000141\"",
			"60000001 13410000 0000000141000000 0000000000000064"},
		{"\"cpu\":5", "10000000 13410000 0000000000000064 0000000000000005"},
		{"\"counters\":\"00000000000000070000000000000008\"",
			"08010000 13410000 0000000000000064 0000000000000007 0000000000000008"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char line[300], stream[300];
		snprintf(line, sizeof line, "{\"hook\":\"0x1341\",\"thread\":100,%s}\n",
			cases[i][0]);
		snprintf(stream, sizeof stream, "EFDF1114 %s", cases[i][1]);
		expect_made(line, "aix.container=stream", stream);
	}
}

/* Converts bytes of bare events with an option. */
static void
expect_changed(const char *bytes, const char *form, const char *option, const char *expected)
{
	struct buf source = hex(bytes), wanted = hex(expected);
	struct buf out = convert(open_bytes(&source, "aix", form, false), "aix", option, NULL);
	expect_same(&out, &wanted);
	buf_free(&source);
	buf_free(&wanted);
	buf_free(&out);
}

static void
hook_words_of_32_bits_are_converted_to_64_and_back(void **state)
{
	(void)state;
	/*
	 * trcfmt File Format, 64-bit trace hook words: 0x2000 is 32-bit data, 0x4000 generic,
	 * 0x8000 a timestamp.
	 */
	static const char narrow[] =
		"2019002A 00000064 00000010 202A0001 FFFFFFFE 00000064 00000020 "
		"20380002 00000007 41420000 00000064 00000030 20460001 00000001 00000002 "
		"00000003 00000004 00000005 00000064";
	static const char wide[] =
		"80000000 2010002A 0000000000000064 0000000000000010 "
		"A0000004 20200001 FFFFFFFE00000000 0000000000000064 0000000000000020 "
		"E0000002 20300002 0000000741420000 0000000000000064 0000000000000030 "
		"20000014 20400001 0000000100000002 0000000300000004 0000000500000000 "
		"0000000000000064";
	expect_changed(narrow, "aix.form=raw32", "aix.word=64", wide);
	expect_changed(wide, "aix.form=raw64", "aix.word=32", narrow);
}

static void
new_logs_have_blocks_of_the_requested_size(void **state)
{
	(void)state;
	/* Entries of 12 bytes: five fill 60 of 64. */
	struct buf lines = {0};
	for (int i = 0; i < 6; i++)
		buf_printf(&lines, "{\"hook\":\"0x1340\",\"thread\":1,\"time\":%d}\n", i);
	struct buf out =
		convert(open_bytes(&lines, "jsonl", NULL, false), "aix", "aix.block=64", NULL);
	struct buf rows = list_rows(
		open_bytes(&out, NULL, NULL, false), "record address size value time", NULL);
	assert_string_equal(buf_text(&rows),
		"header - - - -\nblock 0x34 60 0x0 -\nhook32 - - - 0\nhook32 - - - 1\n"
		"hook32 - - - 2\nhook32 - - - 3\nhook32 - - - 4\nblock 0x70 12 0x1 -\n"
		"hook32 - - - 5\n");
	buf_free(&lines);
	buf_free(&out);
	buf_free(&rows);
}

/* Expects an error for a line that cannot be written. */
static void
expect_refused(const char *line, const char *option, const char *message)
{
	struct buf source = bytes_of(line), sunk = {0};
	struct poly_reader *reader = open_bytes(&source, "jsonl", NULL, false);
	struct poly_writer *writer;
	struct poly_error error = {0};
	struct poly_sink sink = {collect, &sunk};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const char *words[] = {option, NULL};
	const struct poly_batch *batch;
	options.format = "aix";
	options.options = words;
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(reader), &options, &writer, &error),
		POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(poly_writer_write(writer, batch, &error), POLY_ERR_LOSS);
	assert_string_equal(error.message, message);
	assert_int_equal(error.record, 1);
	poly_writer_close(writer);
	poly_reader_close(reader);
	buf_free(&source);
	buf_free(&sunk);
}

static void
missing_and_unsuitable_values_are_reported(void **state)
{
	(void)state;
	expect_refused("{\"kind\":\"event\",\"thread\":1}\n", NULL,
		"the record has no 'hook' (required by the format)");
	expect_refused("{\"hook\":\"0x1340\",\"hook_type\":\"0x9\"}\n", NULL,
		"the record has no 'time' (required by the format)");
	expect_refused("{\"hook\":\"0x1341\",\"hook_type\":\"0x1000\"}\n", NULL,
		"the record has no 'cpu' (required by the format)");
	expect_refused("{\"hook\":\"0x1341\"}\n", "aix.word=32",
		"hook 0x1341 needs hook words of 64 bits; set aix.word=64");
	expect_refused("{\"hook\":\"0x1340\",\"hook_type\":\"0x3\"}\n", NULL,
		"hook type 0x3, expected 0, 1, 2, 6, 8, 9, 0xa or 0xe");
	expect_refused("{\"hook\":\"0x1340\",\"thread\":4294967296}\n", "aix.word=32",
		"thread 4294967296 needs hook words of 64 bits; set aix.word=64");
	expect_refused("{\"hook\":\"0x1340\",\"payload\":\"4142\"}\n", NULL,
		"payload has 2 bytes, expected a data word of 4 before a buffer");
	expect_refused(
		"{\"hook\":\"0x1340\",\"hook_type\":\"0x2\",\"payload\":\"0000000000\"}\n",
		NULL, "payload has 5 bytes, type 0x2 holds at most 4");
	expect_refused("{\"hook\":\"0x0aaa\"}\n", NULL,
		"hook 0x0aaa is not valid: its first digit is 0, its last is not");
	expect_refused("{\"hook\":\"0x1341\",\"hook_type\":\"0x0801\",\"counters\":\"00\"}\n",
		NULL, "counters have 1 bytes, expected 16 by the flags 0x0801");
}

static void
a_new_log_is_written_from_a_selection(void **state)
{
	(void)state;
	struct buf bytes = load("wrapped1112", ".trc");
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	/* Skips the header, the initial conditions, a gap and the beginning of block 2. */
	options.skip = 5;
	options.count = 2;
	struct poly_reader *reader = open_memory(&bytes, &options);
	struct buf out = convert(reader, "aix", NULL, NULL);
	struct buf rows =
		list_rows(open_bytes(&out, NULL, NULL, false), "record hook time value", NULL);
	assert_string_equal(buf_text(&rows),
		"header - - -\nblock - - 0x0\nhook32 0x2000 100 -\nhook32 0x2000 101 -\n");
	buf_free(&bytes);
	buf_free(&out);
	buf_free(&rows);
}

/* The blocks at 96 (48 bytes) and from 148 to 244 are last in reading order. */
static void
parts_of_a_log_without_a_row_are_filled_with_zeros(void **state)
{
	(void)state;
	struct buf bytes = load("wrapped1112", ".trc"), notes = {0};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	/* The header, the initial conditions, the first gap, and block 2 at 244. */
	options.count = 8;
	struct poly_reader *reader = open_memory(&bytes, &options);
	struct buf out = convert(reader, "aix", NULL, &notes);
	bytes.size = 292;
	memset(bytes.data + 96, 0, 48);
	memset(bytes.data + 148, 0, 96);
	expect_same(&out, &bytes);
	assert_string_equal(
		buf_text(&notes), "2 parts of the log that no row holds were filled with 0\n");
	buf_free(&bytes);
	buf_free(&out);
	buf_free(&notes);
}

static void
an_entry_that_no_longer_fits_its_block_is_rejected(void **state)
{
	(void)state;
	struct buf bytes = load("log1112", ".trc"), sunk = {0};
	struct buf lines = convert(open_bytes(&bytes, NULL, NULL, false), "jsonl", NULL, NULL);
	/* The header's entry of 28 bytes fills its block; 4 more data do not fit. */
	char *data = strstr((char *)lines.data, "\"payload\":\"000000014149");
	assert_non_null(data);
	struct buf grown = {0};
	size_t front = (size_t)(data - (char *)lines.data) + strlen("\"payload\":\"");
	buf_append(&grown, lines.data, front);
	buf_string(&grown, "00000000");
	buf_append(&grown, lines.data + front, lines.size - front);
	struct poly_reader *reader = open_bytes(&grown, "jsonl", NULL, false);
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_sink sink = {collect, &sunk};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const struct poly_batch *batch;
	options.format = "aix";
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(reader), &options, &writer, &error),
		POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(poly_writer_write(writer, batch, &error), POLY_ERR_LOSS);
	assert_string_equal(error.message, "the block has 28 bytes left, the entry has 32; set "
					   "aix.container=log to write a "
					   "new log");
	poly_writer_close(writer);
	poly_reader_close(reader);
	buf_free(&bytes);
	buf_free(&lines);
	buf_free(&grown);
	buf_free(&sunk);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_equals_the_builders_listing),
		cmocka_unit_test(blocks_are_read_in_order_from_any_kind_of_input),
		cmocka_unit_test(every_trace_is_reproduced_through_json_lines),
		cmocka_unit_test(the_constructed_vectors_are_read),
		cmocka_unit_test(traces_from_before_aix_4_1_have_no_thread_ids),
		cmocka_unit_test(the_length_of_generic_data_may_include_the_data_word),
		cmocka_unit_test(rules_of_logs_report_their_smallest_violations),
		cmocka_unit_test(rules_of_entries_report_their_smallest_violations),
		cmocka_unit_test(generic_data_above_4096_bytes_are_reported),
		cmocka_unit_test(absent_process_hooks_are_reported),
		cmocka_unit_test(other_bytes_are_rejected),
		cmocka_unit_test(timers_of_32_bits_are_unwrapped),
		cmocka_unit_test(events_belong_to_the_process_of_earlier_hooks),
		cmocka_unit_test(logs_are_built_from_json_lines),
		cmocka_unit_test(hook_types_are_derived_from_data_and_time),
		cmocka_unit_test(flags_are_derived_from_data_time_cpu_and_counters),
		cmocka_unit_test(hook_words_of_32_bits_are_converted_to_64_and_back),
		cmocka_unit_test(new_logs_have_blocks_of_the_requested_size),
		cmocka_unit_test(missing_and_unsuitable_values_are_reported),
		cmocka_unit_test(a_new_log_is_written_from_a_selection),
		cmocka_unit_test(parts_of_a_log_without_a_row_are_filled_with_zeros),
		cmocka_unit_test(an_entry_that_no_longer_fits_its_block_is_rejected),
	};
	return cmocka_run_group_tests_name("aix", tests, NULL, NULL);
}
