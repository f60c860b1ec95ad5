/* SPDX-License-Identifier: MIT */
/* What is told of synchronisation. */
#include "analysis/stats/sync.h"

#include "base/mem.h"
#include "report/tree.h"

#include <stdlib.h>

static double
quotient(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Reference amber 7.1, R6. */
static bool
is_mutex(const struct sync_object *object)
{
	if (object->counts[POLY_SYNC_TRYWAIT])
		return true;
	return !object->counts[POLY_SYNC_BROADCAST] && object->alternates &&
	       object->counts[POLY_SYNC_WAIT];
}

/* Whether signals carry the count before them (reference amber 3/9). */
static bool
counts_before(const struct sync *sync)
{
	return sync->numbering == SYNC_COUNT_AUTO ? sync->before > sync->after
						  : sync->numbering == SYNC_COUNT_BEFORE;
}

/* Signals of other contexts between two operations of one context. */
static uint64_t
foreign(const struct sync *sync, const struct sync_object *object)
{
	const uint64_t own = object->signal_signal +
			     (counts_before(sync) ? object->signal_wait : object->wait_signal);
	return object->risen > own ? object->risen - own : 0;
}

static uint64_t
operations(const uint64_t *counts)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < POLY_SYNC_COUNT; i++)
		sum += counts[i];
	return sum;
}

/* The most used first, then by address. */
static int
by_use(const void *left, const void *right)
{
	const struct sync_object *a = *(const struct sync_object *const *)left;
	const struct sync_object *b = *(const struct sync_object *const *)right;
	const uint64_t one = operations(a->counts), two = operations(b->counts);
	if (one != two)
		return one < two ? 1 : -1;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* The longest hold first. */
static int
by_hold(const void *left, const void *right)
{
	const struct sync_object *a = *(const struct sync_object *const *)left;
	const struct sync_object *b = *(const struct sync_object *const *)right;
	if (a->longest.length != b->longest.length)
		return a->longest.length < b->longest.length ? 1 : -1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static int
by_count(const void *left, const void *right)
{
	const struct sync_pair *a = left, *b = right;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void
context_cell(const struct sync *sync, uint16_t number, struct poly_report *report)
{
	struct buf name = {0};
	contexts_append_name(sync->names, number, &name);
	poly_report_cell_text(report, name.size ? buf_text(&name) : NULL);
	buf_free(&name);
}

static void
count_columns(struct poly_report *report)
{
	poly_report_column(report, "signals", true);
	poly_report_column(report, "broadcasts", true);
	poly_report_column(report, "waits", true);
	poly_report_column(report, "trywaits", true);
}

static void
count_cells(const uint64_t *counts, struct poly_report *report)
{
	poly_report_cell_count(report, counts[POLY_SYNC_SIGNAL]);
	poly_report_cell_count(report, counts[POLY_SYNC_BROADCAST]);
	poly_report_cell_count(report, counts[POLY_SYNC_WAIT]);
	poly_report_cell_count(report, counts[POLY_SYNC_TRYWAIT]);
}

static void
report_objects(const struct sync *sync, struct sync_object **list, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	qsort(list, sync->object_count, sizeof *list, by_use);
	poly_report_table(report, "addresses");
	poly_report_column(report, "address", false);
	poly_report_column(report, "class", false);
	count_columns(report);
	poly_report_column(report, "contexts", true);
	poly_report_column(report, "handovers", true);
	poly_report_column(report, "contended", true);
	poly_report_column(report, "foreign", true);
	poly_report_column(report, "holds", true);
	poly_report_column(report, "hold_mean", true);
	plot.kind = POLY_PLOT_BARS;
	plot.x = "address";
	plot.y[0] = "waits";
	plot.y[1] = "trywaits";
	plot.y[2] = "contended";
	plot.title = "Waits by address";
	plot.y_unit = "waits";
	poly_report_plot(report, &plot);
	for (uint32_t i = 0; i < sync->object_count && i < sync->top; i++) {
		const struct sync_object *it = list[i];
		const bool mutex = is_mutex(it);
		poly_report_cell_address(report, it->address, 8);
		poly_report_cell_text(report, mutex ? "mutex" : "condition");
		count_cells(it->counts, report);
		poly_report_cell_count(report, it->contexts);
		poly_report_cell_count(report, it->handovers);
		poly_report_cell_count(report, it->contended);
		poly_report_cell_count(report, foreign(sync, it));
		poly_report_cell_count(report, mutex ? it->holds : 0);
		if (mutex && it->holds)
			poly_report_cell_real(report, quotient(it->held, it->holds), 2);
		else
			poly_report_cell_text(report, NULL);
	}
	poly_report_end(report);
}

static void
report_contexts(const struct sync *sync, struct poly_report *report)
{
	poly_report_table(report, "contexts");
	poly_report_column(report, "context", false);
	poly_report_column(report, "instructions", true);
	count_columns(report);
	poly_report_column(report, "contended", true);
	poly_report_column(report, "held", true);
	uint64_t told = 0;
	for (uint16_t context = 0; context < ANALYSIS_CONTEXTS_MAX && told < sync->top;
		context++) {
		uint64_t counts[POLY_SYNC_COUNT] = {0}, contended = 0, held = 0;
		for (uint32_t i = 0; i < sync->place_count; i++) {
			const struct sync_place *place = &sync->places[i];
			if (place->context != context)
				continue;
			for (size_t j = 0; j < POLY_SYNC_COUNT; j++)
				counts[j] += place->counts[j];
			contended += place->contended;
			held += is_mutex(&sync->objects[place->object]) ? place->held : 0;
		}
		if (!operations(counts))
			continue;
		told++;
		context_cell(sync, context, report);
		poly_report_cell_count(report, sync->contexts[context].instructions);
		count_cells(counts, report);
		poly_report_cell_count(report, contended);
		poly_report_cell_count(report, held);
	}
	poly_report_end(report);
}

static void
report_histogram(const struct sync *sync, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t counts[65] = {0};
	unsigned low = 65, high = 0;
	for (uint32_t i = 0; i < sync->object_count; i++) {
		for (unsigned bits = 0; bits < 65 && is_mutex(&sync->objects[i]); bits++)
			counts[bits] += sync->objects[i].hold_bits[bits];
	}
	for (unsigned bits = 0; bits < 65; bits++) {
		if (counts[bits]) {
			low = bits < low ? bits : low;
			high = bits;
		}
	}
	poly_report_table(report, "hold_histogram");
	poly_report_column(report, "hold_length", true);
	poly_report_column(report, "count", true);
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "hold_length";
	plot.y[0] = "count";
	plot.x_title = "Length of a hold";
	plot.y_unit = "holds";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (unsigned bits = low; bits <= high; bits++) {
		poly_report_cell_count(report, bits ? (uint64_t)1 << (bits - 1) : 0);
		poly_report_cell_count(report, counts[bits]);
	}
	poly_report_end(report);
}

static void
report_longest(const struct sync *sync, struct sync_object **list, struct poly_report *report)
{
	uint64_t told = 0;
	qsort(list, sync->object_count, sizeof *list, by_hold);
	poly_report_table(report, "longest_holds");
	poly_report_column(report, "address", false);
	poly_report_column(report, "length", true);
	poly_report_column(report, "context", false);
	poly_report_column(report, "wait", true);
	poly_report_column(report, "signal", true);
	for (uint32_t i = 0; i < sync->object_count && told < sync->top; i++) {
		const struct sync_object *it = list[i];
		if (!it->holds || !is_mutex(it))
			continue;
		told++;
		poly_report_cell_address(report, it->address, 8);
		poly_report_cell_count(report, it->longest.length);
		context_cell(sync, it->longest.context, report);
		poly_report_cell_count(report, it->longest.wait);
		poly_report_cell_count(report, it->longest.signal);
	}
	poly_report_end(report);
}

/* Whether both addresses of a pair are mutexes. */
static bool
is_nested(const struct sync *sync, const struct sync_pair *pair)
{
	return is_mutex(&sync->objects[pair->outer]) && is_mutex(&sync->objects[pair->inner]);
}

/* How often a pair was acquired the other way round. */
static uint64_t
reversed(const struct sync *sync, const struct sync_pair *pair)
{
	const uint64_t *other =
		map_find(&sync->pair_numbers, (uint64_t)pair->inner << 32 | pair->outer);
	return other ? sync->pairs[*other].count : 0;
}

static void
report_nesting(const struct sync *sync, struct poly_report *report)
{
	struct sync_pair *list = mem_new(sync->pair_count ? sync->pair_count : 1, sizeof *list);
	uint64_t inversions = 0, told = 0;
	if (!list) {
		tree_fail(report);
		return;
	}
	for (uint32_t i = 0; i < sync->pair_count; i++) {
		const struct sync_pair *pair = &sync->pairs[i];
		list[i] = *pair;
		inversions += is_nested(sync, pair) && pair->outer < pair->inner &&
			      reversed(sync, pair) != 0;
	}
	qsort(list, sync->pair_count, sizeof *list, by_count);
	poly_report_count(report, "inversions", inversions);
	poly_report_table(report, "nested");
	poly_report_column(report, "outer", false);
	poly_report_column(report, "inner", false);
	poly_report_column(report, "count", true);
	poly_report_column(report, "reversed", true);
	poly_report_column(report, "first", true);
	for (uint32_t i = 0; i < sync->pair_count && told < sync->top; i++) {
		if (!is_nested(sync, &list[i]))
			continue;
		told++;
		poly_report_cell_address(report, sync->objects[list[i].outer].address, 8);
		poly_report_cell_address(report, sync->objects[list[i].inner].address, 8);
		poly_report_cell_count(report, list[i].count);
		poly_report_cell_count(report, reversed(sync, &list[i]));
		poly_report_cell_count(report, list[i].first);
	}
	poly_report_end(report);
	mem_free(list);
}

static void
report_sums(const struct sync *sync, struct poly_report *report)
{
	uint64_t counts[POLY_SYNC_COUNT] = {0}, mutexes = 0, handovers = 0, contended = 0;
	uint64_t others = 0, open = 0;
	for (uint32_t i = 0; i < sync->object_count; i++) {
		const struct sync_object *it = &sync->objects[i];
		for (size_t j = 0; j < POLY_SYNC_COUNT; j++)
			counts[j] += it->counts[j];
		mutexes += is_mutex(it);
		handovers += it->handovers;
		contended += it->contended;
		others += foreign(sync, it);
	}
	for (uint32_t i = 0; i < sync->place_count; i++)
		open += sync->places[i].is_held &&
			is_mutex(&sync->objects[sync->places[i].object]);
	const uint64_t waits = counts[POLY_SYNC_WAIT] + counts[POLY_SYNC_TRYWAIT];
	poly_report_count(report, "mutexes", mutexes);
	poly_report_count(report, "conditions", sync->object_count - mutexes);
	poly_report_count(report, "signals", counts[POLY_SYNC_SIGNAL]);
	poly_report_count(report, "broadcasts", counts[POLY_SYNC_BROADCAST]);
	poly_report_count(report, "waits", counts[POLY_SYNC_WAIT]);
	poly_report_count(report, "trywaits", counts[POLY_SYNC_TRYWAIT]);
	poly_report_count(report, "handovers", handovers);
	poly_report_count(report, "contended", contended);
	poly_report_real(report, "contended_percent", 100 * quotient(contended, waits), 2);
	poly_report_text(report, "numbering", counts_before(sync) ? "before" : "after");
	poly_report_count(report, "foreign", others);
	poly_report_count(report, "backward", sync->backward);
	poly_report_count(report, "held_at_end", open);
	if (sync->beyond)
		poly_report_count(report, "beyond", sync->beyond);
}

void
sync_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct sync *sync = state;
	struct sync_object **list =
		mem_new(sync->object_count ? sync->object_count : 1, sizeof *list);
	(void)ops;
	if (!list) {
		tree_fail(report);
		return;
	}
	for (uint32_t i = 0; i < sync->object_count; i++)
		list[i] = &sync->objects[i];
	report_sums(sync, report);
	report_objects(sync, list, report);
	report_contexts(sync, report);
	report_histogram(sync, report);
	report_longest(sync, list, report);
	report_nesting(sync, report);
	mem_free(list);
}
