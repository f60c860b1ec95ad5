/* SPDX-License-Identifier: MIT */
/* Tests summaries against counts row by row. */
#include "test_help.h"

#include "polytrace/stats.h"

static const char *const record_names[] = {"fetch", "read", "write"};

static const struct poly_trace_info info = {
	.format = "test",
	.isa = "x86",
	.address_bits = 32,
	.addresses = POLY_ADDRESS_PHYSICAL,
	.byte_order = POLY_BYTE_ORDER_BIG,
	.clock = "ns",
	.has_first_pc = true,
	.first_pc = 0x1234,
	.columns = POLY_ALL_COLUMNS_INIT,
	.records = record_names,
	.record_count = 3,
};

static uint32_t
draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

/* Any 64 bits, small numbers and the largest ones among them. */
static uint64_t
draw_wide(uint64_t *seed)
{
	uint64_t high = draw(seed, 1u << 31), low = draw(seed, 1u << 31);
	uint64_t value = (high << 33 ^ low) >> draw(seed, 64);
	return draw(seed, 4) ? value : ~value;
}

/* A trace of rows, any of which can form a batch. */
struct table {
	size_t rows;
	bool *has[POLY_COLUMN_COUNT]; /* NULL: the trace lacks the column */
	uint64_t *value[POLY_COLUMN_COUNT];
};

static const struct {
	enum poly_column column;
	uint32_t below; /* exclusive limit of values; 0: any 64 bits */
} drawn[] = {
	{POLY_COLUMN_kind, POLY_KIND_COUNT},
	{POLY_COLUMN_record, 20},
	{POLY_COLUMN_time, 0},
	{POLY_COLUMN_cpu, 70},
	{POLY_COLUMN_process, 3},
	{POLY_COLUMN_thread, 0},
	{POLY_COLUMN_pc, 0},
	{POLY_COLUMN_access, POLY_ACCESS_COUNT},
	{POLY_COLUMN_address, 0},
	{POLY_COLUMN_size, 1u << 31},
	{POLY_COLUMN_uop_index, 4},
	{POLY_COLUMN_synthetic, 2},
};

static void
table_free(struct table *table)
{
	for (int c = 0; c < POLY_COLUMN_COUNT; c++) {
		free(table->has[c]);
		free(table->value[c]);
	}
}

/* Frequencies of missing values: never, seldom, often, mostly. */
static void
table_column(struct table *table, uint64_t *seed, enum poly_column column, uint32_t below)
{
	uint32_t habit = draw(seed, 5), few = 1 + draw(seed, below && below < 256 ? below : 20);
	if (habit == 0)
		return;
	bool *has = table->has[column] = calloc(table->rows + 1, sizeof *has);
	uint64_t *value = table->value[column] = calloc(table->rows + 1, sizeof *value);
	for (size_t r = 0; r < table->rows; r++) {
		has[r] = habit == 1 || (habit == 2 && draw(seed, 500)) ||
			 (habit == 3 && draw(seed, 2)) || (habit == 4 && !draw(seed, 100));
		value[r] = below ? draw(seed, draw(seed, 3) ? few : below) : draw_wide(seed);
	}
}

static struct table
table_new(uint64_t *seed, size_t rows)
{
	struct table table = {.rows = rows};
	for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++)
		table_column(&table, seed, drawn[i].column, drawn[i].below);
	table_column(&table, seed, POLY_COLUMN_raw, 5);
	return table;
}

static bool
has(const struct table *table, enum poly_column column, size_t row)
{
	return table->has[column] && table->has[column][row];
}

/* Rows of a table as a batch, with arrays of minimum size. */
static struct poly_batch
batch_of(const struct table *table, size_t from, size_t rows)
{
	struct poly_batch b = {.rows = rows, .first = from, .info = &info};
	size_t words = (rows + 63) / 64;
	for (int c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (!table->has[c])
			continue;
		uint64_t *bits = malloc(words * sizeof *bits);
		/* Set the bits after the last row, which must be ignored. */
		memset(bits, 0xff, words * sizeof *bits);
		for (size_t r = 0; r < rows; r++) {
			if (!table->has[c][from + r])
				bits[r / 64] &= ~((uint64_t)1 << (r % 64));
		}
		b.present[c] = bits;
	}
#define FILL(name, type)                                                              \
	if (table->has[POLY_COLUMN_##name]) {                                         \
		b.name = malloc(rows * sizeof(type));                                 \
		for (size_t r = 0; r < rows; r++)                                     \
			b.name[r] = (type)table->value[POLY_COLUMN_##name][from + r]; \
	}
	FILL(kind, uint8_t)
	FILL(record, uint8_t)
	FILL(time, uint64_t)
	FILL(cpu, uint32_t)
	FILL(process, uint64_t)
	FILL(thread, uint64_t)
	FILL(pc, uint64_t)
	FILL(access, uint8_t)
	FILL(address, uint64_t)
	FILL(size, uint32_t)
	FILL(uop_index, uint8_t)
	FILL(synthetic, uint8_t)
#undef FILL
	if (table->has[POLY_COLUMN_raw])
		b.raw = calloc(rows, sizeof *b.raw);
	return b;
}

static void
batch_free(struct poly_batch *b)
{
#define COLUMN(name, type, form, doc) free(b->name);
#include "polytrace/columns.def"
#undef COLUMN
	for (int c = 0; c < POLY_COLUMN_COUNT; c++) {
		uint64_t *bits;
		memcpy(&bits, &b->present[c], sizeof bits);
		free(bits);
	}
}

static struct poly_stats *
new_summary(void)
{
	static const char *const names[] = {"summary", NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *summary;
	options.analyses = names;
	assert_int_equal(poly_stats_new(&options, &summary, NULL), POLY_OK);
	assert_int_equal(poly_stats_begin(summary, &info, NULL), POLY_OK);
	return summary;
}

static void
update(struct poly_stats *summary, const struct table *table, size_t from, size_t rows)
{
	struct poly_batch b = batch_of(table, from, rows);
	assert_int_equal(poly_stats_update(summary, &b, NULL), POLY_OK);
	batch_free(&b);
}

static struct buf
rendered(const struct poly_stats *summary, enum poly_rendering rendering)
{
	struct buf out = {0};
	struct poly_report *report = poly_report_new();
	poly_stats_report(summary, "summary", report);
	assert_int_equal(
		poly_report_render(report, rendering, &(struct poly_sink){collect, &out}, NULL),
		POLY_OK);
	poly_report_free(report);
	buf_text(&out);
	return out;
}

/* The expected CSV of a table, counted row by row. */
struct expected {
	struct buf values, tables;
};

static void
expect_count(struct buf *out, const char *section, const char *key, uint64_t count)
{
	buf_printf(out, "%s,%s,%llu\n", section, key, (unsigned long long)count);
}

static uint64_t
count_value(const struct table *t, enum poly_column column, uint64_t value)
{
	uint64_t count = 0;
	for (size_t r = 0; r < t->rows; r++)
		count += has(t, column, r) && t->value[column][r] == value;
	return count;
}

static bool
is_kind(const struct table *t, size_t r, enum poly_kind kind)
{
	return has(t, POLY_COLUMN_kind, r) && t->value[POLY_COLUMN_kind][r] == (uint64_t)kind;
}

static bool
is_synthetic(const struct table *t, size_t r)
{
	return has(t, POLY_COLUMN_synthetic, r) && t->value[POLY_COLUMN_synthetic][r];
}

static void
expect_records(struct expected *e, const struct table *t)
{
	uint64_t instructions = 0, uops = 0, synthetic = 0, raw = 0;
	for (size_t r = 0; r < t->rows; r++) {
		bool numbered = has(t, POLY_COLUMN_uop_index, r);
		uops += numbered;
		raw += is_kind(t, r, POLY_KIND_OTHER) && has(t, POLY_COLUMN_raw, r);
		if (!is_kind(t, r, POLY_KIND_INSTRUCTION))
			continue;
		if (is_synthetic(t, r))
			synthetic++;
		else if (!numbered || t->value[POLY_COLUMN_uop_index][r] <= 1)
			instructions++;
	}
	expect_count(&e->values, "records", "total_records", t->rows);
	expect_count(&e->values, "records", "instructions", instructions);
	expect_count(&e->values, "records", "uops", uops);
	expect_count(&e->values, "records", "synthetic_instructions", synthetic);
	expect_count(&e->values, "records", "unrecognized_records", raw);
	buf_string(&e->tables, "\ntable,kind,records\n");
	for (unsigned v = 0; v < POLY_KIND_COUNT; v++) {
		uint64_t count = count_value(t, POLY_COLUMN_kind, v);
		if (count)
			expect_count(&e->tables, "records.records_by_kind",
				poly_enum_name(POLY_FORM_KIND, v), count);
	}
	buf_string(&e->tables, "\ntable,name,records\n");
	for (unsigned v = 0; v < 256; v++) {
		uint64_t count = count_value(t, POLY_COLUMN_record, v);
		char number[8];
		snprintf(number, sizeof number, "%u", v);
		if (count)
			expect_count(&e->tables, "records.records_by_name",
				v < 3 ? record_names[v] : number, count);
	}
}

static void
expect_access(struct expected *e, const struct table *t, unsigned access)
{
	uint64_t count = 0, bytes = 0, sized = 0, low = UINT64_MAX, high = 0;
	char sum[24] = "";
	for (size_t r = 0; r < t->rows; r++) {
		if (!has(t, POLY_COLUMN_access, r) || !has(t, POLY_COLUMN_address, r) ||
			t->value[POLY_COLUMN_access][r] != access)
			continue;
		uint64_t address = t->value[POLY_COLUMN_address][r];
		count++;
		low = address < low ? address : low;
		high = address > high ? address : high;
		bytes += has(t, POLY_COLUMN_size, r) ? t->value[POLY_COLUMN_size][r] : 0;
		sized += has(t, POLY_COLUMN_size, r);
	}
	if (sized)
		snprintf(sum, sizeof sum, "%llu", (unsigned long long)bytes);
	if (count)
		buf_printf(&e->tables, "accesses,%s,%llu,%s,0x%08llx,0x%08llx\n",
			poly_enum_name(POLY_FORM_ACCESS, access), (unsigned long long)count,
			sum, (unsigned long long)low, (unsigned long long)high);
}

static bool
bounds(const struct table *t, enum poly_column column, uint64_t *low, uint64_t *high)
{
	bool any = false;
	*low = UINT64_MAX;
	*high = 0;
	for (size_t r = 0; r < t->rows; r++) {
		if (!has(t, column, r))
			continue;
		uint64_t v = t->value[column][r];
		any = true;
		*low = v < *low ? v : *low;
		*high = v > *high ? v : *high;
	}
	return any;
}

static void
expect_ranges(struct expected *e, const struct table *t)
{
	uint64_t low, high;
	if (bounds(t, POLY_COLUMN_pc, &low, &high))
		buf_printf(&e->values,
			"instruction_addresses,lowest_address,0x%08llx\ninstruction_addresses,"
			"highest_address,0x%08llx\n",
			(unsigned long long)low, (unsigned long long)high);
	else
		buf_string(&e->values, "instruction_addresses,lowest_address,\ninstruction_"
				       "addresses,highest_address,\n");
	if (bounds(t, POLY_COLUMN_time, &low, &high)) {
		expect_count(&e->values, "time", "start_time", low);
		expect_count(&e->values, "time", "end_time", high);
		expect_count(&e->values, "time", "duration", high - low);
		buf_string(&e->values, "time,time_unit,ns\n");
	} else {
		buf_string(&e->values,
			"time,start_time,\ntime,end_time,\ntime,duration,\ntime,time_unit,\n");
	}
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void
expect_context(
	struct expected *e, const struct table *t, enum poly_column column, const char *key)
{
	uint64_t *values = malloc((t->rows + 1) * sizeof *values);
	size_t n = 0, different = 0;
	for (size_t r = 0; r < t->rows; r++) {
		if (has(t, column, r))
			values[n++] = t->value[column][r];
	}
	qsort(values, n, sizeof *values, compare);
	for (size_t i = 0; i < n; i++)
		different += i == 0 || values[i] != values[i - 1];
	if (different)
		expect_count(
			&e->values, "contexts", key, different > 65536 ? 65537 : different);
	else
		buf_printf(&e->values, "contexts,%s,\n", key);
	free(values);
}

/* The CSV of a table's summary. */
static struct buf
expected_csv(const struct table *t)
{
	struct expected e = {0};
	buf_string(&e.values, "section,key,value\n");
	expect_records(&e, t);
	buf_string(&e.tables, "\ntable,access,records,bytes,lowest_address,highest_address\n");
	for (unsigned a = 0; a < POLY_ACCESS_COUNT; a++)
		expect_access(&e, t, a);
	expect_ranges(&e, t);
	expect_context(&e, t, POLY_COLUMN_cpu, "cpus");
	expect_context(&e, t, POLY_COLUMN_process, "processes");
	expect_context(&e, t, POLY_COLUMN_thread, "threads");
	buf_string(&e.values, buf_text(&e.tables));
	buf_free(&e.tables);
	buf_text(&e.values);
	return e.values;
}

static void
expect_csv(const struct poly_stats *summary, const struct table *table)
{
	struct buf expected = expected_csv(table), found = rendered(summary, POLY_RENDER_CSV);
	assert_string_equal((char *)found.data, (char *)expected.data);
	buf_free(&expected);
	buf_free(&found);
}

static size_t
draw_rows(uint64_t *seed, size_t most)
{
	size_t rows = draw(seed, 3) ? 1 + draw(seed, POLY_BATCH_ROWS)
				    : 64u * (1 + draw(seed, POLY_BATCH_ROWS / 64));
	return rows < most ? rows : most;
}

static void
random_batches_equal_counts_row_by_row(void **state)
{
	(void)state;
	for (uint64_t seed = 1, round = 0; round < 60; round++) {
		struct table table = table_new(&seed, 1 + draw(&seed, 12000));
		struct poly_stats *summary = new_summary();
		for (size_t at = 0, n; at < table.rows; at += n) {
			n = draw_rows(&seed, table.rows - at);
			update(summary, &table, at, n);
		}
		expect_csv(summary, &table);
		poly_stats_free(summary);
		table_free(&table);
	}
}

static void
merging_at_any_cut_equals_one_summary(void **state)
{
	(void)state;
	for (uint64_t seed = 77, round = 0; round < 40; round++) {
		struct table table = table_new(&seed, 2 + draw(&seed, 5000));
		struct poly_stats *parts[3];
		size_t cuts[4] = {0, 0, 0, table.rows};
		cuts[1] = draw(&seed, (uint32_t)table.rows);
		cuts[2] = cuts[1] + draw(&seed, (uint32_t)(table.rows - cuts[1]));
		for (int i = 0; i < 3; i++) {
			parts[i] = new_summary();
			for (size_t at = cuts[i], n; at < cuts[i + 1]; at += n) {
				n = draw_rows(&seed, cuts[i + 1] - at);
				update(parts[i], &table, at, n);
			}
		}
		struct buf before = rendered(parts[2], POLY_RENDER_JSON);
		assert_int_equal(poly_stats_merge(parts[1], parts[2], NULL), POLY_OK);
		assert_int_equal(poly_stats_merge(parts[0], parts[1], NULL), POLY_OK);
		expect_csv(parts[0], &table);
		struct buf after = rendered(parts[2], POLY_RENDER_JSON);
		assert_string_equal((char *)before.data, (char *)after.data);
		buf_free(&before);
		buf_free(&after);
		for (int i = 0; i < 3; i++)
			poly_stats_free(parts[i]);
		table_free(&table);
	}
}

/* A table of one column, thread, that counts from a number on. */
static struct table
threads(uint64_t from, size_t count)
{
	struct table table = {.rows = count};
	bool *present = table.has[POLY_COLUMN_thread] = malloc(count * sizeof *present);
	uint64_t *value = table.value[POLY_COLUMN_thread] = malloc(count * sizeof *value);
	for (size_t i = 0; i < count; i++) {
		present[i] = true;
		value[i] = from + i;
	}
	return table;
}

static struct poly_stats *
summary_of_threads(uint64_t from, size_t count)
{
	struct table table = threads(from, count);
	struct poly_stats *summary = new_summary();
	for (size_t at = 0; at < count; at += POLY_BATCH_ROWS)
		update(summary, &table, at,
			count - at < POLY_BATCH_ROWS ? count - at : POLY_BATCH_ROWS);
	table_free(&table);
	return summary;
}

static void
expect_threads(const struct poly_stats *summary, const char *csv, const char *text)
{
	struct buf out = rendered(summary, POLY_RENDER_CSV);
	assert_non_null(strstr((char *)out.data, csv));
	buf_free(&out);
	out = rendered(summary, POLY_RENDER_TEXT);
	assert_non_null(strstr((char *)out.data, text));
	buf_free(&out);
}

static void
distinct_threads_are_counted_up_to_a_limit(void **state)
{
	(void)state;
	struct poly_stats *s = summary_of_threads(0, 65536);
	expect_threads(s, "\ncontexts,threads,65536\n", "Threads  65,536\n");
	poly_stats_free(s);
	s = summary_of_threads(0, 65537);
	expect_threads(s, "\ncontexts,threads,65537\n", "Threads (at least)  65,537\n");
	poly_stats_free(s);
	s = summary_of_threads(5, 200000);
	expect_threads(s, "\ncontexts,threads,65537\n", "Threads (at least)  65,537\n");
	poly_stats_free(s);
}

static void
the_limit_holds_across_a_merge(void **state)
{
	(void)state;
	static const struct {
		size_t first, second, overlap;
		const char *csv;
	} cases[] = {
		{40000, 25536, 0, "threads,65536\n"},
		{40000, 25537, 0, "threads,65537\n"},
		{65536, 65536, 65536, "threads,65536\n"},
		{65536, 65536, 65535, "threads,65537\n"},
		{70000, 10, 0, "threads,65537\n"},
		{10, 70000, 0, "threads,65537\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct poly_stats *a = summary_of_threads(0, cases[i].first);
		struct poly_stats *b =
			summary_of_threads(cases[i].first - cases[i].overlap, cases[i].second);
		assert_int_equal(poly_stats_merge(a, b, NULL), POLY_OK);
		expect_threads(a, cases[i].csv, "Threads");
		poly_stats_free(a);
		poly_stats_free(b);
	}
}

/* Four records of a bus trace: two fetches, a read, and unrecognized bytes. */
static struct table
small(void)
{
	static const uint64_t rows[][4] = {
		{POLY_KIND_INSTRUCTION, POLY_ACCESS_FETCH, 0x1000, 8},
		{POLY_KIND_INSTRUCTION, POLY_ACCESS_FETCH, 0x1008, 8},
		{POLY_KIND_ACCESS, POLY_ACCESS_READ, 0xfffffff0, 4},
		{POLY_KIND_OTHER, 0, 0, 0},
	};
	static const enum poly_column columns[] = {POLY_COLUMN_kind, POLY_COLUMN_access,
		POLY_COLUMN_address, POLY_COLUMN_size, POLY_COLUMN_raw};
	struct table t = {.rows = 4};
	for (size_t c = 0; c < 5; c++) {
		t.has[columns[c]] = malloc(4 * sizeof(bool));
		t.value[columns[c]] = malloc(4 * sizeof(uint64_t));
		for (size_t r = 0; r < 4; r++) {
			t.has[columns[c]][r] = c == 0 || (c == 4) == (r == 3);
			t.value[columns[c]][r] = c < 4 ? rows[r][c] : 0;
		}
	}
	return t;
}

static void
a_small_trace_reads_well(void **state)
{
	(void)state;
	struct table table = small();
	struct poly_stats *summary = new_summary();
	update(summary, &table, 0, 4);
	struct buf out = rendered(summary, POLY_RENDER_TEXT);
	assert_string_equal((char *)out.data,
		"Records\n"
		"  Total records           4\n"
		"  Instructions            2\n"
		"  µops                    0\n"
		"  Synthetic instructions  0\n"
		"  Unrecognized records    1\n"
		"\n"
		"  Records by kind\n"
		"    Kind         Records\n"
		"    instruction        2\n"
		"    access             1\n"
		"    other              1\n"
		"\n"
		"Accesses\n"
		"  Access  Records  Bytes  Lowest address  Highest address\n"
		"  read          1      4      0xfffffff0       0xfffffff0\n"
		"  fetch         2     16      0x00001000       0x00001008\n");
	buf_free(&out);
	poly_stats_free(summary);
	table_free(&table);
}

static void
an_empty_trace_reports(void **state)
{
	(void)state;
	struct poly_stats *summary = new_summary(), *other = new_summary();
	assert_int_equal(poly_stats_merge(summary, other, NULL), POLY_OK);
	struct buf out = rendered(summary, POLY_RENDER_TEXT);
	assert_string_equal((char *)out.data, "Records\n  Total records           0\n"
					      "  Instructions            0\n"
					      "  µops                    0\n"
					      "  Synthetic instructions  0\n"
					      "  Unrecognized records    0\n");
	buf_free(&out);
	out = rendered(summary, POLY_RENDER_CSV);
	assert_non_null(strstr((char *)out.data, "\nrecords,synthetic_instructions,0\n"));
	assert_non_null(strstr((char *)out.data, "\ncontexts,threads,\n"));
	buf_free(&out);
	poly_stats_free(summary);
	poly_stats_free(other);
	poly_stats_free(NULL);
}

/* Both ends of the address space in one access: the whole range has no size in 64 bits. */
static void
the_whole_address_space_is_a_range(void **state)
{
	(void)state;
	static const uint64_t addresses[] = {0, UINT64_MAX, 5, 0x8000000000000000u};
	struct table table = {.rows = 640};
	static const enum poly_column columns[] = {POLY_COLUMN_access, POLY_COLUMN_address,
		POLY_COLUMN_size, POLY_COLUMN_pc, POLY_COLUMN_time};
	for (size_t c = 0; c < 5; c++) {
		table.has[columns[c]] = malloc(table.rows * sizeof(bool));
		table.value[columns[c]] = malloc(table.rows * sizeof(uint64_t));
		for (size_t r = 0; r < table.rows; r++) {
			table.has[columns[c]][r] = true;
			table.value[columns[c]][r] = c == 0   ? r / 4 % 3
						     : c == 2 ? UINT32_MAX
							      : addresses[r % 4];
		}
	}
	struct poly_stats *summary = new_summary();
	update(summary, &table, 0, table.rows);
	expect_csv(summary, &table);
	poly_stats_free(summary);
	table_free(&table);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_batches_equal_counts_row_by_row),
		cmocka_unit_test(merging_at_any_cut_equals_one_summary),
		cmocka_unit_test(distinct_threads_are_counted_up_to_a_limit),
		cmocka_unit_test(the_limit_holds_across_a_merge),
		cmocka_unit_test(a_small_trace_reads_well),
		cmocka_unit_test(an_empty_trace_reports),
		cmocka_unit_test(the_whole_address_space_is_a_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
