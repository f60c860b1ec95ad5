/* SPDX-License-Identifier: MIT */
/* Lines of patterns, which are copied, against lines that are printed from all columns. */
#include "trace_help.h"

#include <inttypes.h>
#include <limits.h>

#include "format/core/line_cache.h"
#include "format/tt6/tt6.h"
#include "io/block.h"
#include "base/checksum.h"
#include "model/batch_internal.h"

/* Rows of a segment. */
#define SEGMENT "ptz.rows=4096"

enum way { BY_COLUMNS, BY_PATTERNS, LAZY, WAYS };

/* The number of batches materialized, and the original function. */
static struct {
	unsigned count;
	enum poly_status (*materialize)(struct poly_patterns *patterns,
		const struct poly_batch **batch, struct poly_error *error);
} filled;

static enum poly_status
count_fill(struct poly_patterns *patterns, const struct poly_batch **batch,
	struct poly_error *error)
{
	filled.count++;
	return filled.materialize(patterns, batch, error);
}

static uint64_t random_state = 1;

static uint64_t
random_number(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> random_state % 61;
}

/* Skips the test where this build lacks the libraries of packed traces. */
static void
need_packing(void)
{
	struct block_unpacker *unpacker = NULL;
	const bool can = checksum_available() && block_unpacker_new(&unpacker, NULL) == POLY_OK;
	block_unpacker_free(unpacker);
	if (!can)
		skip();
}

/* Where what is unpacked comes from and goes to. */
struct unpacking {
	const struct buf *packed;
	const char *format; /* that is written */
	size_t batch_rows;
	enum way way;
	struct buf *notes; /* gets a line for each note */
};

/* Hands a batch to a writer. */
static void
write_batch(struct poly_writer *writer, const struct poly_batch *batch, enum way way)
{
	struct poly_batch view = *batch;
	assert_non_null(view.internal->pattern);
	assert_non_null(view.internal->patterns);
	assert_int_equal(view.internal->patterns->lazy, way == LAZY);
	if (way == BY_COLUMNS)
		view.internal = NULL;
	if (way == LAZY) {
		filled.materialize = batch->internal->patterns->materialize;
		batch->internal->patterns->materialize = count_fill;
	}
	assert_int_equal(poly_writer_write(writer, &view, NULL), POLY_OK);
}

static struct buf
unpack(const struct unpacking *unpacking)
{
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_writer *writer;
	const struct poly_batch *batch;
	const char *note;
	uint64_t count;
	writing.format = unpacking->format;
	reading.batch_rows = unpacking->batch_rows;
	struct poly_reader *reader = open_memory(unpacking->packed, &reading);
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), &writing, &writer, NULL),
		POLY_OK);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_writer_columns(writer),
			.lazy = unpacking->way == LAZY},
		NULL);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		write_batch(writer, batch, unpacking->way);
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	for (size_t i = 0; unpacking->notes && (note = poly_writer_note_at(writer, i, &count));
		i++)
		buf_printf(unpacking->notes, "%llu %s\n", (unsigned long long)count, note);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return out;
}

static struct buf
pack(const struct buf *text, const char *format)
{
	return convert(open_bytes(text, format, NULL, false), "ptz", SEGMENT, NULL);
}

/*
 * Unpacks in every way, with batches of two sizes; expected NULL: as by columns. Batches that
 * may be deferred, of 7 rows, are filled at most fills times.
 */
static void
expect_lines(const struct buf *packed, const char *format, const struct buf *expected,
	unsigned fills)
{
	for (unsigned i = 0; i < 2; i++) {
		const size_t rows = i ? 7 : POLY_BATCH_ROWS;
		struct buf notes = {0};
		struct unpacking unpacking = {packed, format, rows, BY_COLUMNS, &notes};
		struct buf plain = unpack(&unpacking);
		if (expected)
			expect_same(&plain, expected);
		for (unpacking.way = BY_PATTERNS; unpacking.way < WAYS; unpacking.way++) {
			struct buf copied = {0};
			unpacking.notes = &copied;
			filled.count = 0;
			struct buf again = unpack(&unpacking);
			expect_same(&again, &plain);
			assert_string_equal(buf_text(&copied), buf_text(&notes));
			if (i == 1)
				assert_true(filled.count <= fills);
			buf_free(&again);
			buf_free(&copied);
		}
		buf_free(&plain);
		buf_free(&notes);
	}
}

/* Loads and stores by three instructions, a branch and a line that is not a record. */
static struct buf
repeating_lines(void)
{
	struct buf text = {0};
	for (int i = 0; i < 3000; i++) {
		for (unsigned k = 0; k < 3; k++) {
			uint64_t address =
				i < 65 ? ((uint64_t)1 << i % 65 % 64) - 1 : random_number();
			/* There is room for 48 bits; larger numbers move the following text. */
			address &= i < 1000 ? UINT64_MAX : 0xffffffffffff;
			buf_printf(&text,
				"%d %x %2d %2d %2d %c %c %c %9d %12" PRIx64
				" %12x %12x %-8s %s\n",
				1, 0x400000 + 4 * k, 5, -1, 45, '-', '-', "LSL"[k], (int)k,
				address, 0x400004 + 4 * k, 0, "MOV", k == 1 ? "STORE" : "LOAD");
		}
		buf_printf(&text, "%d %x %2d %2d %2d %c %c %c %9d %12x %12x %12x %-8s %s\n", 1,
			0x40000c, -1, -1, -1, 'R', "TN"[i % 7 == 0], '-', 0, 0, 0x400010,
			0x400000, "JNE", "JMP_IMM");
		if (i % 1000 == 999)
			buf_string(&text, "\n");
	}
	return text;
}

static void
micro_operations_are_copied(void **state)
{
	(void)state;
	need_packing();
	for (size_t blanks = 0; blanks < 2; blanks++) {
		struct buf made = repeating_lines();
		struct buf text = convert(open_bytes(&made, "cis501", NULL, false), "cis501",
			blanks ? "cis501.layout=blanks" : NULL, NULL);
		if (!blanks)
			expect_same(&text, &made);
		struct buf packed = pack(&text, "cis501");
		expect_lines(&packed, "cis501", &text, blanks ? UINT_MAX : 600);
		buf_free(&packed);
		buf_free(&text);
		buf_free(&made);
	}
}

/* An instruction that loads, and the register that it loads, in a loop. */
static void
put_load(struct buf *text, uint64_t time, uint64_t number, const char *form)
{
	const uint32_t address = (uint32_t)random_number(), value = (uint32_t)random_number();
	const unsigned pc = 0x1000 + 4 * (unsigned)(number % 3);
	const bool tarmac = strcmp(form, "tarmac") == 0;
	buf_printf(text, "%" PRIu64 " clk %sIT (%" PRIu64 ") %08x e59f0000 A svc_s : ldr r0\n",
		time, tarmac ? "cpu0 " : "0 ", number, pc);
	buf_printf(text, "%" PRIu64 " clk %sMR4 %08x", time, tarmac ? "cpu0 " : "", address);
	if (tarmac)
		buf_printf(text, ":%012" PRIx64, (uint64_t)address + 0x8000000000);
	buf_printf(text, " %08x\n", value);
	buf_printf(text, "%" PRIu64 " clk %sR r%u %08x\n", time, tarmac ? "cpu0 " : "",
		(unsigned)(number % 3), value);
}

static void
instructions_are_copied_with_numbers_of_any_length(void **state)
{
	static const char *const forms[] = {"qemu4v", "tarmac"};
	(void)state;
	need_packing();
	for (size_t f = 0; f < 2; f++) {
		struct buf text = {0};
		uint64_t time = 1;
		for (uint64_t i = 1; i < 6000; i++) {
			put_load(&text, time, i, forms[f]);
			time += i % 700 == 0 ? random_number() % 1000000000 : i % 11;
			/* Not every clock advances. */
			time = i % 2900 == 0 ? 8 : time;
		}
		/* The longest ones that there are, and those before them. */
		for (uint64_t i = 0; i < 600; i++)
			put_load(&text, UINT64_MAX - 900 + i, 9999999999999900 + i, forms[f]);
		struct buf packed = pack(&text, forms[f]);
		expect_lines(&packed, forms[f], &text, 500);
		buf_free(&packed);
		buf_free(&text);
	}
}

/* Rows without times or numbers have them from those before, of which some were copied. */
static void
lines_that_count_what_was_before_are_the_same(void **state)
{
	struct buf text = {0};
	(void)state;
	need_packing();
	buf_string(&text, "{\"polytrace\":\"trace\",\"version\":1,\"format\":\"jsonl\"}\n");
	for (unsigned i = 1; i < 6000; i++) {
		buf_printf(&text,
			"{\"kind\":\"instruction\",\"pc\":\"0x%x\",\"opcode\":\"0x4e800020\"",
			0x1000 + 4 * (i % 5));
		if (i % 5 != 3)
			buf_printf(&text, ",\"time\":%u", 20 * i);
		if (i % 5 != 1)
			buf_printf(&text, ",\"instruction_id\":%u", 3 * i);
		buf_printf(&text,
			"}\n{\"kind\":\"access\",\"access\":\"write\",\"address\":\"0x%x\"%s,"
			"\"value\":\"0x%" PRIx64 "\"}\n",
			(unsigned)random_number(), i % 4 ? ",\"size\":8" : "", random_number());
	}
	struct buf packed = pack(&text, "jsonl");
	expect_lines(&packed, "qemu4v", NULL, UINT_MAX);
	expect_lines(&packed, "csv", NULL, UINT_MAX);
	expect_lines(&packed, "jsonl", NULL, UINT_MAX);
	buf_free(&packed);
	buf_free(&text);
}

static void
put_words(struct buf *to, bool little, const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = buf_reserve(to, 4);
		if (little)
			store_le32(p, words[i]);
		else
			store_be32(p, words[i]);
		to->size += 4;
	}
}

/*
 * A loop: a load, an addition, a three-word store of a string, and a branch back; at times a
 * synchronisation, or a jump without a branch.
 */
static struct buf
amber_loop(bool little)
{
	struct buf bytes = {0};
	const uint32_t first = 0x1000;
	put_words(&bytes, little, &first, 1);
	for (unsigned i = 1; i < 4000; i++) {
		const uint32_t load[] = {0x80610000, (uint32_t)random_number()};
		const uint32_t copied[] = {0x7c632214, 0x7c64252a, (uint32_t)random_number(),
			(uint32_t)random_number() & 127};
		const uint32_t back[] = {0x4bfffff4, 0x1000};
		const uint32_t sync[] = {2, 0x2000, i / 700};
		const uint32_t splice[] = {TT6_SPLICE, i % 1300 ? 0x1004 : 0x1000};
		const bool jumps = i % 650 == 0;
		put_words(&bytes, little, sync, i % 700 == 0 ? 3 : 0);
		put_words(&bytes, little, load, 2);
		put_words(&bytes, little, copied, 4);
		put_words(&bytes, little, back, jumps ? 0 : 2);
		put_words(&bytes, little, splice, jumps ? 2 : 0);
		put_words(&bytes, little, copied, jumps && i % 1300 ? 4 : 0);
		put_words(&bytes, little, back, jumps && i % 1300 ? 2 : 0);
	}
	return bytes;
}

static void
instructions_with_next_addresses_are_copied(void **state)
{
	(void)state;
	need_packing();
	for (unsigned little = 0; little < 2; little++) {
		struct buf bytes = amber_loop(little);
		struct buf packed = pack(&bytes, "tt6e");
		expect_lines(&packed, "tt6e", &bytes, 60);
		expect_lines(&packed, "tt6", NULL, UINT_MAX);
		buf_free(&packed);
		buf_free(&bytes);
	}
}

/* What stands between two instructions depends on both, and these come in any order. */
static void
lines_are_copied_only_after_the_context_of_their_creation(void **state)
{
	struct buf text = {0};
	(void)state;
	need_packing();
	buf_string(&text, "{\"polytrace\":\"trace\",\"version\":1,\"format\":\"jsonl\","
			  "\"isa\":\"powerpc\"}\n");
	for (unsigned i = 0; i < 9000; i++) {
		const unsigned at = i % 11 < 5 ? i % 11 : (unsigned)(random_number() % 7);
		buf_printf(
			&text, "{\"kind\":\"instruction\",\"pc\":\"0x%x\",", 0x1000 + 4 * at);
		if (at == 2)
			buf_printf(&text,
				"\"opcode\":\"0x80610000\",\"access\":\"read\","
				"\"address\":\"0x%" PRIx64 "\"}\n",
				random_number() & (i % 1000 < 20 ? UINT64_MAX : UINT32_MAX));
		else if (at == 5)
			buf_printf(&text, "\"opcode\":\"0x48000000\"%s}\n",
				i % 3 ? ",\"next_pc\":\"0x1008\"" : "");
		else
			/* The last one is a twi, which gets a pair. */
			buf_printf(&text, "\"opcode\":\"%s\"}\n",
				at == 6 ? "0x0fe00000" : "0x7c632214");
	}
	struct buf packed = pack(&text, "jsonl");
	expect_lines(&packed, "tt6e", NULL, UINT_MAX);
	expect_lines(&packed, "tt6", NULL, UINT_MAX);
	buf_free(&packed);
	buf_free(&text);
}

/* What is noted is noted of every row, also of those that could be copied. */
static void
notes_are_counted_by_row(void **state)
{
	struct buf text = {0}, notes = {0};
	(void)state;
	need_packing();
	buf_string(&text, "{\"polytrace\":\"trace\",\"version\":1,\"format\":\"jsonl\"}\n");
	for (unsigned i = 0; i < 3000; i++)
		buf_printf(&text,
			"{\"kind\":\"instruction\",\"pc\":\"0x%x\",\"uop_index\":1,"
			"\"fallthrough\":"
			"\"0x5000\",\"mnemonic\":\"ADD\",\"uop_name\":\"ADD\"%s}\n",
			0x1000 + 4 * (i % 5), i % 5 == 1 ? ",\"flags\":\"both\"" : "");
	struct buf packed = pack(&text, "jsonl");
	struct unpacking unpacking = {&packed, "cis501", POLY_BATCH_ROWS, LAZY, &notes};
	struct buf out = unpack(&unpacking);
	assert_memory_equal(buf_text(&notes), "600 ", 4);
	expect_lines(&packed, "cis501", &out, UINT_MAX);
	buf_free(&out);
	buf_free(&notes);
	buf_free(&packed);
	buf_free(&text);
}

/* Reads a packed trace, deferred; the columns that the first batch has. */
static poly_columns
columns_given(const struct buf *packed, const struct poly_read_options *options)
{
	const struct poly_batch *batch;
	poly_columns columns = POLY_NO_COLUMNS;
	struct poly_reader *reader = open_memory(packed, options);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = POLY_ALL_COLUMNS,
			.lazy = true},
		NULL);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++)
		if (batch->present[c])
			poly_columns_add(&columns, (enum poly_column)c);
#define COLUMN(name, type, form, doc) \
	assert_int_equal(batch->name != NULL, POLY_HAS(columns, name));
#include "polytrace/columns.def"
#undef COLUMN
	poly_reader_close(reader);
	return columns;
}

static void
lazy_columns_are_absent(void **state)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	(void)state;
	need_packing();
	struct buf text = repeating_lines();
	struct buf packed = pack(&text, "cis501");
	options.columns = POLY_COLUMNS_EXCEPT(site);
	/* Lines that are not as they are printed are kept as they are, and may move. */
	assert_true(poly_columns_equal(
		poly_columns_minus(columns_given(&packed, &options), POLY_COLUMNS(raw)),
		POLY_COLUMNS(address)));
	options.skip = 1;
	assert_true(POLY_HAS(columns_given(&packed, &options), pc));
	options.skip = 0;
	options.count = 10;
	assert_true(POLY_HAS(columns_given(&packed, &options), pc));
	options.count = UINT64_MAX;
	options.check = true;
	assert_true(POLY_HAS(columns_given(&packed, &options), pc));
	options.check = false;
	options.columns = POLY_COLUMNS(site);
	assert_true(POLY_HAS(columns_given(&packed, &options), pc));
	buf_free(&packed);
	buf_free(&text);
}

/* Lines without a byte: shapes whose text is nothing. */
static void
lines_without_text_are_copied(void **state)
{
	(void)state;
	need_packing();
	struct buf text = {0}, expected = {0};
	for (unsigned i = 0; i < 5000; i++)
		buf_string(&text, "{\"kind\":\"other\"}\n");
	struct buf packed = pack(&text, "jsonl");
	for (enum way way = BY_COLUMNS; way < WAYS; way++) {
		const struct unpacking unpacking = {&packed, "cis501", 0, way, NULL};
		struct buf out = unpack(&unpacking);
		expect_same(&out, &expected);
		buf_free(&out);
	}
	buf_free(&packed);
	buf_free(&text);
}

/* Packed lines, of which the first batch is written when memory is short. */
struct unpacking_in_need {
	struct buf text, packed, out;
	struct poly_reader *reader;
	struct poly_writer *writer;
	const struct poly_batch *batch;
	bool is_refused;
};

static void
open_packed(void *context)
{
	struct unpacking_in_need *unpacking = context;
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	const struct poly_sink sink = {collect, &unpacking->out};
	writing.format = "cis501";
	unpacking->reader = open_memory(&unpacking->packed, NULL);
	assert_int_equal(poly_writer_open_sink(&sink, poly_reader_info(unpacking->reader),
				 &writing, &unpacking->writer, NULL),
		POLY_OK);
	poly_reader_plan(unpacking->reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_writer_columns(unpacking->writer)},
		NULL);
	assert_int_equal(poly_reader_next(unpacking->reader, &unpacking->batch, NULL), POLY_OK);
	assert_non_null(unpacking->batch->internal->patterns);
}

static enum poly_status
write_in_need(void *context)
{
	struct unpacking_in_need *unpacking = context;
	const enum poly_status status =
		poly_writer_write(unpacking->writer, unpacking->batch, NULL);
	/* Names cannot be stored, which every later call reports. */
	unpacking->is_refused = status == POLY_ERR_MEMORY;
	assert_true(status == POLY_OK || unpacking->is_refused);
	return status;
}

static void
finish_unpacking(void *context)
{
	struct unpacking_in_need *unpacking = context;
	const bool is_refused = unpacking->is_refused;
	while (!is_refused &&
		poly_reader_next(unpacking->reader, &unpacking->batch, NULL) == POLY_OK)
		write_in_need(unpacking);
	assert_int_equal(poly_writer_finish(unpacking->writer, NULL),
		is_refused ? POLY_ERR_MEMORY : POLY_OK);
	if (!is_refused)
		expect_same(&unpacking->out, &unpacking->text);
	buf_clear(&unpacking->out);
	poly_writer_close(unpacking->writer);
	poly_reader_close(unpacking->reader);
}

static void
without_memory_for_lines_rows_are_written_from_columns(void **state)
{
	(void)state;
	need_packing();
	struct unpacking_in_need unpacking = {.text = repeating_lines()};
	unpacking.packed = pack(&unpacking.text, "cis501");
	buf_reserve(&unpacking.out, unpacking.text.size);
	/* Out, its bytes, text, patterns as rows, lines, the state, numbers. */
	assert_true(law_memory_as(&(struct memory_law){.run = write_in_need,
			    .prepare = open_packed,
			    .release = finish_unpacking,
			    .context = &unpacking,
			    .is_tolerant = true}) > 6);
	buf_free(&unpacking.text);
	buf_free(&unpacking.packed);
	buf_free(&unpacking.out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(micro_operations_are_copied),
		cmocka_unit_test(instructions_are_copied_with_numbers_of_any_length),
		cmocka_unit_test(lines_that_count_what_was_before_are_the_same),
		cmocka_unit_test(instructions_with_next_addresses_are_copied),
		cmocka_unit_test(lines_are_copied_only_after_the_context_of_their_creation),
		cmocka_unit_test(notes_are_counted_by_row),
		cmocka_unit_test(lazy_columns_are_absent),
		cmocka_unit_test(lines_without_text_are_copied),
		cmocka_unit_test(without_memory_for_lines_rows_are_written_from_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
