/* SPDX-License-Identifier: MIT */
/* Weights by number. */
#include "analysis/sim/tops.h"

#include "analysis/grow.h"
#include "analysis/rank.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/tree.h"

#include <inttypes.h>

enum poly_status
tops_init(struct tops *tops, unsigned shift, struct poly_error *error)
{
	tops->shift = shift;
	return dense_init(&tops->dense, TOPS_MOST, error);
}

enum poly_status
tops_init_both(struct tops *pcs, struct tops *regions, const char *option, uint64_t bytes,
	struct poly_error *error)
{
	if (bytes & (bytes - 1))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option '%s' is %" PRIu64 " bytes, a power of two is needed", option,
			bytes);
	const enum poly_status status = tops_init(pcs, 0, error);
	return status == POLY_OK ? tops_init(regions, (unsigned)__builtin_ctzll(bytes), error)
				 : status;
}

void
tops_fini(struct tops *tops)
{
	dense_fini(&tops->dense);
	mem_free(tops->list);
}

bool
tops_add(struct tops *tops, const uint64_t *numbers, const uint32_t *weights, size_t count)
{
	void *list = tops->list;
	if (tops->full)
		return true;
	for (size_t i = 0; i < count; i++)
		tops->numbers[i] = numbers[i] >> tops->shift << tops->shift;
	const enum poly_status status =
		dense_find(&tops->dense, tops->numbers, count, tops->ids, NULL);
	tops->full = status == POLY_ERR_LIMIT;
	if (status != POLY_OK)
		return tops->full;
	const bool ok =
		grow_array(&list, &tops->capacity, tops->dense.count, sizeof *tops->list);
	tops->list = list;
	for (size_t i = 0; i < count && ok; i++) {
		struct top *top = &tops->list[tops->ids[i]];
		top->number = tops->numbers[i];
		top->uses++;
		top->weight += weights[i];
	}
	return ok;
}

void
tops_report(const struct tops *tops, const struct tops_words *words, uint64_t most,
	struct poly_report *report)
{
	/* A batch that was too much may have numbers that nothing was counted of. */
	const uint32_t count =
		tops->dense.count < tops->capacity ? tops->dense.count : tops->capacity;
	struct rank *ranks = mem_new((size_t)count + 1, sizeof *ranks);
	uint64_t whole = 0;
	if (!ranks) {
		tree_fail(report);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		ranks[i] = (struct rank){tops->list[i].weight, i};
		whole += tops->list[i].weight;
	}
	rank_sort(ranks, count);
	poly_report_table(report, words->key, words->title);
	poly_report_column(report, words->number, words->number_title, false);
	poly_report_column(report, "accesses", "Accesses", true);
	poly_report_column(report, words->weight, words->weight_title, true);
	poly_report_column(report, "share", "Of all", true);
	poly_report_unit(report, "%");
	for (uint32_t i = 0; i < count && i < most && ranks[i].count; i++) {
		const struct top *top = &tops->list[ranks[i].number];
		poly_report_cell_address(report, top->number, 8);
		poly_report_cell_count(report, top->uses);
		rank_cells(report, top->weight, whole);
	}
	poly_report_end(report);
	mem_free(ranks);
}
