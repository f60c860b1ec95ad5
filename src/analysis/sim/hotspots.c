/* SPDX-License-Identifier: MIT */
/* Weights by number. */
#include "analysis/sim/hotspots.h"

#include "analysis/counters.h"
#include "analysis/top_n.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/terms.h"
#include "report/tree.h"

#include <inttypes.h>
#include <stdio.h>

static enum poly_status
hotspots_init(struct hotspots *tops, unsigned shift, struct poly_error *error)
{
	tops->shift = shift;
	return dense_index_init(&tops->dense, HOTSPOTS_MAX, error);
}

static void
hotspots_fini(struct hotspots *tops)
{
	dense_index_fini(&tops->dense);
	mem_free(tops->list);
}

/* Adds uses (MEM_REFS_MAX at most) and what each weighs; false: no memory. */
static bool
hotspots_add(
	struct hotspots *tops, const uint64_t *numbers, const uint32_t *weights, size_t count)
{
	void *list = tops->list;
	if (tops->full)
		return true;
	for (size_t i = 0; i < count; i++)
		tops->numbers[i] = numbers[i] >> tops->shift << tops->shift;
	const enum poly_status status =
		dense_index_find(&tops->dense, tops->numbers, count, tops->ids, NULL);
	tops->full = status == POLY_ERR_LIMIT;
	if (status != POLY_OK)
		return tops->full;
	const bool ok = counters_grow_array(
		&list, &tops->capacity, tops->dense.count, sizeof *tops->list);
	tops->list = list;
	for (size_t i = 0; i < count && ok; i++) {
		struct hotspot *top = &tops->list[tops->ids[i]];
		top->number = tops->numbers[i];
		top->uses++;
		top->weight += weights[i];
	}
	return ok;
}

/* Keys of a table of them. */
struct hotspots_words {
	const char *key;    /* of the table */
	const char *number; /* of the column of numbers */
	const char *weight; /* of the column of weights */
};

/* A table of those that weigh most, at most so many. */
static void
hotspots_report(const struct hotspots *tops, const struct hotspots_words *words, uint64_t most,
	struct poly_report *report)
{
	/* A batch that was too much may have numbers that nothing was counted of. */
	const uint32_t count =
		tops->dense.count < tops->capacity ? tops->dense.count : tops->capacity;
	struct ranked *ranks = mem_new((size_t)count + 1, sizeof *ranks);
	uint64_t whole = 0;
	if (!ranks) {
		tree_fail(report);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		ranks[i] = (struct ranked){tops->list[i].weight, i};
		whole += tops->list[i].weight;
	}
	top_n_sort(ranks, count);
	poly_report_table(report, words->key);
	poly_report_column(report, words->number, false);
	poly_report_column(report, "accesses", true);
	poly_report_column(report, words->weight, true);
	poly_report_column(report, "share", true);
	for (uint32_t i = 0; i < count && i < most && ranks[i].count; i++) {
		const struct hotspot *top = &tops->list[ranks[i].number];
		poly_report_cell_address(report, top->number, 8);
		poly_report_cell_count(report, top->uses);
		poly_report_cell_count(report, top->weight);
		poly_report_cell_ratio(report, (double)top->weight, (double)whole, 2);
	}
	poly_report_end(report);
	mem_free(ranks);
}

enum poly_status
hotspots_pair_init(struct hotspots_pair *pair, uint64_t most, const char *option,
	uint64_t bytes, struct poly_error *error)
{
	pair->most = most;
	if (bytes & (bytes - 1))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option '%s' is %" PRIu64 " bytes, a power of two is needed", option,
			bytes);
	const enum poly_status status = most ? hotspots_init(&pair->pcs, 0, error) : POLY_OK;
	if (status != POLY_OK || !most)
		return status;
	return hotspots_init(&pair->regions, (unsigned)__builtin_ctzll(bytes), error);
}

void
hotspots_pair_fini(struct hotspots_pair *pair)
{
	hotspots_fini(&pair->pcs);
	hotspots_fini(&pair->regions);
}

bool
hotspots_pair_add(
	struct hotspots_pair *pair, const struct mem_refs *uses, const uint32_t *weights)
{
	return hotspots_add(&pair->pcs, uses->pcs, weights, uses->count) &&
	       hotspots_add(&pair->regions, uses->addresses, weights, uses->count);
}

void
hotspots_pair_report(
	const struct hotspots_pair *pair, const char *weight, struct poly_report *report)
{
	struct hotspots_words words = {KEY("hottest_instructions"), KEY("pc"), weight};
	if (!pair->most)
		return;
	hotspots_report(&pair->pcs, &words, pair->most, report);
	words = (struct hotspots_words){KEY("hottest_regions"), KEY("region"), weight};
	hotspots_report(&pair->regions, &words, pair->most, report);
}
