/* SPDX-License-Identifier: MIT */
/* The size breakdown of a packed trace, compared with its fronts. */
#include "ptz_help.h"

/* Size breakdown of a file. */
struct breakdown {
	enum poly_status status;
	struct poly_error error;
	struct poly_size_breakdown space;
	uint64_t packed, unpacked;	  /* of all items */
	uint64_t order, varying, address; /* packed: of some */
};

static struct breakdown
measure(const struct buf *file, bool strict)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct breakdown breakdown = {.packed = 0};
	options.strict = strict;
	assert_int_equal(poly_reader_open_memory(
				 file->data, file->size, &options, &reader, &breakdown.error),
		POLY_OK);
	breakdown.status =
		poly_reader_size_breakdown(reader, &breakdown.space, &breakdown.error);
	uint64_t before = UINT64_MAX;
	for (size_t i = 0; i < breakdown.space.count; i++) {
		const struct poly_size_item *item = &breakdown.space.items[i];
		const bool varies = strcmp(item->holds, "varying") == 0;
		assert_true(item->packed <= before);
		before = item->packed;
		breakdown.packed += item->packed;
		breakdown.unpacked += item->unpacked;
		breakdown.order += strcmp(item->holds, "order") ? 0 : item->packed;
		breakdown.varying += varies ? item->packed : 0;
		breakdown.address +=
			varies && item->column == POLY_COLUMN_address ? item->packed : 0;
	}
	assert_int_equal(poly_reader_next(reader, &batch, NULL),
		breakdown.status == POLY_OK ? POLY_END : breakdown.status);
	breakdown.space.items = NULL;
	poly_reader_close(reader);
	return breakdown;
}

static void
every_byte_is_in_one_item_of_the_right_kind(void **state)
{
	struct buf file = long_packed(15);
	struct section_at sections[SECTIONS_MAX];
	const size_t count = find_sections(&file, sections);
	uint64_t order = 0, varying = 0, more = 0, rows = 0, templates = 0;
	(void)state;
	for (size_t i = 1; i < count - 1; i++) {
		const uint8_t *front = file.data + sections[i].offset + 32;
		rows += load_le32(front + 8);
		templates += load_le32(front + 12);
		for (size_t at = 24; at < sections[i].front; at += 24) {
			const uint8_t role = front[at];
			const uint64_t packed = load_le32(front + at + 12);
			order += role == 5 ? packed : 0;
			varying += role == 8 || role == 9 ? packed : 0;
			more += load_le32(front + at + 8) - packed;
		}
	}
	const struct breakdown breakdown = measure(&file, true);
	assert_int_equal(breakdown.status, POLY_OK);
	assert_true(breakdown.space.is_complete);
	assert_int_equal(breakdown.space.segments, count - 2);
	assert_int_equal(breakdown.space.records, rows);
	assert_int_equal(breakdown.space.templates, templates);
	assert_int_equal(breakdown.packed, file.size);
	assert_int_equal(breakdown.unpacked, file.size + more);
	assert_int_equal(breakdown.order, order);
	assert_int_equal(breakdown.varying, varying);
	/* Nothing else does in this trace. */
	assert_int_equal(breakdown.address, varying);
	buf_free(&file);
}

static void
unknown_sections_are_counted(void **state)
{
	struct buf file = long_packed(5), more = {0}, front = {0}, rest = {0};
	struct section_at sections[SECTIONS_MAX];
	const size_t count = find_sections(&file, sections);
	const size_t at = sections[1].offset, size = file.size;
	(void)state;
	assert_int_equal(count, 4);
	buf_string(&front, "front");
	buf_string(&rest, "and more");
	buf_append(&more, file.data, at);
	put_section(&more, "eLSE", &front, &rest);
	/* Without an index, whose places are wrong now. */
	buf_append(&more, file.data + at, sections[3].offset - at);
	const struct breakdown breakdown = measure(&more, false);
	assert_int_equal(breakdown.status, POLY_OK);
	assert_false(breakdown.space.is_complete);
	assert_int_equal(breakdown.space.segments, 2);
	assert_int_equal(breakdown.packed, more.size);
	/* A stream of a role to come. */
	file.data[at + 32 + 24] = 77;
	mend_section(file.data + at);
	store_number(file.data + sections[3].offset + 32 + sections[3].front - 8,
		chain_before(&file, sections[3].offset), 8);
	mend_section(file.data + sections[3].offset);
	assert_int_equal(measure(&file, true).packed, size);
	buf_free(&file);
	buf_free(&more);
	buf_free(&front);
	buf_free(&rest);
}

static void
a_file_truncated_anywhere_reports_its_complete_sections(void **state)
{
	struct buf file = long_packed(5);
	struct section_at sections[SECTIONS_MAX];
	(void)state;
	const size_t count = find_all_sections(&file, sections);
	for (size_t size = sections[1].offset; size < file.size; size += 7) {
		const struct buf cut = {.data = file.data, .size = size};
		size_t whole = 0, segments = 0, end = 0;
		while (whole < count && sections[whole].offset + sections[whole].size <= size) {
			end = sections[whole].offset + sections[whole].size;
			segments += strcmp(sections[whole++].tag, "SEGM") == 0;
		}
		const struct breakdown breakdown = measure(&cut, false),
				       strict = measure(&cut, true);
		assert_int_equal(breakdown.packed, end);
		assert_int_equal(breakdown.space.segments, segments);
		assert_false(breakdown.space.is_complete);
		assert_int_equal(breakdown.status, POLY_OK);
		assert_int_equal(strict.status, POLY_ERR_TRUNCATED);
	}
	buf_free(&file);
}

static void
corrupt_data_are_detected_in_headers_and_fronts_only(void **state)
{
	struct buf file = long_packed(5);
	struct section_at sections[SECTIONS_MAX];
	(void)state;
	find_sections(&file, sections);
	const size_t streams = 32 + sections[2].front;
	for (size_t at = 0; at < 32 + sections[2].body; at += at < streams ? 1 : 97) {
		uint8_t *p = file.data + sections[2].offset + at;
		*p ^= 4;
		const struct breakdown breakdown = measure(&file, false);
		assert_int_equal(breakdown.status, at < streams ? POLY_ERR_FORMAT : POLY_OK);
		assert_int_equal(
			breakdown.packed, at < streams ? sections[2].offset : file.size);
		if (at < streams) {
			assert_int_equal(breakdown.error.offset, sections[2].offset);
			assert_int_equal(breakdown.error.record, 4097);
		}
		*p ^= 4;
	}
	buf_free(&file);
}

static void
other_traces_and_started_readers_are_refused(void **state)
{
	struct buf file = long_packed(5), text = long_text(1);
	const struct poly_batch *batch;
	struct poly_size_breakdown space;
	struct poly_error error;
	(void)state;
	struct poly_reader *reader = open_bytes(&text, "cis501", NULL, false);
	assert_int_equal(poly_reader_size_breakdown(reader, &space, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message,
		"no size breakdown of format 'cis501' (expected a packed trace)");
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	poly_reader_close(reader);
	reader = open_bytes(&file, "ptz", NULL, false);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(poly_reader_size_breakdown(reader, &space, &error), POLY_ERR_USAGE);
	assert_int_equal(space.count, 0);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	poly_reader_close(reader);
	buf_free(&file);
	buf_free(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_in_one_item_of_the_right_kind),
		cmocka_unit_test(unknown_sections_are_counted),
		cmocka_unit_test(a_file_truncated_anywhere_reports_its_complete_sections),
		cmocka_unit_test(corrupt_data_are_detected_in_headers_and_fronts_only),
		cmocka_unit_test(other_traces_and_started_readers_are_refused),
	};
	need_library_in_all("xxhash");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
