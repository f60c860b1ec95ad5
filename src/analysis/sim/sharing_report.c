/* SPDX-License-Identifier: MIT */
/* What is told of coherent caches. */
#include "analysis/sim/sharing.h"

#include "base/mem.h"
#include "report/terms.h"
#include "report/tree.h"

#include <stdlib.h>

static void
count_columns(struct poly_report *report, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		poly_report_column(report, keys[i], true);
}

static void
name_cell(const struct sharing *it, uint16_t context, struct poly_report *report)
{
	struct buf name = {0};
	contexts_append_name(it->contexts, context, &name);
	poly_report_cell_text(report, name.size ? buf_text(&name) : NULL);
	buf_free(&name);
}

static void
report_threads(const struct sharing *it, struct poly_report *report)
{
	static const char *const columns[] = {KEY("accesses"), KEY("hits"), KEY("upgrades"),
		KEY("cold_misses"), KEY("replacement_misses"), KEY("true_sharing_misses"),
		KEY("false_sharing_misses"), KEY("mpki"), KEY("coherence_invalidations"),
		KEY("cache_to_cache_transfers"), KEY("writebacks")};
	poly_report_table(report, "private_caches");
	poly_report_column(report, "context", false);
	count_columns(report, columns, sizeof columns / sizeof *columns);
	for (uint16_t context = 0; context < COHERENCE_THREADS; context++) {
		const struct coherence_counts *counts =
			coherence_counts(it->coherence, context);
		uint64_t accesses = 0, misses = 0;
		for (int i = 0; i < COHERENCE_OUTCOMES; i++) {
			accesses += counts->outcomes[i];
			misses += i >= COHERENCE_COLD ? counts->outcomes[i] : 0;
		}
		if (!accesses && !counts->invalidations)
			continue;
		name_cell(it, context, report);
		poly_report_cell_count(report, accesses);
		for (int i = 0; i < COHERENCE_OUTCOMES; i++)
			poly_report_cell_count(report, counts->outcomes[i]);
		report_mpki_cell(report, misses, it->instructions[context]);
		poly_report_cell_count(report, counts->invalidations);
		poly_report_cell_count(report, counts->supplied);
		poly_report_cell_count(report, counts->written_back);
	}
	poly_report_end(report);
}

/* The greater first; 0: equal. */
static int
by_count(uint64_t one, uint64_t two)
{
	return one == two ? 0 : one < two ? 1 : -1;
}

/* Most false sharing first, then most sharing, then by address. */
static int
by_sharing(const void *left, const void *right)
{
	const struct coherence_line *a = *(const struct coherence_line *const *)left;
	const struct coherence_line *b = *(const struct coherence_line *const *)right;
	int order = by_count(a->false_misses, b->false_misses);
	order = order ? order : by_count(a->true_misses, b->true_misses);
	order = order ? order : by_count(a->invalidations, b->invalidations);
	return order ? order : by_count(b->address, a->address);
}

/* Most false sharing first, then what takes and loses most, then by address. */
static int
by_place(const void *left, const void *right)
{
	const struct sharing_place *a = *(const struct sharing_place *const *)left;
	const struct sharing_place *b = *(const struct sharing_place *const *)right;
	int order = by_count(a->false_misses, b->false_misses);
	order = order ? order : by_count(a->taken, b->taken);
	order = order ? order : by_count(a->true_misses, b->true_misses);
	order = order ? order : by_count(b->pc, a->pc);
	return order ? order : (a->context > b->context) - (a->context < b->context);
}

static void
threads_cell(const struct sharing *it, uint64_t threads, struct poly_report *report)
{
	struct buf names = {0};
	for (; threads; threads &= threads - 1) {
		if (names.size)
			buf_string(&names, ", ");
		contexts_append_name(it->contexts, (uint16_t)__builtin_ctzll(threads), &names);
	}
	poly_report_cell_text(report, buf_text(&names));
	buf_free(&names);
}

/* The instructions that share one of the lines. */
static void
report_places(const struct sharing *it, const struct sharing_place **list, uint64_t line,
	struct poly_report *report)
{
	size_t count = 0;
	for (uint32_t i = 0; i < it->places.count; i++)
		if (it->places.list[i].line == line)
			list[count++] = &it->places.list[i];
	qsort(list, count, sizeof *list, by_place);
	for (size_t i = 0; i < count && i < it->top; i++) {
		const struct sharing_place *place = list[i];
		poly_report_cell_address(report, line, 8);
		name_cell(it, place->context, report);
		poly_report_cell_address(report, place->pc, 8);
		poly_report_cell_count(report, place->first);
		poly_report_cell_count(report, place->last);
		poly_report_cell_count(report, place->true_misses);
		poly_report_cell_count(report, place->false_misses);
		poly_report_cell_count(report, place->taken);
	}
}

static void
open_places(struct poly_report *report)
{
	static const char *const columns[] = {KEY("first_byte"), KEY("last_byte"),
		KEY("true_sharing_misses"), KEY("false_sharing_misses"),
		KEY("invalidations_caused")};
	poly_report_table(report, "sharing_instructions");
	poly_report_column(report, "line_address", false);
	poly_report_column(report, "context", false);
	poly_report_column(report, "pc", false);
	count_columns(report, columns, sizeof columns / sizeof *columns);
}

static void
report_lines(const struct sharing *it, const struct coherence_line **list, size_t count,
	struct poly_report *report)
{
	static const char *const columns[] = {KEY("true_sharing_misses"),
		KEY("false_sharing_misses"), KEY("coherence_invalidations")};
	poly_report_table(report, "shared_lines");
	poly_report_column(report, "line_address", false);
	count_columns(report, columns, sizeof columns / sizeof *columns);
	poly_report_column(report, "contexts", false);
	for (size_t i = 0; i < count; i++) {
		poly_report_cell_address(report, list[i]->address, 8);
		poly_report_cell_count(report, list[i]->true_misses);
		poly_report_cell_count(report, list[i]->false_misses);
		poly_report_cell_count(report, list[i]->invalidations);
		threads_cell(it, list[i]->threads, report);
	}
	poly_report_end(report);
}

/* The worst lines into list, which has room for all; how many. */
static size_t
find_lines(const struct sharing *it, const struct coherence_line **list)
{
	size_t all, count = 0;
	const struct coherence_line *lines = coherence_lines(it->coherence, &all);
	for (size_t i = 0; i < all; i++)
		if (lines[i].invalidations || lines[i].true_misses || lines[i].false_misses)
			list[count++] = &lines[i];
	qsort(list, count, sizeof *list, by_sharing);
	return count < it->top ? count : (size_t)it->top;
}

void
sharing_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct sharing *it = state;
	size_t all;
	(void)ops;
	coherence_lines(it->coherence, &all);
	const struct coherence_line **lines = mem_new(all + 1, sizeof *lines);
	const struct sharing_place **places =
		mem_new((size_t)it->places.count + 1, sizeof *places);
	poly_report_bool(report, "complete", !it->full && !it->left_out && !it->places.full);
	poly_report_count(report, "line_size", it->config.cache.line_size);
	report_threads(it, report);
	if (lines && places) {
		const size_t count = find_lines(it, lines);
		report_lines(it, lines, count, report);
		open_places(report);
		for (size_t i = 0; i < count; i++)
			report_places(it, places, lines[i]->address, report);
		poly_report_end(report);
	} else {
		tree_fail(report);
	}
	mem_free(lines);
	mem_free(places);
}
