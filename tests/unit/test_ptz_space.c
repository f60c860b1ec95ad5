/* SPDX-License-Identifier: MIT */
/* What the bytes of a packed trace are said to be taken by, against its fronts. */
#include "ptz_help.h"

/* What a file is said to consist of. */
struct told {
	enum poly_status status;
	struct poly_error error;
	struct poly_size_breakdown space;
	uint64_t packed, unpacked;	 /* of all items */
	uint64_t order, moving, address; /* packed: of some */
};

static struct told
ask(const struct buf *file, bool strict)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct told told = {.packed = 0};
	options.strict = strict;
	assert_int_equal(
		poly_reader_open_memory(file->data, file->size, &options, &reader, &told.error),
		POLY_OK);
	told.status = poly_reader_size_breakdown(reader, &told.space, &told.error);
	uint64_t before = UINT64_MAX;
	for (size_t i = 0; i < told.space.count; i++) {
		const struct poly_size_item *item = &told.space.items[i];
		const bool moves = strcmp(item->holds, "moving") == 0;
		assert_true(item->packed <= before);
		before = item->packed;
		told.packed += item->packed;
		told.unpacked += item->unpacked;
		told.order += strcmp(item->holds, "order") ? 0 : item->packed;
		told.moving += moves ? item->packed : 0;
		told.address += moves && item->column == POLY_COLUMN_address ? item->packed : 0;
	}
	assert_int_equal(poly_reader_next(reader, &batch, NULL),
		told.status == POLY_OK ? POLY_END : told.status);
	told.space.items = NULL;
	poly_reader_close(reader);
	return told;
}

static void
every_byte_is_in_one_item_of_the_right_kind(void **state)
{
	struct buf file = long_packed(15);
	struct part_at parts[PARTS_MOST];
	const size_t count = find_parts(&file, parts);
	uint64_t order = 0, moving = 0, more = 0, rows = 0, templates = 0;
	(void)state;
	for (size_t i = 1; i < count - 1; i++) {
		const uint8_t *front = file.data + parts[i].offset + 32;
		rows += load_le32(front + 8);
		templates += load_le32(front + 12);
		for (size_t at = 24; at < parts[i].front; at += 24) {
			const uint8_t role = front[at];
			const uint64_t packed = load_le32(front + at + 12);
			order += role == 5 ? packed : 0;
			moving += role == 8 || role == 9 ? packed : 0;
			more += load_le32(front + at + 8) - packed;
		}
	}
	const struct told told = ask(&file, true);
	assert_int_equal(told.status, POLY_OK);
	assert_true(told.space.is_complete);
	assert_int_equal(told.space.segments, count - 2);
	assert_int_equal(told.space.records, rows);
	assert_int_equal(told.space.templates, templates);
	assert_int_equal(told.packed, file.size);
	assert_int_equal(told.unpacked, file.size + more);
	assert_int_equal(told.order, order);
	assert_int_equal(told.moving, moving);
	/* Nothing else does in this trace. */
	assert_int_equal(told.address, moving);
	buf_free(&file);
}

static void
parts_that_nobody_knows_are_counted(void **state)
{
	struct buf file = long_packed(5), more = {0}, front = {0}, rest = {0};
	struct part_at parts[PARTS_MOST];
	const size_t count = find_parts(&file, parts);
	const size_t at = parts[1].offset, size = file.size;
	(void)state;
	assert_int_equal(count, 4);
	buf_string(&front, "front");
	buf_string(&rest, "and more");
	buf_append(&more, file.data, at);
	put_part(&more, "ELSE", &front, &rest);
	/* Without an index, whose places are wrong now. */
	buf_append(&more, file.data + at, parts[3].offset - at);
	const struct told told = ask(&more, false);
	assert_int_equal(told.status, POLY_OK);
	assert_false(told.space.is_complete);
	assert_int_equal(told.space.segments, 2);
	assert_int_equal(told.packed, more.size);
	/* A stream of a role to come. */
	file.data[at + 32 + 24] = 77;
	mend_part(file.data + at);
	store_number(file.data + parts[3].offset + 32 + parts[3].front - 8,
		chain_before(&file, parts, 3), 8);
	mend_part(file.data + parts[3].offset);
	assert_int_equal(ask(&file, true).packed, size);
	buf_free(&file);
	buf_free(&more);
	buf_free(&front);
	buf_free(&rest);
}

static void
a_file_cut_anywhere_tells_of_its_whole_parts(void **state)
{
	struct buf file = long_packed(5);
	struct part_at parts[PARTS_MOST];
	(void)state;
	find_parts(&file, parts);
	for (size_t size = parts[1].offset; size < file.size; size += 7) {
		const struct buf cut = {.data = file.data, .size = size};
		size_t whole = 0;
		while (whole < 3 && parts[whole + 1].offset <= size)
			whole++;
		if (parts[3].offset + 32 + parts[3].body <= size)
			whole = 4;
		const size_t end = whole == 4 ? file.size - 16 : (size_t)parts[whole].offset;
		const struct told told = ask(&cut, false), strict = ask(&cut, true);
		assert_int_equal(told.packed, end);
		assert_int_equal(told.space.segments, whole < 1	      ? 0
						      : whole - 1 < 2 ? whole - 1
								      : 2);
		assert_false(told.space.is_complete);
		assert_int_equal(told.status, POLY_OK);
		assert_int_equal(strict.status, POLY_ERR_FORMAT);
	}
	buf_free(&file);
}

static void
damage_is_found_in_heads_and_fronts_alone(void **state)
{
	struct buf file = long_packed(5);
	struct part_at parts[PARTS_MOST];
	(void)state;
	find_parts(&file, parts);
	const size_t streams = 32 + parts[2].front;
	for (size_t at = 0; at < 32 + parts[2].body; at += at < streams ? 1 : 97) {
		uint8_t *p = file.data + parts[2].offset + at;
		*p ^= 4;
		const struct told told = ask(&file, false);
		assert_int_equal(told.status, at < streams ? POLY_ERR_FORMAT : POLY_OK);
		assert_int_equal(told.packed, at < streams ? parts[2].offset : file.size);
		if (at < streams) {
			assert_int_equal(told.error.offset, parts[2].offset);
			assert_int_equal(told.error.record, 4097);
		}
		*p ^= 4;
	}
	buf_free(&file);
}

static void
other_traces_and_readers_that_have_begun_are_refused(void **state)
{
	struct buf file = long_packed(5), text = long_text(1);
	const struct poly_batch *batch;
	struct poly_size_breakdown space;
	struct poly_error error;
	(void)state;
	struct poly_reader *reader = open_bytes(&text, "cis501", NULL, false);
	assert_int_equal(poly_reader_size_breakdown(reader, &space, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "no size breakdown of format 'cis501' (expected a packed trace)");
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
		cmocka_unit_test(parts_that_nobody_knows_are_counted),
		cmocka_unit_test(a_file_cut_anywhere_tells_of_its_whole_parts),
		cmocka_unit_test(damage_is_found_in_heads_and_fronts_alone),
		cmocka_unit_test(other_traces_and_readers_that_have_begun_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
