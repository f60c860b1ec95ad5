/* SPDX-License-Identifier: MIT */
/* Updates analyses with rows: shared numbers are derived once. */
#include "analysis/core/analysis_instance.h"

#include "base/err.h"
#include "effects/effects.h"

/* Returns the number of next rows that are all counted, or all not; *ends: a unit ends with
 * them. */
static uint64_t
uniform_rows(const struct poly_stats *stats, bool *counts, bool *ends)
{
	const struct poly_stats_options *options = &stats->options;
	*ends = false;
	*counts = stats->seen >= options->warmup;
	if (!*counts)
		return options->warmup - stats->seen;
	if (!options->period)
		return UINT64_MAX;
	const uint64_t position = (stats->seen - options->warmup) % options->period;
	const uint64_t uncounted = options->period - options->unit;
	*counts = *ends = position >= uncounted;
	return *counts ? options->period - position : uncounted - position;
}

/* Numbers contexts, then operations and sites, which depend on these. */
static bool
find_shares(struct poly_stats *stats, const struct poly_batch *batch, bool counts)
{
	const bool ops = stats->shares & SHARES_OPS, sites = stats->shares & SHARES_SITES;
	struct row_numbers *numbers = &stats->numbers;
	struct analysis_rows *rows = &stats->rows;
	bool mixed = false;
	*rows = (struct analysis_rows){.batch = batch,
		.counts = counts,
		.op = ops ? numbers->op : NULL,
		.site = sites ? numbers->site : NULL,
		.ops = &stats->ops};
	if ((stats->shares & SHARES_CONTEXTS) &&
		!contexts_number_rows(
			&stats->contexts, batch, numbers->context, &rows->sole_context, &mixed))
		return false;
	rows->context = mixed ? numbers->context : NULL;
	const struct static_ops_rows filled = {.op = ops ? numbers->op : NULL,
		.site = sites ? numbers->site : NULL,
		.context = rows->context,
		.sole_context = rows->sole_context};
	return !(ops || sites) || static_ops_number_rows(&stats->ops, batch, &filled);
}

static void
update_one(void *user, size_t i)
{
	struct poly_stats *stats = user;
	struct analysis_instance *instance = stats->due[i];
	const struct analysis *analysis = instance->analysis;
	const bool weighted = poly_batch_weights(stats->rows.batch) != NULL;
	const struct analysis_rows *rows =
		stats->real.is_active && analysis->uses_real ? &stats->real_rows : &stats->rows;
	if (!(stats->pipeline ? part_pipeline_add(stats->pipeline, rows)
			      : (weighted ? analysis->update_weighted : analysis->update)(
					instance->state, rows)))
		stats->failed = true;
}

bool
stats_drain(struct poly_stats *stats)
{
	return !stats->pipeline || part_pipeline_drain(stats->pipeline);
}

/* Sets the rows with real addresses. */
static void
add_real_rows(struct poly_stats *stats, const struct poly_batch *batch)
{
	if (stats->rows.counts)
		real_addresses_count(&stats->real, batch);
	real_addresses_view(&stats->real_batch, batch);
	stats->real_rows = stats->rows;
	stats->real_rows.batch = &stats->real_batch;
	stats->real_rows.is_real = true;
}

/* Updates the analyses with rows that are all counted, or all not. */
static bool
update_rows(struct poly_stats *stats, const struct poly_batch *batch, bool counts)
{
	if (!find_shares(stats, batch, counts))
		return false;
	stats->due_count = 0;
	for (size_t i = 0; i < stats->count; i++) {
		struct analysis_instance *instance = &stats->instances[i];
		if (instance->suits && (counts || instance->analysis->needs_warmup))
			stats->due[stats->due_count++] = instance;
	}
	stats->rows.team = stats->count == 1 ? stats->team : NULL;
	if (stats->real.is_active)
		add_real_rows(stats, batch);
	thread_pool_for_each(stats->team, update_one, stats, stats->due_count);
	return !stats->failed;
}

/* Ends a sampling unit; false: out of memory. */
static bool
end_unit(struct poly_stats *stats)
{
	if (!stats_drain(stats))
		return false;
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis_instance *instance = &stats->instances[i];
		if (instance->suits && instance->estimator)
			ratio_estimator_end_unit(
				instance->estimator, instance->analysis, instance->state);
	}
	return true;
}

/* Adds the next rows of a batch that are all counted, or all not; returns their number, 0:
 * failure. */
static size_t
update_uniform(struct poly_stats *stats, const struct poly_batch *batch, size_t row)
{
	bool counts, ends;
	const uint64_t limit = uniform_rows(stats, &counts, &ends);
	const size_t remaining = batch->rows - row,
		     rows = limit < remaining ? (size_t)limit : remaining;
	const struct poly_batch *part = batch;
	if (rows < batch->rows) {
		if (slice_make(&stats->slice, batch, row, rows, NULL) != POLY_OK)
			return 0;
		part = &stats->slice.view;
	}
	if (!update_rows(stats, part, counts))
		return 0;
	stats->seen += rows;
	return !ends || rows < limit || end_unit(stats) ? rows : 0;
}

/* Returns POLY_END if no analysis of the trace needs further rows, or the error of one. */
static enum poly_status
find_status(const struct poly_stats *stats, struct poly_error *error)
{
	size_t suited = 0, complete = 0;
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis_instance *instance = &stats->instances[i];
		const struct analysis *analysis = instance->analysis;
		const enum poly_status status =
			instance->suits && analysis->status
				? analysis->status(instance->state, error)
				: POLY_OK;
		if (status < 0)
			return status;
		suited += instance->suits;
		complete += status == POLY_END;
	}
	return suited && complete == suited ? POLY_END : POLY_OK;
}

/* Adds the rows of a batch. */
static enum poly_status
update_batch(struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error)
{
	size_t rows;
	if (!stats->first_number && batch->rows)
		stats->first_number = poly_batch_number(batch, 0);
	for (size_t row = 0; stats->status == POLY_OK && row < batch->rows; row += rows) {
		rows = update_uniform(stats, batch, row);
		if (!rows)
			stats->status = POLY_ERR_MEMORY;
	}
	return stats->status == POLY_OK ? find_status(stats, error) : err_memory(error);
}

enum poly_status
stats_update_converted(
	struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error)
{
	const struct poly_batch *converted;
	enum poly_status status, updated = POLY_OK;
	effects_put(stats->effects, batch);
	while ((status = effects_take(stats->effects, &converted, error)) == POLY_OK) {
		updated = update_batch(stats, converted, error);
		if (updated < 0)
			return updated;
	}
	return status == POLY_END ? updated : status;
}

bool
poly_stats_accepts_weights(const struct poly_stats *stats)
{
	bool all = !stats->options.warmup && !stats->options.period && !stats->real.is_active;
	for (size_t i = 0; i < stats->count; i++)
		all = all && (!stats->instances[i].suits ||
				     stats->instances[i].analysis->update_weighted);
	return all;
}

enum poly_status
stats_update(struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error)
{
	if (poly_batch_weights(batch) && !poly_stats_accepts_weights(stats))
		return err_usage(error, "weighted rows, expected one row per record");
	return stats->effects ? stats_update_converted(stats, batch, error)
			      : update_batch(stats, batch, error);
}
