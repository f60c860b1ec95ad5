/* SPDX-License-Identifier: MIT */
/* The report of events. */
#include "analysis/stats/system/events.h"

#include "base/mem.h"
#include "report/table.h"
#include "report/terms.h"
#include "report/tree.h"

#include <stdio.h>
#include <stdlib.h>

static double
quotient(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Returns the unit of times: that of the trace, or ticks of its clock. */
static const char *
unit_of(const struct events *events)
{
	return events->clock[0] ? events->clock : "ticks";
}

/* Converts ticks to nanoseconds; saturates. */
static uint64_t
nanoseconds(const struct events *events, uint64_t ticks)
{
	const double ns = (double)ticks * (double)events->multiplier / (double)events->divisor;
	return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

/* Orders by falling counts, then by first record. */
static int
by_count(const void *left, const void *right)
{
	const struct events_entry *a = left, *b = right;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void
key_cells(const struct events *events, unsigned table, uint64_t key, struct poly_report *report)
{
	switch (table) {
	case EVENTS_HOOKS: poly_report_cell_address(report, key, 4); break;
	case EVENTS_SUBHOOKS:
		poly_report_cell_address(report, key >> 16, 4);
		poly_report_cell_address(report, key & 0xffff, 4);
		break;
	case EVENTS_NAMES:
		poly_report_cell_text(report, intern_text(&events->names, (uint32_t)key));
		break;
	default: poly_report_cell_id(report, key); break;
	}
}

static void
entry_row(const struct events *events, unsigned table, const struct events_entry *entry,
	struct poly_report *report)
{
	key_cells(events, table, entry->key, report);
	poly_report_cell_count(report, entry->count);
	poly_report_cell_ratio(report, (double)entry->count, (double)events->rows, 2);
	poly_report_cell_count(report, entry->first);
	poly_report_cell_count(report, entry->last);
	if (entry->timed > 1)
		poly_report_cell_real(
			report, quotient(entry->end - entry->start, entry->timed - 1), 2);
	else
		poly_report_cell_text(report, NULL);
}

/* Opens a table. */
static void
open_table(const struct events *events, unsigned table, struct poly_report *report)
{
	static const struct {
		const char *key, *column;
	} tables[EVENTS_TABLES] = {
		[EVENTS_HOOKS] = {KEY("hooks"), KEY("hook")},
		[EVENTS_SUBHOOKS] = {KEY("subhooks"), KEY("hook")},
		[EVENTS_NAMES] = {KEY("event_names"), KEY("name")},
		[EVENTS_CPUS] = {KEY("cpus"), KEY("cpu")},
		[EVENTS_PROCESSES] = {KEY("processes"), KEY("process")},
		[EVENTS_THREADS] = {KEY("threads"), KEY("thread")},
	};
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, tables[table].key);
	poly_report_column(report, tables[table].column, table >= EVENTS_CPUS);
	if (table == EVENTS_SUBHOOKS)
		poly_report_column(report, "subhook", false);
	table_columns(report, "count share first_record last_record interval_mean");
	poly_report_unit(report, unit_of(events));
	plot.kind = POLY_PLOT_BARS;
	plot.x = tables[table].column;
	plot.y[0] = "count";
	plot.y_unit = "events";
	poly_report_plot(report, &plot);
}

static void
report_table(const struct events *events, unsigned table, struct poly_report *report)
{
	const struct events_table *entries = &events->tables[table];
	struct events_entry *list = mem_new(entries->count ? entries->count : 1, sizeof *list);
	if (!list) {
		tree_fail(report);
		return;
	}
	for (uint32_t i = 0; i < entries->count; i++)
		list[i] = entries->list[i];
	qsort(list, entries->count, sizeof *list, by_count);
	open_table(events, table, report);
	for (uint32_t i = 0; i < entries->count && i < events->top; i++)
		entry_row(events, table, &list[i], report);
	poly_report_end(report);
	mem_free(list);
}

uint64_t
events_gap_min(unsigned index)
{
	if (index < 2 * EVENTS_HALF)
		return index;
	const unsigned shift = index / EVENTS_HALF - 1;
	return (uint64_t)(index - shift * EVENTS_HALF) << shift;
}

/* Returns the min. gap of the bin that has a percentile of the gaps. */
static uint64_t
percentile(const struct events *events, uint64_t percent)
{
	uint64_t below = 0;
	for (unsigned i = 0; i < EVENTS_GAPS; i++) {
		below += events->gaps[i];
		/* below >= percent % of gap_count, rounded up, without an overflow. */
		const uint64_t whole = events->gap_count / 100, rest = events->gap_count % 100;
		if (events->gaps[i] && below >= percent * whole + (percent * rest + 99) / 100)
			return events_gap_min(i);
	}
	return 0;
}

/* Reports gaps by powers of two. */
static void
report_histogram(const struct events *events, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t counts[65] = {0};
	unsigned low = 65, high = 0;
	for (unsigned i = 0; i < EVENTS_GAPS; i++) {
		const uint64_t gap = events_gap_min(i);
		const unsigned bits = gap ? 64 - (unsigned)__builtin_clzll(gap) : 0;
		counts[bits] += events->gaps[i];
		if (events->gaps[i]) {
			low = bits < low ? bits : low;
			high = bits;
		}
	}
	table_open(report, "inter_event_time_histogram", "gap");
	poly_report_unit(report, unit_of(events));
	table_columns(report, "gaps share");
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "gap";
	plot.y[0] = "gaps";
	plot.x_title = "Inter-event time";
	plot.x_unit = events->clock[0] ? events->clock : NULL;
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (unsigned bits = low; bits <= high; bits++) {
		poly_report_cell_count(report, bits ? (uint64_t)1 << (bits - 1) : 0);
		poly_report_cell_count(report, counts[bits]);
		poly_report_cell_ratio(
			report, (double)counts[bits], (double)events->gap_count, 2);
	}
	poly_report_end(report);
}

static void
report_gaps(const struct events *events, struct poly_report *report)
{
	static const struct {
		const char *key, *ns_key;
		unsigned percent;
	} percentiles[] = {{KEY("gap_p50"), KEY("gap_p50_ns"), 50},
		{KEY("gap_p90"), KEY("gap_p90_ns"), 90},
		{KEY("gap_p99"), KEY("gap_p99_ns"), 99}};
	const double ns =
		events->divisor ? (double)events->multiplier / (double)events->divisor : 0;
	const double sum = (double)events->gap_carry * 0x1p64 + (double)events->gap_sum;
	const double mean = events->gap_count ? sum / (double)events->gap_count : 0;
	poly_report_section(report, "inter_event_times");
	poly_report_count(report, "gaps", events->gap_count);
	poly_report_count(report, "backward_times", events->backward);
	if (events->gap_count) {
		poly_report_real(report, "gap_mean", mean, 2);
		poly_report_unit(report, unit_of(events));
		for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
			poly_report_count(report, percentiles[i].key,
				percentile(events, percentiles[i].percent));
			poly_report_unit(report, unit_of(events));
		}
		poly_report_count(report, "gap_max", events->max_gap);
		poly_report_unit(report, unit_of(events));
	}
	if (events->gap_count && events->divisor) {
		poly_report_real(report, "gap_mean_ns", ns * mean, 2);
		for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
			poly_report_count(report, percentiles[i].ns_key,
				nanoseconds(
					events, percentile(events, percentiles[i].percent)));
		poly_report_count(report, "gap_max_ns", nanoseconds(events, events->max_gap));
	}
	report_histogram(events, report);
	poly_report_end(report);
}

static void
report_rate(const struct events *events, struct poly_report *report)
{
	const struct events_bins *bins = &events->bins;
	struct poly_plot plot = POLY_PLOT_INIT;
	if (bins->low > bins->high)
		return;
	poly_report_count(report, "start_time", bins->low);
	poly_report_unit(report, unit_of(events));
	poly_report_count(report, "end_time", bins->high);
	poly_report_unit(report, unit_of(events));
	poly_report_count(report, "bin_width", (uint64_t)1 << bins->shift);
	poly_report_unit(report, unit_of(events));
	table_open(report, "event_rate", "time");
	poly_report_unit(report, unit_of(events));
	poly_report_column(report, "events", true);
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "time";
	plot.y[0] = "events";
	plot.x_title = "Time";
	plot.x_unit = events->clock[0] ? events->clock : NULL;
	plot.y_title = "Events per bin";
	poly_report_plot(report, &plot);
	const uint64_t first = bins->low >> bins->shift, last = bins->high >> bins->shift;
	for (uint64_t i = 0; i <= last - first; i++) {
		poly_report_cell_count(report, (first + i) << bins->shift);
		poly_report_cell_count(report, bins->counts[(first + i) % EVENTS_BINS]);
	}
	poly_report_end(report);
}

void
events_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct events *events = state;
	uint64_t untracked = 0;
	(void)ops;
	for (unsigned i = 0; i < EVENTS_TABLES; i++)
		untracked += events->tables[i].untracked;
	poly_report_count(report, "events", events->rows);
	poly_report_count(report, "timed_events", events->timed);
	poly_report_text(report, "time_unit", events->clock[0] ? events->clock : NULL);
	if (events->divisor)
		poly_report_real(report, "tick_ns",
			(double)events->multiplier / (double)events->divisor, 6);
	if (events->tables[EVENTS_HOOKS].count) {
		poly_report_count(report, "log_wraparounds", events->wraps);
		poly_report_count(report, "buffer_wraparounds", events->lost);
	}
	if (untracked)
		poly_report_count(report, "untracked_events", untracked);
	for (unsigned i = 0; i < EVENTS_TABLES; i++)
		report_table(events, i, report);
	report_gaps(events, report);
	report_rate(events, report);
}
