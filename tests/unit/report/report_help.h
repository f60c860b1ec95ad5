/* SPDX-License-Identifier: MIT */
/* Reports, and what their renderings are. */
#ifndef TESTS_REPORT_HELP_H
#define TESTS_REPORT_HELP_H

#include "test_help.h"

#include "polytrace/report.h"

static inline enum poly_status
render(const struct poly_report *report, enum poly_rendering rendering, struct buf *out)
{
	return poly_report_render(report, rendering, &(struct poly_sink){collect, out}, NULL);
}

static inline void
expect(const struct poly_report *report, enum poly_rendering rendering, const char *expected)
{
	struct buf out = {0};
	assert_int_equal(render(report, rendering, &out), POLY_OK);
	assert_string_equal(buf_text(&out), expected);
	buf_free(&out);
}

static inline void
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
static inline void
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
static inline void
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

/* Random trees whose values Python reads and prints unchanged. */
static inline uint32_t
draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static inline struct poly_report *
sample(void)
{
	struct poly_report *r = poly_report_new();
	fill(r);
	return r;
}

#endif
