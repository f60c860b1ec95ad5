/* SPDX-License-Identifier: MIT */
/* The report of synchronization. */
#include "analysis/stats/system/sync.h"

#include "base/mem.h"
#include "report/table.h"
#include "report/tree.h"

#include <stdlib.h>

static double
quotient(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Returns whether an object is a mutex. spec: Apple amber traces 7.1, R6 */
static bool
is_mutex(const struct sync_address *object)
{
	if (object->counts[POLY_SYNC_TRYWAIT])
		return true;
	return !object->counts[POLY_SYNC_BROADCAST] && object->alternates &&
	       object->counts[POLY_SYNC_WAIT];
}

/* Returns whether signals carry the count before them (Apple amber traces 3 (9)). */
static bool
counts_before(const struct sync_profile *sync)
{
	return sync->numbering == SYNC_COUNT_AUTO ? sync->before > sync->after
						  : sync->numbering == SYNC_COUNT_BEFORE;
}

/* Returns the signals of other contexts between two operations of one context. */
static uint64_t
other_signals(const struct sync_profile *sync, const struct sync_address *object)
{
	const uint64_t own = object->signal_signal +
			     (counts_before(sync) ? object->signal_wait : object->wait_signal);
	return object->increments > own ? object->increments - own : 0;
}

static uint64_t
operations(const uint64_t *counts)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < POLY_SYNC_COUNT; i++)
		sum += counts[i];
	return sum;
}

/* Orders by falling number of operations, then by address. */
static int
by_use(const void *left, const void *right)
{
	const struct sync_address *a = *(const struct sync_address *const *)left;
	const struct sync_address *b = *(const struct sync_address *const *)right;
	const uint64_t x = operations(a->counts), y = operations(b->counts);
	if (x != y)
		return x < y ? 1 : -1;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Orders by falling length of the longest hold, then by address. */
static int
by_hold(const void *left, const void *right)
{
	const struct sync_address *a = *(const struct sync_address *const *)left;
	const struct sync_address *b = *(const struct sync_address *const *)right;
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
context_cell(const struct sync_profile *sync, uint16_t number, struct poly_report *report)
{
	struct buf name = {0};
	contexts_append_name(sync->names, number, &name);
	poly_report_cell_text(report, name.size ? buf_text(&name) : NULL);
	buf_free(&name);
}

static void
count_columns(struct poly_report *report)
{
	table_columns(report, "signals broadcasts waits trywaits");
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
report_objects(
	const struct sync_profile *sync, struct sync_address **list, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	qsort(list, sync->object_count, sizeof *list, by_use);
	table_open(report, "operations_by_address", "address:text class:text");
	count_columns(report);
	table_columns(report, "contexts handovers blocked_acquisitions "
			      "signals_of_other_contexts holds hold_time_mean");
	plot.kind = POLY_PLOT_BARS;
	plot.x = "address";
	plot.y[0] = "waits";
	plot.y[1] = "trywaits";
	plot.y[2] = "blocked_acquisitions";
	plot.y_title = "Acquisitions";
	poly_report_plot(report, &plot);
	for (uint32_t i = 0; i < sync->object_count && i < sync->top; i++) {
		const struct sync_address *object = list[i];
		const bool mutex = is_mutex(object);
		poly_report_cell_address(report, object->address, 8);
		poly_report_cell_text(report, mutex ? "mutex" : "condition");
		count_cells(object->counts, report);
		poly_report_cell_count(report, object->contexts);
		poly_report_cell_count(report, object->handovers);
		poly_report_cell_count(report, object->blocked);
		poly_report_cell_count(report, other_signals(sync, object));
		poly_report_cell_count(report, mutex ? object->holds : 0);
		if (mutex && object->holds)
			poly_report_cell_real(report, quotient(object->held, object->holds), 2);
		else
			poly_report_cell_text(report, NULL);
	}
	poly_report_end(report);
}

static void
report_contexts(const struct sync_profile *sync, struct poly_report *report)
{
	table_open(report, "operations_by_context", "context:text instructions");
	count_columns(report);
	table_columns(report, "blocked_acquisitions hold_time");
	uint64_t listed = 0;
	for (uint16_t context = 0; context < ANALYSIS_CONTEXTS_MAX && listed < sync->top;
		context++) {
		uint64_t counts[POLY_SYNC_COUNT] = {0}, blocked = 0, held = 0;
		for (uint32_t i = 0; i < sync->user_count; i++) {
			const struct sync_user *user = &sync->users[i];
			if (user->context != context)
				continue;
			for (size_t j = 0; j < POLY_SYNC_COUNT; j++)
				counts[j] += user->counts[j];
			blocked += user->blocked;
			held += is_mutex(&sync->objects[user->object]) ? user->held : 0;
		}
		if (!operations(counts))
			continue;
		listed++;
		context_cell(sync, context, report);
		poly_report_cell_count(report, sync->contexts[context].instructions);
		count_cells(counts, report);
		poly_report_cell_count(report, blocked);
		poly_report_cell_count(report, held);
	}
	poly_report_end(report);
}

static void
report_histogram(const struct sync_profile *sync, struct poly_report *report)
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
	table_open(report, "hold_times", "hold_time holds");
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "hold_time";
	plot.y[0] = "holds";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (unsigned bits = low; bits <= high; bits++) {
		poly_report_cell_count(report, bits ? (uint64_t)1 << (bits - 1) : 0);
		poly_report_cell_count(report, counts[bits]);
	}
	poly_report_end(report);
}

static void
report_longest(
	const struct sync_profile *sync, struct sync_address **list, struct poly_report *report)
{
	uint64_t listed = 0;
	qsort(list, sync->object_count, sizeof *list, by_hold);
	table_open(report, "longest_holds",
		"address:text hold_time context:text wait_record signal_record");
	for (uint32_t i = 0; i < sync->object_count && listed < sync->top; i++) {
		const struct sync_address *object = list[i];
		if (!object->holds || !is_mutex(object))
			continue;
		listed++;
		poly_report_cell_address(report, object->address, 8);
		poly_report_cell_count(report, object->longest.length);
		context_cell(sync, object->longest.context, report);
		poly_report_cell_count(report, object->longest.wait);
		poly_report_cell_count(report, object->longest.signal);
	}
	poly_report_end(report);
}

/* Returns whether both addresses of a pair are mutexes. */
static bool
is_nested(const struct sync_profile *sync, const struct sync_pair *pair)
{
	return is_mutex(&sync->objects[pair->outer]) && is_mutex(&sync->objects[pair->inner]);
}

/* Returns the number of acquisitions of a pair in reverse order. */
static uint64_t
reversed(const struct sync_profile *sync, const struct sync_pair *pair)
{
	const uint64_t *number =
		map_find(&sync->pair_numbers, (uint64_t)pair->inner << 32 | pair->outer);
	return number ? sync->pairs[*number].count : 0;
}

static void
report_nesting(const struct sync_profile *sync, struct poly_report *report)
{
	struct sync_pair *list = mem_new(sync->pair_count ? sync->pair_count : 1, sizeof *list);
	uint64_t inversions = 0, listed = 0;
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
	poly_report_count(report, "lock_order_inversions", inversions);
	table_open(report, "nested_acquisitions",
		"outer_address:text inner_address:text count reversed_count first_record");
	for (uint32_t i = 0; i < sync->pair_count && listed < sync->top; i++) {
		if (!is_nested(sync, &list[i]))
			continue;
		listed++;
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
report_sums(const struct sync_profile *sync, struct poly_report *report)
{
	uint64_t counts[POLY_SYNC_COUNT] = {0}, mutexes = 0, handovers = 0, blocked = 0;
	uint64_t others = 0, open = 0;
	for (uint32_t i = 0; i < sync->object_count; i++) {
		const struct sync_address *object = &sync->objects[i];
		for (size_t j = 0; j < POLY_SYNC_COUNT; j++)
			counts[j] += object->counts[j];
		mutexes += is_mutex(object);
		handovers += object->handovers;
		blocked += object->blocked;
		others += other_signals(sync, object);
	}
	for (uint32_t i = 0; i < sync->user_count; i++)
		open += sync->users[i].is_held &&
			is_mutex(&sync->objects[sync->users[i].object]);
	const uint64_t waits = counts[POLY_SYNC_WAIT] + counts[POLY_SYNC_TRYWAIT];
	poly_report_count(report, "mutexes", mutexes);
	poly_report_count(report, "conditions", sync->object_count - mutexes);
	poly_report_count(report, "signals", counts[POLY_SYNC_SIGNAL]);
	poly_report_count(report, "broadcasts", counts[POLY_SYNC_BROADCAST]);
	poly_report_count(report, "waits", counts[POLY_SYNC_WAIT]);
	poly_report_count(report, "trywaits", counts[POLY_SYNC_TRYWAIT]);
	poly_report_count(report, "handovers", handovers);
	poly_report_count(report, "blocked_acquisitions", blocked);
	poly_report_ratio(report, "blocked_ratio", (double)blocked, (double)waits, 2);
	poly_report_text(report, "signal_numbering", counts_before(sync) ? "before" : "after");
	poly_report_count(report, "signals_of_other_contexts", others);
	poly_report_count(report, "backward_counts", sync->backward);
	poly_report_count(report, "locks_held_at_end", open);
	if (sync->untracked)
		poly_report_count(report, "untracked_operations", sync->untracked);
}

void
sync_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct sync_profile *sync = state;
	struct sync_address **list =
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
