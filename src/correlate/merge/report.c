/* SPDX-License-Identifier: MIT */
/* Reports a merge. polytrace-merge(1) documents the keys. */
#include "correlate/merge/merge.h"

#include "base/mem.h"
#include "report/terms.h"

#include <stdio.h>
#include <string.h>

struct table_heading {
	const char *key;
	bool right;
};

static void
open_table(struct poly_report *report, const char *key, const struct table_heading *headings,
	size_t count)
{
	poly_report_table(report, key);
	for (size_t i = 0; i < count; i++)
		poly_report_column(report, headings[i].key, headings[i].right);
}

#define OPEN_TABLE(report, key, headings) \
	open_table(report, key, headings, sizeof(headings) / sizeof *(headings))

static void
report_threads(const struct sync_state *sync, struct poly_report *report)
{
	static const struct table_heading headings[] = {{KEY("thread"), true},
		{KEY("name"), false}, {KEY("records"), true}, {KEY("instructions"), true},
		{KEY("events"), true}, {KEY("blocked_events"), true}, {KEY("creator"), true},
		{KEY("creation_record"), true}};
	OPEN_TABLE(report, "threads", headings);
	for (size_t t = 0; t < sync->count; t++) {
		const struct sync_thread *thread = &sync->threads[t];
		uint64_t waited = 0;
		for (size_t i = 0; i < thread->count; i++)
			waited += thread->events[i].flags & EVENT_WAITED;
		poly_report_cell_id(report, thread->number);
		poly_report_cell_text(report, thread->name);
		poly_report_cell_count(report, thread->records);
		poly_report_cell_count(report, thread->instructions);
		poly_report_cell_count(report, thread->count);
		poly_report_cell_count(report, waited);
		if (thread->creator == SYNC_NONE) {
			poly_report_cell_text(report, NULL);
			poly_report_cell_text(report, NULL);
			continue;
		}
		poly_report_cell_id(report, sync->threads[thread->creator].number);
		poly_report_cell_count(report, thread->created_at);
	}
	poly_report_end(report);
}

static void
report_notes(const struct sync_state *sync, struct poly_report *report)
{
	static const struct table_heading headings[] = {{KEY("note"), false}};
	OPEN_TABLE(report, "notes", headings);
	for (size_t i = 0; i < SYNC_NOTES_MAX && sync->notes[i]; i++)
		poly_report_cell_text(report, sync->notes[i]);
	poly_report_end(report);
}

void
poly_merge_report(const struct poly_merge *merge, struct poly_report *report)
{
	const struct sync_state *sync = &merge->sync;
	poly_report_section(report, "merge");
	poly_report_text(
		report, "numbering", sync->before ? "before the signal" : "after the signal");
	poly_report_bool(report, "numbering_detected", sync->decided);
	poly_report_count(report, "overlapping_sections", sync->relaxed);
	poly_report_count(report, "low_wait_counts", sync->snapshots);
	poly_report_count(report, "critical_sections_out_of_order", sync->sections);
	poly_report_count(report, "forced_events", sync->forced);
	poly_report_count(report, "note_count", sync->note_count);
	report_threads(sync, report);
	report_notes(sync, report);
	poly_report_end(report);
	if (merge->analysis)
		analysis_report(merge->analysis, report);
}

static double
mean(uint64_t sum, uint64_t count)
{
	return count ? (double)sum / (double)count : 0;
}

static void
report_locks(const struct merge_analysis *analysis, struct poly_report *report)
{
	static const struct table_heading headings[] = {{KEY("address"), true},
		{KEY("locks"), true}, {KEY("trylocks"), true},
		{KEY("blocked_acquisitions"), true}, {KEY("wait_length"), true},
		{KEY("critical_sections"), true}, {KEY("hold_time_mean"), true},
		{KEY("hold_time_max"), true}, {KEY("longest_hold_thread"), true},
		{KEY("longest_hold_record"), true}};
	OPEN_TABLE(report, "locks", headings);
	for (size_t i = 0; i < analysis->sync->object_count; i++) {
		const struct sync_object *object = &analysis->sync->objects[i];
		const struct object_usage *usage = &analysis->usages[i];
		if (!object->is_mutex)
			continue;
		poly_report_cell_address(report, object->address, 8);
		poly_report_cell_count(report, usage->waits);
		poly_report_cell_count(report, usage->tries);
		poly_report_cell_count(report, usage->waited);
		poly_report_cell_count(report, usage->waited_records);
		poly_report_cell_count(report, usage->sections);
		poly_report_cell_real(report, mean(usage->held, usage->sections), 1);
		poly_report_cell_count(report, usage->longest);
		poly_report_cell_count(report, usage->longest_thread);
		poly_report_cell_count(report, usage->longest_record);
	}
	poly_report_end(report);
}

static void
report_conditions(const struct merge_analysis *analysis, struct poly_report *report)
{
	static const struct table_heading headings[] = {{KEY("address"), true},
		{KEY("signals"), true}, {KEY("broadcasts"), true}, {KEY("waits"), true},
		{KEY("blocked_waits"), true}, {KEY("wait_length"), true}};
	OPEN_TABLE(report, "conditions", headings);
	for (size_t i = 0; i < analysis->sync->object_count; i++) {
		const struct sync_object *object = &analysis->sync->objects[i];
		const struct object_usage *usage = &analysis->usages[i];
		if (object->is_mutex)
			continue;
		poly_report_cell_address(report, object->address, 8);
		poly_report_cell_count(report, usage->signals);
		poly_report_cell_count(report, usage->broadcasts);
		poly_report_cell_count(report, usage->waits);
		poly_report_cell_count(report, usage->waited);
		poly_report_cell_count(report, usage->waited_records);
	}
	poly_report_end(report);
}

static uint64_t
address_of(const struct merge_analysis *analysis, uint32_t object)
{
	return analysis->sync->objects[object].address;
}

static void
report_orders(const struct merge_analysis *analysis, struct poly_report *report)
{
	static const struct table_heading headings[] = {{KEY("held_lock"), true},
		{KEY("acquired_lock"), true}, {KEY("count"), true}, {KEY("thread"), true},
		{KEY("record"), true}};
	OPEN_TABLE(report, "lock_order", headings);
	for (size_t i = 0; i < analysis->order_count; i++) {
		const struct lock_order *order = &analysis->orders[i];
		poly_report_cell_address(report, address_of(analysis, order->first), 8);
		poly_report_cell_address(report, address_of(analysis, order->second), 8);
		poly_report_cell_count(report, order->count);
		poly_report_cell_id(report, order->thread);
		poly_report_cell_count(report, order->record);
	}
	poly_report_end(report);
}

/* "read at 0x1000 of thread 1, record 5" */
static void
add_side_cells(const struct merge_analysis *analysis, const struct shadow_cell *side,
	struct poly_report *report)
{
	poly_report_cell_id(report, analysis->sync->threads[side->thread].number);
	poly_report_cell_text(report, side->writes ? "write" : "read");
	poly_report_cell_address(report, side->pc, 8);
	poly_report_cell_count(report, side->record);
}

/* Reports the pairs that thread creation explains, or those that it does not. */
static void
report_race_pairs(const struct merge_analysis *analysis, const char *key, bool is_creation,
	struct poly_report *report)
{
	static const struct table_heading headings[] = {{KEY("address"), true},
		{KEY("thread"), true}, {KEY("access"), false}, {KEY("pc"), true},
		{KEY("record"), true}, {KEY("other_thread"), true},
		{KEY("other_access"), false}, {KEY("other_pc"), true},
		{KEY("other_record"), true}, {KEY("count"), true}};
	OPEN_TABLE(report, key, headings);
	for (size_t i = 0; i < analysis->race_count; i++) {
		const struct race *race = &analysis->races[i];
		if (race->may_be_creation != is_creation)
			continue;
		poly_report_cell_address(report, race->address, 8);
		add_side_cells(analysis, &race->sides[0], report);
		add_side_cells(analysis, &race->sides[1], report);
		poly_report_cell_count(report, race->count);
	}
	poly_report_end(report);
}

static void
report_races(const struct merge_analysis *analysis, struct poly_report *report)
{
	poly_report_section(report, "potential_races");
	poly_report_count(report, "access_pairs", analysis->races_found);
	poly_report_count(
		report, "pairs_explained_by_thread_creation", analysis->creation_races);
	poly_report_count(report, "unlisted_race_pairs", analysis->races_unlisted);
	poly_report_count(report, "shadow_memory_bytes", SHADOW_WORDS * 8);
	poly_report_count(report, "untracked_accesses", analysis->forgotten);
	report_race_pairs(analysis, KEY("race_pairs"), false, report);
	report_race_pairs(
		analysis, KEY("race_pairs_explained_by_thread_creation"), true, report);
	poly_report_end(report);
}

void
analysis_report(const struct merge_analysis *analysis, struct poly_report *report)
{
	poly_report_section(report, "happens_before");
	report_locks(analysis, report);
	report_conditions(analysis, report);
	report_orders(analysis, report);
	deadlock_report(analysis, report);
	if (analysis->held_untracked)
		poly_report_count(report, "untracked_locks", analysis->held_untracked);
	if (analysis->orders_dropped)
		poly_report_count(report, "untracked_lock_orders", analysis->orders_dropped);
	report_races(analysis, report);
	poly_report_end(report);
}
