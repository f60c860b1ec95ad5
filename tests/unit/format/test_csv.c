/* SPDX-License-Identifier: MIT */
/* CSV against RFC 4180, for each kind of value. */
#include "test_help.h"

#include "base/bits.h"
#include "model/batch.h"
#include "model/info.h"

struct fixture {
	struct info info;
	struct batch batch;
	struct buf out;
};

static void
fixture_init(struct fixture *fixture, poly_columns source)
{
	static const char *const records[] = {"plain", "a,b"};
	memset(fixture, 0, sizeof *fixture);
	info_init(&fixture->info);
	fixture->info.view.format = "made";
	fixture->info.view.records = records;
	fixture->info.view.record_count = 2;
	fixture->info.view.columns = source;
	assert_int_equal(batch_init(&fixture->batch, POLY_ALL_COLUMNS, POLY_BATCH_ROWS,
				 &fixture->info.view, NULL),
		POLY_OK);
}

static void
fixture_fini(struct fixture *fixture)
{
	batch_fini(&fixture->batch);
	info_fini(&fixture->info);
	buf_free(&fixture->out);
}

/* The rows of the batch as CSV, with count columns of order first; or order is NULL. */
static const char *
written_in_order(struct fixture *fixture, poly_columns columns, const enum poly_column *order,
	size_t count)
{
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_sink sink = {collect, &fixture->out};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = "csv";
	options.columns = columns;
	options.order = order;
	options.order_count = count;
	buf_clear(&fixture->out);
	assert_int_equal(batch_finish(&fixture->batch, NULL), POLY_OK);
	assert_int_equal(
		poly_writer_open_sink(&sink, &fixture->info.view, &options, &writer, &error),
		POLY_OK);
	assert_int_equal(poly_writer_write(writer, &fixture->batch.view, NULL), POLY_OK);
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	poly_writer_close(writer);
	return buf_text(&fixture->out);
}

static const char *
written(struct fixture *fixture, poly_columns columns)
{
	return written_in_order(fixture, columns, NULL, 0);
}

static void
put_text(struct fixture *fixture, size_t row, const char *text)
{
	batch_put_bytes(&fixture->batch, POLY_COLUMN_text, row, text, strlen(text));
}

static void
every_form_has_its_text(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, POLY_COLUMNS(kind, record, time, pc, reg, immediate, executed, payload,
				 raw, origin));
	f.batch.view.rows = 3;
	batch_put(&f.batch, kind, 0, POLY_KIND_SYNC);
	batch_put(&f.batch, record, 0, 1);
	batch_put(&f.batch, time, 0, UINT64_MAX);
	batch_put(&f.batch, pc, 0, 0);
	batch_put(&f.batch, reg, 0, info_name(&f.info, "r\"1", 3));
	batch_put(&f.batch, immediate, 0, INT64_MIN);
	batch_put(&f.batch, executed, 0, 0);
	batch_put_bytes(&f.batch, POLY_COLUMN_payload, 0, "\x00\xfe", 2);
	batch_put_bytes(&f.batch, POLY_COLUMN_raw, 0, "x", 1);
	batch_put(&f.batch, record, 2, 0);
	batch_put(&f.batch, pc, 2, UINT64_MAX);
	batch_put(&f.batch, executed, 2, 1);
	batch_put_bytes(&f.batch, POLY_COLUMN_payload, 2, "", 0);
	assert_string_equal(written(&f, POLY_ALL_COLUMNS),
		"kind,record,time,pc,reg,immediate,executed,payload\n"
		"sync,\"a,b\",18446744073709551615,0x0,\"r\"\"1\",-9223372036854775808,false,"
		"00fe\n"
		",,,,,,,\n"
		",plain,,0xffffffffffffffff,,,true,\"\"\n");
	fixture_fini(&f);
}

static void
text_is_quoted_if_necessary(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, POLY_COLUMNS(size, text));
	f.batch.view.rows = 7;
	put_text(&f, 0, "plain text; 'so'");
	put_text(&f, 1, "");
	put_text(&f, 2, "a,b");
	put_text(&f, 3, "\"");
	put_text(&f, 4, "a\nb\r");
	put_text(&f, 5, "\xff\x80");
	batch_put(&f.batch, size, 6, 8);
	assert_string_equal(written(&f, POLY_ALL_COLUMNS), "size,text\n"
							   ",plain text; 'so'\n"
							   ",\"\"\n"
							   ",\"a,b\"\n"
							   ",\"\"\"\"\n"
							   ",\"a\nb\r\"\n"
							   ",\xff\x80\n"
							   "8,\n");
	fixture_fini(&f);
}

static void
requested_columns_are_written_even_if_the_source_lacks_them(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, POLY_COLUMNS(pc, size, raw, origin));
	f.batch.view.rows = 1;
	batch_put(&f.batch, pc, 0, 4);
	batch_put(&f.batch, size, 0, 2);
	batch_put(&f.batch, origin, 0, 99);
	batch_put_bytes(&f.batch, POLY_COLUMN_raw, 0, "A", 1);
	assert_string_equal(written(&f, POLY_ALL_COLUMNS), "pc,size\n0x4,2\n");
	assert_string_equal(written(&f, POLY_COLUMNS_EXCEPT(origin, site)), "pc,size\n0x4,2\n");
	assert_string_equal(
		written(&f, POLY_COLUMNS(origin, raw, time)), "time,raw,origin\n,41,99\n");
	fixture_fini(&f);
}

static void
row_is_the_number_of_the_record(void **state)
{
	(void)state;
	static const enum poly_column order[] = {POLY_COLUMN_size, POLY_COLUMN_row};
	static const uint32_t picked[] = {0, 6};
	struct fixture f;
	fixture_init(&f, POLY_COLUMNS(pc, size));
	f.batch.view.rows = 2;
	f.batch.view.first = 10;
	f.batch.view.picked = picked;
	batch_put(&f.batch, pc, 0, 4);
	batch_put(&f.batch, size, 1, 2);
	assert_string_equal(written(&f, POLY_ALL_COLUMNS), "pc,size\n0x4,\n,2\n");
	assert_string_equal(
		written(&f, poly_columns_union(POLY_ALL_COLUMNS, POLY_COLUMNS(row))),
		"row,pc,size\n11,0x4,\n17,,2\n");
	assert_string_equal(written(&f, POLY_COLUMNS(row)), "row\n11\n17\n");
	assert_string_equal(written_in_order(&f, POLY_COLUMNS(pc, size, row), order, 2),
		"size,row,pc\n,11,0x4\n2,17,\n");
	fixture_fini(&f);
}

static void
a_row_of_one_absent_value_is_not_a_blank_line(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, POLY_COLUMNS(pc));
	f.batch.view.rows = 2;
	batch_put(&f.batch, pc, 1, 4);
	assert_string_equal(written(&f, POLY_ALL_COLUMNS), "pc\n\"\"\n0x4\n");
	fixture_fini(&f);
}

static void
an_empty_list_of_columns_is_rejected(void **state)
{
	(void)state;
	struct fixture f;
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_sink sink = {collect, &f.out};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = "csv";
	options.columns = POLY_NO_COLUMNS;
	fixture_init(&f, POLY_COLUMNS(pc));
	assert_int_equal(poly_writer_open_sink(&sink, &f.info.view, &options, &writer, &error),
		POLY_ERR_USAGE);
	assert_string_equal(error.message, "no column to write");
	assert_int_equal(f.out.size, 0);
	fixture_fini(&f);
}

static void
csv_is_not_read(void **state)
{
	(void)state;
	struct poly_reader *reader;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "csv";
	assert_int_equal(poly_reader_open_memory("pc\n0x4\n", 7, &options, &reader, NULL),
		POLY_ERR_USAGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_has_its_text),
		cmocka_unit_test(text_is_quoted_if_necessary),
		cmocka_unit_test(requested_columns_are_written_even_if_the_source_lacks_them),
		cmocka_unit_test(row_is_the_number_of_the_record),
		cmocka_unit_test(a_row_of_one_absent_value_is_not_a_blank_line),
		cmocka_unit_test(an_empty_list_of_columns_is_rejected),
		cmocka_unit_test(csv_is_not_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
