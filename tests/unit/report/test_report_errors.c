/* SPDX-License-Identifier: MIT */
/* Limits and errors of reports. */
#include "report_help.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(tables_are_valid_at_the_maximum_depth),
		cmocka_unit_test(usage_errors_are_reported_when_rendering),
		cmocka_unit_test(rejected_output_is_an_io_error),
		cmocka_unit_test(plots_of_missing_columns_are_usage_errors),
		cmocka_unit_test(options_without_a_size_are_a_usage_error),
		cmocka_unit_test(lack_of_memory_is_a_sticky_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
