/* SPDX-License-Identifier: MIT */
/* Reports calls. */
#include "analysis/queries/calls.h"

#include "base/buf.h"
#include "base/mem.h"
#include "report/table.h"
#include "report/terms.h"

#include <stdlib.h>

/* Adds a cell with the name of a function, indented by depth. */
static void
cell_function(const struct call_graph *calls, uint32_t function, uint32_t depth,
	struct poly_report *report)
{
	const struct calls_function *called = &calls->functions[function];
	struct buf name = {0};
	for (uint32_t i = 0; i < depth; i++)
		buf_string(&name, "  ");
	if (called->symbol)
		buf_string(&name, called->symbol->name);
	else
		buf_printf(&name, "0x%0*llx", (int)calls->digits,
			(unsigned long long)called->entry);
	poly_report_cell_text(report, buf_text(&name));
	buf_free(&name);
}

/* Returns the next node in preorder; CALLS_NONE: none. */
static uint32_t
next_node(const struct call_graph *calls, uint32_t number)
{
	const struct calls_node *nodes = calls->nodes;
	if (nodes[number].child != CALLS_NONE)
		return nodes[number].child;
	while (nodes[number].sibling == CALLS_NONE && nodes[number].parent != CALLS_NONE)
		number = nodes[number].parent;
	if (nodes[number].sibling != CALLS_NONE)
		return nodes[number].sibling;
	for (number++; number < calls->node_count; number++) {
		if (nodes[number].parent == CALLS_NONE)
			return number;
	}
	return CALLS_NONE;
}

static void
report_tree(const struct call_graph *calls, struct poly_report *report)
{
	poly_report_table(report, "call_tree");
	if (!calls->is_indented)
		poly_report_column(report, "depth", true);
	table_columns(
		report, "total_instructions self_instructions calls entry_pc function:text");
	for (uint32_t i = calls->node_count ? 0 : CALLS_NONE; i != CALLS_NONE;
		i = next_node(calls, i)) {
		const struct calls_node *node = &calls->nodes[i];
		if (!calls->is_indented)
			poly_report_cell_count(report, node->depth);
		poly_report_cell_count(report, node->total);
		poly_report_cell_count(report, node->self);
		poly_report_cell_count(report, node->calls);
		poly_report_cell_address(
			report, calls->functions[node->function].entry, calls->digits);
		cell_function(
			calls, node->function, calls->is_indented ? node->depth : 0, report);
	}
	poly_report_end(report);
}

/* A function in the profile. */
struct profile_entry {
	uint64_t total, nested, entry;
	uint32_t function;
};

static int
by_total(const void *left, const void *right)
{
	const struct profile_entry *a = left, *b = right;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/*
 * Sums the nodes of each function: all of them in nested, outermost ones in total. open: number
 * of nodes of each function on the current path.
 */
static void
sum_functions(const struct call_graph *calls, struct profile_entry *entries, uint32_t *open)
{
	uint32_t previous = CALLS_NONE;
	for (uint32_t i = calls->node_count ? 0 : CALLS_NONE; i != CALLS_NONE;
		i = next_node(calls, i)) {
		const struct calls_node *node = &calls->nodes[i];
		/* Leave finished nodes, up to the parent of this one. */
		while (previous != CALLS_NONE && previous != node->parent) {
			open[calls->nodes[previous].function]--;
			previous = calls->nodes[previous].parent;
		}
		struct profile_entry *entry = &entries[node->function];
		entry->nested += node->total;
		if (!open[node->function]++)
			entry->total += node->total;
		previous = i;
	}
}

static void
report_entries(const struct call_graph *calls, const struct profile_entry *entries,
	struct poly_report *report)
{
	for (uint32_t i = 0; i < calls->function_count; i++) {
		const struct calls_function *function = &calls->functions[entries[i].function];
		/* Functions that were merged into their callers have no calls. */
		if (!function->calls)
			continue;
		poly_report_cell_count(report, entries[i].total);
		poly_report_cell_count(report, function->self);
		poly_report_cell_count(report, function->calls);
		poly_report_cell_count(report, entries[i].nested);
		poly_report_cell_address(report, function->entry, calls->digits);
		cell_function(calls, entries[i].function, 0, report);
	}
}

static void
report_profile(const struct call_graph *calls, struct poly_report *report)
{
	struct profile_entry *entries =
		mem_new((size_t)calls->function_count + 1, sizeof *entries);
	uint32_t *open = mem_new((size_t)calls->function_count + 1, sizeof *open);
	table_open(report, "functions",
		"total_instructions self_instructions calls total_with_recursion entry_pc "
		"function:text");
	if (entries && open) {
		for (uint32_t i = 0; i < calls->function_count; i++) {
			entries[i].function = i;
			entries[i].entry = calls->functions[i].entry;
		}
		sum_functions(calls, entries, open);
		qsort(entries, calls->function_count, sizeof *entries, by_total);
		report_entries(calls, entries, report);
		poly_report_end(report);
	}
	/* Out of memory, the table stays open, and rendering fails. */
	mem_free(entries);
	mem_free(open);
}

/* Adds two cells: a record and its address. */
static void
cell_moment(const struct call_graph *calls, const struct calls_moment *moment,
	struct poly_report *report)
{
	if (!moment->record) {
		poly_report_cell_text(report, NULL);
		poly_report_cell_text(report, NULL);
		return;
	}
	poly_report_cell_count(report, moment->record);
	poly_report_cell_address(report, moment->pc, calls->digits);
}

static void
cell_time(const struct calls_moment *moment, struct poly_report *report)
{
	if (moment->has_time)
		poly_report_cell_count(report, moment->time);
	else
		poly_report_cell_text(report, NULL);
}

static void
report_call(const struct call_graph *calls, const struct calls_call *call,
	struct poly_report *report)
{
	if (!calls->is_indented)
		poly_report_cell_count(report, call->depth);
	cell_moment(calls, &call->site, report);
	cell_moment(calls, &call->first, report);
	cell_moment(calls, &call->last, report);
	cell_moment(calls, &call->back, report);
	poly_report_cell_count(report, call->self);
	poly_report_cell_count(report, call->total);
	if (calls->has_clock) {
		cell_time(&call->first, report);
		cell_time(&call->last, report);
	}
	cell_function(calls, call->function, calls->is_indented ? call->depth : 0, report);
}

static void
report_list(const struct call_graph *calls, struct poly_report *report)
{
	static const char *const columns[] = {KEY("call_record"), KEY("call_pc"),
		KEY("entry_record"), KEY("entry_pc"), KEY("last_record"), KEY("last_pc"),
		KEY("return_record"), KEY("return_pc"), KEY("self_instructions"),
		KEY("total_instructions")};
	poly_report_table(report, "call_list");
	if (!calls->is_indented)
		poly_report_column(report, "depth", true);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		poly_report_column(report, columns[i], true);
	if (calls->has_clock) {
		table_columns(report, "start_time end_time");
	}
	poly_report_column(report, "function", false);
	for (uint32_t i = 0; i < calls->call_count; i++) {
		const struct calls_call *call = &calls->calls[i];
		const bool stays = !calls->merges_unreturned || call->has_returned;
		if (stays || call->parent == CALLS_NONE)
			report_call(calls, call, report);
	}
	poly_report_end(report);
}

/*
 * Writes a table and a section "totals". Tables:
 *
 *     call_tree[] depth (from 0), function (name or address), entry_pc, calls,
 *                 self_instructions (executed in the function), total_instructions (with those
 *                 of its callees)
 *     functions[] function, entry_pc, calls, self_instructions, total_instructions (each
 *                 instruction once, also for recursive functions), total_with_recursion (once
 *                 per frame of the function), in descending order of total_instructions
 *     call_list[] depth, function, call_record, call_pc (of the call instruction),
 *                 entry_record, entry_pc (of the callee's first instruction), last_record,
 *                 last_pc (of its last one), return_record, return_pc (of the next instruction
 *                 of the caller; absent without return), self_instructions,
 *                 total_instructions, and with a clock start_time and end_time
 */
void
calls_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct call_graph *calls = state;
	(void)ops;
	if (calls->style == CALLS_TREE)
		report_tree(calls, report);
	else if (calls->style == CALLS_PROFILE)
		report_profile(calls, report);
	else
		report_list(calls, report);
	poly_report_section(report, "totals");
	poly_report_count(report, "instructions", calls->instructions);
	poly_report_count(report, "calls", calls->all);
	poly_report_count(report, "returned_calls", calls->returned);
	poly_report_count(report, "tail_calls", calls->tails);
	poly_report_count(report, "frames_unwound_without_return", calls->unwound);
	poly_report_count(report, "returns_from_first_function", calls->first_returns);
	poly_report_count(report, "unmatched_returns", calls->unmatched);
	poly_report_count(report, "frames_beyond_the_depth_limit", calls->deep);
	poly_report_end(report);
}
