/* SPDX-License-Identifier: MIT */
/* Reports: every byte of the renderings, wrong use, lack of memory, errors of the sink. */
#include "test_help.h"

#include <errno.h>
#include <math.h>

#include "polytrace/report.h"

#include "report/terms.h"

static enum poly_status
render(const struct poly_report *report, enum poly_rendering rendering, struct buf *out)
{
	return poly_report_render(report, rendering, &(struct poly_sink){collect, out}, NULL);
}

static void
expect(const struct poly_report *report, enum poly_rendering rendering, const char *expected)
{
	struct buf out = {0};
	assert_int_equal(render(report, rendering, &out), POLY_OK);
	assert_string_equal(buf_text(&out), expected);
	buf_free(&out);
}

static void
expect_usage(struct poly_report *report)
{
	struct poly_error error;
	struct buf out = {0};
	for (int r = POLY_RENDER_TEXT; r <= POLY_RENDER_TERMINAL; r++) {
		assert_int_equal(poly_report_render(report, (enum poly_rendering)r,
					 &(struct poly_sink){collect, &out}, &error),
			POLY_ERR_USAGE);
		assert_int_equal(error.status, POLY_ERR_USAGE);
		assert_int_equal(out.size, 0);
	}
	poly_report_free(report);
}

/* Adds one item of each type to a report. */
static void
fill(struct poly_report *r)
{
	poly_report_text(r, "tool", "polytrace");
	poly_report_section(r, "trace");
	poly_report_text(r, "format", "bach");
	poly_report_count(r, "file_bytes", 1234567);
	poly_report_text(r, "isa", NULL);
	poly_report_address(r, "first_pc", 0x1000, 8);
	poly_report_ratio(r, "miss_ratio", 3, 16, 2);
	poly_report_bool(r, "sound", true);
	poly_report_section(r, "records");
	poly_report_count(r, "total", 1000);
	poly_report_table(r, "kinds");
	poly_report_column(r, "kind", false);
	poly_report_column(r, "count", true);
	poly_report_column(r, "at", true);
	poly_report_column(r, "note", false);
	poly_report_cell_text(r, "instruction");
	poly_report_cell_count(r, 999);
	poly_report_cell_address(r, 0xfff0, 4);
	poly_report_cell_text(r, NULL);
	poly_report_cell_text(r, "event, bus");
	poly_report_cell_count(r, 12345678);
	poly_report_cell_text(r, NULL);
	poly_report_cell_text(r, "rare");
	poly_report_end(r);
	poly_report_end(r);
	poly_report_bool(r, "complete", false);
	poly_report_end(r);
	poly_report_list(r, "files");
	poly_report_section(r, "file");
	poly_report_heading(r, "a.bach");
	poly_report_count(r, "rows", 7);
	poly_report_end(r);
	poly_report_section(r, "file");
	poly_report_heading(r, "b.bach");
	poly_report_count(r, "rows", 0);
	poly_report_end(r);
	poly_report_end(r);
}

/* Adds a table of two numbers with a unit, an optional plot of them, and a note. */
static void
fill_plotted(struct poly_report *r, const struct poly_plot *plot)
{
	poly_report_note(r, "Sizes are those of the pages.");
	poly_report_table(r, "sizes");
	poly_report_column(r, "size", true);
	poly_report_unit(r, "bytes");
	poly_report_column(r, "count", true);
	if (plot)
		poly_report_plot(r, plot);
	poly_report_cell_count(r, 4096);
	poly_report_cell_count(r, 7);
	poly_report_end(r);
}

static struct poly_report *
sample(void)
{
	struct poly_report *r = poly_report_new();
	fill(r);
	return r;
}

static void
text_is_aligned_and_indented(void **state)
{
	(void)state;
	struct poly_report *r = sample();
	expect(r, POLY_RENDER_TEXT,
		"Tool  polytrace\n"
		"\n"
		"Trace\n"
		"  Format          bach\n"
		"  File (bytes)    1,234,567\n"
		"  First PC        0x00001000\n"
		"  Miss ratio (%)  18.75\n"
		"  Sound           yes\n"
		"\n"
		"  Records\n"
		"    Total  1,000\n"
		"\n"
		"    Kinds\n"
		"      Kind              Count      At  Note\n"
		"      instruction         999  0xfff0\n"
		"      event, bus   12,345,678       -  rare\n"
		"\n"
		"  Complete        no\n"
		"\n"
		"Files\n"
		"  a.bach\n"
		"    Rows  7\n"
		"\n"
		"  b.bach\n"
		"    Rows  0\n");
	poly_report_free(r);
}

static void
json_is_one_indented_object(void **state)
{
	(void)state;
	struct poly_report *r = sample();
	expect(r, POLY_RENDER_JSON,
		"{\n"
		"  \"tool\": \"polytrace\",\n"
		"  \"trace\": {\n"
		"    \"format\": \"bach\",\n"
		"    \"file_bytes\": 1234567,\n"
		"    \"isa\": null,\n"
		"    \"first_pc\": \"0x00001000\",\n"
		"    \"miss_ratio\": 0.1875,\n"
		"    \"sound\": true,\n"
		"    \"records\": {\n"
		"      \"total\": 1000,\n"
		"      \"kinds\": [\n"
		"        {\n"
		"          \"kind\": \"instruction\",\n"
		"          \"count\": 999,\n"
		"          \"at\": \"0xfff0\",\n"
		"          \"note\": null\n"
		"        },\n"
		"        {\n"
		"          \"kind\": \"event, bus\",\n"
		"          \"count\": 12345678,\n"
		"          \"at\": null,\n"
		"          \"note\": \"rare\"\n"
		"        }\n"
		"      ]\n"
		"    },\n"
		"    \"complete\": false\n"
		"  },\n"
		"  \"files\": [\n"
		"    {\n"
		"      \"rows\": 7\n"
		"    },\n"
		"    {\n"
		"      \"rows\": 0\n"
		"    }\n"
		"  ]\n"
		"}\n");
	poly_report_free(r);
}

static void
csv_has_a_block_of_values_and_one_for_each_table(void **state)
{
	(void)state;
	struct poly_report *r = sample();
	expect(r, POLY_RENDER_CSV,
		"section,key,value\n"
		",tool,polytrace\n"
		"trace,format,bach\n"
		"trace,file_bytes,1234567\n"
		"trace,isa,\n"
		"trace,first_pc,0x00001000\n"
		"trace,miss_ratio,0.1875\n"
		"trace,sound,true\n"
		"trace.records,total,1000\n"
		"trace,complete,false\n"
		"files.0,rows,7\n"
		"files.1,rows,0\n"
		"\n"
		"table,kind,count,at,note\n"
		"trace.records.kinds,instruction,999,0xfff0,\n"
		"trace.records.kinds,\"event, bus\",12345678,,rare\n");
	poly_report_free(r);
}

static void
empty_reports_render(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	expect(r, POLY_RENDER_TEXT, "");
	expect(r, POLY_RENDER_JSON, "{}\n");
	expect(r, POLY_RENDER_CSV, "");
	poly_report_free(r);
	poly_report_free(NULL);
}

static void
empty_items_are_omitted_from_text_only(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	poly_report_section(r, "a");
	poly_report_text(r, "x", NULL);
	poly_report_real(r, "y", NAN, 1);
	poly_report_table(r, "t");
	poly_report_column(r, "c", false);
	poly_report_end(r);
	poly_report_list(r, "l");
	poly_report_end(r);
	poly_report_end(r);
	poly_report_text(r, "z", "");
	expect(r, POLY_RENDER_TEXT, "Z\n");
	expect(r, POLY_RENDER_JSON,
		"{\n"
		"  \"a\": {\n"
		"    \"x\": null,\n"
		"    \"y\": null,\n"
		"    \"t\": [],\n"
		"    \"l\": []\n"
		"  },\n"
		"  \"z\": \"\"\n"
		"}\n");
	expect(r, POLY_RENDER_CSV, "section,key,value\na,x,\na,y,\n,z,\"\"\n\ntable,c\n");
	poly_report_free(r);
}

static void
numbers_reach_their_limits(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	poly_report_count(r, "max", UINT64_MAX);
	poly_report_count(r, "three", 100);
	poly_report_unit(r, "rows");
	poly_report_address(r, "none", 0, 0);
	poly_report_address(r, "all", UINT64_MAX, 99);
	poly_report_address(r, "wide", 0x123456789, 4);
	poly_report_real(r, "whole", -3.0, 0);
	poly_report_real(r, "fine", 0.125, 3);
	poly_report_real(r, "huge", 1e22, 1);
	poly_report_real(r, "less", -123456.5, 1);
	poly_report_real(r, "infinite", -INFINITY, 1);
	expect(r, POLY_RENDER_TEXT,
		"Max           18,446,744,073,709,551,615\n"
		"Three (rows)  100\n"
		"None          0x0\n"
		"All           0xffffffffffffffff\n"
		"Wide          0x123456789\n"
		"Whole         -3\n"
		"Fine          0.125\n"
		"Huge          10,000,000,000,000,000,000,000.0\n"
		"Less          -123,456.5\n");
	expect(r, POLY_RENDER_JSON,
		"{\n"
		"  \"max\": 18446744073709551615,\n"
		"  \"three\": 100,\n"
		"  \"none\": \"0x0\",\n"
		"  \"all\": \"0xffffffffffffffff\",\n"
		"  \"wide\": \"0x123456789\",\n"
		"  \"whole\": -3,\n"
		"  \"fine\": 0.125,\n"
		"  \"huge\": 1e+22,\n"
		"  \"less\": -123456.5,\n"
		"  \"infinite\": null\n"
		"}\n");
	poly_report_free(r);
}

static void
strings_are_escaped_for_each_rendering(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	poly_report_text(r, "a", "q\" b\\ \b\f\n\r\t\x01\x1f\x7f /");
	poly_report_text(r, "b", "\xc3\xa4\xc2\x9b\xe2\x82\xac\xf0\x9f\x98\x80");
	poly_report_text(r, "c", "blanks  ");
	expect(r, POLY_RENDER_TEXT,
		"A  q\" b\\ \\x08\\x0c\\x0a\\x0d\\x09\\x01\\x1f\\x7f /\n"
		"B  \xc3\xa4\\x9b\xe2\x82\xac\xf0\x9f\x98\x80\n"
		"C  blanks\n");
	expect(r, POLY_RENDER_JSON,
		"{\n"
		"  \"a\": \"q\\\" b\\\\ \\b\\f\\n\\r\\t\\u0001\\u001f\x7f /\",\n"
		"  \"b\": \"\xc3\xa4\xc2\x9b\xe2\x82\xac\xf0\x9f\x98\x80\",\n"
		"  \"c\": \"blanks  \"\n"
		"}\n");
	expect(r, POLY_RENDER_CSV,
		"section,key,value\n"
		",a,\"q\"\" b\\ \b\f\n\r\t\x01\x1f\x7f /\"\n"
		",b,\xc3\xa4\xc2\x9b\xe2\x82\xac\xf0\x9f\x98\x80\n"
		",c,blanks  \n");
	poly_report_free(r);
}

#define FFFD "\xef\xbf\xbd"

static void
bytes_that_are_not_utf8_are_replaced(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"\xff", FFFD},
		{"a\x80z", "a" FFFD "z"},
		{"\xe2\x82", FFFD},
		{"\xe2\x82"
		 "A",
			FFFD "A"},
		{"\xc0\x80", FFFD FFFD},
		{"\xed\xa0\x80", FFFD FFFD FFFD},
		{"\xed\x9f\xbf", "\xed\x9f\xbf"},
		{"\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD},
		{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
		{"\xf0\x8f\xbf\xbf", FFFD FFFD FFFD FFFD},
		{"\xf0\x9f\x98\xc3\xa4", FFFD "\xc3\xa4"},
		{"\xe0\x9f\x80", FFFD FFFD FFFD},
		{"\xf5\x80", FFFD FFFD},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct poly_report *r = poly_report_new();
		char expected[100];
		poly_report_text(r, "k", cases[i].in);
		snprintf(expected, sizeof expected, "K  %s\n", cases[i].out);
		expect(r, POLY_RENDER_TEXT, expected);
		snprintf(expected, sizeof expected, "{\n  \"k\": \"%s\"\n}\n", cases[i].out);
		expect(r, POLY_RENDER_JSON, expected);
		poly_report_free(r);
	}
}

static void
columns_align_by_characters_not_bytes(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	poly_report_count(r, "a", 1);
	poly_report_heading(r, "\xc3\x84\xc3\xb6");
	poly_report_count(r, "b", 2);
	poly_report_heading(r, "abc");
	poly_report_table(r, "t");
	poly_report_column(r, "x", false);
	poly_report_column(r, "y", false);
	poly_report_cell_text(r, "\xe2\x82\xac");
	poly_report_cell_text(r, "1");
	poly_report_cell_text(r, "ab");
	poly_report_cell_text(r, "2");
	poly_report_end(r);
	expect(r, POLY_RENDER_TEXT,
		"\xc3\x84\xc3\xb6   1\n"
		"abc  2\n"
		"\n"
		"T\n"
		"  X   Y\n"
		"  \xe2\x82\xac   1\n"
		"  ab  2\n");
	poly_report_free(r);
}

static void
labels_are_keys_in_words(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"own_key", "Own key  1\n"},
		{"own", "Own  1\n"},
		{"btb_miss", "BTB miss  1\n"},
		{"own_cpus_bytes", "Own CPUs (bytes)  1\n"},
		{"own_percent", "Own (%)  1\n"},
		{"percent", "Percent  1\n"},
		{"own_gap_ns", "Own gap (ns)  1\n"},
		{"size", "Size (bytes)  1\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_report *r = poly_report_new();
		poly_report_count(r, cases[i][0], 1);
		expect(r, POLY_RENDER_TEXT, cases[i][1]);
		poly_report_free(r);
	}
}

static void
labels_of_terms_are_those_derived_from_their_keys(void **state)
{
	(void)state;
	const struct term *term;
	for (size_t i = 0; (term = terms_at(i)); i++) {
		struct buf label = {0};
		const char *unit = terms_derive(&label, term->key);
		assert_string_equal(buf_text(&label), term->label);
		assert_true(!unit || (term->unit && strcmp(unit, term->unit) == 0));
		assert_ptr_equal(terms_find(term->key), term);
		buf_free(&label);
	}
	assert_null(terms_find("no_such_key"));
}

static void
ratios_are_percent_for_people_and_fractions_for_programs(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	poly_report_ratio(r, "own_ratio", 1, 3, 2);
	poly_report_ratio(r, "absent_ratio", 1, 0, 2);
	poly_report_real(r, "third", 1.0 / 3, 3);
	poly_report_table(r, "own");
	poly_report_column(r, "own_hit_ratio", true);
	poly_report_cell_ratio(r, 2, 3, 1);
	poly_report_cell_ratio(r, 0, 0, 1);
	poly_report_end(r);
	expect(r, POLY_RENDER_TEXT,
		"Own ratio (%)  33.33\n"
		"Third          0.333\n"
		"\n"
		"Own\n"
		"  Own hit ratio (%)\n"
		"               66.7\n"
		"                  -\n");
	expect(r, POLY_RENDER_JSON_LINE,
		"{\"own_ratio\": 0.3333333333333333, \"absent_ratio\": null, "
		"\"third\": 0.3333333333333333, \"own\": [{\"own_hit_ratio\": "
		"0.6666666666666666}, {\"own_hit_ratio\": null}]}\n");
	poly_report_free(r);
}

static void
strings_are_copied(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	char title[] = "Title", value[] = "value", unit[] = "unit";
	poly_report_text(r, "k", value);
	poly_report_heading(r, title);
	poly_report_count(r, "n", 1);
	poly_report_unit(r, unit);
	memset(title, '!', sizeof title - 1);
	memset(value, '!', sizeof value - 1);
	memset(unit, '!', sizeof unit - 1);
	expect(r, POLY_RENDER_TEXT, "Title     value\nN (unit)  1\n");
	poly_report_free(r);
}

static struct poly_report *
nested(unsigned depth)
{
	struct poly_report *r = poly_report_new();
	for (unsigned i = 0; i < depth; i++)
		poly_report_section(r, "s");
	poly_report_bool(r, "b", true);
	for (unsigned i = 0; i < depth; i++)
		poly_report_end(r);
	return r;
}

static void
nesting_is_bounded(void **state)
{
	(void)state;
	struct buf expected = {0};
	for (int i = 0; i < POLY_REPORT_DEPTH; i++)
		buf_printf(&expected, "%*sS\n", 2 * i, "");
	buf_printf(&expected, "%*sB  yes\n", 2 * POLY_REPORT_DEPTH, "");
	struct poly_report *r = nested(POLY_REPORT_DEPTH);
	expect(r, POLY_RENDER_TEXT, buf_text(&expected));
	expect(r, POLY_RENDER_CSV,
		"section,key,value\ns.s.s.s.s.s.s.s.s.s.s.s.s.s.s.s,b,true\n");
	poly_report_free(r);
	buf_free(&expected);
	expect_usage(nested(POLY_REPORT_DEPTH + 1));
	expect_usage(nested(1000));
}

/* A table at the maximum depth: its rows are one level below it in JSON. */
static void
tables_are_valid_at_the_maximum_depth(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	struct buf out = {0};
	for (unsigned i = 0; i < POLY_REPORT_DEPTH - 1; i++)
		poly_report_section(r, "s");
	poly_report_table(r, "t");
	poly_report_column(r, "c", true);
	poly_report_cell_count(r, 5);
	for (unsigned i = 0; i < POLY_REPORT_DEPTH; i++)
		poly_report_end(r);
	assert_int_equal(render(r, POLY_RENDER_JSON, &out), POLY_OK);
	assert_non_null(strstr(buf_text(&out), "\"c\": 5"));
	buf_free(&out);
	poly_report_free(r);
}

static void
usage_errors_are_reported_when_rendering(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	poly_report_section(r, "open");
	expect_usage(r);
	r = poly_report_new();
	poly_report_end(r);
	expect_usage(r);
	r = poly_report_new();
	poly_report_cell_count(r, 1);
	expect_usage(r);
	r = poly_report_new();
	poly_report_list(r, "l");
	poly_report_count(r, "n", 1);
	poly_report_end(r);
	expect_usage(r);
	r = poly_report_new();
	poly_report_table(r, "t");
	poly_report_cell_count(r, 1);
	poly_report_end(r);
	expect_usage(r);
	r = poly_report_new();
	poly_report_table(r, "t");
	poly_report_column(r, "a", true);
	poly_report_column(r, "b", true);
	poly_report_cell_count(r, 1);
	poly_report_end(r);
	expect_usage(r);
	r = poly_report_new();
	poly_report_table(r, "t");
	poly_report_column(r, "a", true);
	poly_report_cell_count(r, 1);
	poly_report_column(r, "b", true);
	poly_report_end(r);
	expect_usage(r);
}

static void
rejected_output_is_an_io_error(void **state)
{
	(void)state;
	struct poly_report *r = sample();
	for (int i = POLY_RENDER_TEXT; i <= POLY_RENDER_CSV; i++) {
		struct poly_error error;
		int calls = 0;
		assert_int_equal(poly_report_render(r, (enum poly_rendering)i,
					 &(struct poly_sink){refuse, &calls}, &error),
			POLY_ERR_IO);
		assert_int_equal(error.sys_errno, ENOSPC);
		assert_int_equal(calls, 1);
	}
	poly_report_free(r);
}

/* Random trees whose values Python reads and prints unchanged. */
static uint32_t
draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static const char *const random_keys[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static void
notes_and_units_are_for_people(void **state)
{
	(void)state;
	struct poly_report *r = poly_report_new();
	poly_report_count(r, "pages", 7);
	poly_report_section(r, "empty");
	poly_report_note(r, "This note is omitted.");
	poly_report_end(r);
	poly_report_note(r, NULL);
	fill_plotted(r, NULL);
	expect(r, POLY_RENDER_TEXT,
		"Pages  7\n"
		"\n"
		"Sizes are those of the pages.\n"
		"\n"
		"Sizes\n"
		"  Size (bytes)  Count\n"
		"         4,096      7\n");
	expect(r, POLY_RENDER_JSON_LINE,
		"{\"pages\": 7, \"empty\": {}, \"sizes\": [{\"size\": 4096, \"count\": 7}]}\n");
	expect(r, POLY_RENDER_CSV,
		"section,key,value\n"
		",pages,7\n"
		"\n"
		"table,size,count\n"
		"sizes,4096,7\n");
	poly_report_free(r);
}

/* Plots of a table change neither its text nor its JSON or CSV. */
static void
plots_change_neither_text_nor_json_nor_csv(void **state)
{
	(void)state;
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.x = "size";
	plot.y[0] = "count";
	plot.title = "Pages by size";
	for (int i = POLY_RENDER_TEXT; i <= POLY_RENDER_JSON_LINE; i++) {
		struct poly_report *with = poly_report_new(), *without = poly_report_new();
		struct buf expected = {0};
		fill_plotted(with, &plot);
		fill_plotted(without, NULL);
		assert_int_equal(render(without, (enum poly_rendering)i, &expected), POLY_OK);
		expect(with, (enum poly_rendering)i, buf_text(&expected));
		buf_free(&expected);
		poly_report_free(with);
		poly_report_free(without);
	}
}

static void
plots_of_missing_columns_are_usage_errors(void **state)
{
	(void)state;
	const struct poly_plot wrong[] = {
		{.size = 0, .x = "size", .y = {"count"}},
		{.size = sizeof *wrong},
		{.size = sizeof *wrong, .x = "size"},
		{.size = sizeof *wrong, .y = {"count"}},
		{.size = sizeof *wrong, .x = "length", .y = {"count"}},
		{.size = sizeof *wrong, .x = "size", .y = {"count", "pages"}},
		{.size = sizeof *wrong, .x = "size", .y = {"count"}, .series = "s"},
		{.size = sizeof *wrong, .x = "size", .y = {"count"}, .label = "l"},
		{.size = sizeof *wrong, .x = "size", .y = {"count"}, .kind = POLY_PLOT_HEAT},
		{.size = sizeof *wrong,
			.x = "size",
			.y = {"count"},
			.kind = (enum poly_plot_kind)(POLY_PLOT_TIMELINE + 1)},
	};
	struct poly_report *r;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		r = poly_report_new();
		fill_plotted(r, &wrong[i]);
		expect_usage(r);
	}
	const struct poly_plot sound = {
		.size = sizeof sound, .x = "size", .y = {"count"}, .value = "count"};
	r = poly_report_new();
	poly_report_plot(r, &sound);
	expect_usage(r);
	r = poly_report_new();
	fill_plotted(r, &sound);
	poly_report_plot(r, &sound);
	expect_usage(r);
	r = poly_report_new();
	poly_report_section(r, "s");
	poly_report_unit(r, "bytes");
	expect_usage(r);
	r = poly_report_new();
	poly_report_unit(r, "bytes");
	expect_usage(r);
	r = poly_report_new();
	poly_report_heading(r, "Heading");
	expect_usage(r);
	r = poly_report_new();
	poly_report_note(r, "Note.");
	poly_report_heading(r, "Heading");
	expect_usage(r);
}

static void
options_without_a_size_are_a_usage_error(void **state)
{
	(void)state;
	const struct poly_render_options options = {.rendering = POLY_RENDER_JSON};
	struct poly_report *r = sample();
	struct poly_error error;
	struct buf out = {0};
	assert_int_equal(poly_report_render_with(
				 r, &options, &(struct poly_sink){collect, &out}, &error),
		POLY_ERR_USAGE);
	assert_int_equal(out.size, 0);
	poly_report_free(r);
}

static void
random_text(uint64_t *seed, char *text)
{
	size_t n = draw(seed, 12);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)(1 + draw(seed, draw(seed, 2) ? 255 : 126));
	text[n] = 0;
}

static void
random_value(struct poly_report *r, uint64_t *seed, const char *key)
{
	char text[16], title[16];
	random_text(seed, text);
	random_text(seed, title);
	switch (draw(seed, 6)) {
	case 0: poly_report_text(r, key, text); break;
	case 1:
		poly_report_count(r, key, UINT64_MAX >> draw(seed, 64));
		poly_report_unit(r, "units ");
		break;
	case 2: poly_report_address(r, key, *seed, draw(seed, 20)); break;
	case 3: poly_report_real(r, key, 0.5 + draw(seed, 1000), 1); break;
	case 4: poly_report_bool(r, key, draw(seed, 2)); break;
	case 5: poly_report_text(r, key, NULL); break;
	}
	poly_report_heading(r, title);
}

static void
random_table(struct poly_report *r, uint64_t *seed, const char *key)
{
	uint32_t columns = 1 + draw(seed, 8), rows = draw(seed, 5);
	char text[16];
	random_text(seed, text);
	poly_report_table(r, key);
	poly_report_heading(r, text);
	for (uint32_t i = 0; i < columns; i++) {
		poly_report_column(r, random_keys[i], draw(seed, 2));
		poly_report_heading(r, text);
	}
	for (uint32_t i = 0; i < rows * columns; i++) {
		random_text(seed, text);
		switch (draw(seed, 4)) {
		case 0: poly_report_cell_text(r, text); break;
		case 1: poly_report_cell_count(r, *seed); break;
		case 2: poly_report_cell_address(r, *seed, 5); break;
		case 3: poly_report_cell_text(r, NULL); break;
		}
	}
	poly_report_end(r);
}

static void
random_section(struct poly_report *r, uint64_t *seed, unsigned depth)
{
	uint32_t children = draw(seed, 8);
	for (uint32_t i = 0; i < children; i++) {
		uint32_t what = draw(seed, depth < 6 ? 8 : 5);
		if (what < 4) {
			random_value(r, seed, random_keys[i]);
		} else if (what == 4) {
			random_table(r, seed, random_keys[i]);
		} else if (what < 7) {
			poly_report_section(r, random_keys[i]);
			random_section(r, seed, depth + 1);
			poly_report_end(r);
		} else {
			poly_report_list(r, random_keys[i]);
			poly_report_section(r, "element");
			random_section(r, seed, depth + 2);
			poly_report_end(r);
			poly_report_end(r);
		}
	}
}

static struct poly_report *
random_report(uint64_t seed, unsigned sections)
{
	struct poly_report *r = poly_report_new();
	poly_report_list(r, "all");
	for (unsigned i = 0; i < sections; i++) {
		poly_report_section(r, "one");
		random_section(r, &seed, 2);
		poly_report_end(r);
	}
	poly_report_end(r);
	return r;
}

/* Runs a command on input and reads its output; returns false if the command fails. */
static bool
filter_through(const char *command, struct buf *input, struct buf *out)
{
	char path[] = "report-XXXXXX", line[200], piece[4096];
	int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
	assert_non_null(file);
	fwrite(input->data, 1, input->size, file);
	fclose(file);
	snprintf(line, sizeof line, "%s <%s", command, path);
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	for (size_t n; (n = fread(piece, 1, sizeof piece, pipe)) > 0;)
		buf_append(out, piece, n);
	int rc = pclose(pipe);
	remove(path);
	return rc == 0;
}

static void
pythons_parser_reads_json_and_prints_the_same(void **state)
{
	(void)state;
	if (system("python3 -c 'import json' 2>/dev/null") != 0)
		skip();
	struct poly_report *r = random_report(20, 400);
	struct buf ours = {0}, theirs = {0};
	assert_int_equal(render(r, POLY_RENDER_JSON, &ours), POLY_OK);
	assert_true(ours.size > 200000);
	assert_true(filter_through("python3 -c 'import json, sys; "
				   "print(json.dumps(json.loads(sys.stdin.buffer.read()), "
				   "indent=2, ensure_ascii=False))'",
		&ours, &theirs));
	assert_int_equal(ours.size, theirs.size);
	assert_memory_equal(ours.data, theirs.data, ours.size);
	poly_report_free(r);
	buf_free(&ours);
	buf_free(&theirs);
}

/* Compares a JSON line with the indented JSON without its line breaks and indentation. */
static void
a_line_of_json_equals_the_indented_object(void **state)
{
	(void)state;
	struct poly_report *r = random_report(20, 400);
	struct buf indented = {0}, line = {0}, joined = {0};
	assert_int_equal(render(r, POLY_RENDER_JSON, &indented), POLY_OK);
	assert_int_equal(render(r, POLY_RENDER_JSON_LINE, &line), POLY_OK);
	for (size_t i = 0; i + 1 < indented.size; i++) {
		size_t before = i;
		while (i + 1 < indented.size && indented.data[i] == '\n')
			for (i++; indented.data[i] == ' '; i++)
				;
		if (i > before && indented.data[before - 1] == ',')
			buf_byte(&joined, ' ');
		buf_byte(&joined, indented.data[i]);
	}
	buf_byte(&joined, '\n');
	assert_int_equal(line.size, joined.size);
	assert_memory_equal(line.data, joined.data, line.size);
	poly_report_free(r);
	buf_free(&indented);
	buf_free(&line);
	buf_free(&joined);
}

static void
pythons_csv_reader_finds_the_values_of_the_json(void **state)
{
	(void)state;
	if (system("python3 -c 'import csv' 2>/dev/null") != 0)
		skip();
	struct poly_report *r = random_report(21, 100);
	struct buf ours = {0}, verdict = {0};
	render(r, POLY_RENDER_JSON, &ours);
	buf_byte(&ours, 0);
	render(r, POLY_RENDER_CSV, &ours);
	/* The path of every line leads to a value in the JSON, and their numbers are equal. */
	static const char program[] =
		"import sys, json, csv, io\n"
		"data = sys.stdin.buffer.read().decode().split(chr(0))\n"
		"rows = list(csv.reader(io.StringIO(data[1], newline=\"\"), strict=True))\n"
		"def field(v):\n"
		"    if v is None: return \"\"\n"
		"    if isinstance(v, bool): return str(v).lower()\n"
		"    return str(v)\n"
		"doc = json.loads(data[0])\n"
		"blank = rows.index([])\n"
		"got = rows[1:blank]\n"
		"assert rows[0] == [\"section\", \"key\", \"value\"]\n"
		"def find(path):\n"
		"    o = doc\n"
		"    for part in path.split(\".\"):\n"
		"        o = o[int(part)] if isinstance(o, list) else o[part]\n"
		"    return o\n"
		"for s, k, v in got: assert field(find(s)[k]) == v, (s, k, v)\n"
		"header, seen = None, {}\n"
		"for r in rows[blank:]:\n"
		"    if not r: header = None\n"
		"    elif header is None:\n"
		"        header = r\n"
		"        assert r[0] == \"table\"\n"
		"    else:\n"
		"        i = seen.setdefault(r[0], 0)\n"
		"        row = find(r[0])[i]\n"
		"        assert list(row) == header[1:] and "
		"[field(v) for v in row.values()] == r[1:], r\n"
		"        seen[r[0]] += 1\n"
		"for p, n in seen.items(): assert len(find(p)) == n\n"
		"def count(o):\n"
		"    if isinstance(o, list): return sum(map(count, o))\n"
		"    if isinstance(o, dict): return sum(map(count, o.values()))\n"
		"    return 1\n"
		"cells = sum(len(r) - 1 for r in rows[blank:] if r and r[0] != \"table\")\n"
		"assert count(doc) == len(got) + cells, (count(doc), len(got), cells)\n"
		"print(len(got))\n";
	FILE *file = fopen("report-check.py", "wb");
	assert_non_null(file);
	fwrite(program, 1, sizeof program - 1, file);
	fclose(file);
	assert_true(filter_through("python3 report-check.py", &ours, &verdict));
	assert_true(strtoul(buf_text(&verdict), NULL, 10) > 500);
	remove("report-check.py");
	poly_report_free(r);
	buf_free(&ours);
	buf_free(&verdict);
}

static void
lines_of_text_never_end_in_a_blank(void **state)
{
	(void)state;
	struct poly_report *r = random_report(22, 200);
	struct buf out = {0};
	assert_int_equal(render(r, POLY_RENDER_TEXT, &out), POLY_OK);
	assert_true(out.size > 10000);
	assert_null(strstr(buf_text(&out), " \n"));
	assert_int_equal(out.data[out.size - 1], '\n');
	buf_free(&out);
	poly_report_free(r);
}

/* Builds and renders a report. */
static enum poly_status
render_plotted(void *context)
{
	const enum poly_rendering rendering = *(const enum poly_rendering *)context;
	size_t bytes = 0;
	enum poly_status status = POLY_ERR_MEMORY;
	struct poly_report *r = poly_report_new();
	if (r) {
		struct poly_plot plot = POLY_PLOT_INIT;
		plot.kind = POLY_PLOT_HEAT;
		plot.x = plot.y[0] = plot.value = "size";
		plot.title = "Sizes";
		fill(r);
		fill_plotted(r, &plot);
		status = poly_report_render(
			r, rendering, &(struct poly_sink){count_bytes, &bytes}, NULL);
	}
	assert_int_equal(bytes > 0, status == POLY_OK);
	poly_report_free(r);
	return status;
}

static void
lack_of_memory_is_a_sticky_error(void **state)
{
	(void)state;
	for (int i = POLY_RENDER_TEXT; i <= POLY_RENDER_TERMINAL; i++) {
		enum poly_rendering rendering = (enum poly_rendering)i;
		assert_true(law_memory(render_plotted, &rendering) > 4);
	}
}

struct pieces {
	size_t count, largest, all;
};

static int
measure(void *user, const void *data, size_t size)
{
	struct pieces *pieces = user;
	(void)data;
	pieces->count++;
	pieces->all += size;
	pieces->largest = size > pieces->largest ? size : pieces->largest;
	return 0;
}

/* The output is never held in memory completely. */
static void
large_reports_are_written_in_chunks(void **state)
{
	(void)state;
	struct poly_report *report = poly_report_new();
	poly_report_table(report, "table");
	poly_report_column(report, "column", true);
	for (uint64_t i = 0; i < 300000; i++)
		poly_report_cell_count(report, i);
	poly_report_end(report);
	for (int rendering = POLY_RENDER_TEXT; rendering <= POLY_RENDER_CSV; rendering++) {
		struct pieces pieces = {0};
		const struct poly_sink sink = {measure, &pieces};
		assert_int_equal(
			poly_report_render(report, (enum poly_rendering)rendering, &sink, NULL),
			POLY_OK);
		assert_true(pieces.all > 2000000);
		assert_true(pieces.largest < 200000);
	}
	poly_report_free(report);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned_and_indented),
		cmocka_unit_test(json_is_one_indented_object),
		cmocka_unit_test(csv_has_a_block_of_values_and_one_for_each_table),
		cmocka_unit_test(empty_reports_render),
		cmocka_unit_test(empty_items_are_omitted_from_text_only),
		cmocka_unit_test(numbers_reach_their_limits),
		cmocka_unit_test(strings_are_escaped_for_each_rendering),
		cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
		cmocka_unit_test(columns_align_by_characters_not_bytes),
		cmocka_unit_test(labels_are_keys_in_words),
		cmocka_unit_test(labels_of_terms_are_those_derived_from_their_keys),
		cmocka_unit_test(ratios_are_percent_for_people_and_fractions_for_programs),
		cmocka_unit_test(strings_are_copied),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(tables_are_valid_at_the_maximum_depth),
		cmocka_unit_test(usage_errors_are_reported_when_rendering),
		cmocka_unit_test(rejected_output_is_an_io_error),
		cmocka_unit_test(notes_and_units_are_for_people),
		cmocka_unit_test(plots_change_neither_text_nor_json_nor_csv),
		cmocka_unit_test(plots_of_missing_columns_are_usage_errors),
		cmocka_unit_test(options_without_a_size_are_a_usage_error),
		cmocka_unit_test(pythons_parser_reads_json_and_prints_the_same),
		cmocka_unit_test(a_line_of_json_equals_the_indented_object),
		cmocka_unit_test(pythons_csv_reader_finds_the_values_of_the_json),
		cmocka_unit_test(lines_of_text_never_end_in_a_blank),
		cmocka_unit_test(lack_of_memory_is_a_sticky_error),
		cmocka_unit_test(large_reports_are_written_in_chunks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
