/* SPDX-License-Identifier: MIT */
/*
 * pages WHICH RENDERING [ROWS COLOR]: a report on standard output. all: every kind of plot, for
 * one trace; two: two traces side by side; odd: plots of next to nothing, and hostile strings.
 * RENDERING is a number of enum poly_rendering, ROWS and COLOR are options of a terminal.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "polytrace/report.h"

static int
put(void *user, const void *data, size_t size)
{
	(void)user;
	return fwrite(data, 1, size, stdout) == size ? 0 : 1;
}

/* xorshift: the same numbers everywhere. */
static uint64_t
draw(uint64_t *seed, uint64_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed % below;
}

static void
overview(struct poly_report *r, uint64_t factor)
{
	poly_report_section(r, "overview");
	poly_report_text(r, "format", "tt6 (256-byte records, big-endian)");
	poly_report_text(r, "evidence",
		"1,024 records of 64 bytes whose instruction words disassemble as PowerPC");
	poly_report_address(r, "first_pc", 0x10000154, 8);
	poly_report_bool(r, "complete", true);
	poly_report_count(r, "records", 1048576 * factor);
	poly_report_count(r, "instructions", 734003 * factor);
	poly_report_count(r, "footprint", 5242880 * factor);
	poly_report_unit(r, "bytes");
	poly_report_real(r, "taken", 61.25, 2);
	poly_report_end(r);
}

static void
mix(struct poly_report *r, uint64_t factor)
{
	static const struct {
		const char *name;
		uint64_t count;
	} classes[] = {{"load", 213444}, {"store", 98231}, {"integer", 301882},
		{"conditional branch", 98410}, {"unconditional branch", 12033},
		{"floating point", 9120}, {"vector", 0}, {"privileged", 883}};
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_section(r, "mix");
	poly_report_note(r, "Every executed instruction counts once; "
			    "micro-operations of the same one are not counted again.");
	poly_report_table(r, "classes");
	poly_report_heading(r, "Instructions by class");
	poly_report_column(r, "class", false);
	poly_report_column(r, "count", true);
	poly_report_heading(r, "Instructions");
	poly_report_column(r, "share", true);
	poly_report_unit(r, "%");
	plot.x = "class";
	plot.y[0] = "count";
	poly_report_plot(r, &plot);
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		poly_report_cell_text(r, classes[i].name);
		poly_report_cell_count(r, classes[i].count * factor);
		poly_report_cell_real(r, (double)classes[i].count / 7340.03, 2);
	}
	poly_report_end(r);
	poly_report_table(r, "accesses");
	poly_report_heading(r, "Reads and writes by size");
	poly_report_column(r, "size", true);
	poly_report_unit(r, "bytes");
	poly_report_column(r, "reads", true);
	poly_report_column(r, "writes", true);
	plot.x = "size";
	plot.y[0] = "reads";
	plot.y[1] = "writes";
	plot.y_title = "Accesses";
	poly_report_plot(r, &plot);
	for (uint64_t size = 1; size <= 16; size *= 2) {
		poly_report_cell_count(r, size);
		poly_report_cell_count(r, factor * (90000 - (size - 8) * (size - 8) * 900));
		poly_report_cell_count(r, factor * (30000 - (size - 4) * (size - 4) * 200));
	}
	poly_report_end(r);
	poly_report_end(r);
}

static void
distances(struct poly_report *r, uint64_t factor)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_section(r, "distances");
	poly_report_table(r, "reuse");
	poly_report_heading(r, "Distances of reuse");
	poly_report_column(r, "from", true);
	poly_report_unit(r, "lines");
	poly_report_column(r, "count", true);
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "from";
	plot.x_title = "Distance";
	plot.y[0] = "count";
	plot.log_x = true;
	poly_report_plot(r, &plot);
	for (unsigned i = 0; i <= 20; i++) {
		poly_report_cell_count(r, i ? (uint64_t)1 << (i - 1) : 0);
		poly_report_cell_count(
			r, factor * (400 + 300 * (i % 5) + (uint64_t)i * (20 - i) * 90));
	}
	poly_report_end(r);
	poly_report_table(r, "misses");
	poly_report_heading(r, "Misses by the size of the cache");
	poly_report_column(r, "ways", false);
	poly_report_column(r, "size", true);
	poly_report_unit(r, "bytes");
	poly_report_column(r, "rate", true);
	poly_report_unit(r, "%");
	plot = (struct poly_plot)POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y[0] = "rate";
	plot.series = "ways";
	plot.log_x = plot.log_y = true;
	poly_report_plot(r, &plot);
	for (unsigned ways = 1; ways <= 8; ways *= 2) {
		for (unsigned i = 10; i <= 23; i++) {
			char name[16];
			snprintf(name, sizeof name, "%u way%s", ways, ways > 1 ? "s" : "");
			poly_report_cell_text(r, name);
			poly_report_cell_count(r, (uint64_t)1 << i);
			poly_report_cell_real(r,
				40 / pow(1.5, i - 10) / sqrt(ways) + 0.05 * (double)factor, 4);
		}
	}
	poly_report_end(r);
	poly_report_end(r);
}

static void
over_time(struct poly_report *r, uint64_t factor)
{
	uint64_t seed = 88172645463325252 + factor;
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_section(r, "time");
	poly_report_table(r, "working_set");
	poly_report_column(r, "record", true);
	poly_report_column(r, "pages", true);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "record";
	plot.y[0] = "pages";
	poly_report_plot(r, &plot);
	for (uint64_t i = 0; i < 2500; i++) {
		poly_report_cell_count(r, i * 400 * factor);
		poly_report_cell_count(r, 300 + draw(&seed, 40) + (i / 600 % 2) * 200);
	}
	poly_report_end(r);
	poly_report_table(r, "map");
	poly_report_heading(r, "Addresses over time");
	poly_report_column(r, "record", true);
	poly_report_column(r, "address", true);
	poly_report_column(r, "count", true);
	plot = (struct poly_plot)POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_HEAT;
	plot.x = "record";
	plot.y[0] = "address";
	plot.value = "count";
	poly_report_plot(r, &plot);
	for (uint64_t x = 0; x < 64; x++) {
		for (uint64_t y = 0; y < 24; y++) {
			uint64_t near = (x / 8 * 5 + y * 7) % 24;
			if (near > 9)
				continue;
			poly_report_cell_count(r, x * 16384 * factor);
			poly_report_cell_address(r, 0x10000000 + y * 65536, 8);
			poly_report_cell_count(
				r, 1 + ((uint64_t)1 << (9 - near)) + draw(&seed, 20));
		}
	}
	poly_report_end(r);
	poly_report_table(r, "locks");
	poly_report_column(r, "thread", false);
	poly_report_column(r, "state", false);
	poly_report_column(r, "from", true);
	poly_report_unit(r, "ns");
	poly_report_column(r, "to", true);
	poly_report_unit(r, "ns");
	plot = (struct poly_plot)POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_TIMELINE;
	plot.x = "from";
	plot.x_title = "Time";
	plot.y[0] = "to";
	plot.series = "thread";
	plot.label = "state";
	poly_report_plot(r, &plot);
	for (uint64_t thread = 0; thread < 4; thread++) {
		uint64_t at = draw(&seed, 900);
		for (unsigned i = 0; i < 20; i++) {
			static const char *const states[] = {"runs", "waits", "holds"};
			char name[24];
			uint64_t length = 200 + draw(&seed, 2500);
			snprintf(name, sizeof name, "thread %u", (unsigned)thread);
			poly_report_cell_text(r, name);
			poly_report_cell_text(r, states[draw(&seed, 3)]);
			poly_report_cell_count(r, at);
			poly_report_cell_count(r, at + length);
			at += length;
		}
	}
	poly_report_end(r);
	poly_report_end(r);
}

static void
trace(struct poly_report *r, uint64_t factor)
{
	overview(r, factor);
	mix(r, factor);
	distances(r, factor);
	over_time(r, factor);
}

static void
two(struct poly_report *r)
{
	static const char *const names[] = {"before.tt6", "after.tt6"};
	poly_report_list(r, "files");
	for (uint64_t i = 0; i < 2; i++) {
		poly_report_section(r, "file");
		poly_report_heading(r, names[i]);
		trace(r, i + 1);
		poly_report_end(r);
	}
	poly_report_end(r);
}

/* A table of two columns with a plot of it. */
static void
small(struct poly_report *r, const struct poly_plot *plot, const double (*rows)[2],
	size_t count)
{
	static const char *const kinds[] = {"bars", "histogram", "curve", "heat", "timeline"};
	poly_report_table(r, kinds[plot->kind]);
	poly_report_column(r, "x", true);
	poly_report_column(r, "y", true);
	poly_report_unit(r, "a<b>&\"c\"");
	poly_report_plot(r, plot);
	for (size_t i = 0; i < count; i++) {
		poly_report_cell_real(r, rows[i][0], 3);
		poly_report_cell_real(r, rows[i][1], 3);
	}
	poly_report_end(r);
}

/* Every kind of plot of the same rows, on linear and on logarithmic axes. */
static void
every(struct poly_report *r, const char *key, const double (*rows)[2], size_t count)
{
	for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
		char name[64];
		snprintf(name, sizeof name, "%s%s", key, logarithmic ? ", logarithmic" : "");
		poly_report_section(r, logarithmic ? "logarithmic" : key);
		poly_report_heading(r, name);
		for (int kind = POLY_PLOT_BARS; kind <= POLY_PLOT_TIMELINE; kind++) {
			struct poly_plot plot = POLY_PLOT_INIT;
			plot.kind = (enum poly_plot_kind)kind;
			plot.x = "x";
			plot.y[0] = plot.value = "y";
			plot.log_x = plot.log_y = logarithmic;
			small(r, &plot, rows, count);
		}
	}
	poly_report_end(r);
	poly_report_end(r);
}

static void
odd(struct poly_report *r)
{
	static const double none[1][2] = {{0}}, one[][2] = {{3, 7}},
			    zeros[][2] = {{0, 0}, {0, 0}, {0, 0}},
			    infinite[][2] = {{NAN, 1}, {1, INFINITY}, {-INFINITY, NAN}, {2, 5}},
			    with_zeros[][2] = {{0, 0}, {1, 10}, {10, 0}, {100, 1e6}},
			    below[][2] = {{-5, -3}, {-1, 4}, {2, -1e9}, {7, 0}},
			    huge[][2] = {{1e-300, 1e300}, {1e300, 1e-300}, {1.7e308, 3},
				    {4, 5e-324}},
			    near[][2] = {{1e15, 1}, {1e15 + 1, 1.0000001}, {1e15 + 2, 1}};
	every(r, "none", none, 0);
	every(r, "one", one, 1);
	every(r, "zeros", zeros, 3);
	every(r, "infinite", infinite, 4);
	every(r, "with_zeros", with_zeros, 4);
	every(r, "below", below, 4);
	every(r, "huge", huge, 4);
	every(r, "near", near, 3);
	poly_report_section(r, "hostile");
	poly_report_heading(r, "<script>alert(1)</script>");
	poly_report_text(r, "text", "</style><script>&amp;\x01\x1b[2J");
	poly_report_heading(r, "\"'><img src=x onerror=alert(1)>");
	poly_report_note(r, "]]></svg><script>alert(2)</script>\xff\xc0");
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.x = "name";
	plot.y[0] = "count";
	plot.title = "</title><script>alert(3)</script>";
	plot.x_unit = "<&>";
	poly_report_table(r, "names");
	poly_report_heading(r, "<b>Names</b>");
	poly_report_column(r, "name", false);
	poly_report_heading(r, "<i>Name</i>");
	poly_report_column(r, "count", true);
	poly_report_heading(r, "Count & more");
	poly_report_plot(r, &plot);
	for (unsigned i = 0; i < 80; i++) {
		char name[200];
		memset(name, "<&\"M\n"[i % 5], i);
		name[i] = 0;
		poly_report_cell_text(
			r, i == 7 ? "日本語の名前、とても長い名前、さらに長い名前" : name);
		poly_report_cell_count(r, UINT64_MAX / (i + 1));
	}
	poly_report_end(r);
	poly_report_end(r);
}

int
main(int argc, char **argv)
{
	struct poly_render_options options = POLY_RENDER_OPTIONS_INIT;
	struct poly_error error;
	struct poly_report *report = poly_report_new();
	if ((argc != 3 && argc != 5) || !report)
		return 2;
	options.rows = argc == 5 ? (size_t)atoi(argv[3]) : 0;
	options.color = argc == 5 && atoi(argv[4]);
	if (strcmp(argv[1], "two") == 0)
		two(report);
	else if (strcmp(argv[1], "odd") == 0)
		odd(report);
	else
		trace(report, 1);
	options.rendering = (enum poly_rendering)atoi(argv[2]);
	options.title = strcmp(argv[1], "odd") == 0 ? "<title>" : "A run of the compiler";
	enum poly_status status = poly_report_render_with(
		report, &options, &(struct poly_sink){put, NULL}, &error);
	poly_report_free(report);
	if (status != POLY_OK)
		fprintf(stderr, "%s\n", error.message);
	return status != POLY_OK;
}
