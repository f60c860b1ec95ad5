/* SPDX-License-Identifier: MIT */
/* Filters against conditions written in C, over rows of random numbers. */
#include "test_help.h"

#include "polytrace/filter.h"

#include "model/batch.h"
#include "model/info.h"

#define ROWS 1500

/* A batch of rows of chance, and the names of its trace. */
struct table {
	struct info info;
	struct batch batch;
};

/* The row as conditions see it; absent numbers are 0. */
struct row {
	uint64_t pc, address, value, size;
	int64_t immediate;
	unsigned kind, access, record;
	bool has_pc, has_address, has_value, has_immediate, has_access, executed, has_executed;
	const char *mnemonic, *text;
	size_t number;
};

static const char *const mnemonics[] = {"ADD", "LOAD", "STORE", "lwz", "a\"b\\c"};
static const char *const records[] = {"compute", "load"};

static uint64_t
chance(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static struct row
chance_row(uint64_t *state, size_t number)
{
	struct row row = {.number = number};
	row.kind = (unsigned)(chance(state) % POLY_KIND_COUNT);
	row.has_pc = chance(state) % 8 != 0;
	row.pc = row.has_pc ? 0x1000 + chance(state) % 64 : 0;
	row.has_address = chance(state) % 2;
	row.address = row.has_address ? chance(state) % 4 - 1 : 0;
	row.has_value = chance(state) % 4 != 0;
	row.value = row.has_value ? chance(state) << 33 ^ chance(state) : 0;
	row.value = chance(state) % 16 ? row.value : 0;
	row.has_immediate = chance(state) % 4 != 0;
	row.immediate = row.has_immediate ? (int64_t)(chance(state) % 9) - 4 : 0;
	row.has_access = chance(state) % 2;
	row.access = row.has_access ? (unsigned)(chance(state) % POLY_ACCESS_COUNT) : 99;
	row.has_executed = chance(state) % 3 != 0;
	row.executed = row.has_executed && chance(state) % 2;
	row.record = (unsigned)(chance(state) % 2);
	row.mnemonic = chance(state) % 5 ? mnemonics[chance(state) % 5] : NULL;
	row.text = chance(state) % 3 ? (chance(state) % 2 ? "ldr r0" : "str r1, [r2]") : NULL;
	row.size = chance(state) % 9;
	return row;
}

static void
put_row(struct table *table, size_t r, const struct row *row)
{
	struct batch *batch = &table->batch;
	batch_put(batch, kind, r, (uint8_t)row->kind);
	batch_put(batch, record, r, (uint8_t)row->record);
	batch_put(batch, size, r, (uint32_t)row->size);
	if (row->has_pc)
		batch_put(batch, pc, r, row->pc);
	if (row->has_address)
		batch_put(batch, address, r, row->address);
	if (row->has_value)
		batch_put(batch, value, r, row->value);
	if (row->has_immediate)
		batch_put(batch, immediate, r, row->immediate);
	if (row->has_access)
		batch_put(batch, access, r, (uint8_t)row->access);
	if (row->has_executed)
		batch_put(batch, executed, r, row->executed);
	if (row->mnemonic)
		batch_put(batch, mnemonic, r,
			info_name(&table->info, row->mnemonic, strlen(row->mnemonic)));
	if (row->text)
		batch_put_bytes(batch, POLY_COLUMN_text, r, row->text, strlen(row->text));
	batch->view.rows = r + 1;
}

typedef bool condition(const struct row *row);

#define CONDITION(name, expression)           \
	static bool name(const struct row *r) \
	{                                     \
		return (expression);          \
	}

static bool
named(const struct row *row, const char *name)
{
	return row->mnemonic && strcmp(row->mnemonic, name) == 0;
}

CONDITION(pc_equal, r->has_pc && r->pc == 0x1010)
CONDITION(pc_unequal, !(r->has_pc && r->pc == 0x1010))
CONDITION(pc_range, r->has_pc && r->pc >= 0x1010 && r->pc <= 0x101f)
CONDITION(pc_outside, !(r->has_pc && r->pc >= 0x1010 && r->pc <= 0x101f))
CONDITION(pc_set, r->has_pc && (r->pc == 0x1001 || (r->pc >= 0x1004 && r->pc <= 0x1008)))
CONDITION(address_high, r->has_address && r->address > 1)
CONDITION(negative, r->has_immediate && r->immediate < 0)
CONDITION(signed_range, r->has_immediate && r->immediate >= -2 && r->immediate <= 1)
CONDITION(sum, r->has_immediate && r->has_pc && r->pc + (uint64_t)r->immediate == 0x1012)
CONDITION(difference, r->has_pc && (int64_t)(r->pc - 0x1020) < -3)
CONDITION(is_access, r->kind == POLY_KIND_ACCESS)
CONDITION(two_kinds, r->kind == POLY_KIND_ACCESS || r->kind == POLY_KIND_EVENT)
CONDITION(reads, r->has_access && r->access == POLY_ACCESS_READ)
CONDITION(ran, r->executed)
CONDITION(skipped, r->has_executed && !r->executed)
CONDITION(absent, !r->has_address)
CONDITION(load, named(r, "LOAD"))
CONDITION(quoted, named(r, "a\"b\\c"))
CONDITION(word_list, named(r, "ADD") || named(r, "lwz"))
CONDITION(pattern, r->mnemonic && (strchr(r->mnemonic, 'D') != NULL))
CONDITION(no_pattern, !(r->mnemonic && strchr(r->mnemonic, 'D')))
CONDITION(text_begins, r->text &&strncmp(r->text, "str", 3) == 0)
CONDITION(text_is, r->text &&strcmp(r->text, "ldr r0") == 0)
CONDITION(is_load, r->record == 1)
CONDITION(bits, r->has_value && (r->value & 0xf0) == 0x30)
CONDITION(ranks, r->has_pc && (r->pc | 1) == 0x1011 + 2 * 3 - 6)
CONDITION(shifted, r->has_value && r->value >> 8 << 4 != 0 && r->value % 3 == 1)
CONDITION(divided, r->has_address && r->address != 0 && 8 / r->address == 4)
CONDITION(both, r->has_access && r->access == POLY_ACCESS_WRITE && r->has_pc && r->pc < 0x1020)
CONDITION(either, named(r, "LOAD") || (r->has_pc && r->pc < 0x1008 && !r->has_value))
CONDITION(numbered, r->number >= 100 && r->number <= 1200)
CONDITION(inverted, r->size == 3 || r->size == 7)
CONDITION(bracketed, r->has_pc && (r->pc - 0x1000 + 2) * 2 % 8 == 4)
CONDITION(columns, r->has_pc && r->has_value && r->pc < r->value)

CONDITION(nothing, r->number == 0)
CONDITION(above, r->has_immediate && r->immediate > 2)
CONDITION(lowest, r->has_immediate && r->immediate == -3)
CONDITION(no_size, r->size < 1)
CONDITION(same_bits, r->has_value && (r->value ^ (0x30 & 0xf0)) == 0x30)
CONDITION(times, r->size == 3 || r->size == 8)
CONDITION(ran_compute, r->executed && r->record == 0)

static const struct {
	const char *text;
	condition *holds;
} cases[] = {
	{"pc == 0x1010", pc_equal},
	{"pc = 4112", pc_equal},
	{"0b1_0000_0001_0000 == pc", pc_equal},
	{"0o10020 == pc", pc_equal},
	{"pc != 0x1010", pc_unequal},
	{"not pc == 0x1010", pc_unequal},
	{"!(pc == 0x1010)", pc_unequal},
	{"pc in 0x1010..0x101f", pc_range},
	{"pc not in 0x1010..0x101f", pc_outside},
	{"pc in {0x1001, 0x1004..0x1008}", pc_set},
	{"address > 1", address_high},
	{"1 < address", address_high},
	{"immediate < 0", negative},
	{"immediate <= -1", negative},
	{"-1 >= immediate", negative},
	{"immediate in -2..1", signed_range},
	{"pc + immediate == 0x1012", sum},
	{"pc - 0x1020 < -3", difference},
	{"kind == access", is_access},
	{"access == kind and kind == access", is_access},
	{"kind in {access, event}", two_kinds},
	{"access == read", reads},
	{"access ~ '^read$'", reads},
	{"executed", ran},
	{"executed == true", ran},
	{"executed == 1", ran},
	{"executed == false", skipped},
	{"not has(address)", absent},
	{"mnemonic == LOAD", load},
	{"mnemonic == 'LOAD'", load},
	{"mnemonic == \"a\\\"b\\\\c\"", quoted},
	{"mnemonic in {ADD, \"lwz\"}", word_list},
	{"mnemonic ~ 'D'", pattern},
	{"mnemonic !~ 'D'", no_pattern},
	{"text ~ '^str'", text_begins},
	{"text == 'ldr r0'", text_is},
	{"record == load", is_load},
	{"value & 0xf0 == 0x30", bits},
	{"pc | 1 == 0x1011 + 2 * 3 - 6", ranks},
	{"value >> 8 << 4 != 0 && value % 3 = 1 && has(value)", shifted},
	{"address != 0 and 8 / address == 4", divided},
	{"8 / address == 4 && address != 0", divided},
	{"not (address = 0 or not (8 / address == 4))", divided},
	{"access == write and pc < 0x1020", both},
	{"mnemonic == LOAD or pc < 0x1008 and not has(value)", either},
	{"row in 100..1200", numbered},
	{"~size & 3 == 0", inverted},
	{"(pc - 0x1000 + 2) * 2 % 8 == 4", bracketed},
	{"4 == (((pc) - (0x1000) + 2) * 2) % 8 and (has(pc))", bracketed},
	{"(access) == (read)", reads},
	{"(executed)", ran},
	{"not (not executed) and (executed or executed)", ran},
	{"(pc) in (0x1000 + 0x10)..(0x101f)", pc_range},
	{"pc < value", columns},
	{"immediate in 1..-2", nothing},
	{"pc in 0x101f..0x1010", nothing},
	{"immediate > 2 or 9223372036854775807 < immediate", above},
	{"immediate >= -3 and not immediate > -3", lowest},
	{"pc < 0 or pc > 0xffffffffffffffff or size < 1", no_size},
	{"value ^ 0x30 & 0xf0 == 0x30", same_bits},
	{"size * 2 == 6 or size / 2 == 4", times},
	{"executed == 'true' and record == compute", ran_compute},
};

static void
open_table(struct table *table)
{
	const poly_columns wanted = POLY_COLUMNS_EXCEPT_INIT(raw);
	memset(table, 0, sizeof *table);
	info_init(&table->info);
	table->info.view.columns = wanted;
	table->info.view.records = records;
	table->info.view.record_count = 2;
	assert_int_equal(
		batch_init(&table->batch, wanted, POLY_BATCH_ROWS, &table->info.view, NULL),
		POLY_OK);
}

static void
close_table(struct table *table)
{
	batch_fini(&table->batch);
	info_fini(&table->info);
}

static void
filters_select_the_rows_for_which_they_hold(void **state)
{
	static struct row rows[ROWS];
	struct table table;
	uint64_t seed = 1;
	(void)state;
	need_library("pcre2");
	open_table(&table);
	for (size_t r = 0; r < ROWS; r++) {
		rows[r] = chance_row(&seed, r + 1);
		put_row(&table, r, &rows[r]);
	}
	assert_int_equal(batch_finish(&table.batch, NULL), POLY_OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_filter *filter;
		struct poly_error error;
		uint64_t chosen[POLY_BATCH_ROWS / 64];
		size_t count = 0;
		if (poly_filter_new(cases[i].text, &filter, &error) != POLY_OK ||
			poly_filter_bind(filter, &table.info.view, &error) != POLY_OK)
			fail_msg("%s: %s", cases[i].text, error.message);
		assert_int_equal(
			poly_filter_test(filter, &table.batch.view, chosen, NULL), POLY_OK);
		for (size_t r = 0; r < ROWS; r++) {
			const bool is = chosen[r / 64] >> r % 64 & 1;
			if (is != cases[i].holds(&rows[r]))
				fail_msg("%s: row %zu is %schosen", cases[i].text, r,
					is ? "" : "not ");
			count += is;
		}
		assert_true((count > 0 || cases[i].holds == nothing) && count < ROWS);
		poly_filter_free(filter);
	}
	close_table(&table);
}

/* Fails with the number of the first record whose result depends on the fault. */
static void
faults_are_errors_of_their_record(void **state)
{
	static const struct {
		const char *text;
		bool is_division; /* in the first row with address 0; else in row 5, of its text
				   */
	} faults[] = {{"8 / address == 4", true}, {"not 8 % address == 4", true},
		{"has(kind) and (size < 0 or address / address > 0)", true},
		{"text ~ \"^(a+)+$\"", false}, {"not text ~ \"^(a+)+$\"", false},
		{"has(kind) and text !~ \"^(a+)+$\"", false}};
	struct table table;
	struct row row;
	uint64_t seed = 3;
	size_t first = 0;
	(void)state;
	open_table(&table);
	for (size_t r = 0; r < ROWS; r++) {
		row = chance_row(&seed, r + 1);
		row.text = r == 5 ? "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaX" : NULL;
		put_row(&table, r, &row);
		if (!first && row.has_address && row.address == 0)
			first = r + 1;
	}
	assert_int_equal(batch_finish(&table.batch, NULL), POLY_OK);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct poly_filter *filter;
		struct poly_error error;
		uint64_t chosen[POLY_BATCH_ROWS / 64];
		const enum poly_status created =
			poly_filter_new(faults[i].text, &filter, &error);
		if (created == POLY_ERR_UNSUPPORTED)
			continue;
		assert_int_equal(created, POLY_OK);
		assert_int_equal(poly_filter_bind(filter, &table.info.view, &error), POLY_OK);
		assert_int_equal(poly_filter_test(filter, &table.batch.view, chosen, &error),
			POLY_ERR_LIMIT);
		assert_int_equal(error.record, faults[i].is_division ? first : 6);
		assert_non_null(
			strstr(error.message, faults[i].is_division ? "divides" : "regular"));
		poly_filter_free(filter);
	}
	close_table(&table);
}

static void
selected_rows_keep_values_absence_and_row(void **state)
{
	static struct row rows[ROWS];
	struct table table;
	struct poly_filter *filter;
	uint64_t seed = 2;
	(void)state;
	open_table(&table);
	for (size_t r = 0; r < ROWS; r++) {
		rows[r] = chance_row(&seed, r + 1);
		put_row(&table, r, &rows[r]);
	}
	assert_int_equal(batch_finish(&table.batch, NULL), POLY_OK);
	table.batch.view.first = 7000;
	assert_int_equal(poly_filter_new("mnemonic == LOAD", &filter, NULL), POLY_OK);
	assert_true(poly_columns_equal(poly_filter_columns(filter), POLY_COLUMNS(mnemonic)));
	assert_int_equal(poly_filter_bind(filter, &table.info.view, NULL), POLY_OK);
	const struct poly_batch *view = poly_filter_apply(filter, &table.batch.view, NULL);
	size_t at = 0;
	for (size_t r = 0; r < ROWS; r++) {
		if (!load(&rows[r]))
			continue;
		size_t length;
		assert_int_equal(poly_batch_number(view, at), 7000 + r + 1);
		assert_int_equal(poly_present(view, POLY_COLUMN_pc, at), rows[r].has_pc);
		if (rows[r].has_pc)
			assert_int_equal(view->pc[at], rows[r].pc);
		assert_int_equal(view->size[at], rows[r].size);
		assert_int_equal(poly_present(view, POLY_COLUMN_text, at), !!rows[r].text);
		const uint8_t *text = poly_batch_bytes(view, POLY_COLUMN_text, at, &length);
		if (rows[r].text)
			assert_memory_equal(text, rows[r].text, length);
		at++;
	}
	assert_int_equal(view->rows, at);
	poly_filter_free(filter);
	close_table(&table);
}

/* The message for a text, up to the line break, and the column of the caret from 0. */
static void
assert_fails(const char *text, enum poly_status status, const char *message, size_t caret)
{
	struct poly_filter *filter = NULL;
	struct poly_error error = {.message = ""};
	struct table table;
	open_table(&table);
	enum poly_status came = poly_filter_new(text, &filter, &error);
	if (came == POLY_OK)
		came = poly_filter_bind(filter, &table.info.view, &error);
	poly_filter_free(filter);
	close_table(&table);
	assert_int_equal(came, status);
	if (strncmp(error.message, message, strlen(message)) != 0)
		fail_msg("%s: %s", text, error.message);
	const char *mark = strrchr(error.message, '\n');
	if (caret != SIZE_MAX)
		assert_int_equal(strcspn(mark + 3, "^"), caret);
}

static void
errors_have_the_position_of_their_cause(void **state)
{
	(void)state;
	need_library("pcre2");
	assert_fails("", POLY_ERR_USAGE, "expected a column, a number or a string before", 0);
	assert_fails("pc ==", POLY_ERR_USAGE, "expected a column, a number or a string", 5);
	assert_fails("pc == 1 pc", POLY_ERR_USAGE, "expected 'and', 'or' or the end", 8);
	assert_fails("(pc == 1", POLY_ERR_USAGE, "expected ')' before the end", 8);
	assert_fails("pc", POLY_ERR_USAGE, "expected a condition", 0);
	assert_fails("pc == 1 and 7", POLY_ERR_USAGE, "expected a condition", 12);
	assert_fails("(pc)", POLY_ERR_USAGE, "expected a condition", 1);
	assert_fails("(pc == 1 or pc)", POLY_ERR_USAGE, "expected a condition", 12);
	assert_fails("(not not pc) == 1", POLY_ERR_USAGE, "expected a condition", 9);
	assert_fails("(pc and pc == 1)", POLY_ERR_USAGE, "expected a condition", 1);
	assert_fails("(pc == 1) + 1 == 2", POLY_ERR_USAGE, "expected a number", 1);
	assert_fails("pc)", POLY_ERR_USAGE, "expected 'and', 'or' or the end", 2);
	assert_fails("nosuch == 1", POLY_ERR_USAGE, "no such column", 0);
	assert_fails("1 == nosuch", POLY_ERR_USAGE, "no such column", 5);
	assert_fails("nosuch", POLY_ERR_USAGE, "no such column", 0);
	assert_fails("'a' == 'b'", POLY_ERR_USAGE, "a string can only be compared", 0);
	assert_fails("pc + 'a' == 1", POLY_ERR_USAGE, "expected a number", 5);
	assert_fails("pc in {1, 2", POLY_ERR_USAGE, "expected ',' or '}'", 11);
	assert_fails("pc not 1", POLY_ERR_USAGE, "expected 'in'", 7);
	assert_fails("pc == 0x12345678123456789", POLY_ERR_USAGE,
		"invalid number '0x12345678123456789' (exp", 6);
	assert_fails("pc == 18446744073709551616", POLY_ERR_USAGE,
		"invalid number '18446744073709551616'", 6);
	assert_fails("pc == 0b12", POLY_ERR_USAGE, "invalid number '0b12'", 6);
	assert_fails("pc == 12ab", POLY_ERR_USAGE, "invalid number '12ab'", 6);
	assert_fails("pc == @", POLY_ERR_USAGE, "unexpected character", 6);
	assert_fails("text == 'abc", POLY_ERR_USAGE, "unterminated string", 8);
	assert_fails("text ~ 'a('", POLY_ERR_USAGE, "missing closing parenthesis", 10);
	assert_fails("text ~ 3", POLY_ERR_USAGE, "expected a regular expression in quotes", 7);
	assert_fails("3 ~ 'a'", POLY_ERR_USAGE, "a regular expression can only be", 0);
	assert_fails("has(3)", POLY_ERR_USAGE, "expected the name of a column", 4);
	assert_fails(
		"kind == acces", POLY_ERR_USAGE, "invalid value 'acces' for column 'kind'", 8);
	assert_fails("record == store", POLY_ERR_USAGE,
		"invalid value 'store' for column 'record' (exp", 10);
	assert_fails("executed == 'maybe'", POLY_ERR_USAGE,
		"invalid value 'maybe' for column 'executed'", 12);
	assert_fails("pc == 'abc'", POLY_ERR_USAGE,
		"invalid value 'abc' for column 'pc' (expected a number)", 6);
	assert_fails("raw == '00'", POLY_ERR_USAGE,
		"the trace does not have the column 'raw' (it has row", 0);
}

static void
limits_end_in_an_error(void **state)
{
	static char text[80000];
	(void)state;
	memset(text, '(', 70000);
	assert_fails(text, POLY_ERR_LIMIT, "the expression exceeds 65536", SIZE_MAX);
	text[60000] = 0;
	assert_fails(text, POLY_ERR_LIMIT, "the expression is nested too deeply", SIZE_MAX);
	memset(text, '-', 60000);
	assert_fails(text, POLY_ERR_LIMIT, "the expression is nested too deeply", SIZE_MAX);
	strcpy(text, "pc == 1");
	for (size_t i = 0; i < 9000; i++)
		strcpy(text + 7 + 2 * i, "+1");
	assert_fails(text, POLY_ERR_LIMIT, "the expression is nested too deeply", SIZE_MAX);
	for (size_t i = 0; i < 60000; i += 4)
		memcpy(text + i, "not ", 4);
	strcpy(text + 60000, "executed");
	assert_fails(text, POLY_OK, "", SIZE_MAX);
}

static void
long_sets_are_parsed(void **state)
{
	static char text[40000];
	struct poly_filter *filter;
	struct poly_error error;
	size_t used = (size_t)snprintf(text, sizeof text, "pc in {0");
	(void)state;
	for (unsigned i = 1; i < 3000; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, ",%u", 2 * i);
	snprintf(text + used, sizeof text - used, "}");
	assert_int_equal(poly_filter_new(text, &filter, &error), POLY_OK);
	poly_filter_free(filter);
}

static enum poly_status
parse_filter(void *text)
{
	struct poly_filter *filter;
	struct poly_error error;
	const enum poly_status status = poly_filter_new(text, &filter, &error);
	assert_int_equal(filter == NULL, status != POLY_OK);
	poly_filter_free(filter);
	return status;
}

static void
lack_of_memory_is_reported(void **state)
{
	/* The words are long enough for the room of the texts to grow at each of them. */
	char text[] = "kind == access and access == kind and mnemonic in "
		      "{'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"
		      ", bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb} "
		      "or event == sync or pc in {1, 2..3, 4}";
	(void)state;
	law_memory(parse_filter, text);
}

/* A filter, and a table with a row for which it holds. */
struct bound_filter {
	struct table table;
	struct poly_filter *filter;
};

static void
bind_filter(void *context)
{
	struct bound_filter *bound = context;
	struct poly_error error;
	assert_int_equal(
		poly_filter_new("payload == '616263'", &bound->filter, &error), POLY_OK);
	assert_int_equal(
		poly_filter_bind(bound->filter, &bound->table.info.view, &error), POLY_OK);
}

static enum poly_status
test_filter(void *context)
{
	const struct bound_filter *bound = context;
	struct poly_error error;
	uint64_t chosen[POLY_BATCH_ROWS / 64];
	const enum poly_status status =
		poly_filter_test(bound->filter, &bound->table.batch.view, chosen, &error);
	if (status == POLY_OK)
		assert_int_equal(chosen[0], 1);
	return status;
}

/* There is memory again. */
static void
test_again(void *context)
{
	struct bound_filter *bound = context;
	assert_int_equal(test_filter(bound), POLY_OK);
	poly_filter_free(bound->filter);
}

/* Bytes are compared as text, which takes memory. */
static void
lack_of_memory_while_testing_is_reported(void **state)
{
	static struct bound_filter bound;
	struct table *table = &bound.table;
	(void)state;
	open_table(table);
	batch_put_bytes(&table->batch, POLY_COLUMN_payload, 0, "abc", 3);
	table->batch.view.rows = 1;
	assert_int_equal(batch_finish(&table->batch, NULL), POLY_OK);
	law_memory_as(&(struct memory_law){.run = test_filter,
		.prepare = bind_filter,
		.release = test_again,
		.context = &bound});
	close_table(table);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_select_the_rows_for_which_they_hold),
		cmocka_unit_test(faults_are_errors_of_their_record),
		cmocka_unit_test(selected_rows_keep_values_absence_and_row),
		cmocka_unit_test(errors_have_the_position_of_their_cause),
		cmocka_unit_test(limits_end_in_an_error),
		cmocka_unit_test(long_sets_are_parsed),
		cmocka_unit_test(lack_of_memory_is_reported),
		cmocka_unit_test(lack_of_memory_while_testing_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
