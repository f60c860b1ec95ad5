/* SPDX-License-Identifier: MIT */
/* Incomplete packed traces: truncated anywhere, or with other sections than were written. */
#include "ptz_help.h"

#include <unistd.h>

#define COLUMNS PTZ_COLUMNS

/* The first rows of the sample, in small segments. */
static struct whole
make_small(size_t rows, const char *option)
{
	struct whole whole = {0};
	struct buf text = load_sample("cis501/sort_1k.trace");
	size_t size = 0;
	for (; rows; rows--) {
		const uint8_t *end = memchr(text.data + size, '\n', text.size - size);
		size = (size_t)(end - text.data) + 1;
	}
	text.size = size;
	whole.file = convert(open_bytes(&text, "cis501", NULL, false), "ptz", option, NULL);
	whole.count = find_sections(&whole.file, whole.sections);
	whole.rows = list_rows(open_bytes(&text, "cis501", NULL, false), COLUMNS, NULL);
	buf_free(&text);
	return whole;
}

/* Formats the finding of a file of size bytes, the i-th section of which is incomplete: by its
 * layout. segments precede it. */
static void
expected_truncation(
	char *text, size_t n, const struct section_at *section, size_t segments, size_t have)
{
	char before[32] = "the head section";
	if (segments)
		snprintf(before, sizeof before, "segment %zu", segments);
	if (have == 0)
		snprintf(text, n, "it does not end with an index");
	else if (!section->size)
		snprintf(text, n, "%zu of 16 bytes of its end are present", have);
	else if (have < 32)
		snprintf(text, n,
			"%zu of 32 bytes of the header of the section after %s are present",
			have, before);
	else if (strcmp(section->tag, "SEGM") == 0)
		snprintf(text, n, "%zu of %zu bytes of segment %zu are present", have,
			section->size, segments + 1);
	else
		snprintf(text, n, "%zu of %zu bytes of the section after %s are present", have,
			section->size, before);
}

/* Reads a truncated file: rows, and one error. */
static void
read_truncated(const struct buf *cut, bool tolerant, const char *rows, size_t size,
	const char *expected)
{
	struct poly_reader *reader = open_bytes(cut, NULL, NULL, tolerant);
	const struct poly_batch *batch;
	struct poly_finding finding;
	struct buf found = {0};
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, NULL)) == POLY_OK)
		list_batch(batch, COLUMNS, &found);
	assert_int_equal(status, POLY_ERR_TRUNCATED);
	assert_int_equal(found.size, size);
	if (size)
		assert_memory_equal(found.data, rows, size);
	assert_true(poly_reader_finding_at(reader, 0, &finding));
	assert_string_equal(finding.rule->code, "P02");
	assert_int_equal(finding.count, 1);
	if (!strstr(finding.message, expected))
		fail_msg("%zu bytes: %s, expected %s", cut->size, finding.message, expected);
	assert_false(poly_reader_finding_at(reader, 1, &finding));
	poly_reader_close(reader);
	buf_free(&found);
}

static void
a_file_truncated_at_any_byte_delivers_its_segments_and_reports_the_bytes_present(void **state)
{
	(void)state;
	struct whole whole = make_small(150, "ptz.rows=40");
	struct section_at all[SECTIONS_MAX + 1] = {{.size = 0}};
	const size_t count = find_all_sections(&whole.file, all);
	all[count].offset = whole.file.size - 16;
	assert_int_equal(whole.count, 6);
	assert_int_equal(count, 6 + 5 + 1);
	size_t section = 1, segments = 0;
	for (size_t size = all[1].offset; size < whole.file.size; size++) {
		const struct buf cut = {.data = whole.file.data, .size = size};
		char expected[120];
		while (section < count && all[section].offset + all[section].size <= size)
			segments += strcmp(all[section++].tag, "SEGM") == 0;
		expected_truncation(expected, sizeof expected, &all[section], segments,
			size - all[section].offset);
		const uint64_t rows = segments < 4 ? 40 * segments : (uint64_t)150;
		read_truncated(&cut, size % 2, (const char *)whole.rows.data,
			line_of(&whole.rows, rows), expected);
	}
	free_whole(&whole);
}

static void
a_file_truncated_within_its_head_cannot_be_opened(void **state)
{
	(void)state;
	struct whole whole = make_small(5, "ptz.rows=40");
	const size_t end = whole.sections[0].offset + 32 + whole.sections[0].body;
	for (size_t size = 8; size < end; size++) {
		struct poly_reader *reader;
		struct poly_error error;
		assert_int_equal(
			poly_reader_open_memory(whole.file.data, size, NULL, &reader, &error),
			POLY_ERR_TRUNCATED);
		assert_non_null(strstr(error.message, "truncated within its head section"));
	}
	free_whole(&whole);
}

static void
a_truncated_file_is_an_error_under_strict(void **state)
{
	(void)state;
	struct whole whole = make_small(150, "ptz.rows=40");
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.strict = true;
	for (size_t less = 0; less <= 16; less += 8) {
		struct poly_reader *reader;
		struct poly_error error = {0};
		assert_int_equal(poly_reader_open_memory(whole.file.data,
					 whole.file.size - less, &options, &reader, NULL),
			POLY_OK);
		struct buf rows = list_rows(reader, COLUMNS, &error);
		expect_same(&rows, &whole.rows);
		assert_int_equal(error.status, less ? POLY_ERR_TRUNCATED : POLY_OK);
		buf_free(&rows);
	}
	free_whole(&whole);
}

static void
bytes_after_the_end_are_corrupt(void **state)
{
	(void)state;
	struct whole whole = make_small(5, "ptz.rows=40");
	struct poly_error error = {0};
	buf_append(&whole.file, "\n", 1);
	struct buf rows =
		list_rows(open_bytes(&whole.file, NULL, NULL, false), COLUMNS, &error);
	expect_same(&rows, &whole.rows);
	assert_int_equal(error.status, POLY_ERR_FORMAT);
	assert_string_equal(error.message, "the packed trace ends before the input after "
					   "segment 1; the following bytes are "
					   "not of this trace");
	buf_free(&rows);
	free_whole(&whole);
}

/* Checks a file's error, and that nothing follows its rows. */
static void
expect_other_stream(const struct buf *file, const struct buf *rows, const char *message)
{
	struct poly_error error = {0};
	struct buf expected = {0};
	struct buf found = list_rows(open_bytes(file, NULL, NULL, false), COLUMNS, &error);
	assert_string_equal(error.message, message);
	expect_same(&found, rows);
	buf_free(&found);
	buf_append(&expected, rows->data, rows->size);
	found = list_rows(open_bytes(file, NULL, NULL, true), COLUMNS, NULL);
	expect_same(&found, &expected);
	buf_free(&found);
	buf_free(&expected);
	struct buf codes = find_all(open_bytes(file, NULL, NULL, true));
	assert_string_equal(buf_text(&codes), "P01:6 ");
	buf_free(&codes);
}

static void
another_trace_after_the_end_or_a_truncation_is_not_read(void **state)
{
	(void)state;
	struct whole whole = make_small(5, "ptz.rows=40");
	struct buf sample = load_sample("ptz/altivec.ptz"), file = {0};
	buf_append(&file, whole.file.data, whole.file.size);
	buf_append(&file, sample.data, sample.size);
	expect_other_stream(&file, &whole.rows,
		"the packed trace ends before the input after segment 1; the following bytes "
		"are "
		"not of this trace");
	/* Up to the index, and then all but the magic. */
	file.size = 0;
	buf_append(&file, whole.file.data, whole.sections[2].offset);
	buf_append(&file, sample.data + 8, sample.size - 8);
	expect_other_stream(&file, &whole.rows,
		"second head section after segment 1; the following bytes are not of this "
		"trace");
	buf_free(&file);
	buf_free(&sample);
	free_whole(&whole);
}

/* Returns the head and then sections of a file, by number; 0 is the end. */
static struct buf
of_sections(const struct whole *whole, const size_t *order)
{
	struct buf file = {0};
	buf_append(&file, whole->file.data, whole->sections[1].offset);
	for (; *order; order++) {
		const struct section_at *section = &whole->sections[*order];
		buf_append(&file, whole->file.data + section->offset, section->size);
	}
	return file;
}

/* Returns the rows of sections in an order, with a row for each gap. */
static struct buf
rows_of_sections(const struct whole *whole, const size_t *order, bool tolerant)
{
	struct buf rows = {0};
	for (size_t before = 0; *order; before = *order++) {
		if (*order != before + 1 && !tolerant)
			break;
		if (*order != before + 1)
			buf_string(&rows, "- - - - -\n");
		const uint64_t first = rows_before(whole, *order);
		const size_t from = line_of(&whole->rows, first),
			     to = line_of(&whole->rows, first + rows_of(whole, *order));
		buf_append(&rows, whole->rows.data + from, to - from);
	}
	return rows;
}

static void
expect_order(const struct whole *whole, const size_t *order, const char *message)
{
	struct buf file = of_sections(whole, order);
	struct poly_error error = {0};
	struct buf rows = list_rows(open_bytes(&file, NULL, NULL, false), COLUMNS, &error);
	struct buf expected = rows_of_sections(whole, order, false);
	expect_same(&rows, &expected);
	assert_int_equal(error.status, POLY_ERR_FORMAT);
	assert_string_equal(error.message, message);
	buf_free(&rows);
	buf_free(&expected);
	expected = rows_of_sections(whole, order, true);
	rows = list_rows(open_bytes(&file, NULL, NULL, true), COLUMNS, NULL);
	expect_same(&rows, &expected);
	buf_free(&rows);
	buf_free(&expected);
	struct buf codes = find_all(open_bytes(&file, NULL, NULL, false));
	assert_non_null(strstr(buf_text(&codes), "P03:"));
	buf_free(&codes);
	buf_free(&file);
}

static void
missing_duplicated_or_swapped_segments_are_reported_and_read(void **state)
{
	(void)state;
	struct whole whole = make_small(150, "ptz.rows=40");
	const struct {
		size_t order[7];
		const char *message;
	} cases[] = {
		{{1, 2, 4}, "segment 4 follows segment 2, expected segment 3"},
		{{2, 3, 4}, "segment 2 follows the head section, expected segment 1"},
		{{1, 2, 2, 3, 4}, "segment 2 follows segment 2, expected segment 3"},
		{{1, 3, 2, 4}, "segment 3 follows segment 1, expected segment 2"},
		{{1, 2, 4, 3, 3}, "segment 4 follows segment 2, expected segment 3"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect_order(&whole, cases[i].order, cases[i].message);
	free_whole(&whole);
}

static void
a_missing_segment_is_reported_when_its_records_are_skipped(void **state)
{
	(void)state;
	struct whole whole = make_small(150, "ptz.rows=40");
	const size_t order[] = {1, 3, 4, 0};
	struct buf file = of_sections(&whole, order);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_error error = {0};
	options.skip = 70;
	struct poly_reader *reader = open_memory(&file, &options);
	struct buf rows = list_rows(reader, COLUMNS, &error);
	assert_int_equal(rows.size, 0);
	assert_string_equal(error.message, "segment 3 follows segment 1, expected segment 2");
	buf_free(&rows);
	buf_free(&file);
	free_whole(&whole);
}

static void
missing_records_before_a_segment_are_reported(void **state)
{
	(void)state;
	struct whole whole = make_small(150, "ptz.rows=40");
	struct poly_error error = {0};
	store_number(whole.file.data + whole.sections[3].offset + 32, 79, 8);
	mend_section(whole.file.data + whole.sections[3].offset);
	struct buf rows =
		list_rows(open_bytes(&whole.file, NULL, NULL, false), COLUMNS, &error);
	assert_int_equal(rows.size, line_of(&whole.rows, 80));
	assert_string_equal(
		error.message, "segment 3 specifies 79 preceding records, 80 were read");
	buf_free(&rows);
	free_whole(&whole);
}

/* Returns a file without its end, with other bytes replacing a section or before it. */
static struct buf
with_section(const struct whole *whole, size_t section, const struct buf *bytes, bool replaces)
{
	const size_t at = whole->sections[section].offset,
		     after = at + (replaces ? whole->sections[section].size : 0);
	struct buf file = {0};
	buf_append(&file, whole->file.data, at);
	buf_append(&file, bytes->data, bytes->size);
	buf_append(&file, whole->file.data + after, whole->file.size - 16 - after);
	return file;
}

static struct buf
bytes_of_section(const struct whole *whole, size_t section)
{
	struct buf bytes = {0};
	buf_append(&bytes, whole->file.data + whole->sections[section].offset,
		whole->sections[section].size);
	return bytes;
}

/* Checks that a file of other sections has these rows, and then P04 and nothing else. */
static void
expect_other_sections(struct buf file, const struct buf *rows)
{
	struct section_at sections[SECTIONS_MAX];
	struct poly_error error = {0};
	const struct poly_batch *batch;
	struct poly_finding finding;
	const size_t count = find_sections(&file, sections);
	struct buf found = list_rows(open_bytes(&file, NULL, NULL, false), COLUMNS, &error);
	if (rows)
		expect_same(&found, rows);
	assert_int_equal(error.status, POLY_ERR_FORMAT);
	assert_non_null(
		strstr(error.message, "the index does not match the preceding sections"));
	assert_int_equal(error.offset, sections[count - 1].offset);
	buf_free(&found);
	struct poly_reader *reader = open_bytes(&file, NULL, NULL, true);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
	assert_true(poly_reader_finding_at(reader, 0, &finding));
	assert_string_equal(finding.rule->code, "P04");
	assert_int_equal(finding.count, 1);
	poly_reader_close(reader);
	buf_free(&file);
}

static void
an_index_identifies_the_sections_before_it(void **state)
{
	(void)state;
	struct whole whole = make_small(150, "ptz.rows=40");
	const struct section_at *last = &whole.sections[whole.count - 1];
	const uint8_t *front = whole.file.data + last->offset + 32;
	assert_true(
		load_le64(front + last->front - 8) == chain_before(&whole.file, last->offset));
	struct buf bytes = bytes_of_section(&whole, 1), extra = {0}, nothing = {0};
	/* Adds an unknown section; replaces a segment by another one with as many rows. */
	put_section(&extra, "xTRA", &nothing, NULL);
	expect_other_sections(with_section(&whole, 2, &extra, false), &whole.rows);
	store_number(bytes.data + 32, rows_before(&whole, 3), 8);
	store_number(bytes.data + 32 + 20, 3, 4);
	mend_section(bytes.data);
	expect_other_sections(with_section(&whole, 3, &bytes, true), NULL);
	/* Replaces the head section. */
	buf_free(&bytes);
	bytes = bytes_of_section(&whole, 0);
	uint8_t *isa = bytes.data;
	while (memcmp(isa, "\x06x86-64", 7) != 0)
		isa++;
	isa[3] = '5';
	mend_section(bytes.data);
	expect_other_sections(with_section(&whole, 0, &bytes, true), &whole.rows);
	buf_free(&bytes);
	buf_free(&extra);
	free_whole(&whole);
}

static void
corrupt_data_are_not_reported_again_by_the_index(void **state)
{
	(void)state;
	struct whole whole = make_small(150, "ptz.rows=40");
	const size_t places[] = {0, 3, 33, 32 + whole.sections[2].front};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		uint8_t *at = whole.file.data + whole.sections[2].offset + places[i];
		*at ^= 1;
		struct buf codes = find_all(open_bytes(&whole.file, NULL, NULL, true));
		assert_string_equal(buf_text(&codes), "P01:41 P06:41 ");
		buf_free(&codes);
		*at ^= 1;
	}
	free_whole(&whole);
}

static void
a_section_larger_than_any_file_ends_reading(void **state)
{
	(void)state;
	static const char *const tags[] = {"xTRA", "INDX", "HEAD"};
	struct whole whole = make_small(5, "ptz.rows=40");
	struct buf front = {0};
	put_number(&front, 0, 8);
	for (unsigned i = 0; i < 3; i++) {
		/* With its header of 32 bytes its size is 0, modulo 2^64. */
		struct buf file = {0};
		struct poly_error error = {0};
		buf_append(&file, whole.file.data, whole.sections[1].offset);
		put_section(&file, tags[i], &front, NULL);
		store_number(file.data + whole.sections[1].offset + 8, UINT64_MAX - 31, 8);
		mend_section(file.data + whole.sections[1].offset);
		struct buf rows =
			list_rows(open_bytes(&file, NULL, NULL, false), COLUMNS, &error);
		assert_int_equal(rows.size, 0);
		assert_string_equal(error.message, "the section after the head section is "
						   "corrupt: its size exceeds that of any "
						   "file");
		buf_free(&rows);
		buf_free(&file);
	}
	buf_free(&front);
	free_whole(&whole);
}

/* Returns the rows of a file on disk, skipping corrupt data. */
static struct buf
rows_on_disk(const struct buf *file)
{
	char path[] = "/tmp/polytrace-ptz-XXXXXX";
	const int made = mkstemp(path);
	assert_true(made >= 0);
	assert_int_equal(write(made, file->data, file->size), file->size);
	close(made);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	options.skip_errors = true;
	assert_int_equal(poly_reader_open(path, &options, &reader, NULL), POLY_OK);
	struct buf rows = list_rows(reader, COLUMNS, NULL);
	unlink(path);
	return rows;
}

static void
a_header_after_much_corrupt_data_is_found_at_any_offset(void **state)
{
	(void)state;
	struct whole whole = make_small(5, "ptz.rows=40");
	struct buf nothing = {0};
	/* Bytes are searched in blocks of 4 MiB, the first of which starts with the corrupt
	 * data. */
	for (size_t less = 0; less <= 64; less += 8) {
		struct buf much = {0}, extra = {0};
		uint8_t *room = buf_reserve(&much, (size_t)4 << 20);
		assert_non_null(room);
		memset(room, 0x55, (size_t)4 << 20);
		much.size = ((size_t)4 << 20) - less;
		put_section(&extra, "xTRA", &nothing, &much);
		extra.data[0] ^= 1;
		struct buf file = with_section(&whole, 1, &extra, false);
		put_number(&file, whole.sections[2].offset + extra.size, 8);
		buf_append(&file, whole.file.data + whole.file.size - 8, 8);
		struct buf rows = rows_on_disk(&file);
		expect_same(&rows, &whole.rows);
		buf_free(&rows);
		buf_free(&file);
		buf_free(&much);
		buf_free(&extra);
	}
	free_whole(&whole);
}

static void
a_file_with_a_corrupt_index_is_not_truncated(void **state)
{
	(void)state;
	struct whole whole = make_small(150, "ptz.rows=40");
	const size_t end = whole.file.size - 16;
	/* In the header and the front of the index, and in its offset at the end. */
	const size_t places[] = {
		whole.sections[5].offset + 9, whole.sections[5].offset + 40, end};
	for (size_t i = 0; i < 3; i++) {
		whole.file.data[places[i]] ^= 1;
		struct buf codes = find_all(open_bytes(&whole.file, NULL, NULL, true));
		assert_string_equal(buf_text(&codes), "P01:151 ");
		buf_free(&codes);
		whole.file.data[places[i]] ^= 1;
	}
	free_whole(&whole);
}

static void
a_head_is_all_front_and_within_the_limit(void **state)
{
	(void)state;
	const struct {
		uint64_t front, body;
		const char *message;
	} cases[] = {
		{10, 12, "the head section has 2 bytes after its front, expected none"},
		{12, 10,
			"the section after the magic is corrupt: its front exceeds the section "
			"or the "
			"limit"},
		{1048577, 1048577,
			"the section after the magic is corrupt: its front exceeds the section "
			"or the "
			"limit"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_reader *reader;
		struct poly_error error;
		struct buf file = {0};
		buf_append(&file, "\x89PTZ\r\n\x1a\n", 8);
		buf_append(&file, "HEAD", 4);
		put_number(&file, cases[i].front, 4);
		put_number(&file, cases[i].body, 8);
		put_number(&file,
			checksum("\x07version\x01"
				 "3",
				10),
			8);
		put_number(&file, checksum(file.data + 8, 24), 8);
		buf_append(&file,
			"\x07version\x01"
			"3xx",
			12);
		assert_int_equal(
			poly_reader_open_memory(file.data, file.size, NULL, &reader, &error),
			POLY_ERR_FORMAT);
		assert_string_equal(error.message, cases[i].message);
		buf_free(&file);
	}
}

/* Returns a file of a head section with many facts or labels, and no segments. */
static struct buf
head_of(const char *prefix, unsigned count)
{
	struct buf file = {0}, front = {0};
	buf_append(&file, "\x89PTZ\r\n\x1a\n", 8);
	buf_append(&front,
		"\x07version\x01"
		"3",
		10);
	for (unsigned i = 0; i < count; i++) {
		char key[40];
		const int n = snprintf(key, sizeof key, "%s%u", prefix, i);
		buf_byte(&front, (uint8_t)n);
		buf_append(&front, key, (size_t)n);
		buf_append(&front, "\x01x", 2);
	}
	put_section(&file, "HEAD", &front, NULL);
	buf_free(&front);
	return file;
}

static void
labels_are_separate_from_facts_and_limited_in_number(void **state)
{
	(void)state;
	static const char *const prefixes[] = {"fact.label.", "label.fact."};
	for (unsigned is_label = 0; is_label < 2; is_label++) {
		for (unsigned count = 3; count < 6000; count += 5000) {
			struct buf file = head_of(prefixes[is_label], count);
			struct poly_reader *reader = open_bytes(&file, "ptz", NULL, false);
			const struct poly_trace_info *info = poly_reader_info(reader);
			const size_t taken = count < 4096 ? count : 4096;
			assert_int_equal(info->label_count, is_label ? taken : 0);
			assert_int_equal(info->fact_count, is_label ? 0 : taken);
			const struct poly_fact *fact =
				is_label ? &info->labels[2] : &info->facts[2];
			assert_string_equal(fact->key, is_label ? "fact.2" : "label.2");
			assert_string_equal(fact->value, "x");
			poly_reader_close(reader);
			buf_free(&file);
		}
	}
}

/* A writer of a source with labels, its own beside; its status, and bytes where it could open.
 */
static enum poly_status
pack_labelled(const struct buf *source, const char *format, const char *const *labels,
	struct buf *out, struct poly_error *error)
{
	struct poly_reader *reader = open_bytes(source, NULL, NULL, false);
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const struct poly_sink sink = {collect, out};
	struct poly_writer *writer;
	options.format = format;
	options.labels = labels;
	const enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(reader), &options, &writer, error);
	if (status == POLY_OK)
		assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return status;
}

static void
labels_of_the_source_are_preserved_beside_the_provided_ones(void **state)
{
	(void)state;
	static const char *const first[] = {"a=1", "b=2", NULL}, *const second[] = {
									 "b=3", NULL};
	struct buf sample = load_sample("cis501/sort_1k.trace"), once = {0}, twice = {0};
	struct poly_error error;
	assert_int_equal(pack_labelled(&sample, "ptz", first, &once, &error), POLY_OK);
	assert_int_equal(pack_labelled(&once, "ptz", second, &twice, &error), POLY_OK);
	struct poly_reader *reader = open_bytes(&twice, NULL, NULL, false);
	const struct poly_trace_info *info = poly_reader_info(reader);
	assert_int_equal(info->label_count, 2);
	assert_string_equal(info->labels[0].key, "a");
	assert_string_equal(info->labels[0].value, "1");
	assert_string_equal(info->labels[1].key, "b");
	assert_string_equal(info->labels[1].value, "3");
	poly_reader_close(reader);
	assert_int_equal(pack_labelled(&sample, "csv", first, &twice, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "options.labels: format 'csv' cannot hold labels");
	buf_free(&sample);
	buf_free(&once);
	buf_free(&twice);
}

static void
labels_beyond_the_limit_of_a_head_are_refused(void **state)
{
	(void)state;
	struct buf sample = load_sample("cis501/sort_1k.trace"), label = {0}, to = {0};
	struct poly_error error;
	buf_string(&label, "much=");
	for (unsigned i = 0; i < 1 << 17; i++)
		buf_string(&label, "12345678");
	const char *const labels[] = {buf_text(&label), NULL};
	assert_int_equal(pack_labelled(&sample, "ptz", labels, &to, &error), POLY_ERR_LIMIT);
	buf_free(&label);
	buf_free(&sample);
	buf_free(&to);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_file_truncated_at_any_byte_delivers_its_segments_and_reports_the_bytes_present),
		cmocka_unit_test(a_file_truncated_within_its_head_cannot_be_opened),
		cmocka_unit_test(a_truncated_file_is_an_error_under_strict),
		cmocka_unit_test(bytes_after_the_end_are_corrupt),
		cmocka_unit_test(another_trace_after_the_end_or_a_truncation_is_not_read),
		cmocka_unit_test(missing_duplicated_or_swapped_segments_are_reported_and_read),
		cmocka_unit_test(a_missing_segment_is_reported_when_its_records_are_skipped),
		cmocka_unit_test(missing_records_before_a_segment_are_reported),
		cmocka_unit_test(an_index_identifies_the_sections_before_it),
		cmocka_unit_test(corrupt_data_are_not_reported_again_by_the_index),
		cmocka_unit_test(a_header_after_much_corrupt_data_is_found_at_any_offset),
		cmocka_unit_test(a_file_with_a_corrupt_index_is_not_truncated),
		cmocka_unit_test(a_section_larger_than_any_file_ends_reading),
		cmocka_unit_test(a_head_is_all_front_and_within_the_limit),
		cmocka_unit_test(labels_are_separate_from_facts_and_limited_in_number),
		cmocka_unit_test(labels_of_the_source_are_preserved_beside_the_provided_ones),
		cmocka_unit_test(labels_beyond_the_limit_of_a_head_are_refused),
	};
	need_library_in_all("xxhash");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
