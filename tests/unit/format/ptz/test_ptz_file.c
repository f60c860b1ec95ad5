/* SPDX-License-Identifier: MIT */
/* Packed traces of several segments: corrupt data, truncation, and skipped records. */
#include "ptz_help.h"

#include <unistd.h>

#define COLUMNS PTZ_COLUMNS

/* Returns the first rows, in several segments. */
static struct whole
make_whole(unsigned thousands)
{
	struct whole whole = {0};
	struct buf text = long_text(thousands);
	whole.file = long_packed(thousands);
	whole.count = find_sections(&whole.file, whole.sections);
	whole.rows = list_rows(open_bytes(&text, "cis501", NULL, false), COLUMNS, NULL);
	buf_free(&text);
	assert_true(whole.count >= 5);
	return whole;
}

/* The rows of a file are all those from one on, up to one. */
static void
expect_from(struct poly_reader *reader, const struct buf *all, uint64_t first, uint64_t end)
{
	struct poly_error error = {0};
	struct buf rows = list_rows(reader, COLUMNS, &error);
	if (error.status && error.status != POLY_ERR_TRUNCATED &&
		!strstr(error.message, "the index does not match"))
		fail_msg("%s", error.message);
	const size_t from = line_of(all, first), to = line_of(all, end);
	assert_int_equal(rows.size, to - from);
	if (rows.size)
		assert_memory_equal(rows.data, all->data + from, rows.size);
	buf_free(&rows);
}

static void
a_flipped_bit_in_any_byte_is_detected(void **state)
{
	(void)state;
	struct buf file = load_sample("ptz/altivec.ptz");
	for (size_t at = 0; at < file.size; at++) {
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		struct poly_reader *reader = NULL;
		const struct poly_batch *batch;
		options.format = "ptz";
		options.strict = true;
		file.data[at] ^= (uint8_t)(1 << at % 8);
		enum poly_status status =
			poly_reader_open_memory(file.data, file.size, &options, &reader, NULL);
		while (status == POLY_OK)
			status = poly_reader_next(reader, &batch, NULL);
		if (status == POLY_END)
			fail_msg("the change of byte %zu was not detected", at);
		poly_reader_close(reader);
		file.data[at] ^= (uint8_t)(1 << at % 8);
	}
	buf_free(&file);
}

/* Damages a byte of the second segment, and reads. */
static void
expect_corrupt(struct whole *whole, size_t at, const char *message)
{
	struct poly_error error = {0};
	struct poly_reader_counts counts;
	const size_t corrupt = 2, place = whole->sections[corrupt].offset + at;
	const uint64_t before = rows_before(whole, corrupt),
		       resumed = before + rows_of(whole, corrupt);
	/* Without its parity the segment is lost. */
	uint8_t *parity = whole->file.data + whole->sections[corrupt].offset + 32 +
			  whole->sections[corrupt].body + 32;
	*parity ^= 1;
	whole->file.data[place] ^= 0x10;
	struct buf rows =
		list_rows(open_bytes(&whole->file, NULL, NULL, false), COLUMNS, &error);
	assert_int_equal(error.status, POLY_ERR_FORMAT);
	if (!strstr(error.message, message))
		fail_msg("%s, expected %s", error.message, message);
	assert_int_equal(error.offset, whole->sections[corrupt].offset);
	assert_int_equal(rows.size, line_of(&whole->rows, before));
	buf_free(&rows);
	struct poly_reader *reader = open_bytes(&whole->file, NULL, NULL, true);
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		list_batch(batch, COLUMNS, &rows);
	poly_reader_count(reader, &counts);
	assert_int_equal(counts.skipped_places, 1);
	poly_reader_close(reader);
	const size_t front = line_of(&whole->rows, before),
		     back = line_of(&whole->rows, resumed);
	const size_t rest = whole->rows.size - back;
	assert_memory_equal(rows.data, whole->rows.data, front);
	assert_true(rows.size > front + rest);
	assert_memory_equal(rows.data + rows.size - rest, whole->rows.data + back, rest);
	assert_string_equal(buf_text(&rows) + front, rows.data + front);
	assert_memory_equal(rows.data + front, "- - - - -\n", 10);
	buf_free(&rows);
	*parity ^= 1;
	whole->file.data[place] ^= 0x10;
}

static void
corrupt_data_are_reported_with_segment_and_stream_and_the_other_segments_are_read(void **state)
{
	(void)state;
	static const char *const roles[] = {"names", "shapes", "template shapes", "followers",
		"starts", "blocks", "static", "static bytes", "dynamic", "dynamic bytes"};
	struct whole whole = make_whole(15);
	const uint8_t *segment = whole.file.data + whole.sections[2].offset;
	size_t at = 32 + whole.sections[2].front;
	assert_string_equal(whole.sections[2].tag, "SEGM");
	const uint32_t streams = load_le32(segment + 32 + 16);
	assert_true(streams > 10);
	for (uint32_t i = 0; i < streams; i++) {
		const uint8_t *stream = segment + 32 + 24 + 24 * i;
		char message[100];
		snprintf(message, sizeof message, "segment 2: stream '%s' %s", roles[*stream],
			*stream < 6 ? "is corrupt" : "of column '");
		expect_corrupt(&whole, at, message);
		at += load_le32(stream + 12);
	}
	expect_corrupt(&whole, 0, "the section after segment 1 is corrupt: its header");
	expect_corrupt(&whole, 31, "the section after segment 1 is corrupt");
	expect_corrupt(&whole, 40, "the section after segment 1 is corrupt: its front");
	free_whole(&whole);
}

static void
a_corrupt_stream_that_is_not_selected_does_no_harm(void **state)
{
	(void)state;
	struct whole whole = make_whole(15);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct section_at *section = &whole.sections[1];
	uint8_t *segment = whole.file.data + section->offset,
		*at = segment + 32 + section->front;
	for (uint32_t i = 0; i < load_le32(segment + 32 + 16); i++) {
		const uint8_t *stream = segment + 32 + 24 + 24 * i;
		if (*stream == 8 && stream[1] == POLY_COLUMN_address)
			*at ^= 1;
		at += load_le32(stream + 12);
	}
	options.columns = POLY_COLUMNS(pc);
	reader = open_memory(&whole.file, &options);
	struct buf rows = list_rows(reader, "pc", NULL);
	struct buf text = long_text(15);
	struct buf expected = list_rows(open_bytes(&text, "cis501", NULL, false), "pc", NULL);
	expect_same(&rows, &expected);
	buf_free(&rows);
	buf_free(&text);
	buf_free(&expected);
	free_whole(&whole);
}

/* Opens a reader that skips records at the start. */
static struct poly_reader *
open_append(const struct buf *file, uint64_t skip, bool tolerant)
{
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.skip = skip;
	options.skip_errors = tolerant;
	if (poly_reader_open_memory(file->data, file->size, &options, &reader, &error) !=
		POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

static void
skipped_records_are_the_same_with_an_index_and_without(void **state)
{
	(void)state;
	struct whole whole = make_whole(15);
	struct buf cut = whole.file;
	cut.size = whole.sections[whole.count - 1].offset;
	for (size_t section = 1; section + 1 < whole.count; section++) {
		const uint64_t first = rows_before(&whole, section);
		const uint64_t skips[] = {first ? first - 1 : 0, first, first + 1, first + 99};
		for (size_t i = 0; i < 4; i++) {
			expect_from(open_append(&whole.file, skips[i], false), &whole.rows,
				skips[i], 15000);
			expect_from(open_append(&cut, skips[i], false), &whole.rows, skips[i],
				15000);
		}
	}
	expect_from(open_append(&whole.file, 15000, false), &whole.rows, 15000, 15000);
	expect_from(open_append(&cut, 15000, false), &whole.rows, 15000, 15000);
	expect_from(open_append(&whole.file, UINT64_MAX, false), &whole.rows, 15000, 15000);
	free_whole(&whole);
}

/* Makes garbage of all segments but one, or of their streams alone. */
static void
spoil(struct whole *whole, size_t kept, bool streams)
{
	for (size_t section = 1; section + 1 < whole->count; section++) {
		const struct section_at *item = &whole->sections[section];
		const size_t from = streams ? 32 + item->front : 0;
		if (section != kept)
			memset(whole->file.data + item->offset + from, 0xaa,
				32 + item->body - from);
	}
}

static void
skipped_segments_are_not_read(void **state)
{
	(void)state;
	for (unsigned has_index = 0; has_index < 2; has_index++) {
		struct whole whole = make_whole(15);
		const size_t kept = 3;
		const uint64_t first = rows_before(&whole, kept), rows = rows_of(&whole, kept);
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		spoil(&whole, kept, !has_index);
		if (!has_index)
			whole.file.size = whole.sections[whole.count - 1].offset;
		options.skip = first + 10;
		options.count = rows - 10;
		struct poly_reader *reader = open_memory(&whole.file, &options);
		expect_from(reader, &whole.rows, first + 10, first + rows);
		free_whole(&whole);
	}
}

static void
a_file_on_disk_is_read_at_its_end_and_at_the_record(void **state)
{
	(void)state;
	struct whole whole = make_whole(15);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const size_t kept = 2;
	const uint64_t first = rows_before(&whole, kept), rows = rows_of(&whole, kept);
	char path[] = "/tmp/polytrace-ptz-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	spoil(&whole, kept, false);
	assert_int_equal(
		write(file, whole.file.data, whole.file.size), (ssize_t)whole.file.size);
	close(file);
	options.skip = first;
	options.count = rows;
	options.block_size = 512;
	assert_int_equal(poly_reader_open(path, &options, &reader, NULL), POLY_OK);
	expect_from(reader, &whole.rows, first, first + rows);
	unlink(path);
	free_whole(&whole);
}

static void
a_wrong_index_is_rejected(void **state)
{
	(void)state;
	struct whole whole = make_whole(15);
	const struct section_at *section = &whole.sections[whole.count - 1];
	uint8_t *index = whole.file.data + section->offset;
	const size_t entry = 24 + 3 * 16;
	const struct {
		size_t at;
		uint64_t value;
	} cases[] = {
		{24 + entry, whole.sections[1].offset}, /* the first segment as the second */
		{24 + entry, UINT64_MAX - 5},
		{24 + entry, whole.sections[1].offset + 1},
		{24 + entry + 8, 0},
		{24 + entry + 8, 3},
		{0, section->offset}, /* the index before it is itself */
		{8, 0},		      /* no segments, or ranges */
		{8, UINT64_MAX},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t *at = index + 32 + cases[i].at;
		const uint64_t was = load_le64(at), skip = rows_before(&whole, 2) + 5;
		store_number(at, cases[i].value, 8);
		mend_section(index);
		expect_from(open_append(&whole.file, skip, false), &whole.rows, skip, 15000);
		store_number(at, was, 8);
	}
	free_whole(&whole);
}

/* Minimum and maximum of a column. */
struct bounds {
	uint64_t min, max;
};

/* Widens bounds by the present values of a batch. */
static void
widen_bounds(struct bounds *bounds, const struct poly_batch *batch, enum poly_column column)
{
	for (size_t row = 0; row < batch->rows; row++) {
		if (!poly_present(batch, column, row))
			continue;
		const uint64_t v = poly_batch_integer(batch, column, row);
		bounds->min = v < bounds->min ? v : bounds->min;
		bounds->max = v > bounds->max ? v : bounds->max;
	}
}

static void
the_index_has_minimum_and_maximum_values(void **state)
{
	(void)state;
	struct whole whole = make_whole(15);
	const uint8_t *entry =
		whole.file.data + whole.sections[whole.count - 1].offset + 32 + 24;
	struct poly_reader *reader = open_bytes(&whole.file, NULL, NULL, false);
	const struct poly_batch *batch;
	struct bounds pc = {UINT64_MAX, 0}, address = {UINT64_MAX, 0};
	/* Batches do not go beyond segments. */
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		widen_bounds(&pc, batch, POLY_COLUMN_pc);
		widen_bounds(&address, batch, POLY_COLUMN_address);
		if (batch->first + batch->rows < load_le64(entry + 8) + load_le64(entry + 16))
			continue;
		assert_true(load_le64(entry + 24) == UINT64_MAX);
		assert_true(load_le64(entry + 32) == 0);
		assert_true(load_le64(entry + 40) == pc.min);
		assert_true(load_le64(entry + 48) == pc.max);
		assert_true(load_le64(entry + 56) == address.min);
		assert_true(load_le64(entry + 64) == address.max);
		pc = address = (struct bounds){UINT64_MAX, 0};
		entry += 24 + 3 * 16;
	}
	poly_reader_close(reader);
	/* The copy of the head, the chain, and the end. */
	assert_ptr_equal(entry + 16 + 8 + 8 + 16, whole.file.data + whole.file.size);
	free_whole(&whole);
}

static void
many_segments_have_several_indexes_each_found_by_the_next(void **state)
{
	(void)state;
	struct buf text = {0};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	for (unsigned i = 0; i < 600; i++)
		buf_printf(&text, "r %08x 4\n", 0x1000 + i);
	options.format = "din";
	struct poly_reader *reader = open_memory(&text, &options);
	struct buf file = convert(reader, "ptz", "ptz.rows=1", NULL);
	/* Without an index the first segment cannot be skipped. */
	struct section_at sections[SECTIONS_MAX];
	find_sections(&file, sections);
	memset(file.data + sections[1].offset, 0, 32);
	for (uint64_t skip = 1; skip < 600; skip += skip == 1 ? 254 : 1) {
		char expected[16];
		options = (struct poly_read_options)POLY_READ_OPTIONS_INIT;
		options.skip = skip;
		options.count = 1;
		reader = open_memory(&file, &options);
		struct buf rows = list_rows(reader, "address", NULL);
		snprintf(expected, sizeof expected, "0x%x\n", 0x1000 + (unsigned)skip);
		assert_string_equal(buf_text(&rows), expected);
		buf_free(&rows);
	}
	buf_free(&file);
	buf_free(&text);
}

/* Lets an index without segments begin in the last range of the index. */
static void
overlap_indexes(struct whole *whole)
{
	const struct section_at *section = &whole->sections[whole->count - 1];
	struct buf *file = &whole->file, front = {0};
	file->size -= 16 + 16;
	const uint64_t last = file->size;
	put_number(&front, section->offset, 8);
	put_number(&front, 0, 8);
	put_number(&front, 0, 8);
	put_number(&front, 0, 8);
	put_number(&front, chain_before(file, last), 8);
	put_section(file, "INDX", &front, NULL);
	mend_section(file->data + section->offset);
	put_number(file, last, 8);
	buf_append(file, "PTZ\x89\n\x1a\r\n", 8);
	buf_free(&front);
}

static void
overlapping_indexes_are_rejected(void **state)
{
	(void)state;
	for (unsigned overlap = 0; overlap < 2; overlap++) {
		struct whole whole = make_whole(15);
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		const struct poly_batch *batch;
		if (overlap)
			overlap_indexes(&whole);
		/* Without an index the first segment cannot be skipped. */
		memset(whole.file.data + whole.sections[1].offset, 0, 32);
		options.skip = rows_before(&whole, 2);
		options.count = 1;
		struct poly_reader *reader = open_memory(&whole.file, &options);
		assert_int_equal(poly_reader_next(reader, &batch, NULL),
			overlap ? POLY_ERR_FORMAT : POLY_OK);
		poly_reader_close(reader);
		free_whole(&whole);
	}
}

/* Starts an analysis of a packed trace, after some warm-up records. */
static struct poly_stats *
begin_stats(const char *name, uint64_t warmup, const struct poly_reader *reader)
{
	const char *names[] = {name, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	options.analyses = names;
	options.warmup = warmup;
	assert_int_equal(poly_stats_new(&options, &stats, NULL), POLY_OK);
	assert_int_equal(poly_stats_begin(stats, poly_reader_info(reader), NULL), POLY_OK);
	return stats;
}

static void
weighted_records_are_refused_if_their_order_matters(void **state)
{
	(void)state;
	struct buf file = load_sample("ptz/altivec.ptz");
	struct poly_reader *reader = open_bytes(&file, NULL, NULL, false);
	struct poly_stats *mix = begin_stats("mix", 0, reader),
			  *later = begin_stats("mix", 1, reader),
			  *flow = begin_stats("flow", 0, reader);
	const struct poly_batch *batch;
	struct poly_error error;
	assert_true(poly_stats_accepts_weights(mix));
	assert_false(poly_stats_accepts_weights(later));
	assert_false(poly_stats_accepts_weights(flow));
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_stats_columns(mix),
			.weights = true},
		NULL);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_non_null(poly_batch_weights(batch));
	assert_int_equal(poly_stats_update(mix, batch, NULL), POLY_OK);
	assert_int_equal(poly_stats_update(later, batch, &error), POLY_ERR_USAGE);
	assert_int_equal(poly_stats_update(flow, batch, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "weighted rows, expected one row per record");
	poly_stats_free(mix);
	poly_stats_free(later);
	poly_stats_free(flow);
	poly_reader_close(reader);
	buf_free(&file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flipped_bit_in_any_byte_is_detected),
		cmocka_unit_test(
			corrupt_data_are_reported_with_segment_and_stream_and_the_other_segments_are_read),
		cmocka_unit_test(a_corrupt_stream_that_is_not_selected_does_no_harm),
		cmocka_unit_test(skipped_records_are_the_same_with_an_index_and_without),
		cmocka_unit_test(skipped_segments_are_not_read),
		cmocka_unit_test(a_file_on_disk_is_read_at_its_end_and_at_the_record),
		cmocka_unit_test(a_wrong_index_is_rejected),
		cmocka_unit_test(the_index_has_minimum_and_maximum_values),
		cmocka_unit_test(many_segments_have_several_indexes_each_found_by_the_next),
		cmocka_unit_test(overlapping_indexes_are_rejected),
		cmocka_unit_test(weighted_records_are_refused_if_their_order_matters),
	};
	need_library_in_all("xxhash");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
