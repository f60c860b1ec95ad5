/* SPDX-License-Identifier: MIT */
/* Entries of drmemtrace, typed by hand from DynamoRIO's trace_entry.h, and their rows. */
#include "trace_help.h"

#include "base/bits.h"

#include <unistd.h>

/* Entries written as "type.size.value", blanks between them; a value may begin with 0x. */
static struct buf
entries(const char *text)
{
	struct buf bytes = {0};
	char *end;
	for (; *text; text = end + (*end == ' ')) {
		const unsigned long type = strtoul(text, &end, 10),
				    size = strtoul(end + 1, &end, 10);
		uint8_t *p = buf_reserve(&bytes, 12);
		store_le64(p + 4, strtoull(end + 1, &end, 0));
		store_le32(p, (uint32_t)(type | size << 16));
		bytes.size += 12;
	}
	return bytes;
}

/* Expects rows of entries between "25.0.VERSION 22.4.5", a header and a thread, and a footer.
 */
static void
expect_entries(const char *text, const char *option, const char *columns, const char *expected)
{
	struct buf bytes = entries(text);
	struct buf rows =
		list_rows(open_bytes(&bytes, "drmemtrace", option, false), columns, NULL);
	assert_string_equal(buf_text(&rows), expected);
	buf_free(&rows);
	buf_free(&bytes);
}

/* Expects the codes of findings; entries that are corrupt are skipped. */
static void
expect_codes(const char *text, const char *codes)
{
	struct buf bytes = entries(text);
	struct buf found = find_all(open_bytes(&bytes, "drmemtrace", NULL, true));
	assert_string_equal(buf_text(&found), codes);
	buf_free(&found);
	buf_free(&bytes);
}

/* Expects that bytes cannot be opened. */
static void
expect_refused(const struct buf *bytes, const char *format, const char *message)
{
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = format;
	assert_int_equal(
		poly_reader_open_memory(bytes->data, bytes->size, &options, &reader, &error),
		POLY_ERR_FORMAT);
	assert_string_equal(error.message, message);
}

static void
bytes_become_rows(void **state)
{
	(void)state;
	/* Version 7; thread 21548; mov %rax,8(%rsp) at 0x401007, its store; exit; footer. */
	static const uint8_t bytes[] = {
		25, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0,			  /* header */
		28, 0, 12, 0, 7, 0, 0, 0, 0, 0, 0, 0,			  /* version */
		28, 0, 9, 0, 0x40, 2, 0, 0, 0, 0, 0, 0,			  /* filetype */
		22, 0, 4, 0, 0x2c, 0x54, 0, 0, 0, 0, 0, 0,		  /* thread */
		24, 0, 4, 0, 0x2b, 0x54, 0, 0, 0, 0, 0, 0,		  /* pid */
		28, 0, 2, 0, 0x15, 0x1e, 0x17, 0x30, 0x13, 0xd9, 0x2e, 0, /* timestamp */
		28, 0, 3, 0, 2, 0x10, 0, 0, 0, 0, 0, 0,			  /* cpu_id */
		47, 0, 5, 0, 0x48, 0x89, 0x44, 0x24, 0x08, 0, 0, 0,	  /* encoding */
		10, 0, 5, 0, 0x07, 0x10, 0x40, 0, 0, 0, 0, 0,		  /* instr */
		1, 0, 8, 0, 0xe8, 0x5b, 0x3f, 0x41, 0xff, 0x7f, 0, 0,	  /* write */
		23, 0, 4, 0, 0x2c, 0x54, 0, 0, 0, 0, 0, 0,		  /* thread_exit */
		26, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,			  /* footer */
	};
	struct buf trace = {0};
	buf_append(&trace, bytes, sizeof bytes);
	struct poly_reader *reader = open_bytes(&trace, NULL, NULL, false);
	assert_string_equal(poly_reader_info(reader)->isa, "x86-64");
	assert_string_equal(
		poly_trace_fact(poly_reader_info(reader), "drmemtrace.filetype"), "0x240");
	struct buf rows = list_rows(reader,
		"kind record time cpu process thread pc opcode opcode_size access address size "
		"value instruction_id origin",
		NULL);
	assert_string_equal(buf_text(&rows),
		"event version - - - - - - - - - - 0x7 - 12\n"
		"event filetype - - - - - - - - - - 0x240 - 24\n"
		"event timestamp 13186525363117589 - 21547 21548 - - - - - - "
		"0x2ed91330171e15 - 60\n"
		"event cpu_id 13186525363117589 2 21547 21548 - - - - - - 0x1002 - 72\n"
		"instruction instr 13186525363117589 2 21547 21548 0x401007 0x4889442408 5 - - "
		"- - 1 96\n"
		"access write 13186525363117589 2 21547 21548 0x401007 - - write "
		"0x7fff413f5be8 8 - - 108\n"
		"event thread_exit 13186525363117589 2 21547 21548 - - - - - - 0x542c - 120\n");
	buf_free(&rows);
	buf_free(&trace);
}

static void
the_next_instruction_shows_whether_a_jump_was_taken(void **state)
{
	(void)state;
	/* Taken, not taken, interrupted at its target, before another thread, at the end. */
	expect_entries("25.0.4 22.4.5 13.2.0x100 0.8.1 10.1.0x90 13.2.0x91 22.4.5 10.1.0x93 "
		       "13.2.0x94 28.0.0x10 10.1.0x500 13.2.0x501 22.4.6 10.1.0x503 "
		       "22.4.5 13.2.0x503 26.0.0",
		NULL, "record pc branch target",
		"conditional_jump 0x100 taken 0x90\nread 0x100 - -\ninstr 0x90 - -\n"
		"conditional_jump 0x91 not_taken -\ninstr 0x93 - -\n"
		"conditional_jump 0x94 taken 0x10\nkernel_event - - -\ninstr 0x500 - -\n"
		"conditional_jump 0x501 - -\ninstr 0x503 - -\nconditional_jump 0x503 - -\n");
	/* Of version 2 the value of kernel_event is not a pc. */
	expect_entries("25.0.2 22.4.5 13.2.0x94 28.0.0x10 10.1.0x500 26.0.0", NULL,
		"record branch", "conditional_jump -\nkernel_event -\ninstr -\n");
	/* Instructions are missing in filtered traces. */
	expect_entries("25.0.4 28.9.0x80 13.2.0x94 10.1.0x500 26.0.0", NULL, "record branch",
		"filetype -\nconditional_jump -\ninstr -\n");
}

static void
branches_have_their_targets(void **state)
{
	(void)state;
	expect_entries("25.0.5 22.4.5 28.29.0x700 12.2.0x10 48.2.0x700 49.2.0x20 28.29.0 "
		       "16.1.0x22 14.5.0x40 15.2.0x60 11.2.0x80 26.0.0",
		NULL, "record pc branch target next_pc",
		"indirect_jump 0x10 taken 0x700 0x700\ntaken_jump 0x700 taken 0x20 -\n"
		"untaken_jump 0x20 not_taken - -\nreturn 0x22 taken 0x40 -\n"
		"direct_call 0x40 taken 0x60 -\nindirect_call 0x60 taken 0x80 -\n"
		"direct_jump 0x80 taken - -\n");
}

static void
encodings_are_those_of_the_last_execution(void **state)
{
	(void)state;
	expect_entries("25.0.7 28.9.0x240 47.1.0x90 10.1.0x10 47.2.0x9066 10.2.0x11 10.1.0x10 "
		       "47.1.0xf4 10.1.0x10 10.1.0x10 26.0.0",
		NULL, "record opcode opcode_size",
		"filetype - -\ninstr 0x90 1\ninstr 0x6690 2\ninstr 0x90 1\ninstr 0xf4 1\n"
		"instr 0xf4 1\n");
	/* Of AArch64: the value of the word. More than 8 bytes: in the payload. */
	expect_entries("25.0.7 28.9.0x208 47.4.0xf9400c20 10.4.0x10 26.0.0", NULL, "opcode",
		"-\n0xf9400c20\n");
	expect_entries(
		"25.0.7 28.9.0x240 47.8.0x8b48909090909090 47.2.0xabcd 10.10.0x10 26.0.0", NULL,
		"opcode payload opcode_size", "- - -\n- 909090909090488bcdab 10\n");
}

static void
copies_before_a_chunk_are_dropped(void **state)
{
	(void)state;
	static const char *const chunks = "25.0.6 22.4.5 28.20.1 28.2.100 28.3.1 10.1.0x10 "
					  "28.21.0 28.22.5 28.2.100 28.3.1 "
					  "10.1.0x11 28.2.101 28.3.2 26.0.0";
	expect_entries(chunks, NULL, "record time value",
		"chunk_instr_count - 0x1\ntimestamp 100 0x64\ncpu_id 100 0x1\ninstr 100 -\n"
		"chunk_footer 100 0x0\ninstr 100 -\ntimestamp 101 0x65\ncpu_id 101 0x2\n");
	expect_codes(chunks, "");
	expect_entries(chunks, "drmemtrace.hidden=keep", "record value",
		"header 0x6\nthread 0x5\nchunk_instr_count 0x1\ntimestamp 0x64\ncpu_id 0x1\n"
		"instr -\nchunk_footer 0x0\nrecord_ordinal 0x5\ntimestamp 0x64\ncpu_id 0x1\n"
		"instr -\ntimestamp 0x65\ncpu_id 0x2\nfooter 0x0\n");
}

static void
repetitions_and_bundles_are_expanded(void **state)
{
	(void)state;
	expect_entries("25.0.1 22.4.5 30.2.0x10 0.1.1 30.2.0x10 0.1.2 29.2.0x10 17.2.0x0301 "
		       "1.1.3 26.0.0",
		NULL, "kind record pc opcode_size instruction_id",
		"instruction instr 0x10 2 1\naccess read 0x10 - -\nother no_fetch 0x10 2 -\n"
		"access read 0x10 - -\nother no_fetch 0x10 2 -\ninstruction instr 0x12 1 2\n"
		"instruction instr 0x13 3 3\naccess write 0x13 - -\n");
}

static void
flushes_are_ranges(void **state)
{
	(void)state;
	expect_entries("25.0.7 22.4.5 18.64.0x100 20.0.0x200 21.0.0x240 26.0.0", NULL,
		"record access address size origin",
		"iflush cache 0x100 64 24\ndflush cache 0x200 64 36\n");
	expect_entries("25.0.7 22.4.5 20.0.0x200 10.1.0x10 26.0.0", NULL, "record address size",
		"dflush 0x200 -\ninstr - -\n");
}

static void
states_belong_to_threads(void **state)
{
	(void)state;
	expect_entries("25.0.7 22.4.5 24.4.1 28.2.10 28.3.0 10.1.0x10 22.4.6 24.4.2 28.2.20 "
		       "10.1.0x10 22.4.5 10.1.0x11 0.1.7 28.33.0 28.27.1 10.1.0x12 28.28.1 "
		       "10.1.0x13 26.0.0",
		NULL, "record thread process time cpu mode instruction_id",
		"timestamp 5 1 10 - - -\ncpu_id 5 1 10 0 - -\ninstr 5 1 10 0 - 1\n"
		"timestamp 6 2 20 - - -\ninstr 6 2 20 - - 1\ninstr 5 1 10 0 - 2\n"
		"read 5 1 10 0 - -\ncore_idle - - 10 0 - -\n"
		"syscall_trace_start 5 1 10 0 kernel -\ninstr 5 1 10 0 kernel 3\n"
		"syscall_trace_end 5 1 10 0 kernel -\ninstr 5 1 10 0 - 4\n");
}

static void
rules_are_tested(void **state)
{
	(void)state;
	static const struct {
		const char *entries, *codes;
	} cases[] = {
		{"25.0.7 22.4.5 10.1.0x10 10.1.0x11 26.0.0", ""},
		{"25.0.7 22.4.5 25.0.8 10.1.0x10 26.0.0", "DM01:1 "},
		{"25.0.7 22.4.5 50.0.0 10.1.0x10 26.0.0", "DM02:1 "},
		{"25.0.7 22.4.5 47.9.0 10.1.0x10 26.0.0", "DM02:1 "},
		{"25.0.7 22.4.5 10.256.0 26.0.0", "DM02:1 "},
		{"25.0.7 22.4.5 10.1.0 17.9.0 26.0.0", "DM02:2 "},
		{"25.0.7 22.4.5 10.1.0x10", "DM03:2 "},
		{"25.0.7 28.9.0x240 47.2.0x9090 10.1.0x10 26.0.0", "DM04:2 "},
		{"25.0.7 22.4.5 47.1.0x90 10.1.0x10 26.0.0", "DM04:1 "},
		{"25.0.7 28.9.0x240 10.1.0x10 26.0.0", "DM05:2 "},
		{"25.0.7 28.9.0x10240 10.1.0x10 26.0.0", ""},
		{"25.0.7 22.4.0 24.4.0 10.1.0x10 26.0.0", "DM06:1 DM06:1 "},
		{"25.0.7 22.4.5 28.8.0 28.19.0 28.42.0 28.45.0 26.0.0",
			"DM07:1 DM07:2 DM07:3 DM07:4 "},
		{"25.0.7 22.4.5 18.0.0 26.0.0", "DM08:1 "},
		{"25.0.7 22.4.5 21.0.0 26.0.0", "DM08:1 "},
		{"25.0.7 22.4.5 10.1.0x10 28.22.1 26.0.0", "DM09:2 "},
		{"25.0.7 28.12.6 28.9.1 28.9.0 25.0.6 26.0.0", "DM10:1 DM10:3 DM10:4 "},
		{"25.0.7 22.4.5 10.1.0x10 10.1.0x12 26.0.0", "DM11:2 "},
		{"25.0.7 22.4.5 49.2.0x10 10.1.0x10 26.0.0", "DM11:2 "},
		{"25.0.7 28.9.1 10.1.0x10 10.1.0x12 26.0.0", ""},
		{"25.0.7 22.4.5 10.1.0x10 28.0.0x11 10.1.0x90 28.1.0x91 10.1.0x11 26.0.0", ""},
		{"25.0.7 22.4.5 28.29.0x90 16.1.0x10 10.1.0x91 26.0.0", "DM12:2 "},
		{"25.0.7 22.4.5 28.2.10 28.2.9 22.4.6 28.2.8 26.0.0", "DM13:2 "},
		{"25.0.7 22.4.5 28.21.0 28.22.2 26.0.0", "DM14:2 "},
		{"25.0.7 28.20.2 10.1.0x10 28.21.0 10.1.0x11 10.1.0x12 28.21.2 26.0.0",
			"DM15:3 DM15:6 "},
		{"25.0.7 22.4.5 28.0.0x10 28.1.0x10 28.1.0x10 26.0.0", "DM16:3 "},
		{"25.0.7 28.9.0x640 47.2.0x050f 10.2.0x10 28.25.1 47.1.0x90 10.1.0x12 28.25.1 "
		 "26.0.0",
			"DM17:5 "},
		{"25.0.7 22.4.5 28.27.1 28.34.1 28.28.1 28.35.1 26.0.0", "DM18:2 DM18:4 "},
		{"25.0.7 22.4.5 28.15.0x1123 28.17.0x2123 28.15.0x1123 28.17.0x2124 28.15.0 "
		 "26.0.0",
			"DM19:4 DM19:6 "},
		{"25.0.7 22.4.5 13.2.0x10 16.1.0x12 26.0.0", "DM20:1 DM20:2 "},
		{"25.0.4 22.4.5 13.2.0x10 16.1.0x12 26.0.0", ""},
		{"25.0.7 28.9.4 10.1.0x10 0.1.0 26.0.0", "DM21:3 "},
		{"25.0.7 22.4.5 23.4.5 22.4.6 10.1.0x10 22.4.5 10.1.0x10 26.0.0", "DM22:3 "},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect_codes(cases[i].entries, cases[i].codes);
}

static void
rows_before_a_corrupt_entry_are_delivered(void **state)
{
	(void)state;
	struct buf bytes = entries("25.0.7 22.4.5 10.1.0x10 10.1.0x11 99.0.0 10.1.0x12 26.0.0");
	struct poly_error error;
	struct buf rows = list_rows(open_bytes(&bytes, NULL, NULL, false), "record pc", &error);
	assert_string_equal(buf_text(&rows), "instr 0x10\ninstr 0x11\n");
	assert_string_equal(error.message, "DM02: an entry of type 99 (expected 0 to 49)");
	assert_int_equal(error.offset, 48);
	assert_int_equal(error.record, 3);
	buf_free(&rows);
	rows = list_rows(open_bytes(&bytes, NULL, NULL, true), "record pc raw", NULL);
	assert_string_equal(buf_text(&rows),
		"instr 0x10 -\ninstr 0x11 -\ncorrupt - 630000000000000000000000\n"
		"instr 0x12 -\n");
	buf_free(&rows);
	buf_free(&bytes);
}

static void
a_truncated_trace_is_reported_wherever_it_ends(void **state)
{
	(void)state;
	struct buf bytes = entries("25.0.7 22.4.5 28.2.7 10.1.0x10 23.4.5 26.0.0");
	for (size_t size = 24; size < bytes.size; size++) {
		struct poly_reader *reader;
		struct poly_error error;
		const struct poly_batch *batch;
		const size_t complete = size / 12 - 2;
		size_t rows = 0;
		assert_int_equal(
			poly_reader_open_memory(bytes.data, size, NULL, &reader, &error),
			POLY_OK);
		enum poly_status status;
		while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK)
			rows += batch->rows;
		assert_int_equal(status, POLY_ERR_TRUNCATED);
		/* The bytes of the last entry are a row, too. */
		assert_int_equal(rows, complete + (size % 12 != 0));
		assert_int_equal(error.offset, size / 12 * 12);
		assert_int_equal(error.record, complete + 1);
		assert_string_equal(error.message,
			size % 12 ? "DM03: the trace is truncated within an entry"
				  : "DM03: the trace is truncated before the footer");
		poly_reader_close(reader);
	}
	buf_free(&bytes);
}

static void
other_recordings_are_named(void **state)
{
	(void)state;
	struct buf bytes = entries("25.0.8 22.4.5 26.0.0");
	expect_refused(&bytes, NULL, "DM01: version 8 is not supported (expected 1 to 7)");
	buf_free(&bytes);
	bytes = entries("10.1.0 26.0.0");
	expect_refused(&bytes, "drmemtrace",
		"DM01: the trace begins with an entry of type 10 (expected 25, a header); if "
		"it "
		"is a raw file of the tracer, convert it by drraw2trace");
	buf_free(&bytes);
	/* Entries of 8 bytes: header of version 4, thread 5, footer. */
	static const uint8_t narrow[] = {
		25, 0, 0, 0, 4, 0, 0, 0, 22, 0, 4, 0, 5, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0};
	buf_append(&bytes, narrow, sizeof narrow);
	expect_refused(&bytes, NULL,
		"DM01: entries of 8 bytes, of a recording of a 32-bit program, are not "
		"supported (expected entries of 12 bytes)");
	buf_free(&bytes);
}

static enum poly_status
read_sample(void *context)
{
	const struct buf *bytes = context;
	struct poly_reader *reader;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const struct poly_batch *batch;
	options.check = options.one_thread = true;
	enum poly_status status =
		poly_reader_open_memory(bytes->data, bytes->size, &options, &reader, NULL);
	while (status == POLY_OK)
		status = poly_reader_next(reader, &batch, NULL);
	poly_reader_close(reader);
	return status == POLY_END ? POLY_OK : status;
}

static void
failing_allocations_are_reported(void **state)
{
	(void)state;
	struct buf bytes = load_sample("drmemtrace/every.memtrace");
	law_memory(read_sample, &bytes);
	buf_free(&bytes);
}

/* Writes entries to a file in a directory. */
static void
write_entries(const char *directory, const char *name, const char *text)
{
	char path[100];
	struct buf bytes = entries(text);
	snprintf(path, sizeof path, "%s/%s", directory, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
	fclose(file);
	buf_free(&bytes);
}

static enum poly_status
read_directory(void *context)
{
	struct poly_reader *reader;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const struct poly_batch *batch;
	options.batch_rows = 2;
	enum poly_status status = poly_reader_open(context, &options, &reader, NULL);
	while (status == POLY_OK)
		status = poly_reader_next(reader, &batch, NULL);
	poly_reader_close(reader);
	return status == POLY_END ? POLY_OK : status;
}

/* Two files in turns of their timestamps, whatever the size of batches; allocations fail. */
static void
directories_are_read_in_any_batches(void **state)
{
	(void)state;
	char directory[] = "/tmp/test_drmemtrace_XXXXXX";
	assert_non_null(mkdtemp(directory));
	write_entries(directory, "a",
		"25.0.7 22.4.1 28.2.10 10.1.0x10 28.2.30 10.1.0x11 28.2.30 10.1.0x12 26.0.0");
	write_entries(directory, "b",
		"25.0.7 22.4.2 28.10.64 28.2.10 10.1.0x20 28.2.20 "
		"10.1.0x21 28.2.30 10.1.0x22 26.0.0");
	for (size_t rows = 1; rows < 16; rows++) {
		struct poly_reader *reader;
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		options.batch_rows = rows;
		assert_int_equal(poly_reader_open(directory, &options, &reader, NULL), POLY_OK);
		struct buf found = list_rows(reader, "thread time pc value", NULL);
		assert_string_equal(buf_text(&found),
			"1 10 - 0xa\n1 10 0x10 -\n2 - - 0x40\n2 10 - 0xa\n2 10 0x20 -\n"
			"2 20 - 0x14\n2 20 0x21 -\n1 30 - 0x1e\n1 30 0x11 -\n1 30 - 0x1e\n"
			"1 30 0x12 -\n2 30 - 0x1e\n2 30 0x22 -\n");
		buf_free(&found);
	}
	law_memory(read_directory, directory);
	for (const char *name = "a"; name; name = *name == 'a' ? "b" : NULL) {
		char path[100];
		snprintf(path, sizeof path, "%s/%s", directory, name);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(directory), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_become_rows),
		cmocka_unit_test(the_next_instruction_shows_whether_a_jump_was_taken),
		cmocka_unit_test(branches_have_their_targets),
		cmocka_unit_test(encodings_are_those_of_the_last_execution),
		cmocka_unit_test(copies_before_a_chunk_are_dropped),
		cmocka_unit_test(repetitions_and_bundles_are_expanded),
		cmocka_unit_test(flushes_are_ranges),
		cmocka_unit_test(states_belong_to_threads),
		cmocka_unit_test(rules_are_tested),
		cmocka_unit_test(rows_before_a_corrupt_entry_are_delivered),
		cmocka_unit_test(a_truncated_trace_is_reported_wherever_it_ends),
		cmocka_unit_test(other_recordings_are_named),
		cmocka_unit_test(failing_allocations_are_reported),
		cmocka_unit_test(directories_are_read_in_any_batches),
	};
	return cmocka_run_group_tests_name("drmemtrace", tests, NULL, NULL);
}
