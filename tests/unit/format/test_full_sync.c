/* SPDX-License-Identifier: MIT */
/* Synchronisation records between the records of FULL traces. */
#include "full_help.h"

static void
put_escape(struct buf *out, const struct shape *shape, uint32_t word, uint32_t n)
{
	put32(out, shape, word);
	put32(out, shape, 0x2000 + n);
	put32(out, shape, n);
}

/* Records 0 to 3, three escapes, records from to 40, one escape. */
static struct buf
pack_escapes(const struct shape *shape, const struct listed *list, size_t from)
{
	struct buf out = pack(shape, list, 4);
	put_escape(&out, shape, 0x00200002, 1);
	put_escape(&out, shape, 0x00210002, 2);
	put_escape(&out, shape, 0x00300002, 3);
	for (size_t i = from; i < 40; i++)
		put_record(&out, shape, list[i].op, &list[i + shape->post]);
	put_escape(&out, shape, 0x00310002, 4);
	return out;
}

/* The synchronisation rows of a trace as digits of enum poly_sync + 1, others as 0. */
static void
read_kinds(struct poly_reader *reader, char kinds[100])
{
	const struct poly_batch *batch;
	size_t n = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows && n < 99; row++) {
			bool sync = poly_present(batch, POLY_COLUMN_sync, row);
			kinds[n++] = sync ? (char)('1' + batch->sync[row]) : '0';
			if (!sync)
				continue;
			unsigned number = batch->sync[row] + 1u;
			static const unsigned codes[] = {0x20, 0x21, 0x30, 0x31};
			assert_int_equal(batch->kind[row], POLY_KIND_SYNC);
			assert_int_equal(batch->escape[row], codes[number - 1]);
			assert_int_equal(batch->address[row], 0x2000 + number);
			assert_int_equal(batch->value[row], number);
		}
	}
	kinds[n] = 0;
}

static void
synchronisation_between_records_is_read(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	for (unsigned i = 0; i < 20; i++) {
		struct shape shape = {sizes[i % 5], i / 5 % 2, i / 10};
		struct buf bytes = pack_escapes(&shape, list, 4);
		struct poly_reader *reader = open_trace(&bytes, NULL, false, false);
		char kinds[100];
		assert_fact(reader, "amber.state", shape.post ? "post" : "pre");
		read_kinds(reader, kinds);
		assert_string_equal(kinds, "00001230000000000000000000000000000000000004");
		poly_reader_close(reader);
		assert_rewritten(&bytes, NULL, false);
		buf_free(&bytes);
	}
	free(list);
}

/* Enough that the record after them is out of reach. */
static void
a_long_run_of_synchronisation_is_read(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1004, false, false};
	struct buf bytes = pack(&shape, list, 4), rest = pack(&shape, list + 4, 20);
	for (uint32_t i = 0; i < 200; i++)
		put_escape(&bytes, &shape, 0x00200002, i);
	buf_append(&bytes, rest.data + 4, rest.size - 4);
	size_t count = 0;
	const struct poly_batch *batch;
	struct poly_reader *reader = open_trace(&bytes, NULL, false, false);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			count += poly_present(batch, POLY_COLUMN_sync, row);
	}
	assert_int_equal(count, 200);
	poly_reader_close(reader);
	assert_rewritten(&bytes, NULL, false);
	buf_free(&bytes);
	buf_free(&rest);
	free(list);
}

static void
synchronisation_is_not_detected_if_the_flow_does_not_continue(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1004, false, false};
	struct buf good = pack_escapes(&shape, list, 4), bad = pack_escapes(&shape, list, 20);
	char kinds[100];
	struct poly_reader *reader = open_trace(&bad, "amber.record=1004", false, true);
	read_kinds(reader, kinds);
	assert_null(strpbrk(kinds, "123"));
	poly_reader_close(reader);
	assert_rewritten(&bad, "amber.record=1004", true);
	const char *off[] = {"amber.record=1004", "amber.full-escapes=0", NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.options = off;
	reader = open_memory(&good, &options);
	read_kinds(reader, kinds);
	assert_null(strpbrk(kinds, "1234"));
	poly_reader_close(reader);
	buf_free(&good);
	buf_free(&bad);
	free(list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synchronisation_between_records_is_read),
		cmocka_unit_test(a_long_run_of_synchronisation_is_read),
		cmocka_unit_test(synchronisation_is_not_detected_if_the_flow_does_not_continue),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
