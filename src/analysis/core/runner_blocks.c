/* SPDX-License-Identifier: MIT */
/* Runs whose rows are analysed in blocks after the first one, and results that wait for them.
 */
#include "analysis/core/parallel_run.h"

#include "analysis/core/decoder_part.h"
#include "analysis/core/digest_work.h"
#include "base/err.h"
#include "model/batch_hold.h"
#include "model/info.h"

/* Returns whether a thread gains from rows like those of a batch. */
static bool
gains(const struct poly_stats *stats, const struct poly_batch *batch)
{
	struct batch_hold hold;
	bool gains = false;
	for (size_t i = 0; i < stats->count; i++)
		gains |= stats->instances[i].suits && !stats->instances[i].analysis->is_cheap;
	if (!gains && batch_hold(batch, &hold)) {
		batch_hold_release(&hold);
		return true;
	}
	return gains;
}

/* Returns whether the rows from a batch on are analysed in blocks; starts the threads. */
static bool
begin_blocks(struct poly_stats *stats, const struct poly_batch *batch)
{
	if (!stats->in_blocks || stats->seen < stats->block_rows)
		return false;
	const struct poly_trace_names *names = stats->info->names;
	if (!(names && names->is_weighted) && gains(stats, batch))
		stats->run = parallel_run_new(stats);
	stats->in_blocks = stats->run != NULL;
	stats_start_team(stats);
	return stats->in_blocks;
}

enum poly_status
poly_stats_begin(
	struct poly_stats *stats, const struct poly_trace_info *info, struct poly_error *error)
{
	/* Rows of the next trace may be weighted or converted, so it begins without blocks. */
	const enum poly_status status = parallel_run_drain(stats->run, error);
	if (status != POLY_OK)
		return status;
	parallel_run_free(stats->run);
	stats->run = NULL;
	return stats_begin(stats, info, error);
}

/* Adds records that decoders have analysed. */
static enum poly_status
add_decoded(struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error)
{
	if (stats->digests)
		return digest_work_advance(stats->digests, batch, error);
	struct decoder_part *part = decoder_part_take(stats, batch);
	if (!part)
		return err_usage(error,
			"a batch without rows, whose records were analysed for other handles");
	if (stats->in_blocks && !stats->run && !decoder_part_is_cheap(stats)) {
		stats->run = parallel_run_new(stats);
		stats->in_blocks = stats->run != NULL;
	}
	if (stats->run)
		return parallel_run_add(stats->run, part, error);
	const enum poly_status status = stats_merge(stats, decoder_part_stats(part), error);
	decoder_part_free(part);
	return status;
}

enum poly_status
poly_stats_update(
	struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error)
{
	if (batch_decoded(batch))
		return add_decoded(stats, batch, error);
	return stats->run || begin_blocks(stats, batch)
		       ? parallel_run_update(stats->run, batch, error)
		       : stats_update(stats, batch, error);
}

enum poly_status
poly_stats_merge(
	struct poly_stats *into, const struct poly_stats *from, struct poly_error *error)
{
	enum poly_status status = parallel_run_drain(into->run, error);
	if (status == POLY_OK)
		status = parallel_run_drain(from->run, error);
	return status == POLY_OK ? stats_merge(into, from, error) : status;
}

enum poly_status
poly_stats_save(struct poly_stats *stats, const struct poly_part *parts, size_t count,
	const struct poly_sink *sink, struct poly_error *error)
{
	const enum poly_status status = parallel_run_drain(stats->run, error);
	return status == POLY_OK ? stats_save(stats, parts, count, sink, error) : status;
}

enum poly_status
poly_stats_finish(struct poly_stats *stats, struct poly_error *error)
{
	const enum poly_status status = parallel_run_drain(stats->run, error);
	return status == POLY_OK ? stats_finish(stats, error) : status;
}

void
poly_stats_free(struct poly_stats *stats)
{
	if (!stats)
		return;
	parallel_run_free(stats->run);
	stats_work_free(stats->work);
	digest_work_free(stats->digests);
	stats_free(stats);
}
