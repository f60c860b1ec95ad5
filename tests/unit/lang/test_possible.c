/* SPDX-License-Identifier: MIT */
/* What a filter can't hold for by bounds, against the rows within them. */
#include "test_help.h"

#include "polytrace/filter.h"

#include "base/bits.h"
#include "model/batch.h"
#include "model/info.h"

#define ROWS 6
#define FILTERS 40000

static uint64_t
chance(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static const enum poly_column columns[] = {
	POLY_COLUMN_time, POLY_COLUMN_pc, POLY_COLUMN_address, POLY_COLUMN_size};

#define COLUMNS (sizeof columns / sizeof *columns)

/* A number, often beside one that differs in what counts: 0, the signs, the largest. */
static uint64_t
some_number(uint64_t *state)
{
	static const uint64_t near[] = {0, 16, (uint64_t)1 << 63, UINT64_MAX - 8};
	return near[chance(state) % 8 % 4] + chance(state) % 9 - (chance(state) % 4 ? 0 : 4);
}

/* A text that is written piece by piece. */
struct text {
	char text[2000];
	size_t size;
};

static void
add(struct text *to, const char *format, uint64_t number)
{
	to->size += (size_t)snprintf(to->text + to->size, sizeof to->text - to->size, format,
		(unsigned long long)number);
	assert_true(to->size < sizeof to->text);
}

static void add_value(struct text *to, uint64_t *state, unsigned depth);

static void
add_operation(struct text *to, uint64_t *state, unsigned depth)
{
	static const char *const signs[] = {
		" + ", " - ", " * ", " / ", " %% ", " & ", " | ", " ^ ", " << ", " >> "};
	add(to, "(", 0);
	add_value(to, state, depth);
	add(to, signs[chance(state) % 10], 0);
	if (chance(state) % 2)
		add(to, "%llu", chance(state) % 70);
	else
		add_value(to, state, depth);
	add(to, ")", 0);
}

static void
add_value(struct text *to, uint64_t *state, unsigned depth)
{
	static const char *const words[] = {"time", "pc", "address", "size", "row"};
	const uint64_t kind = chance(state) % 8;
	if (kind < 4)
		add(to, words[chance(state) % 5], 0);
	else if (depth == 0 || kind < 6)
		add(to, chance(state) % 8 ? "%llu" : "-%llu", some_number(state));
	else if (kind == 6)
		add_operation(to, state, depth - 1);
	else {
		add(to, chance(state) % 2 ? "-(" : "~(", 0);
		add_value(to, state, depth - 1);
		add(to, ")", 0);
	}
}

static void
add_test(struct text *to, uint64_t *state)
{
	static const char *const signs[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
	const uint64_t kind = chance(state) % 8;
	if (kind == 0) {
		add(to, chance(state) % 2 ? "has(pc)" : "has(address)", 0);
		return;
	}
	add_value(to, state, 2);
	if (kind < 5) {
		add(to, signs[chance(state) % 6], 0);
		add_value(to, state, 1);
		return;
	}
	add(to, chance(state) % 3 ? " in " : " not in ", 0);
	add_value(to, state, 0);
	add(to, "..", 0);
	add_value(to, state, 0);
}

static void
add_condition(struct text *to, uint64_t *state, unsigned depth)
{
	const uint64_t kind = chance(state) % 4;
	if (depth == 0 || kind == 0) {
		add_test(to, state);
		return;
	}
	add(to, kind == 3 ? "not (" : "(", 0);
	add_condition(to, state, depth - 1);
	if (kind != 3) {
		add(to, chance(state) % 2 ? ") and (" : ") or (", 0);
		add_condition(to, state, depth - 1);
	}
	add(to, ")", 0);
}

struct table {
	struct info info;
	struct batch batch;
};

static void
open_table(struct table *table)
{
	poly_columns wanted = POLY_NO_COLUMNS;
	memset(table, 0, sizeof *table);
	info_init(&table->info);
	for (size_t c = 0; c < COLUMNS; c++)
		poly_columns_add(&wanted, columns[c]);
	table->info.view.columns = wanted;
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

/* Neighbouring rows with similar values, as in an interval of a trace, and their bounds. */
static struct poly_bounds
chance_rows(struct table *table, uint64_t *state)
{
	struct batch *batch = &table->batch;
	struct poly_bounds bounds = {.first = chance(state) % 30, .rows = ROWS};
	batch_clear(batch);
	batch->view.rows = ROWS;
	batch->view.first = bounds.first;
	for (size_t c = 0; c < COLUMNS; c++) {
		struct poly_range range = {columns[c], UINT64_MAX, 0};
		const uint64_t base = some_number(state), spread = 1 + chance(state) % 5;
		const uint64_t absent = chance(state) % 3;
		for (size_t r = 0; r < ROWS; r++) {
			const uint64_t v = columns[c] == POLY_COLUMN_size
						   ? (uint32_t)(base + chance(state) % spread)
						   : base + chance(state) % spread;
			if (absent && (absent == 2 || chance(state) % 2))
				continue;
			if (columns[c] == POLY_COLUMN_time)
				batch_put(batch, time, r, v);
			else if (columns[c] == POLY_COLUMN_pc)
				batch_put(batch, pc, r, v);
			else if (columns[c] == POLY_COLUMN_address)
				batch_put(batch, address, r, v);
			else
				batch_put(batch, size, r, (uint32_t)v);
			range.min = v < range.min ? v : range.min;
			range.max = v > range.max ? v : range.max;
		}
		if (chance(state) % 6)
			bounds.ranges[bounds.count++] = range;
	}
	return bounds;
}

/* The rows for which a filter holds; SIZE_MAX: it fails on one. */
static size_t
count_chosen(struct poly_filter *filter, const struct poly_batch *batch)
{
	const struct poly_batch *chosen = poly_filter_apply(filter, batch, NULL);
	return chosen ? chosen->rows : SIZE_MAX;
}

static void
what_is_impossible_holds_for_no_row(void **unused)
{
	struct table table;
	uint64_t state = 7;
	unsigned impossible = 0, none = 0;
	(void)unused;
	open_table(&table);
	for (unsigned i = 0; i < FILTERS; i++) {
		struct text text = {.size = 0};
		struct poly_filter *filter;
		struct poly_error error;
		add_condition(&text, &state, 3);
		if (poly_filter_new(text.text, &filter, &error) != POLY_OK)
			fail_msg("%s: %s", text.text, error.message);
		assert_int_equal(poly_filter_bind(filter, &table.info.view, NULL), POLY_OK);
		for (unsigned k = 0; k < 4; k++) {
			const struct poly_bounds bounds = chance_rows(&table, &state);
			const size_t found = count_chosen(filter, &table.batch.view);
			const bool possible = poly_filter_possible(filter, &bounds);
			/* It divides by 0. */
			if (found == SIZE_MAX)
				continue;
			if (found && !possible)
				fail_msg("%s holds for %zu rows", text.text, found);
			impossible += !possible;
			none += !found;
		}
		poly_filter_free(filter);
	}
	/* Else nothing was tried: about half of what holds for no row is seen. */
	assert_true(impossible > none / 3);
	close_table(&table);
}

static void
what_people_ask_is_understood(void **unused)
{
	/* Rows 101 to 200 with a pc of 0x1000 to 0x1fff, an address of 16 to 32, no time. */
	static const struct poly_bounds bounds = {.first = 100,
		.rows = 100,
		.count = 3,
		.ranges = {{POLY_COLUMN_time, UINT64_MAX, 0}, {POLY_COLUMN_pc, 0x1000, 0x1fff},
			{POLY_COLUMN_address, 16, 32}}};
	static const struct {
		const char *text;
		bool possible;
	} cases[] = {
		{"pc == 0x1000", true},
		{"pc == 0xfff", false},
		{"0x2000 == pc", false},
		{"pc < 0x1000", false},
		{"pc <= 0x1000", true},
		{"pc > 0x1fff", false},
		{"0x1fff <= pc", true},
		{"pc != 0x1000", true},
		{"pc in 0x2000..0x2fff", false},
		{"pc in 0x800..0x1000", true},
		{"pc in 0x1800..0x1700", false},
		{"pc in {1, 2, 0x2000..0x3000}", false},
		{"pc in {1, 2, 0x1234}", true},
		{"pc not in 0x1000..0x1fff", true}, /* a row without pc */
		{"pc == 1 or address == 5", false},
		{"pc == 1 or address == 20", true},
		{"pc == 0x1001 and address == 5", false},
		{"not (pc != 1)", false},
		{"pc & ~0xfff == 0x1000", true},
		{"pc & ~0xfff == 0x2000", false},
		{"pc >> 12 == 2", false},
		{"address / 16 == 3", false},
		{"address + 8 < 24", false},
		{"pc - address < 0x900", false},
		{"pc < address", false},
		{"address < pc", true},
		{"time > 0", false},
		{"time == time", false},
		{"has(time)", false},
		{"not has(time)", true},
		{"row in 1..100", false},
		{"row == 101", true},
		{"row > 200", false},
		{"row not in 101..200", false},
		{"size == 3 and pc == 1", false},
		{"size == 3", true},
		{"pc == -1", false},
		{"pc > -1", true},
		{"pc < -1", false},
	};
	struct table table;
	(void)unused;
	open_table(&table);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_filter *filter;
		assert_int_equal(poly_filter_new(cases[i].text, &filter, NULL), POLY_OK);
		assert_int_equal(poly_filter_bind(filter, &table.info.view, NULL), POLY_OK);
		if (poly_filter_possible(filter, &bounds) != cases[i].possible)
			fail_msg("%s: expected %s", cases[i].text,
				cases[i].possible ? "possible" : "impossible");
		poly_filter_free(filter);
	}
	close_table(&table);
}

static void
a_long_chain_of_conditions_is_walked(void **unused)
{
	enum { TESTS = 4000, ROOM = TESTS * 12 };
	static const struct poly_bounds bounds = {
		.rows = 10, .count = 1, .ranges = {{POLY_COLUMN_pc, 100, 200}}};
	struct table table;
	struct poly_filter *filter;
	char *text = malloc(ROOM);
	size_t size = 0;
	(void)unused;
	assert_non_null(text);
	open_table(&table);
	for (unsigned i = 0; i < TESTS; i++)
		size += (size_t)snprintf(
			text + size, ROOM - size, "%spc==%u", i ? " or " : "", i % 90);
	assert_int_equal(poly_filter_new(text, &filter, NULL), POLY_OK);
	assert_int_equal(poly_filter_bind(filter, &table.info.view, NULL), POLY_OK);
	assert_false(poly_filter_possible(filter, &bounds));
	poly_filter_free(filter);
	close_table(&table);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_impossible_holds_for_no_row),
		cmocka_unit_test(what_people_ask_is_understood),
		cmocka_unit_test(a_long_chain_of_conditions_is_walked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
