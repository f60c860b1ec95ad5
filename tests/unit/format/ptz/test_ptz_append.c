/* SPDX-License-Identifier: MIT */
/* Appending to packed traces: what is read is what one packed at once has. */
#include "ptz_help.h"

#include <sys/stat.h>
#include <unistd.h>

#define COLUMNS "pc mnemonic address immediate branch"

/* A file of its own, with bytes. */
struct place {
	char path[40];
};

static struct place
make_place(const uint8_t *data, size_t size)
{
	struct place place = {"/tmp/polytrace-append-XXXXXX"};
	const int file = mkstemp(place.path);
	assert_true(file >= 0);
	assert_int_equal(write(file, data, size), (ssize_t)size);
	close(file);
	return place;
}

static struct buf
bytes_at(const struct place *place)
{
	struct buf bytes = {0};
	assert_true(load_path(place->path, &bytes));
	return bytes;
}

/* Opens a writer that appends what a reader has; its status is that of opening. */
static enum poly_status
open_append(const struct place *place, const struct poly_reader *reader,
	struct poly_writer **writer, struct poly_error *error)
{
	static const char *const words[] = {"ptz.rows=4096", NULL};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = "ptz";
	options.options = words;
	options.append = true;
	return poly_writer_open(place->path, poly_reader_info(reader), &options, writer, error);
}

/* Appends a text of a format; the notes of the writer, how many, in *notes. */
static void
append_text(const struct place *place, const struct buf *text, unsigned *notes)
{
	struct poly_reader *reader = open_bytes(text, "cis501", NULL, false);
	struct poly_writer *writer;
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status;
	uint64_t count;
	if (open_append(place, reader, &writer, &error) != POLY_OK)
		fail_msg("%s", error.message);
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK)
		assert_int_equal(poly_writer_write(writer, batch, &error), POLY_OK);
	assert_int_equal(status, POLY_END);
	if (poly_writer_finish(writer, &error) != POLY_OK)
		fail_msg("%s", error.message);
	for (*notes = 0; poly_writer_note_at(writer, *notes, &count);)
		++*notes;
	poly_writer_close(writer);
	poly_reader_close(reader);
}

/* The rows of a file from one on: all of them, sound. */
static struct buf
rows_from(const struct buf *file, uint64_t skip)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.skip = skip;
	options.strict = true;
	struct poly_reader *reader = open_memory(file, &options);
	struct poly_error error = {0};
	struct buf rows = list_rows(reader, COLUMNS, &error);
	if (error.status)
		fail_msg("%s", error.message);
	return rows;
}

static void
expect_rows_of(const struct buf *file, const struct buf *text)
{
	struct buf expected = list_rows(open_bytes(text, "cis501", NULL, false), COLUMNS, NULL);
	struct buf rows = rows_from(file, 0);
	expect_same(&rows, &expected);
	buf_free(&rows);
	buf_free(&expected);
}

/* Numbers of segments, preceding records and indexes continue without a gap. */
static void
expect_sound_parts(const struct buf *file)
{
	struct section_at sections[SECTIONS_MAX];
	const size_t count = find_sections(file, sections);
	uint64_t records = 0, index = 0;
	uint32_t number = 0, listed = 0;
	for (size_t i = 1; i < count; i++) {
		const uint8_t *front = file->data + sections[i].offset + 32;
		if (strcmp(sections[i].tag, "SEGM") == 0) {
			assert_int_equal(load_le64(front), records);
			assert_int_equal(load_le32(front + 20), ++number);
			records += load_le32(front + 8);
		} else {
			assert_string_equal(sections[i].tag, "INDX");
			assert_int_equal(load_le64(front), index);
			index = sections[i].offset;
			listed += load_le32(front + 8);
			assert_true(load_le64(front + sections[i].front - 8) ==
				    chain_before(file, sections[i].offset));
		}
	}
	assert_int_equal(listed, number);
	assert_int_equal(load_le64(file->data + file->size - 16), index);
}

static void
appended_pieces_equal_the_whole(void **state)
{
	(void)state;
	unsigned notes;
	struct buf first = long_packed(6), all = long_text(17);
	struct place place = make_place(first.data, first.size);
	const unsigned pieces[] = {1, 7, 3};
	for (size_t i = 0; i < 3; i++) {
		struct buf piece = long_text(pieces[i]);
		append_text(&place, &piece, &notes);
		assert_int_equal(notes, 0);
		buf_free(&piece);
	}
	struct buf file = bytes_at(&place);
	/* What was there is there, but for its last 16 bytes. */
	assert_memory_equal(file.data, first.data, first.size - 16);
	expect_sound_parts(&file);
	expect_rows_of(&file, &all);
	const uint64_t skips[] = {5999, 6000, 6001, 7000, 13999, 14000, 16999};
	struct buf rows = rows_from(&file, 0);
	for (size_t i = 0; i < sizeof skips / sizeof *skips; i++) {
		struct buf remaining = rows_from(&file, skips[i]);
		size_t at = 0;
		for (uint64_t row = 0; row < skips[i]; row++)
			at = (size_t)((uint8_t *)memchr(rows.data + at, '\n', rows.size - at) -
				      rows.data) +
			     1;
		assert_int_equal(remaining.size, rows.size - at);
		assert_memory_equal(remaining.data, rows.data + at, remaining.size);
		buf_free(&remaining);
	}
	unlink(place.path);
	buf_free(&rows);
	buf_free(&file);
	buf_free(&first);
	buf_free(&all);
}

static void
a_file_without_its_end_is_truncated_to_complete_segments(void **state)
{
	(void)state;
	struct buf whole = long_packed(14), piece = long_text(1);
	struct section_at sections[SECTIONS_MAX];
	const size_t count = find_all_sections(&whole, sections);
	size_t section = 1;
	/* Every place in the file about parts' borders, and some within them. */
	for (size_t size = sections[1].offset; size < whole.size; size++) {
		while (section + 1 < count && sections[section + 1].offset <= size)
			section++;
		const size_t in = size - sections[section].offset;
		const size_t left = sections[section].body + 32 - in;
		if (in > 1 && in != 31 && in != 32 && in != 33 && left > 2 && in % 997 != 0)
			continue;
		unsigned notes;
		struct place place = make_place(whole.data, size);
		append_text(&place, &piece, &notes);
		assert_int_equal(notes, 1);
		struct buf file = bytes_at(&place);
		expect_sound_parts(&file);
		/* Whole parts stay, and nothing else. */
		assert_true(find_all_sections(&file, sections) >= section + 1);
		find_all_sections(&whole, sections);
		const size_t kept = in >= sections[section].body + 32 ? section + 1 : section;
		const size_t end = kept < count ? sections[kept].offset
						: sections[count - 1].offset + 32 +
							  sections[count - 1].body;
		assert_memory_equal(file.data, whole.data, end);
		struct poly_error error = {0};
		struct buf rows = rows_from(&file, 0);
		struct buf before = {.data = whole.data, .size = end};
		struct buf expected =
			list_rows(open_bytes(&before, NULL, NULL, false), COLUMNS, &error);
		struct buf more =
			list_rows(open_bytes(&piece, "cis501", NULL, false), COLUMNS, NULL);
		assert_int_equal(rows.size, expected.size + more.size);
		if (expected.size)
			assert_memory_equal(rows.data, expected.data, expected.size);
		assert_memory_equal(rows.data + expected.size, more.data, more.size);
		unlink(place.path);
		buf_free(&rows);
		buf_free(&expected);
		buf_free(&more);
		buf_free(&file);
	}
	buf_free(&whole);
	buf_free(&piece);
}

static void
ranges_of_unindexed_segments_are_recomputed(void **state)
{
	(void)state;
	unsigned notes;
	struct buf whole = long_packed(14), piece = long_text(1);
	struct section_at sections[SECTIONS_MAX];
	const size_t count = find_sections(&whole, sections);
	struct place place = make_place(whole.data, sections[count - 1].offset);
	append_text(&place, &piece, &notes);
	struct buf file = bytes_at(&place);
	/* As they were in the index that is gone. */
	const uint8_t *was = whole.data + sections[count - 1].offset + 32 + 24;
	const uint8_t *is = file.data + load_le64(file.data + file.size - 16) + 32 + 24;
	assert_memory_equal(is, was, (count - 2) * (24 + 3 * 16));
	unlink(place.path);
	buf_free(&file);
	buf_free(&whole);
	buf_free(&piece);
}

static void
a_segment_without_its_bytes_is_removed_at_the_end_only(void **state)
{
	(void)state;
	struct buf whole = long_packed(14), piece = long_text(1);
	struct section_at sections[SECTIONS_MAX];
	const size_t count = find_sections(&whole, sections), last = count - 2;
	for (size_t section = 1; section <= last; section++) {
		struct buf spoiled = {0};
		struct poly_error error;
		struct poly_writer *writer;
		unsigned notes;
		buf_append(&spoiled, whole.data, sections[count - 1].offset);
		memset(spoiled.data + sections[section].offset + 32 + sections[section].front,
			0, sections[section].body - sections[section].front);
		struct place place = make_place(spoiled.data, spoiled.size);
		if (section == last) {
			append_text(&place, &piece, &notes);
			struct buf file = bytes_at(&place);
			expect_sound_parts(&file);
			assert_memory_equal(file.data, whole.data, sections[last].offset);
			buf_free(&file);
		} else {
			struct poly_reader *reader = open_bytes(&piece, "cis501", NULL, false);
			assert_int_equal(
				open_append(&place, reader, &writer, &error), POLY_ERR_FORMAT);
			assert_null(writer);
			struct buf file = bytes_at(&place);
			expect_same(&file, &spoiled);
			buf_free(&file);
			poly_reader_close(reader);
		}
		unlink(place.path);
		buf_free(&spoiled);
	}
	buf_free(&whole);
	buf_free(&piece);
}

static void
nothing_is_appended_to_other_sections_than_were_written(void **state)
{
	(void)state;
	struct buf text = long_text(14), piece = long_text(1), whole = long_packed(14);
	struct section_at sections[SECTIONS_MAX], others[SECTIONS_MAX];
	struct poly_writer *writer;
	struct poly_error error;
	find_sections(&whole, sections);
	/* The first segment of a trace that differs in one address, which has as many bytes. */
	uint8_t *digit = (uint8_t *)strstr(buf_text(&text), "401a70");
	digit[5] = '1';
	struct buf other =
		convert(open_bytes(&text, "cis501", NULL, false), "ptz", "ptz.rows=4096", NULL);
	find_sections(&other, others);
	struct buf mixed = {0};
	buf_append(&mixed, other.data, others[2].offset);
	buf_append(
		&mixed, whole.data + sections[2].offset, whole.size - 16 - sections[2].offset);
	put_number(&mixed, mixed.size - sections[5].body - 32, 8);
	buf_append(&mixed, whole.data + whole.size - 8, 8);
	struct place place = make_place(mixed.data, mixed.size);
	struct poly_reader *reader = open_bytes(&piece, "cis501", NULL, false);
	assert_int_equal(open_append(&place, reader, &writer, &error), POLY_ERR_FORMAT);
	assert_non_null(strstr(error.message, "an index does not match the sections"));
	struct buf after = bytes_at(&place);
	expect_same(&after, &mixed);
	poly_reader_close(reader);
	unlink(place.path);
	buf_free(&after);
	buf_free(&mixed);
	buf_free(&other);
	buf_free(&whole);
	buf_free(&piece);
	buf_free(&text);
}

static void
an_abandoned_append_leaves_the_file_unchanged(void **state)
{
	(void)state;
	struct buf whole = long_packed(6), piece = long_text(9);
	struct place place = make_place(whole.data, whole.size);
	for (unsigned batches = 0; batches < 3; batches++) {
		struct poly_reader *reader = open_bytes(&piece, "cis501", NULL, false);
		struct poly_writer *writer;
		const struct poly_batch *batch;
		assert_int_equal(open_append(&place, reader, &writer, NULL), POLY_OK);
		assert_int_equal(poly_writer_existing_records(writer), 6000);
		for (unsigned i = 0; i < batches; i++) {
			assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
			assert_int_equal(poly_writer_write(writer, batch, NULL), POLY_OK);
		}
		/* Meanwhile what was there can be read. */
		struct poly_error error = {0};
		struct poly_reader *other;
		assert_int_equal(poly_reader_open(place.path, NULL, &other, NULL), POLY_OK);
		struct buf rows = list_rows(other, COLUMNS, &error);
		struct buf expected = rows_from(&whole, 0);
		assert_true(rows.size >= expected.size);
		assert_memory_equal(rows.data, expected.data, expected.size);
		buf_free(&rows);
		buf_free(&expected);
		poly_writer_close(writer);
		poly_reader_close(reader);
		struct buf file = bytes_at(&place);
		expect_same(&file, &whole);
		buf_free(&file);
	}
	unlink(place.path);
	buf_free(&whole);
	buf_free(&piece);
}

/* Appending a text of a format fails, and the file stays as it is. */
static void
expect_refused(const struct place *place, const char *text, const char *format,
	enum poly_status expected, const char *message)
{
	struct buf bytes = bytes_of(text), before = bytes_at(place);
	struct poly_reader *reader = open_bytes(&bytes, format, NULL, false);
	struct poly_writer *writer;
	struct poly_error error;
	const enum poly_status status = open_append(place, reader, &writer, &error);
	if (status != expected || !strstr(error.message, message))
		fail_msg("%d: %s, expected %s", status, error.message, message);
	assert_null(writer);
	struct buf after = bytes_at(place);
	expect_same(&after, &before);
	buf_free(&after);
	buf_free(&before);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
traces_with_other_metadata_are_refused(void **state)
{
	(void)state;
	struct buf text = bytes_of("1000 5\n1004 6\n");
	struct buf packed =
		convert(open_bytes(&text, "text:pc:hex,time", NULL, false), "ptz", NULL, NULL);
	struct place place = make_place(packed.data, packed.size);
	expect_refused(&place, "2 401000 0\n", "din", POLY_ERR_LOSS,
		"the format of the input is 'din', that of the packed trace is 'text'");
	expect_refused(
		&place, "1000 5\n", "text:pc:hex,address", POLY_ERR_LOSS, "cannot append: ");
	unlink(place.path);
	place = make_place(text.data, text.size);
	expect_refused(&place, "1000 5\n", "text:pc:hex,time", POLY_ERR_FORMAT,
		"does not start with the magic");
	unlink(place.path);
	expect_refused(&(struct place){"/tmp/."}, "1000 5\n", "text:pc:hex,time",
		POLY_ERR_USAGE, "not a regular file");
	buf_free(&text);
	buf_free(&packed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appended_pieces_equal_the_whole),
		cmocka_unit_test(a_file_without_its_end_is_truncated_to_complete_segments),
		cmocka_unit_test(ranges_of_unindexed_segments_are_recomputed),
		cmocka_unit_test(a_segment_without_its_bytes_is_removed_at_the_end_only),
		cmocka_unit_test(nothing_is_appended_to_other_sections_than_were_written),
		cmocka_unit_test(an_abandoned_append_leaves_the_file_unchanged),
		cmocka_unit_test(traces_with_other_metadata_are_refused),
	};
	need_library_in_all("xxhash");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
