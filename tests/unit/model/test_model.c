/* SPDX-License-Identifier: MIT */
/* The record model: columns, batches, sites, facts, findings. */
#include "test_help.h"

#include "model/batch.h"
#include "model/columns.h"
#include "model/findings.h"
#include "model/info.h"
#include "model/site.h"

static void
columns_are_found_by_name(void **state)
{
	(void)state;
	static const char *const names[] = {
#define COLUMN(name, type, form, doc) #name,
#include "polytrace/columns.def"
#undef COLUMN
	};
	assert_int_equal(sizeof names / sizeof *names, POLY_COLUMN_COUNT);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		char text[40];
		size_t n = (size_t)snprintf(text, sizeof text, "%sx", names[c]) - 1;
		assert_string_equal(poly_column_name((enum poly_column)c), names[c]);
		assert_int_equal(poly_column_find(text, n), c);
		assert_int_equal(poly_column_find(text, n + 1), POLY_COLUMN_COUNT);
		assert_true(strlen(poly_column_doc((enum poly_column)c)) > 5);
	}
	assert_int_equal(poly_column_find("p", 1), POLY_COLUMN_COUNT);
	/* Batches do not store row. */
	assert_string_equal(poly_column_name(POLY_COLUMN_row), "row");
	assert_int_equal(poly_column_form(POLY_COLUMN_row), POLY_FORM_DEC);
	assert_int_equal(poly_column_find("row", 3), POLY_COLUMN_COUNT);
	assert_false(POLY_HAS(POLY_ALL_COLUMNS, row));
	assert_null(poly_column_name(POLY_COLUMN_COUNT));
	assert_null(poly_column_doc((enum poly_column) - 1));
	for (unsigned c = 0; c < POLY_COLUMN_NONE; c++)
		assert_int_equal(poly_columns_has(POLY_ALL_COLUMNS, (enum poly_column)c),
			c < POLY_COLUMN_COUNT);
}

static void
sets_of_columns_are_algebra(void **state)
{
	static const poly_columns fixed = POLY_COLUMNS_INIT(kind, site, row);
	poly_columns set = POLY_NO_COLUMNS;
	(void)state;
	assert_true(poly_columns_empty(set));
	assert_int_equal(poly_columns_next(set, 0), POLY_COLUMN_NONE);
	poly_columns_add(&set, POLY_COLUMN_row);
	poly_columns_add(&set, POLY_COLUMN_kind);
	assert_true(poly_columns_subset(set, fixed) && !poly_columns_subset(fixed, set));
	assert_false(poly_columns_equal(set, fixed));
	poly_columns_add(&set, POLY_COLUMN_site);
	assert_true(poly_columns_equal(set, fixed));
	assert_int_equal(poly_columns_next(set, 0), POLY_COLUMN_kind);
	assert_int_equal(poly_columns_next(set, 1), POLY_COLUMN_site);
	assert_int_equal(poly_columns_next(set, POLY_COLUMN_site + 1), POLY_COLUMN_row);
	assert_int_equal(poly_columns_next(set, POLY_COLUMN_row + 1), POLY_COLUMN_NONE);
	poly_columns_remove(&set, POLY_COLUMN_row);
	assert_true(poly_columns_subset(set, POLY_ALL_COLUMNS));
	assert_true(poly_columns_overlap(set, POLY_COLUMNS(pc, site)));
	assert_false(poly_columns_overlap(set, POLY_COLUMNS_EXCEPT(kind, site)));
	assert_true(poly_columns_equal(poly_columns_minus(fixed, set), POLY_COLUMNS(row)));
	assert_true(poly_columns_equal(poly_columns_common(fixed, set), set));
	assert_true(poly_columns_equal(poly_columns_union(set, POLY_COLUMNS(row)), fixed));
	assert_false(poly_columns_has(fixed, POLY_COLUMN_NONE));
}

static void
enumerations_have_the_names_of_their_constants(void **state)
{
	(void)state;
	static const struct {
		enum poly_form form;
		unsigned value;
		const char *name;
	} some[] = {
		{POLY_FORM_KIND, POLY_KIND_REGISTER, "register"},
		{POLY_FORM_ACCESS, POLY_ACCESS_IO_WRITE, "io_write"},
		{POLY_FORM_BRANCH, POLY_BRANCH_TAKEN, "taken"},
		{POLY_FORM_SYNC, POLY_SYNC_BROADCAST, "broadcast"},
		{POLY_FORM_EVENT, POLY_EVENT_FLUSH_ACKNOWLEDGE, "flush_acknowledge"},
		{POLY_FORM_FLAGS, POLY_FLAGS_BOTH, "both"},
	};
	static const unsigned counts[] = {POLY_KIND_COUNT, POLY_ACCESS_COUNT, POLY_BRANCH_COUNT,
		POLY_SYNC_COUNT, POLY_EVENT_COUNT, POLY_FLAGS_COUNT};
	for (unsigned i = 0; i < 6; i++) {
		enum poly_form form = some[i].form;
		assert_string_equal(poly_enum_name(form, some[i].value), some[i].name);
		assert_null(poly_enum_name(form, counts[i]));
		for (unsigned v = 0; v < counts[i]; v++) {
			const char *name = poly_enum_name(form, v);
			assert_int_equal(poly_enum_find(form, name, strlen(name)), v);
			assert_int_equal(poly_enum_find(form, name, strlen(name) - 1), -1);
		}
	}
	assert_null(poly_enum_name(POLY_FORM_DEC, 0));
	assert_null(poly_enum_name(POLY_FORM_TEXT, 0));
	assert_int_equal(poly_enum_find(POLY_FORM_HEX, "read", 4), -1);
}

/* An empty batch with every column. */
static void
make_batch(struct batch *batch, struct info *info)
{
	info_init(info);
	assert_int_equal(
		batch_init(batch, POLY_ALL_COLUMNS, POLY_BATCH_ROWS, &info->view, NULL),
		POLY_OK);
}

static void
expect_text(const struct batch *batch, enum poly_column column, size_t row, const char *truth)
{
	char text[64];
	size_t n = strlen(truth);
	for (size_t size = 0; size < sizeof text; size++) {
		memset(text, '#', sizeof text);
		assert_int_equal(
			poly_batch_format(&batch->view, column, row, size ? text : NULL, size),
			n);
		if (!size)
			continue;
		size_t shown = strlen(text);
		assert_true(shown < size && shown <= n);
		assert_memory_equal(text, truth, shown);
		/* Digits of bytes come in pairs. */
		assert_true(shown + 2 >= (n < size - 1 ? n : size - 1) && text[size] == '#');
		if (n < size)
			assert_string_equal(text, truth);
	}
}

static void
values_have_one_text(void **state)
{
	(void)state;
	static const char *const records[] = {"first", "second"};
	struct batch batch;
	struct info info;
	make_batch(&batch, &info);
	info.view.records = records;
	info.view.record_count = 2;
	batch.view.rows = 3;
	batch_put(&batch, kind, 0, POLY_KIND_SYNC);
	batch_put(&batch, kind, 1, 200);
	batch_put(&batch, record, 0, 1);
	batch_put(&batch, record, 1, 2);
	batch_put(&batch, pc, 0, 0x10a0);
	batch_put(&batch, pc, 1, 0);
	batch_put(&batch, cpu, 0, UINT32_MAX);
	batch_put(&batch, time, 0, UINT64_MAX);
	batch_put(&batch, immediate, 0, -5);
	batch_put(&batch, immediate, 1, INT64_MIN);
	batch_put(&batch, immediate, 2, 5);
	batch_put(&batch, executed, 0, 1);
	batch_put(&batch, executed, 1, 0);
	batch_put(&batch, mnemonic, 0, info_name(&info, "addi", 4));
	batch_put(&batch, mnemonic, 1, 77);
	batch_put_bytes(&batch, POLY_COLUMN_payload, 1, "\x01\xfe\x80", 3);
	batch_put_bytes(&batch, POLY_COLUMN_text, 1, "a\tb", 3);
	batch_put_bytes(&batch, POLY_COLUMN_text, 2, "", 0);
	assert_int_equal(batch_finish(&batch, NULL), POLY_OK);
	expect_text(&batch, POLY_COLUMN_kind, 0, "sync");
	expect_text(&batch, POLY_COLUMN_kind, 1, "200");
	expect_text(&batch, POLY_COLUMN_kind, 2, "");
	expect_text(&batch, POLY_COLUMN_record, 0, "second");
	expect_text(&batch, POLY_COLUMN_record, 1, "2");
	expect_text(&batch, POLY_COLUMN_pc, 0, "0x10a0");
	expect_text(&batch, POLY_COLUMN_pc, 1, "0x0");
	expect_text(&batch, POLY_COLUMN_cpu, 0, "4294967295");
	expect_text(&batch, POLY_COLUMN_time, 0, "18446744073709551615");
	expect_text(&batch, POLY_COLUMN_immediate, 0, "-5");
	expect_text(&batch, POLY_COLUMN_immediate, 1, "-9223372036854775808");
	expect_text(&batch, POLY_COLUMN_immediate, 2, "5");
	expect_text(&batch, POLY_COLUMN_executed, 0, "true");
	expect_text(&batch, POLY_COLUMN_executed, 1, "false");
	expect_text(&batch, POLY_COLUMN_mnemonic, 0, "addi");
	expect_text(&batch, POLY_COLUMN_mnemonic, 1, "77");
	expect_text(&batch, POLY_COLUMN_payload, 1, "01fe80");
	expect_text(&batch, POLY_COLUMN_payload, 0, "");
	expect_text(&batch, POLY_COLUMN_text, 1, "a\tb");
	expect_text(&batch, POLY_COLUMN_text, 2, "");
	batch_fini(&batch);
	info_fini(&info);
}

static void
stored_values_stay_until_the_batch_is_cleared(void **state)
{
	(void)state;
	struct batch batch;
	struct info info;
	make_batch(&batch, &info);
	for (unsigned turn = 0; turn < 2; turn++) {
		for (size_t row = 0; row < POLY_BATCH_ROWS; row += turn + 1) {
			batch_put_integer(&batch, POLY_COLUMN_opcode_size, row, row + 256);
			batch_put_integer(&batch, POLY_COLUMN_hook, row, row + 65536);
			batch_put_integer(&batch, POLY_COLUMN_cpu, row, row << 32 | row);
			batch_put_integer(&batch, POLY_COLUMN_value, row, ~(uint64_t)row);
		}
		batch.view.rows = POLY_BATCH_ROWS;
		batch_all_present(&batch, POLY_COLUMN_pc);
		for (size_t row = 0; row < POLY_BATCH_ROWS; row++) {
			const struct poly_batch *view = &batch.view;
			bool there = !(row % (turn + 1));
			assert_true(poly_present(view, POLY_COLUMN_pc, row));
			assert_int_equal(poly_present(view, POLY_COLUMN_value, row), there);
			assert_false(poly_present(view, POLY_COLUMN_size, row));
			if (!there)
				continue;
			assert_int_equal(poly_batch_integer(view, POLY_COLUMN_opcode_size, row),
				row & 255);
			assert_int_equal(poly_batch_integer(view, POLY_COLUMN_hook, row), row);
			assert_int_equal(poly_batch_integer(view, POLY_COLUMN_cpu, row), row);
			assert_true(poly_batch_integer(view, POLY_COLUMN_value, row) == ~row);
		}
		batch_clear(&batch);
		assert_int_equal(batch.view.rows, 0);
		assert_false(poly_present(&batch.view, POLY_COLUMN_pc, 0));
	}
	batch_fini(&batch);
	info_fini(&info);
}

static void
columns_that_are_not_wanted_have_no_storage(void **state)
{
	(void)state;
	struct batch batch;
	struct info info;
	size_t n;
	info_init(&info);
	assert_int_equal(batch_init(&batch, POLY_COLUMNS(pc), 10, &info.view, NULL), POLY_OK);
	batch_put(&batch, cpu, 0, 1);
	batch_put_integer(&batch, POLY_COLUMN_value, 0, 1);
	batch_put_bytes(&batch, POLY_COLUMN_text, 0, "text", 4);
	batch_all_present(&batch, POLY_COLUMN_size);
	assert_int_equal(batch.arena.size, 0);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		bool wanted = c == POLY_COLUMN_pc;
		assert_int_equal(batch.view.present[c] != NULL, wanted);
		assert_int_equal(column_data(&batch.view, (enum poly_column)c) != NULL, wanted);
	}
	assert_non_null(poly_batch_bytes(&batch.view, POLY_COLUMN_text, 0, &n));
	assert_int_equal(n, 0);
	batch_fini(&batch);
	info_fini(&info);
}

/* The oracle: sites in a list, searched from its front. */
static void
sites_are_numbered_in_order_of_appearance(void **state)
{
	(void)state;
	struct batch batch;
	struct info info;
	struct sites sites = {0};
	static uint64_t known[2000][2];
	size_t count = 0;
	uint32_t x = 1;
	make_batch(&batch, &info);
	for (unsigned turn = 0; turn < 3; turn++) {
		batch_clear(&batch);
		batch.view.rows = 1000;
		for (size_t row = 0; row < 1000; row++) {
			x = x * 1664525 + 1013904223;
			if (x >> 29 == 0)
				continue;
			/* Two neighbours are looked for in the same place. */
			batch_put(&batch, pc, row, (x >> 12) % 40 * 4 | (x >> 8 & 1));
			if (x >> 29 > 1)
				batch_put(&batch, opcode, row, (x >> 20) % 30);
		}
		assert_int_equal(sites_fill(&sites, &batch, NULL), POLY_OK);
		for (size_t row = 0; row < 1000; row++) {
			bool there = poly_present(&batch.view, POLY_COLUMN_pc, row);
			assert_int_equal(
				poly_present(&batch.view, POLY_COLUMN_site, row), there);
			bool coded = poly_present(&batch.view, POLY_COLUMN_opcode, row);
			uint64_t pc = batch.view.pc[row],
				 opcode = coded ? batch.view.opcode[row] : 0;
			size_t i = 0;
			while (there && i < count &&
				(known[i][0] != pc || known[i][1] != opcode))
				i++;
			if (there && i == count) {
				known[count][0] = pc;
				known[count++][1] = opcode;
			}
			assert_true(!there || batch.view.site[row] == i);
		}
	}
	assert_true(count > 500);
	assert_int_equal(sites.count, count);
	sites_fini(&sites);
	batch_fini(&batch);
	info_fini(&info);
}

static void
a_pc_can_have_any_number_of_opcodes(void **state)
{
	(void)state;
	struct batch batch;
	struct info info;
	struct sites sites = {0};
	make_batch(&batch, &info);
	for (uint64_t n = 0; n < 400; n++) {
		batch_clear(&batch);
		batch.view.rows = POLY_BATCH_ROWS;
		for (size_t row = 0; row < POLY_BATCH_ROWS; row++) {
			batch_put(&batch, pc, row, 0x1000);
			batch_put(&batch, opcode, row, n * POLY_BATCH_ROWS + row);
		}
		assert_int_equal(sites_fill(&sites, &batch, NULL), POLY_OK);
		assert_int_equal(batch.view.site[77], n * POLY_BATCH_ROWS + 77);
	}
	sites_fini(&sites);
	batch_fini(&batch);
	info_fini(&info);
}

static void
facts_are_replaced_by_their_key(void **state)
{
	(void)state;
	struct info info;
	char key[20], value[20];
	info_init(&info);
	assert_null(poly_trace_fact(&info.view, "key1"));
	for (unsigned i = 0; i < 60; i++) {
		snprintf(key, sizeof key, "key%u", i % 20);
		snprintf(value, sizeof value, "value%u", i);
		assert_true(info_fact(&info, key, value));
	}
	assert_int_equal(info.view.fact_count, 20);
	assert_string_equal(info.view.facts[3].key, "key3");
	assert_string_equal(info.view.facts[3].value, "value43");
	assert_string_equal(poly_trace_fact(&info.view, "key19"), "value59");
	assert_null(poly_trace_fact(&info.view, "key"));
	assert_null(poly_trace_name(&info.view, 0));
	assert_int_equal(info_name(&info, "name", 4), 0);
	assert_string_equal(poly_trace_name(&info.view, 0), "name");
	assert_null(poly_trace_name(&info.view, 1));
	info_fini(&info);
	assert_int_equal(info.view.fact_count, 0);
}

static void
findings_are_all_counted_and_the_first_stored(void **state)
{
	(void)state;
	static const struct poly_rule rules[] = {{"R1", POLY_NOTE, "a", "b"},
		{"R2", POLY_WARNING, "a", "b"}, {"R3", POLY_ERROR, "a", "b"}, {.code = NULL}};
	struct findings findings;
	assert_true(findings_init(&findings, rules));
	findings.skip = 100;
	findings.count = 50;
	for (unsigned record = 1; record <= 300; record++)
		findings_add(&findings, record % 3, record, record * 8, "record %u", record);
	findings_add(&findings, 1, 0, POLY_NO_OFFSET, "the whole");
	/* Records 101 to 150. */
	assert_int_equal(findings.counts[0], 17);
	assert_int_equal(findings.counts[1], 16 + 1);
	assert_int_equal(findings.counts[2], 17);
	assert_int_equal(findings.kept_count, 3 * FINDINGS_KEPT);
	assert_int_equal(findings.kept[0].record, 101);
	assert_int_equal(findings.kept[0].rule, 2);
	assert_int_equal(findings.kept[0].offset, 808);
	assert_string_equal(
		(char *)findings.texts.data + findings.kept[4].message, "record 105");
	findings_fini(&findings);
}

/* Names have a number for each text, so that a copy has the same numbers. */
static void
names_end_at_a_nul(void **state)
{
	struct info info;
	struct info_copy copy = {.records = {NULL}};
	(void)state;
	info_init(&info);
	info.view.format = "format";
	assert_int_equal(info_name(&info, "a\0b", 3), 0);
	assert_int_equal(info_name(&info, "a\0c", 3), 0);
	assert_int_equal(info_name(&info, "a", 1), 0);
	assert_int_equal(info_name(&info, "b", 1), 1);
	assert_true(info_copy_update(&copy, &info.view));
	assert_string_equal(poly_trace_name(&copy.info.view, 0), "a");
	assert_string_equal(poly_trace_name(&copy.info.view, 1), "b");
	assert_null(poly_trace_name(&copy.info.view, 2));
	info_copy_fini(&copy);
	info_fini(&info);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_found_by_name),
		cmocka_unit_test(sets_of_columns_are_algebra),
		cmocka_unit_test(enumerations_have_the_names_of_their_constants),
		cmocka_unit_test(values_have_one_text),
		cmocka_unit_test(stored_values_stay_until_the_batch_is_cleared),
		cmocka_unit_test(columns_that_are_not_wanted_have_no_storage),
		cmocka_unit_test(sites_are_numbered_in_order_of_appearance),
		cmocka_unit_test(a_pc_can_have_any_number_of_opcodes),
		cmocka_unit_test(facts_are_replaced_by_their_key),
		cmocka_unit_test(names_end_at_a_nul),
		cmocka_unit_test(findings_are_all_counted_and_the_first_stored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
