/* SPDX-License-Identifier: MIT */
/* Renderings of reports, against hand-written ones. */
#include "report_help.h"

#include <math.h>

#include "report/terms.h"

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
		cmocka_unit_test(notes_and_units_are_for_people),
		cmocka_unit_test(plots_change_neither_text_nor_json_nor_csv),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
