/* SPDX-License-Identifier: MIT */
/* BYU address traces against tables of their records, and conversions from and to BACH. */
#include "trace_help.h"

#include "base/bits.h"

static void
expect_table(const char *name)
{
	struct buf bytes = load_sample(name), table = load_sample("byutr/types.csv");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	const char *line = strchr(buf_text(&table), '\n') + 1;
	size_t row = 0;
	for (; *line; row++, line = strchr(line, '\n') + 1) {
		unsigned request, size, attribute, agent, time;
		unsigned long address;
		assert_int_equal(sscanf(line, "%lx,%x,%u,%u,%u,%u", &address, &request, &size,
					 &attribute, &agent, &time),
			6);
		assert_int_equal(batch->address[row], address);
		assert_int_equal(batch->request[row], request);
		assert_int_equal(batch->size[row], size);
		assert_int_equal(batch->memory_type[row], attribute);
		assert_int_equal(batch->agent[row], agent);
		assert_int_equal(batch->time[row], time);
	}
	assert_int_equal(batch->rows, row);
	poly_reader_close(reader);
	buf_free(&bytes);
	buf_free(&table);
}

static void
all_three_layouts_give_the_same_table(void **state)
{
	(void)state;
	expect_table("byutr/types12.tr");
	expect_table("byutr/types16.tr");
	expect_table("byutr/types24.tr");
}

static void
every_type_has_its_name_and_meaning(void **state)
{
	(void)state;
	static const char *const names[17] = {"fetch fetch", "read read",
		"read_invalidate read", "write write", "io_read io_read", "io_write io_write",
		"deferred_reply deferred_reply", "interrupt_acknowledge interrupt_acknowledge",
		"agent_response agent_response", "branch_trace branch_trace",
		"shutdown shutdown", "flush flush", "halt halt", "sync sync",
		"flush_acknowledge flush_acknowledge", "stop_grant stop_grant",
		"smi_acknowledge smi_acknowledge"};
	struct buf bytes = load_sample("byutr/types12.tr");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	for (size_t row = 0; row < 17; row++) {
		char name[40], meaning[40], text[80];
		enum poly_column column = row < 6 ? POLY_COLUMN_access : POLY_COLUMN_event;
		poly_batch_format(batch, POLY_COLUMN_record, row, name, sizeof name);
		poly_batch_format(batch, column, row, meaning, sizeof meaning);
		snprintf(text, sizeof text, "%s %s", name, meaning);
		assert_string_equal(text, names[row]);
		assert_int_equal(
			batch->kind[row], row < 6 ? POLY_KIND_ACCESS : POLY_KIND_EVENT);
	}
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
layouts_are_written_as_requested(void **state)
{
	(void)state;
	static const char *const samples[3] = {
		"byutr/types12.tr", "byutr/types16.tr", "byutr/types24.tr"};
	static const char *const options[3] = {
		"byutr.record=12", "byutr.record=16", "byutr.record=24"};
	for (size_t from = 0; from < 3; from++) {
		struct buf bytes = load_sample(samples[from]);
		for (size_t to = 0; to < 3; to++) {
			struct buf expected = load_sample(samples[to]);
			struct buf out = convert(open_bytes(&bytes, "byutr", NULL, false),
				"byutr", options[to], NULL);
			expect_same(&out, &expected);
			buf_free(&out);
			buf_free(&expected);
		}
		buf_free(&bytes);
	}
}

static void
every_truncation_is_written_unchanged(void **state)
{
	(void)state;
	static const char *const samples[] = {"byutr/types12.tr", "byutr/types24.tr"};
	static const char *const options[] = {"byutr.record=12", "byutr.record=24"};
	for (size_t i = 0; i < 2; i++) {
		struct buf whole = load_sample(samples[i]);
		for (size_t n = 1; n <= whole.size; n++) {
			struct buf cut = {0};
			buf_append(&cut, whole.data, n);
			struct buf out = convert(open_bytes(&cut, "byutr", options[i], false),
				"byutr", NULL, NULL);
			expect_same(&out, &cut);
			buf_free(&cut);
			buf_free(&out);
		}
		buf_free(&whole);
	}
}

/* Appends a record of 12 bytes. */
static void
add(struct buf *to, uint32_t address, uint8_t type, uint8_t size, uint32_t delta)
{
	uint8_t bytes[12] = {0};
	store_le32(bytes, address);
	bytes[4] = type;
	bytes[5] = size;
	store_le32(bytes + 8, delta);
	buf_append(to, bytes, sizeof bytes);
}

static void
expect_finding(struct buf *bytes, const char *expected)
{
	struct buf codes = find_all(open_bytes(bytes, "byutr", "byutr.record=12", true));
	assert_string_equal(buf_text(&codes), expected);
	buf_free(&codes);
	buf_free(bytes);
}

static void
every_rule_has_its_smallest_violation(void **state)
{
	(void)state;
	struct buf bytes = {0};
	add(&bytes, 8, 0, 8, UINT32_MAX);
	add(&bytes, 8, 0, 32, 5);
	expect_finding(&bytes, "");
	add(&bytes, 8, 0, 8, 1);
	buf_byte(&bytes, 1);
	expect_finding(&bytes, "Y01:2 ");
	add(&bytes, 8, 0x12, 8, 1);
	expect_finding(&bytes, "Y02:1 ");
	add(&bytes, 8, 0, 33, 1);
	expect_finding(&bytes, "Y02:1 ");
	add(&bytes, 8, 0, 8, 1);
	add(&bytes, 8, 0, 8, UINT32_MAX);
	expect_finding(&bytes, "Y02:2 ");
	add(&bytes, 9, 0, 8, 1);
	expect_finding(&bytes, "Y03:1 ");
}

/* Reference bach 6.7: requests by operation, size by byte enables. */
static void
bus_cycles_become_requests(void **state)
{
	(void)state;
	static const uint8_t cycles[] = {0, 0x12, 0x34, 0x40, 0x00, 0x80, /* I_FETCH */
		0, 0x12, 0x34, 0x48, 0x0f, 0x90, /* NC_I_FETCH of the upper four */
		0, 0x12, 0x34, 0x60, 0x00, 0xc0, /* D_READ */
		0, 0x12, 0x34, 0x68, 0xfd, 0xd0, /* NC_D_READ of one */
		0, 0x12, 0x34, 0x70, 0x00, 0xe0, /* WRITE_BACK */
		0, 0x12, 0x34, 0x78, 0xc3, 0xf0, /* D_WRITE of four */
		0, 0, 0x03, 0xf8, 0xfe, 0x50, 0, 0, 0x03, 0xf8, 0xfd, 0x70, /* ports */
		0, 0, 0, 0, 0xef, 0x10, 0, 0, 0, 0, 0xfe, 0x30, 0, 0, 0, 0, 0xfd, 0x30, 0, 0, 0,
		0, 0xfb, 0x30, 0, 0, 0, 0, 0xf7, 0x30, 0, 0, 0, 0, 0xef, 0x30, 0, 0, 0, 0x10,
		0xfb, 0x30, 0, 0, 0, 0, 0, 0x20}; /* INVALID */
	struct buf bytes = {0}, expected = {0}, notes = {0};
	buf_append(&bytes, cycles, sizeof cycles);
	struct buf out =
		convert(open_bytes(&bytes, "bach", NULL, false), "byutr", NULL, &notes);
	add(&expected, 0x123440, 0x00, 32, 0);
	add(&expected, 0x12344c, 0x00, 4, 0);
	add(&expected, 0x123460, 0x01, 32, 0);
	add(&expected, 0x123469, 0x01, 1, 0);
	add(&expected, 0x123460, 0x03, 32, 0); /* the line */
	add(&expected, 0x12347a, 0x03, 4, 0);
	add(&expected, 0x3f8, 0x10, 1, 0);
	add(&expected, 0x3f9, 0x11, 1, 0);
	add(&expected, 0, 0x21, 1, 0);
	add(&expected, 0, 0x31, 0, 0);
	add(&expected, 0, 0x32, 0, 0);
	add(&expected, 0, 0x33, 0, 0);
	add(&expected, 0, 0x34, 0, 0);
	add(&expected, 0, 0x35, 0, 0);
	add(&expected, 0x10, 0x36, 0, 0);
	expect_same(&out, &expected);
	assert_string_equal(buf_text(&notes), "1 records dropped that are not requests\n");
	buf_free(&notes);
	buf_free(&bytes);
	buf_free(&expected);
	buf_free(&out);
}

static void
requests_become_bus_cycles(void **state)
{
	(void)state;
	struct buf bytes = {0}, notes = {0};
	add(&bytes, 0x1000, 0x00, 8, UINT32_MAX);
	add(&bytes, 0x1002, 0x01, 2, 1);
	add(&bytes, 0x1020, 0x02, 32, 1);
	add(&bytes, 0x1006, 0x03, 4, 1); /* crosses 8 bytes */
	add(&bytes, 0x3f9, 0x10, 1, 1);
	add(&bytes, 0, 0x20, 0, 1);
	add(&bytes, 0, 0x22, 0, 1);
	add(&bytes, 0, 0x36, 0, 1);
	add(&bytes, 0x4000, 0x23, 0, 1);
	add(&bytes, 0, 0x99, 0, 1);
	struct buf out = convert(open_bytes(&bytes, "byutr", "byutr.record=12", false),
		"bach-text", NULL, &notes);
	assert_string_equal(buf_text(&out), "00001000 00 NC_I_FETCH\n"
					    "00001000 f3 NC_D_READ\n"
					    "00001020 00 D_READ\n"
					    "00001000 3f D_WRITE\n"
					    "00001008 fc D_WRITE\n"
					    "000003f8 fd IO_READ\n"
					    "00000010 fb SPECIAL\n"
					    "00004000 df SPECIAL\n");
	assert_string_equal(buf_text(&notes),
		"1 accesses split into transfers of at most 8 bytes\n"
		"2 events dropped that have no bus cycle\n"
		"1 records dropped that access no memory or port\n");
	buf_free(&notes);
	buf_free(&bytes);
	buf_free(&out);
}

/* The failure of writing the first batch, which would lose something; closes the reader. */
static struct poly_error
expect_refusal(struct poly_reader *reader, const char *target, const char *option)
{
	struct buf out = {0};
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_sink sink = {collect, &out};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const char *words[] = {option, NULL};
	const struct poly_batch *batch;
	options.format = target;
	options.options = words;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(reader), &options, &writer, &error),
		POLY_OK);
	assert_int_equal(poly_writer_write(writer, batch, &error), POLY_ERR_LOSS);
	poly_writer_close(writer);
	poly_reader_close(reader);
	buf_free(&out);
	return error;
}

/* The first time ffffffff, an address of 64 bits and bytes that are not used: all at once. */
static void
rows_with_raw_bytes_change_their_layout_too(void **state)
{
	(void)state;
	struct buf bytes = {0}, notes = {0};
	uint8_t record[24] = {8, [6] = 1, [9] = 8, [12] = 7};
	memset(record + 16, 0xff, 8);
	buf_append(&bytes, record, sizeof record);
	struct buf out = convert(open_bytes(&bytes, "byutr", "byutr.record=24", false), "byutr",
		"byutr.record=16", &notes);
	assert_int_equal(out.size, 16);
	assert_memory_equal(out.data, record, 12);
	assert_int_equal(load_le32(out.data + 12), UINT32_MAX);
	assert_string_equal(buf_text(&notes), "1 unused bytes other than 0 dropped\n");
	struct poly_reader *reader = open_bytes(&bytes, "byutr", "byutr.record=24", false);
	struct poly_error error = expect_refusal(reader, "byutr", "byutr.record=12");
	assert_int_equal(error.record, 1);
	buf_append(&bytes, record, sizeof record);
	struct buf codes = find_all(open_bytes(&bytes, "byutr", "byutr.record=24", true));
	assert_string_equal(buf_text(&codes), "Y02:2 ");
	buf_free(&codes);
	buf_free(&bytes);
	buf_free(&notes);
	buf_free(&out);
}

static void
addresses_out_of_range_are_rejected(void **state)
{
	(void)state;
	struct buf bytes = load_sample("byutr/types16.tr");
	bytes.data[16 + 4] = 1; /* bit 32 of the second record's address */
	static const char *const targets[] = {"bach", "bach-text", "byutr"};
	for (size_t i = 0; i < 3; i++) {
		struct poly_reader *reader =
			open_bytes(&bytes, "byutr", "byutr.record=16", false);
		struct poly_error error = expect_refusal(reader, targets[i], "byutr.record=12");
		assert_int_equal(error.record, 2);
	}
	buf_free(&bytes);
}

static void
expect_counts(const char *name, size_t records, const size_t expected[6])
{
	struct buf bytes = load_public(name);
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, true);
	const struct poly_batch *batch;
	size_t counts[256] = {0}, rows = 0;
	assert_string_equal(poly_reader_format(reader)->name, "byutr");
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			counts[batch->request[row]]++;
		rows += batch->rows;
	}
	static const uint8_t types[6] = {0, 1, 2, 3, 0x20, 0x11};
	assert_int_equal(rows, records);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(counts[types[i]], expected[i]);
	poly_reader_close(reader);
	struct buf out = convert(open_bytes(&bytes, NULL, NULL, false), "byutr", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	buf_free(&bytes);
}

static void
published_traces_have_their_published_counts(void **state)
{
	(void)state;
	expect_counts(
		"sdsu_trace1.tr", 22276, (const size_t[6]){11375, 5406, 525, 4764, 206, 0});
	expect_counts("usafa_trace_small.tr", 1000, (const size_t[6]){165, 33, 212, 579, 6, 5});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_three_layouts_give_the_same_table),
		cmocka_unit_test(every_type_has_its_name_and_meaning),
		cmocka_unit_test(layouts_are_written_as_requested),
		cmocka_unit_test(every_truncation_is_written_unchanged),
		cmocka_unit_test(every_rule_has_its_smallest_violation),
		cmocka_unit_test(bus_cycles_become_requests),
		cmocka_unit_test(requests_become_bus_cycles),
		cmocka_unit_test(rows_with_raw_bytes_change_their_layout_too),
		cmocka_unit_test(addresses_out_of_range_are_rejected),
		cmocka_unit_test(published_traces_have_their_published_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
