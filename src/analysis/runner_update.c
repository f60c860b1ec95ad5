/* SPDX-License-Identifier: MIT */
/* Rows into analyses: what all of them need is found once, and each is updated. */
#include "analysis/analysis_instance.h"

#include "base/err.h"

/* Rows from here on that are all counted, or all not; *ends: a unit does behind them. */
static uint64_t
stretch(const struct poly_stats *stats, bool *counts, bool *ends)
{
	const struct poly_stats_options *options = &stats->options;
	*ends = false;
	*counts = stats->seen >= options->warmup;
	if (!*counts)
		return options->warmup - stats->seen;
	if (!options->period)
		return UINT64_MAX;
	const uint64_t place = (stats->seen - options->warmup) % options->period;
	const uint64_t before = options->period - options->unit;
	*counts = *ends = place >= before;
	return *counts ? options->period - place : before - place;
}

/* Finds operations, sites and contexts, which the first two depend on. */
static bool
find_shares(struct poly_stats *stats, const struct poly_batch *batch, bool counts)
{
	const bool ops = stats->shares & SHARES_OPS, sites = stats->shares & SHARES_SITES;
	struct row_numbers *found = &stats->found;
	struct analysis_rows *rows = &stats->rows;
	bool mixed = false;
	*rows = (struct analysis_rows){.batch = batch,
		.counts = counts,
		.op = ops ? found->op : NULL,
		.site = sites ? found->site : NULL,
		.ops = &stats->ops};
	if ((stats->shares & SHARES_CONTEXTS) &&
		!contexts_number_rows(
			&stats->contexts, batch, found->context, &rows->sole_context, &mixed))
		return false;
	rows->context = mixed ? found->context : NULL;
	const struct static_ops_rows filled = {.op = ops ? found->op : NULL,
		.site = sites ? found->site : NULL,
		.context = rows->context,
		.sole_context = rows->sole_context};
	return !(ops || sites) || static_ops_number_rows(&stats->ops, batch, &filled);
}

static void
update_one(void *user, size_t i)
{
	struct poly_stats *stats = user;
	struct analysis_instance *run = stats->due[i];
	const struct analysis *analysis = run->analysis;
	const bool tallies = stats->rows.batch->weight != NULL;
	if (!(tallies ? analysis->update_weighted : analysis->update)(run->state, &stats->rows))
		stats->failed = true;
}

/* Rows that are all counted, or all not. */
static bool
update_rows(struct poly_stats *stats, const struct poly_batch *batch, bool counts)
{
	if (!find_shares(stats, batch, counts))
		return false;
	stats->due_count = 0;
	for (size_t i = 0; i < stats->count; i++) {
		struct analysis_instance *run = &stats->runs[i];
		if (run->suits && (counts || run->analysis->needs_warmup))
			stats->due[stats->due_count++] = run;
	}
	stats->rows.team = stats->count == 1 ? stats->team : NULL;
	thread_pool_for_each(stats->team, update_one, stats, stats->due_count);
	return !stats->failed;
}

/* A unit of a sample ends. */
static void
end_unit(struct poly_stats *stats)
{
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis_instance *run = &stats->runs[i];
		if (run->suits && run->confidence)
			ratio_estimator_end_unit(run->confidence, run->analysis, run->state);
	}
}

/* Adds the rows of a batch from one on, as far as they are alike; how many, 0: it failed. */
static size_t
update_stretch(struct poly_stats *stats, const struct poly_batch *batch, size_t row)
{
	bool counts, ends;
	const uint64_t most = stretch(stats, &counts, &ends);
	const size_t left = batch->rows - row, rows = most < left ? (size_t)most : left;
	const struct poly_batch *part = batch;
	if (rows < batch->rows) {
		if (slice_make(&stats->slice, batch, row, rows, NULL) != POLY_OK)
			return 0;
		part = &stats->slice.view;
	}
	if (!update_rows(stats, part, counts))
		return 0;
	stats->seen += rows;
	if (ends && rows == most)
		end_unit(stats);
	return rows;
}

enum poly_status
poly_stats_update(
	struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error)
{
	size_t rows;
	if (batch->weight && !poly_stats_accepts_weights(stats))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"records that were counted, expected each of them");
	for (size_t row = 0; stats->status == POLY_OK && row < batch->rows; row += rows) {
		rows = update_stretch(stats, batch, row);
		if (!rows)
			stats->status = POLY_ERR_MEMORY;
	}
	return stats->status == POLY_OK ? POLY_OK : err_memory(error);
}
