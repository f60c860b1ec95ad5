/* SPDX-License-Identifier: MIT */
/* Weights by address. */
#include "analysis/sim/hotspots.h"

#include "analysis/facts/counters.h"
#include "analysis/facts/top_n.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "report/terms.h"
#include "report/tree.h"

#include <inttypes.h>
#include <stdio.h>

static enum poly_status
hotspots_init(struct hotspots *hotspots, unsigned shift, struct poly_error *error)
{
	hotspots->shift = shift;
	return dense_index_init(&hotspots->dense, HOTSPOTS_MAX, error);
}

static void
hotspots_fini(struct hotspots *hotspots)
{
	dense_index_fini(&hotspots->dense);
	mem_free(hotspots->list);
}

/* Adds at most MEM_REFS_MAX references with their weights; false: out of memory. */
static bool
hotspots_add(struct hotspots *hotspots, const uint64_t *addresses, const uint32_t *weights,
	size_t count)
{
	if (hotspots->full)
		return true;
	for (size_t i = 0; i < count; i++)
		hotspots->addresses[i] = addresses[i] >> hotspots->shift << hotspots->shift;
	const enum poly_status status = dense_index_find(
		&hotspots->dense, hotspots->addresses, count, hotspots->ids, NULL);
	hotspots->full = status == POLY_ERR_LIMIT;
	if (status != POLY_OK)
		return hotspots->full;
	const bool ok =
		VEC_RESERVE_ZEROED(hotspots->list, hotspots->capacity, hotspots->dense.count);
	for (size_t i = 0; i < count && ok; i++) {
		struct hotspot *spot = &hotspots->list[hotspots->ids[i]];
		spot->address = hotspots->addresses[i];
		spot->accesses++;
		spot->weight += weights[i];
	}
	return ok;
}

/* Keys of a table of hot spots. */
struct hotspots_keys {
	const char *key;     /* of the table */
	const char *address; /* of the column of addresses */
	const char *weight;  /* of the column of weights */
};

/* Reports the addresses of the greatest weights, at most max. */
static void
hotspots_report(const struct hotspots *hotspots, const struct hotspots_keys *keys, uint64_t max,
	struct poly_report *report)
{
	/* A batch that exceeded the limit may have added addresses without counts. */
	const uint32_t count = hotspots->dense.count < hotspots->capacity
				       ? hotspots->dense.count
				       : hotspots->capacity;
	struct ranked *ranks = mem_new((size_t)count + 1, sizeof *ranks);
	uint64_t total = 0;
	if (!ranks) {
		tree_fail(report);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		ranks[i] = (struct ranked){hotspots->list[i].weight, i};
		total += hotspots->list[i].weight;
	}
	top_n_sort(ranks, count);
	poly_report_table(report, keys->key);
	poly_report_column(report, keys->address, false);
	poly_report_column(report, "accesses", true);
	poly_report_column(report, keys->weight, true);
	poly_report_column(report, "share", true);
	for (uint32_t i = 0; i < count && i < max && ranks[i].count; i++) {
		const struct hotspot *spot = &hotspots->list[ranks[i].number];
		poly_report_cell_address(report, spot->address, 8);
		poly_report_cell_count(report, spot->accesses);
		poly_report_cell_count(report, spot->weight);
		poly_report_cell_ratio(report, (double)spot->weight, (double)total, 2);
	}
	poly_report_end(report);
	mem_free(ranks);
}

enum poly_status
hotspots_pair_init(struct hotspots_pair *pair, uint64_t max, const char *option, uint64_t bytes,
	struct poly_error *error)
{
	pair->max = max;
	if (bytes & (bytes - 1))
		return err_usage(error, "option '%s': %" PRIu64 " bytes is not a power of two",
			option, bytes);
	const enum poly_status status = max ? hotspots_init(&pair->pcs, 0, error) : POLY_OK;
	if (status != POLY_OK || !max)
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
	struct hotspots_pair *pair, const struct mem_refs *refs, const uint32_t *weights)
{
	return hotspots_add(&pair->pcs, refs->pcs, weights, refs->count) &&
	       hotspots_add(&pair->regions, refs->addresses, weights, refs->count);
}

void
hotspots_pair_report(
	const struct hotspots_pair *pair, const char *weight, struct poly_report *report)
{
	struct hotspots_keys keys = {KEY("hottest_instructions"), KEY("pc"), weight};
	if (!pair->max)
		return;
	hotspots_report(&pair->pcs, &keys, pair->max, report);
	keys = (struct hotspots_keys){KEY("hottest_regions"), KEY("region"), weight};
	hotspots_report(&pair->regions, &keys, pair->max, report);
}
