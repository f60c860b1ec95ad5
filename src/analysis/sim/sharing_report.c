/* SPDX-License-Identifier: MIT */
/* Reports coherent caches. */
#include "analysis/sim/sharing.h"

#include "base/mem.h"
#include "report/table.h"
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
name_cell(const struct sharing_simulation *sim, uint16_t context, struct poly_report *report)
{
	struct buf name = {0};
	contexts_append_name(sim->contexts, context, &name);
	poly_report_cell_text(report, name.size ? buf_text(&name) : NULL);
	buf_free(&name);
}

static void
report_threads(const struct sharing_simulation *sim, struct poly_report *report)
{
	static const char *const columns[] = {KEY("accesses"), KEY("hits"), KEY("upgrades"),
		KEY("compulsory_misses"), KEY("replacement_misses"), KEY("true_sharing_misses"),
		KEY("false_sharing_misses"), KEY("mpki"), KEY("coherence_invalidations"),
		KEY("cache_to_cache_transfers"), KEY("writebacks")};
	table_open(report, "private_caches", "context:text");
	count_columns(report, columns, sizeof columns / sizeof *columns);
	for (uint16_t context = 0; context < COHERENCE_THREADS; context++) {
		const struct coherence_counts *counts =
			coherence_counts(sim->coherence, context);
		uint64_t accesses = 0, misses = 0;
		for (int i = 0; i < COHERENCE_OUTCOMES; i++) {
			accesses += counts->outcomes[i];
			misses += i >= COHERENCE_COLD ? counts->outcomes[i] : 0;
		}
		if (!accesses && !counts->invalidations)
			continue;
		name_cell(sim, context, report);
		poly_report_cell_count(report, accesses);
		for (int i = 0; i < COHERENCE_OUTCOMES; i++)
			poly_report_cell_count(report, counts->outcomes[i]);
		report_mpki_cell(report, misses, sim->instructions[context]);
		poly_report_cell_count(report, counts->invalidations);
		poly_report_cell_count(report, counts->supplied);
		poly_report_cell_count(report, counts->written_back);
	}
	poly_report_end(report);
}

/* Orders the greater first; 0: equal. */
static int
by_count(uint64_t a, uint64_t b)
{
	return a == b ? 0 : a < b ? 1 : -1;
}

/* Orders by false sharing, then true sharing, then address. */
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

/* Orders by false sharing, then invalidations, then true sharing, then address. */
static int
by_site(const void *left, const void *right)
{
	const struct sharing_site *a = *(const struct sharing_site *const *)left;
	const struct sharing_site *b = *(const struct sharing_site *const *)right;
	int order = by_count(a->false_misses, b->false_misses);
	order = order ? order : by_count(a->invalidated, b->invalidated);
	order = order ? order : by_count(a->true_misses, b->true_misses);
	order = order ? order : by_count(b->pc, a->pc);
	return order ? order : (a->context > b->context) - (a->context < b->context);
}

static void
threads_cell(const struct sharing_simulation *sim, uint64_t threads, struct poly_report *report)
{
	struct buf names = {0};
	for (; threads; threads &= threads - 1) {
		if (names.size)
			buf_string(&names, ", ");
		contexts_append_name(sim->contexts, (uint16_t)__builtin_ctzll(threads), &names);
	}
	poly_report_cell_text(report, buf_text(&names));
	buf_free(&names);
}

/* Reports the instructions that share a line. */
static void
report_site_rows(const struct sharing_simulation *sim, const struct sharing_site **list,
	uint64_t line, struct poly_report *report)
{
	size_t count = 0;
	for (uint32_t i = 0; i < sim->sites.count; i++)
		if (sim->sites.list[i].line == line)
			list[count++] = &sim->sites.list[i];
	qsort(list, count, sizeof *list, by_site);
	for (size_t i = 0; i < count && i < sim->top; i++) {
		const struct sharing_site *site = list[i];
		poly_report_cell_address(report, line, 8);
		name_cell(sim, site->context, report);
		poly_report_cell_address(report, site->pc, 8);
		poly_report_cell_count(report, site->first);
		poly_report_cell_count(report, site->last);
		poly_report_cell_count(report, site->true_misses);
		poly_report_cell_count(report, site->false_misses);
		poly_report_cell_count(report, site->invalidated);
	}
}

static void
open_sites(struct poly_report *report)
{
	static const char *const columns[] = {KEY("first_byte"), KEY("last_byte"),
		KEY("true_sharing_misses"), KEY("false_sharing_misses"),
		KEY("invalidations_caused")};
	table_open(report, "sharing_instructions", "line_address:text context:text pc:text");
	count_columns(report, columns, sizeof columns / sizeof *columns);
}

static void
report_lines(const struct sharing_simulation *sim, const struct coherence_line **list,
	size_t count, struct poly_report *report)
{
	static const char *const columns[] = {KEY("true_sharing_misses"),
		KEY("false_sharing_misses"), KEY("coherence_invalidations")};
	table_open(report, "shared_lines", "line_address:text");
	count_columns(report, columns, sizeof columns / sizeof *columns);
	poly_report_column(report, "contexts", false);
	for (size_t i = 0; i < count; i++) {
		poly_report_cell_address(report, list[i]->address, 8);
		poly_report_cell_count(report, list[i]->true_misses);
		poly_report_cell_count(report, list[i]->false_misses);
		poly_report_cell_count(report, list[i]->invalidations);
		threads_cell(sim, list[i]->threads, report);
	}
	poly_report_end(report);
}

/* Stores the lines with the most sharing in list, which has room for all; returns their number.
 */
static size_t
find_lines(const struct sharing_simulation *sim, const struct coherence_line **list)
{
	size_t all, count = 0;
	const struct coherence_line *lines = coherence_lines(sim->coherence, &all);
	for (size_t i = 0; i < all; i++)
		if (lines[i].invalidations || lines[i].true_misses || lines[i].false_misses)
			list[count++] = &lines[i];
	qsort(list, count, sizeof *list, by_sharing);
	return count < sim->top ? count : (size_t)sim->top;
}

const char *
sharing_limit(const void *state)
{
	const struct sharing_simulation *sim = state;
	return sim->full || sim->untracked || sim->sites.full
		       ? "more contexts than 64, or more lines or instructions than fit in the "
			 "memory limit; the rest is not counted"
		       : NULL;
}

void
sharing_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct sharing_simulation *sim = state;
	size_t all;
	(void)ops;
	coherence_lines(sim->coherence, &all);
	const struct coherence_line **lines = mem_new(all + 1, sizeof *lines);
	const struct sharing_site **sites =
		mem_new((size_t)sim->sites.count + 1, sizeof *sites);
	poly_report_bool(report, "complete",
		!sim->full && !sim->untracked && !sim->sites.full &&
			!(sim->lines.split && sim->refs.truncated));
	poly_report_count(report, "line_size", sim->config.cache.line_size);
	report_instructions(report, sim->all_instructions);
	report_truncated_accesses(report, sim->lines.split ? sim->refs.truncated : 0);
	report_threads(sim, report);
	if (lines && sites) {
		const size_t count = find_lines(sim, lines);
		report_lines(sim, lines, count, report);
		open_sites(report);
		for (size_t i = 0; i < count; i++)
			report_site_rows(sim, sites, lines[i]->address, report);
		poly_report_end(report);
	} else {
		tree_fail(report);
	}
	mem_free(lines);
	mem_free(sites);
}
