/* SPDX-License-Identifier: MIT */
/* What was counted of calls, as tables. */
#include "analysis/calls.h"

#include "base/buf.h"
#include "base/mem.h"
#include "report/terms.h"

#include <stdlib.h>

/* Digits of addresses. */
static unsigned
digits_of(const struct poly_calls *calls)
{
	const unsigned bits = calls->info ? calls->info->address_bits : 0;
	return bits ? (bits + 3) / 4 : 1;
}

/* The name of a function as a cell; indented by its depth in text. */
static void
cell_function(const struct poly_calls *calls, uint32_t function, uint32_t depth,
	struct poly_report *report)
{
	const struct calls_function *it = &calls->functions[function];
	struct buf name = {0};
	for (uint32_t i = 0; i < depth; i++)
		buf_string(&name, "  ");
	if (it->symbol)
		buf_string(&name, it->symbol->name);
	else
		buf_printf(&name, "0x%0*llx", (int)digits_of(calls),
			(unsigned long long)it->entry);
	poly_report_cell_text(report, buf_text(&name));
	buf_free(&name);
}

/* The node behind another in the order of calls; CALLS_NONE: it was the last. */
static uint32_t
next_node(const struct poly_calls *calls, uint32_t number)
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
report_tree(const struct poly_calls *calls, bool is_text, struct poly_report *report)
{
	poly_report_table(report, "call_tree");
	if (!is_text)
		poly_report_column(report, "depth", true);
	poly_report_column(report, "total_instructions", true);
	poly_report_column(report, "self_instructions", true);
	poly_report_column(report, "calls", true);
	poly_report_column(report, "entry_pc", true);
	poly_report_column(report, "function", false);
	for (uint32_t i = calls->node_count ? 0 : CALLS_NONE; i != CALLS_NONE;
		i = next_node(calls, i)) {
		const struct calls_node *node = &calls->nodes[i];
		if (!is_text)
			poly_report_cell_count(report, node->depth);
		poly_report_cell_count(report, node->total);
		poly_report_cell_count(report, node->self);
		poly_report_cell_count(report, node->calls);
		poly_report_cell_address(
			report, calls->functions[node->function].entry, digits_of(calls));
		cell_function(calls, node->function, is_text ? node->depth : 0, report);
	}
	poly_report_end(report);
}

/* A function's place in the profile. */
struct place {
	uint64_t total, nested, entry;
	uint32_t function;
};

static int
by_total(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/*
 * Sums up the nodes of each function: all of them, and those that are not part of another one
 * of the same function. open: how many nodes of a function lead to the one looked at.
 */
static void
sum_functions(const struct poly_calls *calls, struct place *places, uint32_t *open)
{
	uint32_t previous = CALLS_NONE;
	for (uint32_t i = calls->node_count ? 0 : CALLS_NONE; i != CALLS_NONE;
		i = next_node(calls, i)) {
		const struct calls_node *node = &calls->nodes[i];
		/* Leave what is finished: up to the parent of this one. */
		while (previous != CALLS_NONE && previous != node->parent) {
			open[calls->nodes[previous].function]--;
			previous = calls->nodes[previous].parent;
		}
		struct place *place = &places[node->function];
		place->nested += node->total;
		if (!open[node->function]++)
			place->total += node->total;
		previous = i;
	}
}

static void
report_places(
	const struct poly_calls *calls, const struct place *places, struct poly_report *report)
{
	for (uint32_t i = 0; i < calls->function_count; i++) {
		const struct calls_function *it = &calls->functions[places[i].function];
		/* Those that are only part of their callers now have no calls. */
		if (!it->calls)
			continue;
		poly_report_cell_count(report, places[i].total);
		poly_report_cell_count(report, it->self);
		poly_report_cell_count(report, it->calls);
		poly_report_cell_count(report, places[i].nested);
		poly_report_cell_address(report, it->entry, digits_of(calls));
		cell_function(calls, places[i].function, 0, report);
	}
}

static void
report_profile(const struct poly_calls *calls, struct poly_report *report)
{
	struct place *places = mem_new((size_t)calls->function_count + 1, sizeof *places);
	uint32_t *open = mem_new((size_t)calls->function_count + 1, sizeof *open);
	poly_report_table(report, "functions");
	poly_report_column(report, "total_instructions", true);
	poly_report_column(report, "self_instructions", true);
	poly_report_column(report, "calls", true);
	poly_report_column(report, "total_with_recursion", true);
	poly_report_column(report, "entry_pc", true);
	poly_report_column(report, "function", false);
	if (places && open) {
		for (uint32_t i = 0; i < calls->function_count; i++) {
			places[i].function = i;
			places[i].entry = calls->functions[i].entry;
		}
		sum_functions(calls, places, open);
		qsort(places, calls->function_count, sizeof *places, by_total);
		report_places(calls, places, report);
		poly_report_end(report);
	}
	/* Without memory the table stays open, which rendering refuses. */
	mem_free(places);
	mem_free(open);
}

/* A record and the address there as two cells. */
static void
cell_moment(const struct poly_calls *calls, const struct calls_moment *moment,
	struct poly_report *report)
{
	if (!moment->record) {
		poly_report_cell_text(report, NULL);
		poly_report_cell_text(report, NULL);
		return;
	}
	poly_report_cell_count(report, moment->record);
	poly_report_cell_address(report, moment->pc, digits_of(calls));
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
report_call(const struct poly_calls *calls, const struct calls_call *call, bool is_text,
	struct poly_report *report)
{
	if (!is_text)
		poly_report_cell_count(report, call->depth);
	cell_moment(calls, &call->site, report);
	cell_moment(calls, &call->first, report);
	cell_moment(calls, &call->last, report);
	cell_moment(calls, &call->back, report);
	poly_report_cell_count(report, call->self);
	poly_report_cell_count(report, call->total);
	if (calls->info->clock) {
		cell_time(&call->first, report);
		cell_time(&call->last, report);
	}
	cell_function(calls, call->function, is_text ? call->depth : 0, report);
}

static void
report_list(const struct poly_calls *calls, bool is_text, struct poly_report *report)
{
	static const char *const columns[] = {KEY("call_record"), KEY("call_pc"),
		KEY("entry_record"), KEY("entry_pc"), KEY("last_record"), KEY("last_pc"),
		KEY("return_record"), KEY("return_pc"), KEY("self_instructions"),
		KEY("total_instructions")};
	poly_report_table(report, "call_list");
	if (!is_text)
		poly_report_column(report, "depth", true);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		poly_report_column(report, columns[i], true);
	if (calls->info && calls->info->clock) {
		poly_report_column(report, "start_time", true);
		poly_report_column(report, "end_time", true);
	}
	poly_report_column(report, "function", false);
	for (uint32_t i = 0; i < calls->call_count; i++) {
		const struct calls_call *call = &calls->calls[i];
		const bool stays = !calls->options.merges_unreturned || call->has_returned;
		if (stays || call->parent == CALLS_NONE)
			report_call(calls, call, is_text, report);
	}
	poly_report_end(report);
}

void
poly_calls_report(const struct poly_calls *calls, enum poly_calls_style style, bool is_text,
	struct poly_report *report)
{
	if (style == POLY_CALLS_TREE)
		report_tree(calls, is_text, report);
	else if (style == POLY_CALLS_PROFILE)
		report_profile(calls, report);
	else
		report_list(calls, is_text, report);
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
