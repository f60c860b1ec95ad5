/* SPDX-License-Identifier: MIT */
/* A part has a copy of the information that its rows refer to: a decoder numbers names and
 * sites by itself. */
#include "analysis/core/decoder_part.h"

#include "analysis/core/part.h"
#include "base/mem.h"
#include "base/thread.h"
#include "model/decoder_work.h"
#include "model/info.h"

struct stats_work {
	struct poly_decoder_work work; /* first */
	const struct poly_stats *whole;
	struct info_copy trace; /* without names */
};

struct decoder_part {
	struct poly_stats *stats;
	struct info_copy info;
	struct poly_trace_info begun; /* the same as the first row of the trace found it */
	bool is_begun;
};

static void *
begin(const struct poly_decoder_work *work)
{
	const struct stats_work *of = (const struct stats_work *)work;
	struct decoder_part *part = mem_new(1, sizeof *part);
	if (!part)
		return NULL;
	part->stats = part_new(of->whole);
	if (part->stats)
		return part;
	mem_free(part);
	return NULL;
}

/* Adds the names and records that the rows of a batch may refer to. */
static bool
copy_info(const struct stats_work *work, struct decoder_part *part,
	const struct poly_batch *batch)
{
	struct poly_trace_info source = work->trace.info.view;
	source.names = batch->info->names;
	source.records = batch->info->records;
	source.record_count = batch->info->record_count;
	return info_copy_update(&part->info, &source);
}

/* Returns whether a part may be merged with the rows before it. */
static bool
is_mergeable(const struct poly_stats *stats)
{
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis *analysis = stats->instances[i].analysis;
		if (analysis->is_too_long && analysis->is_too_long(stats->instances[i].state))
			return false;
	}
	return true;
}

static bool
add(const struct poly_decoder_work *work, void *user, const struct poly_batch *batch)
{
	const struct stats_work *of = (const struct stats_work *)work;
	struct decoder_part *part = user;
	struct poly_batch view = *batch;
	bool good = copy_info(of, part, batch);
	if (good && !part->is_begun) {
		part->begun = part->info.info.view;
		part->begun.record_count = of->whole->begun_records;
		part->is_begun = true;
		good = stats_begin(part->stats, &part->begun, NULL) == POLY_OK;
	}
	view.info = &part->info.info.view;
	return good && stats_update(part->stats, &view, NULL) >= 0 &&
	       is_mergeable(part->stats);
}

static void
end(const struct poly_decoder_work *work, void *part)
{
	(void)work;
	decoder_part_free(part);
}

struct poly_stats *
decoder_part_stats(const struct decoder_part *part)
{
	return part->stats;
}

struct decoder_part *
decoder_part_take(const struct poly_stats *stats, const struct poly_batch *batch)
{
	struct decoder_part *part =
		stats->work ? decoder_result_take(batch_decoded(batch), &stats->work->work)
			    : NULL;
	if (!part)
		return NULL;
	part->stats->info = part->stats->first_info = stats->info;
	/* A decoder numbers rows from 1 or 2. */
	part->stats->row_offset = poly_batch_number(batch, 0) - part->stats->first_number;
	part->stats->first_number += part->stats->row_offset;
	return part;
}

void
decoder_part_free(struct decoder_part *part)
{
	if (!part)
		return;
	part_free(part->stats);
	info_copy_fini(&part->info);
	mem_free(part);
}

void
stats_work_free(struct stats_work *work)
{
	if (!work)
		return;
	info_copy_fini(&work->trace);
	mem_free(work);
}

/* Returns whether decoders can analyse rows, whose numbers lack an offset there; *gains: they save time
 * by that. */
static bool
can_decode(const struct poly_stats *stats, bool *gains)
{
	*gains = false;
	if (!stats->info || !stats_are_divisible(stats) || stats->parts.count ||
		thread_count(stats->options.threads) < 2)
		return false;
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis *analysis = stats->instances[i].analysis;
		if (!stats->instances[i].suits)
			continue;
		if (analysis->uses_numbers)
			return false;
		*gains |= !analysis->is_cheap;
	}
	return true;
}

const struct poly_decoder_work *
poly_stats_decoder_work(struct poly_stats *stats)
{
	stats_work_free(stats->work);
	stats->work = NULL;
	bool gains;
	if (!can_decode(stats, &gains))
		return NULL;
	struct stats_work *work = mem_new(1, sizeof *work);
	if (!work)
		return NULL;
	struct poly_trace_info trace = *stats->info;
	trace.names = NULL;
	trace.record_count = 0;
	work->work = (struct poly_decoder_work){begin, add, end, gains};
	work->whole = stats;
	stats->work = work;
	if (info_copy_update(&work->trace, &trace))
		return &work->work;
	stats_work_free(work);
	stats->work = NULL;
	return NULL;
}
