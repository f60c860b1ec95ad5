/* SPDX-License-Identifier: MIT */
/* Reports a merge. polytrace-merge(1) documents the keys. */
#include "correlate/merge/merge.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

struct table_heading {
	const char *key, *title;
	bool right;
};

static void
open_table(struct poly_report *report, const char *key, const char *title,
	const struct table_heading *headings, size_t count)
{
	poly_report_table(report, key, title);
	for (size_t i = 0; i < count; i++)
		poly_report_column(
			report, headings[i].key, headings[i].title, headings[i].right);
}

#define OPEN_TABLE(report, key, title, headings) \
	open_table(report, key, title, headings, sizeof(headings) / sizeof *(headings))

static void
report_threads(const struct sync_state *sync, struct poly_report *report)
{
	static const struct table_heading headings[] = {{"thread", "Thread", true},
		{"name", "Trace", false}, {"records", "Records", true},
		{"instructions", "Instructions", true}, {"events", "Events", true},
		{"waited", "Had to wait", true}};
	OPEN_TABLE(report, "threads", "Threads", headings);
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
	}
	poly_report_end(report);
}

static void
report_notes(const struct sync_state *sync, struct poly_report *report)
{
	static const struct table_heading headings[] = {{"note", "Note", false}};
	OPEN_TABLE(report, "notes", "Notes", headings);
	for (size_t i = 0; i < SYNC_NOTES_MAX && sync->notes[i]; i++)
		poly_report_cell_text(report, sync->notes[i]);
	poly_report_end(report);
}

void
poly_merge_report(const struct poly_merge *merge, struct poly_report *report)
{
	const struct sync_state *sync = &merge->sync;
	poly_report_section(report, "merge", "Merge");
	poly_report_text(report, "numbering", "Counts of signals",
		sync->before ? "before the signal" : "after the signal");
	poly_report_bool(report, "numbering_decided", "Decided by the traces", sync->decided);
	poly_report_count(
		report, "ownership_relaxed", "Overlapping sections", sync->relaxed, NULL);
	poly_report_count(
		report, "snapshots_dropped", "Waits that count too few", sync->snapshots, NULL);
	poly_report_count(report, "sections_dropped", "Sections not by their counts",
		sync->sections, NULL);
	poly_report_count(report, "forced", "Forced", sync->forced, NULL);
	poly_report_count(report, "note_count", "Notes", sync->note_count, NULL);
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
	static const struct table_heading headings[] = {{"address", "Address", true},
		{"locks", "Locks", true}, {"tries", "Tries", true},
		{"waited", "Had to wait", true}, {"waited_records", "For records", true},
		{"sections", "Sections", true}, {"mean_held", "Mean held", true},
		{"longest", "Longest", true}, {"thread", "In thread", true},
		{"record", "From record", true}};
	OPEN_TABLE(report, "locks", "Mutexes (held: instructions)", headings);
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
	static const struct table_heading headings[] = {{"address", "Address", true},
		{"signals", "Signals", true}, {"broadcasts", "Broadcasts", true},
		{"waits", "Waits", true}, {"waited", "Had to wait", true},
		{"waited_records", "For records", true}};
	OPEN_TABLE(report, "conditions", "Condition variables", headings);
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
	static const struct table_heading headings[] = {{"first", "Held", true},
		{"second", "Then locked", true}, {"count", "Times", true},
		{"thread", "First in thread", true}, {"record", "Record", true}};
	OPEN_TABLE(report, "lock_order", "Locks taken under locks", headings);
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

static void
report_races(const struct merge_analysis *analysis, struct poly_report *report)
{
	static const struct table_heading headings[] = {{"address", "Address", true},
		{"thread", "Thread", true}, {"access", "Access", false}, {"pc", "PC", true},
		{"record", "Record", true}, {"other_thread", "Thread", true},
		{"other_access", "Access", false}, {"other_pc", "PC", true},
		{"other_record", "Record", true}, {"count", "Times", true}};
	poly_report_section(report, "races", "Possible races");
	poly_report_count(report, "found", "Pairs of accesses", analysis->races_found, NULL);
	poly_report_count(report, "left_out", "Not listed", analysis->races_unlisted, NULL);
	poly_report_count(report, "remembered_bytes", "Memory watched at once",
		SHADOW_WORDS * 8, "bytes");
	poly_report_count(report, "forgotten", "Accesses forgotten", analysis->forgotten, NULL);
	OPEN_TABLE(report, "accesses", "First of each pair of instructions", headings);
	for (size_t i = 0; i < analysis->race_count; i++) {
		const struct race *race = &analysis->races[i];
		poly_report_cell_address(report, race->address, 8);
		add_side_cells(analysis, &race->sides[0], report);
		add_side_cells(analysis, &race->sides[1], report);
		poly_report_cell_count(report, race->count);
	}
	poly_report_end(report);
	poly_report_end(report);
}

void
analysis_report(const struct merge_analysis *analysis, struct poly_report *report)
{
	poly_report_section(report, "order", "Happens before");
	report_locks(analysis, report);
	report_conditions(analysis, report);
	report_orders(analysis, report);
	deadlock_report(analysis, report);
	if (analysis->held_untracked)
		poly_report_count(report, "held_left_out", "Locks not followed",
			analysis->held_untracked, NULL);
	if (analysis->orders_dropped)
		poly_report_count(report, "orders_left_out", "Orders not kept",
			analysis->orders_dropped, NULL);
	report_races(analysis, report);
	poly_report_end(report);
}
