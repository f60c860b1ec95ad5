/* SPDX-License-Identifier: MIT */
/* Packed traces: codings, a file made by hand from the layout, and others that make no sense.
 */
#include "ptz_help.h"

#include "format/ptz/code.h"
#include "model/batch_internal.h"
#include "model/chain_graph.h"

/* Rows of the codings' values. */
#define MOST 300

/* The templates of numbers as spans of neighbours. */
static const struct ptz_span *
spans_of(const uint32_t *template, size_t n)
{
	static struct ptz_span spans[MOST + 1];
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && template[i] == template[i - 1] + 1)
			spans[count - 1].count++;
		else
			spans[count++] = (struct ptz_span){template[i], 1};
	}
	return spans;
}

/* Encodes and decodes numbers, in pieces of some. */
static void
expect_back(enum ptz_coding coding, const uint64_t *values, size_t n, size_t piece)
{
	uint32_t template[MOST];
	uint64_t pc[MOST], back[MOST];
	struct buf bytes = {0};
	struct ptz_decoder decoder = {0};
	for (size_t i = 0; i < n; i++) {
		template[i] = (uint32_t)(i % 2 ? i % 5 : i * i / 3 % 5);
		pc[i] = i * 0x123456789abcdefu;
	}
	const struct ptz_values column_values = {values, n, template, pc, 5};
	assert_true(ptz_encode(&column_values, coding, &bytes));
	const struct ptz_stream stream = {
		.coding = (uint8_t)coding, .values = (uint32_t)n, .size = (uint32_t)bytes.size};
	assert_true(ptz_decoder_init(&decoder, &stream, bytes.data, 5));
	for (size_t i = 0; i < n; i += piece) {
		const size_t some = n - i < piece ? n - i : piece;
		ptz_decode(&decoder, back + i, some, spans_of(template + i, some));
	}
	assert_false(decoder.bytes.bad);
	for (size_t i = 0; i < n; i++)
		assert_true(values[i] == back[i] + (coding == PTZ_PC ? pc[i] : 0));
	/* One more than there are. */
	ptz_decode(&decoder, back, 1, spans_of(template, 1));
	assert_true(decoder.bytes.bad);
	ptz_decoder_fini(&decoder);
	buf_free(&bytes);
}

static void
every_coding_restores_numbers_up_to_the_maximum(void **state)
{
	(void)state;
	const uint64_t edges[] = {UINT64_MAX, 0, UINT64_MAX, (uint64_t)1 << 63, 1, 0x7f, 0x80,
		0x3fff, 0x4000, ((uint64_t)1 << 63) - 1, UINT64_MAX - 1};
	uint64_t many[MOST];
	for (size_t i = 0; i < MOST; i++)
		many[i] = edges[i % 11] >> i % 64;
	for (unsigned coding = PTZ_PLANES; coding <= PTZ_PC; coding++) {
		for (size_t i = 0; i < 11; i++)
			expect_back((enum ptz_coding)coding, &edges[i], 1, 1);
		expect_back((enum ptz_coding)coding, edges, 11, 3);
		expect_back((enum ptz_coding)coding, many, MOST, 7);
		expect_back((enum ptz_coding)coding, many, MOST, 90);
		expect_back((enum ptz_coding)coding, many, MOST, MOST);
		expect_back((enum ptz_coding)coding, many, 0, 1);
	}
}

static void
expect_code(
	enum ptz_coding coding, const struct ptz_values *values, const char *bytes, size_t n)
{
	struct buf out = {0};
	assert_true(ptz_encode(values, coding, &out));
	assert_int_equal(out.size, n);
	assert_memory_equal(out.data, bytes, n);
	buf_free(&out);
}

static void
codings_have_the_bytes_of_their_definition(void **state)
{
	(void)state;
	const uint64_t values[] = {10, 100, 11}, pc[] = {12, 99, 11}, wide[] = {1, 0x203};
	const uint32_t template[] = {0, 1, 0};
	const struct ptz_values column_values = {values, 3, template, pc, 2},
				two = {.values = wide, .count = 2};
	expect_code(PTZ_PLANES, &column_values, "\x0a\x64\x0b", 3);
	expect_code(PTZ_PLANES, &two, "\x01\x03\x00\x02", 4);
	/* 10, 90, -89 */
	expect_code(PTZ_DELTA, &column_values, "\x14\xb4\x01\xb1\x01", 5);
	/* 10, 90 against the value before, 1 against 10 */
	expect_code(PTZ_TEMPLATE, &column_values, "\x14\xb4\x01\x02", 4);
	/* -2, 1, 0 */
	expect_code(PTZ_PC, &column_values, "\x03\x02\x00", 3);
}

static void
an_unterminated_number_is_bad(void **state)
{
	(void)state;
	const uint8_t endless[] = {
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1};
	for (size_t n = 0; n <= sizeof endless; n++) {
		struct ptz_bytes bytes = {endless, endless + n, false};
		assert_int_equal(ptz_parse_varint(&bytes), 0);
		assert_true(bytes.bad);
	}
	uint8_t block[200];
	uint64_t back[100];
	struct ptz_decoder decoder = {0};
	const struct ptz_stream stream = {
		.coding = PTZ_DELTA, .values = 100, .size = sizeof block};
	memset(block, 0x82, sizeof block);
	block[1] = 4;
	assert_true(ptz_decoder_init(&decoder, &stream, block, 0));
	ptz_decode(&decoder, back, 1, NULL);
	assert_int_equal(back[0], 257);
	assert_false(decoder.bytes.bad);
	ptz_decode(&decoder, back, 99, NULL);
	assert_true(decoder.bytes.bad);
	struct ptz_bytes bytes = {endless + 9, endless + 11, false};
	assert_int_equal(ptz_parse_varint(&bytes), 128);
	assert_false(bytes.bad);
}

/* A stream of the file made by hand. */
struct made {
	uint8_t role, column, coding;
	uint32_t values;
	const char *bytes;
	size_t size;
};

/*
 * Columns 0 kind, 1 pc, 2 address, 3 mnemonic, 4 text, 5 unknown; names "ld"; template 0 is an
 * ld at 0x10 with an address, template 1 another instruction at 0x14, template 2 an access with
 * an address, a text and the unknown column. The rows are those of 0 1 0 1 2 2.
 */
enum {
	NAMES,
	SHAPES,
	WHICH,
	FOLLOW,
	STARTS,
	BLOCKS,
	KIND,
	PC,
	MNEMONIC,
	ADDRESS,
	TEXT,
	MADE = 14
};
static const struct made defaults[MADE] = {
	[NAMES] = {0, 0, 4, 1, "ld", 3},
	[SHAPES] = {1, 0, 4, 3,
		"\x0b\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		"\x01\0\0\0\0\0\0\0\x34\0\0\0\0\0\0\0",
		48},
	[WHICH] = {2, 0, 0, 3, "\0\1\2", 3},
	[FOLLOW] = {3, 0, 0, 3, "\1\0\0", 3},
	[STARTS] = {4, 0, 0, 2, "\0\2", 2},
	[BLOCKS] = {5, 0, 0, 4, "\0\0\1\1", 4},
	[KIND] = {6, 0, 0, 3, "\0\0\1", 3},
	[PC] = {6, 1, 1, 2, "\x20\x08", 2},
	[MNEMONIC] = {6, 3, 0, 1, "\0", 1},
	/* 0x100; 8 more; 1 less than that, as another template's first; 8 more */
	[ADDRESS] = {8, 2, 2, 4, "\x80\x04\x10\x01\x10", 5},
	[TEXT] = {8, 4, 0, 2, "\3\3", 2},
	[TEXT + 1] = {9, 4, 5, 0, "abc\0\0\7", 6},
	[TEXT + 2] = {8, 5, 0, 2, "\x09\x09", 2},
	[TEXT + 3] = {77, 9, 99, 5, "????", 4},
};

#define SHOWN "kind pc mnemonic address text"

/* Columns of it that do not move. */
#define STATIC kind, pc, mnemonic

static const char expected[] = "instruction 0x10 ld 0x100 -\n"
			       "instruction 0x14 - - -\n"
			       "instruction 0x10 ld 0x108 -\n"
			       "instruction 0x14 - - -\n"
			       "access - - 0x107 abc\n"
			       "access - - 0x10f abd\n";

static void
put_pair(struct buf *to, const char *key, const char *value)
{
	buf_byte(to, (uint8_t)strlen(key));
	buf_string(to, key);
	buf_byte(to, (uint8_t)strlen(value));
	buf_string(to, value);
}

/* Appends the segment of these streams. */
static void
put_segment(struct buf *file, const struct made *streams, uint32_t before)
{
	struct buf front = {0}, rest = {0};
	put_number(&front, before * 6, 8);
	put_number(&front, 6, 4);
	put_number(&front, 3, 4);
	put_number(&front, MADE, 4);
	put_number(&front, before + 1, 4);
	for (const struct made *made = streams; made < streams + MADE; made++) {
		const uint8_t bytes[] = {made->role, made->column, made->coding, 0};
		buf_append(&front, bytes, 4);
		put_number(&front, made->values, 4);
		put_number(&front, made->size, 4);
		put_number(&front, made->size, 4);
		put_number(&front, checksum(made->bytes, made->size), 8);
		buf_append(&rest, made->bytes, made->size);
	}
	put_section(file, "SEGM", &front, &rest);
	buf_free(&front);
	buf_free(&rest);
}

/* Appends the index of one or two segments, and the end. */
static void
put_index(struct buf *file, const uint64_t *places, unsigned count)
{
	struct buf front = {0};
	const uint64_t index = file->size;
	put_number(&front, 0, 8);
	put_number(&front, count, 8);
	put_number(&front, 0, 8);
	for (unsigned i = 0; i < count; i++) {
		put_number(&front, places[i], 8);
		put_number(&front, i * 6, 8);
		put_number(&front, 6, 8);
	}
	put_number(&front, 0, 8);
	put_number(&front, chain_before(file, index), 8);
	put_section(file, "INDX", &front, NULL);
	put_number(file, index, 8);
	buf_append(file, "PTZ\x89\n\x1a\r\n", 8);
	buf_free(&front);
}

/* Returns the file built by hand: a head, an unknown section, a segment or two, and an index.
 */
static struct buf
make_file(const struct made *streams, const struct made *more)
{
	static const char *const columns[] = {
		"kind", "pc", "address", "mnemonic", "text", "wumpus"};
	struct buf file = {0}, front = {0}, rest = {0};
	uint64_t places[2];
	buf_append(&file, "\x89PTZ\r\n\x1a\n", 8);
	put_pair(&front, "hunted", "never");
	put_pair(&front, "version", "3");
	for (unsigned i = 0; i < 6; i++) {
		char key[12];
		snprintf(key, sizeof key, "column.%u", i);
		put_pair(&front, key, columns[i]);
	}
	put_section(&file, "HEAD", &front, NULL);
	buf_string(&rest, "unknown data");
	put_section(&file, "xTRA", &rest, &front);
	places[0] = file.size;
	put_segment(&file, streams, 0);
	places[1] = file.size;
	if (more)
		put_segment(&file, more, 1);
	put_index(&file, places, more ? 2 : 1);
	buf_free(&front);
	buf_free(&rest);
	return file;
}

static void
unknown_sections_of_a_constructed_file_are_skipped(void **state)
{
	(void)state;
	struct buf file = make_file(defaults, NULL);
	struct poly_reader *reader = open_bytes(&file, NULL, NULL, false);
	struct poly_finding finding;
	struct buf rows = list_rows(reader, SHOWN, NULL);
	assert_string_equal(buf_text(&rows), expected);
	buf_free(&rows);
	reader = open_bytes(&file, NULL, NULL, true);
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
	assert_false(poly_reader_finding_at(reader, 0, &finding));
	poly_reader_close(reader);
	buf_free(&file);
}

/* Opens a file for weighted or plain reading of its static columns. */
static struct poly_reader *
open_static(const struct buf *file, bool skips, bool weighted)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "ptz";
	options.columns = POLY_COLUMNS(STATIC);
	options.skip_errors = skips;
	struct poly_reader *reader = open_memory(file, &options);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = POLY_ALL_COLUMNS,
			.weights = weighted},
		NULL);
	return reader;
}

/* Returns the rows of a file with their weights, and the final status. */
static struct buf
list_weights(struct poly_reader *reader)
{
	struct buf out = {0};
	struct poly_error error = {0};
	struct poly_reader_counts counts;
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		const uint64_t *weights = poly_batch_weights(batch);
		for (size_t row = 0; row < batch->rows; row++)
			buf_printf(&out, "%c%llx:%llu ", batch->kind[row] ? 'a' : 'i',
				poly_present(batch, POLY_COLUMN_pc, row)
					? (unsigned long long)batch->pc[row]
					: 0,
				weights ? (unsigned long long)weights[row] : 0);
	}
	poly_reader_count(reader, &counts);
	buf_printf(&out, "%llu %s", (unsigned long long)counts.records,
		error.status ? error.message : "");
	poly_reader_close(reader);
	return out;
}

/* The records of a file of a segment, by the rows that were counted and their order. */
static struct buf
list_order(const struct buf *file, size_t batch_rows)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const struct poly_batch *batch;
	struct buf out = {0};
	char names[8][8];
	uint32_t rows = 0, chain, records;
	options.columns = POLY_COLUMNS(STATIC);
	options.batch_rows = batch_rows;
	struct poly_reader *reader = open_memory(file, &options);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = POLY_ALL_COLUMNS,
			.weights = true},
		NULL);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			snprintf(names[rows++], sizeof names[0], "%c%x ",
				batch->kind[row] ? 'a' : 'i',
				poly_present(batch, POLY_COLUMN_pc, row)
					? (unsigned)batch->pc[row]
					: 0);
		const struct poly_chain_graph *order = batch_order(batch);
		if (!order)
			continue;
		struct chain_walk walk = {order, 0, order->records};
		assert_int_equal(order->rows, rows);
		while (chain_next(&walk, &chain, &records)) {
			uint32_t row = order->first[chain];
			for (; records; records--, row = order->next[row])
				buf_string(&out, row < rows ? names[row] : "none ");
			buf_string(&out, row == CHAIN_NONE ? "| " : "+ ");
		}
	}
	poly_reader_close(reader);
	return out;
}

static void
rows_are_weighted_by_blocks(void **state)
{
	(void)state;
	const struct {
		const char *follow, *starts, *blocks;
		uint32_t block_count;
		const char *counted, *order;
	} cases[] = {
		/* Templates 0 1, 0 1, 2, 2. */
		{"\1\0\0", "\0\2", "\0\0\1\1", 4, "i10:2 i14:2 a0:2 6 ",
			"i10 i14 | i10 i14 | a0 | a0 | "},
		/* 2, 0 1, 0 1, 2: the numbers are not in the order of the rows. */
		{"\1\0\0", "\2\0", "\0\1\1\0", 4, "a0:2 i10:2 i14:2 6 ",
			"a0 | i10 i14 | i10 i14 | a0 | "},
		/* 1 2, 1 2, 0 1 and no further: a block ends in another one, and is cut. */
		{"\1\1\0", "\1\0", "\0\0\1", 3, "i14:3 a0:2 i10:1 6 ",
			"i14 a0 | i14 a0 | i10 i14 + "},
		/* 0 1 2, 1 2, 0: one that was whole before is cut. */
		{"\1\1\0", "\1\0", "\1\0\1", 3, "i10:2 i14:2 a0:2 6 ",
			"i10 i14 a0 | i14 a0 | i10 + "},
		/* 2, 0 1 0 1 0: a block that does not end. */
		{"\1\4\0", "\2\0", "\0\1", 2, "a0:1 i10:3 i14:2 6 ",
			"a0 | i10 i14 i10 i14 i10 + "},
		/* Blocks that are never reached. */
		{"\1\0\0", "\0\2", "\0\0\0\1\1", 5, "i10:3 i14:3 6 ",
			"i10 i14 | i10 i14 | i10 i14 | "},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct made streams[MADE];
		memcpy(streams, defaults, sizeof streams);
		streams[FOLLOW].bytes = cases[i].follow;
		streams[STARTS].bytes = cases[i].starts;
		streams[BLOCKS] = (struct made){
			5, 0, 0, cases[i].block_count, cases[i].blocks, cases[i].block_count};
		struct buf file = make_file(streams, NULL);
		struct buf counted = list_weights(open_static(&file, false, true));
		assert_string_equal(buf_text(&counted), cases[i].counted);
		buf_free(&counted);
		for (size_t rows = 1; rows <= 3; rows++) {
			struct buf order = list_order(&file, rows);
			assert_string_equal(buf_text(&order), cases[i].order);
			buf_free(&order);
		}
		buf_free(&file);
	}
}

static void
segments_with_varying_columns_are_not_weighted(void **state)
{
	(void)state;
	struct buf file = make_file(defaults, defaults);
	struct poly_reader *reader = open_bytes(&file, NULL, NULL, false);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = POLY_ALL_COLUMNS,
			.weights = true},
		NULL);
	struct buf rows = list_rows(reader, SHOWN, NULL);
	char twice[2 * sizeof expected] = "";
	strcat(strcat(twice, expected), expected);
	assert_string_equal(buf_text(&rows), twice);
	buf_free(&rows);
	buf_free(&file);
}

static void
only_selected_columns_are_weighted(void **state)
{
	(void)state;
	static const char *const counted[][3] = {
		/* by skip: up to 6, 7 and 12 records */
		{"i10:2 i14:2 a0:2 6 ", "i10:2 i14:2 a0:2 i10:0 7 ",
			"i10:2 i14:2 a0:2 i10:2 i14:2 a0:2 12 "},
		{"i14:0 i10:0 i14:0 a0:0 a0:0 i10:0 6 ",
			"i14:0 i10:0 i14:0 a0:0 a0:0 i10:0 i14:0 7 ",
			"i14:0 i10:0 i14:0 a0:0 a0:0 i10:2 i14:2 a0:2 11 "},
	};
	struct buf file = make_file(defaults, defaults);
	for (size_t skip = 0; skip < 2; skip++) {
		for (size_t i = 0; i < 3; i++) {
			struct poly_read_options options = POLY_READ_OPTIONS_INIT;
			options.skip = skip;
			options.count = (const uint64_t[]){6, 7, 12}[i];
			options.columns = POLY_COLUMNS(STATIC);
			struct poly_reader *reader = open_memory(&file, &options);
			poly_reader_plan(reader,
				&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
					.columns = POLY_ALL_COLUMNS,
					.weights = true},
				NULL);
			struct buf rows = list_weights(reader);
			assert_string_equal(buf_text(&rows), counted[skip][i]);
			buf_free(&rows);
		}
	}
	buf_free(&file);
}

/* Returns the error of a file, which is the same for weighted reading. */
static void
expect_same_failure(const struct buf *file)
{
	for (unsigned skips = 0; skips < 2; skips++) {
		struct buf plain = list_weights(open_static(file, skips, false));
		struct buf counted = list_weights(open_static(file, skips, true));
		const char *a = strrchr(buf_text(&plain), ':'),
			   *b = strrchr(buf_text(&counted), ':');
		/* The records and the message follow the last row. */
		if (a && b)
			assert_string_equal(a + 2, b + 2);
		else
			assert_true(a == b);
		buf_free(&plain);
		buf_free(&counted);
	}
}

/* Reads a file, whose segments several threads work on or not, to its end. */
static enum poly_status
count_records(const struct buf *file, bool skips, bool works, struct poly_reader_counts *counts,
	struct poly_error *error)
{
	const struct poly_decoder_work *const work = poly_decoder_work_none();
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	options.skip_errors = skips;
	options.threads = 4;
	plan.work = &work;
	plan.work_count = works;
	memset(error, 0, sizeof *error);
	enum poly_status status =
		poly_reader_open_memory(file->data, file->size, &options, &reader, error);
	assert_int_equal(status, POLY_OK);
	plan.work_count = POLY_DECODER_WORK_MAX + 1;
	assert_int_equal(poly_reader_plan(reader, &plan, NULL), POLY_ERR_USAGE);
	/* Without work, no plan: a refused one changes nothing. */
	plan.work_count = works;
	if (works)
		assert_int_equal(poly_reader_plan(reader, &plan, NULL), POLY_OK);
	while (status == POLY_OK)
		status = poly_reader_next(reader, &batch, error);
	poly_reader_count(reader, counts);
	poly_reader_close(reader);
	return status;
}

/* Work on segments changes neither the records nor the error of a file. */
static void
expect_same_with_work(const struct buf *file)
{
	for (unsigned skips = 0; skips < 2; skips++) {
		struct poly_reader_counts plain, worked;
		struct poly_error a, b;
		assert_int_equal(count_records(file, skips, true, &worked, &a),
			count_records(file, skips, false, &plain, &b));
		assert_string_equal(a.message, b.message);
		assert_int_equal(worked.records, plain.records);
		assert_int_equal(worked.skipped_bytes, plain.skipped_bytes);
		assert_int_equal(worked.skipped_places, plain.skipped_places);
	}
}

/* Reads a file whose first segment is corrupt, without and with skipping. */
static void
expect_refused(const struct buf *file, const char *message)
{
	char all[sizeof expected + 40] = "other - - - -\n";
	struct poly_error error = {0};
	struct buf rows = list_rows(open_bytes(file, "ptz", NULL, false), SHOWN, &error);
	assert_int_equal(rows.size, 0);
	assert_int_equal(error.status, POLY_ERR_FORMAT);
	if (!strstr(error.message, message))
		fail_msg("%s, expected %s", error.message, message);
	buf_free(&rows);
	rows = list_rows(open_bytes(file, "ptz", NULL, true), SHOWN, NULL);
	strcat(all, expected);
	assert_string_equal(buf_text(&rows), all);
	buf_free(&rows);
}

static void
contradictory_streams_are_corrupt(void **state)
{
	(void)state;
	const struct {
		unsigned stream;
		struct made made;
		const char *message;
	} cases[] = {
		{NAMES, {0, 0, 4, 1, "ld", 2}, "segment 1: stream 'names' ends within a name"},
		{NAMES, {0, 0, 4, 9, "ld", 3}, "has more names than bytes"},
		{WHICH, {2, 0, 0, 3, "\0\1\3", 3}, "has an undefined shape"},
		{WHICH, {2, 0, 0, 3, "\0\1\2\3", 4}, "ends early"},
		{FOLLOW, {3, 0, 0, 3, "\5\0\0", 3}, "followed by an undefined template"},
		{FOLLOW, {3, 0, 0, 3, "\4\0\0", 3}, "followed by an undefined template"},
		{FOLLOW, {3, 0, 0, 2, "\1\0", 2},
			"does not have the expected number of values"},
		{STARTS, {4, 0, 0, 2, "\0\3", 2}, "starts with an undefined template"},
		{STARTS, {77, 0, 0, 2, "\0\2", 2}, "have fewer"},
		{BLOCKS, {5, 0, 0, 3, "\0\0\2", 3}, "have fewer"},
		{BLOCKS, {5, 0, 0, 1, "\0", 1}, "have fewer"},
		{BLOCKS, {5, 0, 0, 7, "\0\0\1\1\1\1\1", 7}, "executions (maximum"},
		{KIND, {6, 0, 0, 3, "\0\0\6", 3}, "has an undefined value"},
		{KIND, {6, 0, 2, 3, "\0\0\1", 3}, "has an invalid coding"},
		{PC, {6, 1, 1, 2, "\x20\x88", 2}, "stream 'static' of column 'pc' ends early"},
		{PC, {77, 1, 1, 2, "\x20\x08", 2}, "of column 'pc' is missing"},
		{MNEMONIC, {6, 3, 0, 1, "\1", 1}, "has an undefined value"},
		{ADDRESS, {8, 2, 2, 4, "\x80\x04\x10\x01\x81", 5}, "have fewer"},
		{ADDRESS, {8, 2, 3, 4, "\1\1\1\1", 4}, "has an invalid coding"},
		{TEXT, {8, 4, 0, 2, "\4\3", 2}, "have fewer"},
		{SHAPES, {1, 0, 4, 3, defaults[SHAPES].bytes, 32}, "an undefined shape"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct made streams[MADE];
		memcpy(streams, defaults, sizeof streams);
		streams[cases[i].stream] = cases[i].made;
		struct buf file = make_file(streams, defaults);
		expect_refused(&file, cases[i].message);
		expect_same_failure(&file);
		expect_same_with_work(&file);
		buf_free(&file);
	}
}

static void
what_this_version_does_not_know_is_refused_by_name(void **state)
{
	(void)state;
	static const char *const newer[] = {"segment 1: stream 'static' of column 'kind' has a "
					    "coding that this version does not know; use a "
					    "newer version of polytrace",
		"the section 'XTRA' after the head section is required, and unknown to this "
		"version; use a newer version of polytrace"};
	struct made streams[MADE];
	memcpy(streams, defaults, sizeof streams);
	streams[KIND] = (struct made){6, 0, 9, 3, "\0\0\1", 3};
	for (unsigned i = 0; i < 4; i++) {
		struct buf file = make_file(i / 2 ? defaults : streams, NULL);
		struct poly_error error = {0};
		if (i / 2) {
			struct section_at sections[SECTIONS_MAX];
			find_all_sections(&file, sections);
			file.data[sections[1].offset] = 'X';
			mend_section(file.data + sections[1].offset);
		}
		struct buf rows =
			list_rows(open_bytes(&file, "ptz", NULL, i % 2), SHOWN, &error);
		assert_int_equal(rows.size, 0);
		assert_int_equal(error.status, POLY_ERR_UNSUPPORTED);
		assert_string_equal(error.message, newer[i / 2]);
		buf_free(&rows);
		buf_free(&file);
	}
}

static void
fronts_beyond_the_limits_are_corrupt(void **state)
{
	(void)state;
	const struct {
		size_t at; /* in the segment's front */
		uint32_t value;
		const char *message;
	} cases[] = {
		{8, (1u << 20) + 1, "1048577 rows"},
		{8, 2, "2 rows, 3 templates"},
		{12, 7, "7 templates"},
		{16, 513, "513 streams"},
		{16, MADE + 1, "expected 384"},
		{16, 0, "expected 24"},
		{24 + 8, (1u << 28) + 1, "exceeds the limit"},
		{24 + 12, 4, "its header specifies"},
		{24 + 4, UINT32_MAX, "has more names than bytes"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct section_at sections[SECTIONS_MAX];
		struct buf file = make_file(defaults, defaults);
		assert_int_equal(find_sections(&file, sections), 4);
		uint8_t *segment = file.data + sections[1].offset;
		store_number(segment + 32 + cases[i].at, cases[i].value, 4);
		mend_section(segment);
		expect_refused(&file, cases[i].message);
		buf_free(&file);
	}
}

static void
columns_that_are_listed_twice_are_skipped(void **state)
{
	(void)state;
	struct buf file = make_file(defaults, NULL);
	struct section_at sections[SECTIONS_MAX];
	find_sections(&file, sections);
	/* The text becomes a second pc of the same length. */
	uint8_t *head = file.data + sections[0].offset, *p = head + 32;
	while (memcmp(p, "\x04text", 5) != 0)
		p++;
	memcpy(p, "\x04kind", 5);
	mend_section(head);
	struct poly_error error; /* of the index, which has another chain */
	struct buf rows =
		list_rows(open_bytes(&file, NULL, NULL, false), "kind pc text", &error);
	assert_string_equal(buf_text(&rows), "instruction 0x10 -\ninstruction 0x14 -\n"
					     "instruction 0x10 -\ninstruction 0x14 -\n"
					     "access - -\naccess - -\n");
	buf_free(&rows);
	buf_free(&file);
}

static void
another_version_is_not_read(void **state)
{
	(void)state;
	need_library("xxhash");
	struct buf file = make_file(defaults, NULL);
	struct poly_reader *reader;
	struct poly_error error;
	uint8_t *p = file.data + 8;
	while (memcmp(p,
		       "\x01"
		       "3",
		       2) != 0)
		p++;
	p[1] = '1';
	mend_section(file.data + 8);
	assert_int_equal(poly_reader_open_memory(file.data, file.size, NULL, &reader, &error),
		POLY_ERR_UNSUPPORTED);
	assert_string_equal(error.message, "unsupported version 1 of the packed trace "
					   "(expected 3); pack the original trace again");
	buf_free(&file);
}

struct first_rows {
	const struct buf *file;
	struct poly_read_options options;
	bool weighted;
};

/* Reads the first rows of a file, weighted or not. */
static enum poly_status
read_first_rows(void *context)
{
	const struct first_rows *first = context;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	enum poly_status status = poly_reader_open_memory(
		first->file->data, first->file->size, &first->options, &reader, NULL);
	if (status == POLY_OK)
		poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = POLY_ALL_COLUMNS,
				.weights = first->weighted},
			NULL);
	if (status == POLY_OK)
		status = poly_reader_next(reader, &batch, NULL);
	if (status == POLY_OK)
		assert_int_equal(batch->rows, first->weighted ? 3 : 4);
	poly_reader_close(reader);
	return status;
}

static void
out_of_memory_is_reported_at_every_allocation(void **state)
{
	(void)state;
	need_library("xxhash");
	struct buf file = make_file(defaults, NULL);
	struct first_rows first = {&file, POLY_READ_OPTIONS_INIT, false};
	first.options.one_thread = true;
	first.options.skip = 2;
	assert_true(law_memory(read_first_rows, &first) > 30);
	first.options.skip = 0;
	first.options.columns = POLY_COLUMNS(STATIC);
	first.weighted = true;
	assert_true(law_memory(read_first_rows, &first) > 30);
	buf_free(&file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_coding_restores_numbers_up_to_the_maximum),
		cmocka_unit_test(codings_have_the_bytes_of_their_definition),
		cmocka_unit_test(an_unterminated_number_is_bad),
		cmocka_unit_test(unknown_sections_of_a_constructed_file_are_skipped),
		cmocka_unit_test(rows_are_weighted_by_blocks),
		cmocka_unit_test(segments_with_varying_columns_are_not_weighted),
		cmocka_unit_test(only_selected_columns_are_weighted),
		cmocka_unit_test(contradictory_streams_are_corrupt),
		cmocka_unit_test(what_this_version_does_not_know_is_refused_by_name),
		cmocka_unit_test(fronts_beyond_the_limits_are_corrupt),
		cmocka_unit_test(columns_that_are_listed_twice_are_skipped),
		cmocka_unit_test(another_version_is_not_read),
		cmocka_unit_test(out_of_memory_is_reported_at_every_allocation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
