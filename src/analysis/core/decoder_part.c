/* SPDX-License-Identifier: MIT */
/* A decoder numbers names and sites by itself, and parts outlive it: they share a copy of the
 * information that its rows refer to. */
#include "analysis/core/decoder_part.h"

#include "analysis/core/digest_work.h"
#include "analysis/core/part.h"
#include "base/mem.h"
#include "base/thread.h"
#include "model/decoder_work.h"
#include "model/info.h"

#include <pthread.h>

/* Minimum limit of memory for digests of chunks, which are not counted: the default. */
#define DIGEST_MEMORY_MIN ((uint64_t)1 << 30)

/* Bytes of a chunk: since tables begin empty, to begin and merge a part costs as much as some
 * ten thousand rows. */
#define PART_MAX ((size_t)64 << 20)
#define GROWING_PART_MAX ((size_t)8 << 20)

/* The information of a decoder, which its thread extends. */
struct decoder_info {
	struct decoder_info *next;
	const struct poly_trace_names *names; /* of the decoder */
	struct info_copy copy;
};

struct stats_work {
	struct poly_decoder_work work; /* first */
	struct stats_work *self;       /* not constant, as work is for decoders */
	bool is_cheap;		       /* merging takes no time worth sharing */
	const struct poly_stats *whole;
	const struct poly_trace_info *own_info; /* of the trace */
	struct info_copy trace;			/* without names */
	pthread_mutex_t lock;			/* guards the list */
	struct decoder_info *infos;
};

struct decoder_part {
	struct poly_stats *stats;
	struct decoder_info *info;    /* NULL: no row yet */
	struct poly_trace_info begun; /* the same as the first row of the trace found it */
};

static void *
begin(const struct poly_decoder_work *work, struct numbering numbering)
{
	(void)numbering;
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

/* Returns the information of the decoder of a batch; NULL: out of memory. */
static struct decoder_info *
find_info(struct stats_work *work, const struct poly_batch *batch)
{
	const struct poly_trace_names *names = batch->info->names;
	pthread_mutex_lock(&work->lock);
	struct decoder_info *info = work->infos;
	while (info && info->names != names)
		info = info->next;
	if (!info && (info = mem_new(1, sizeof *info))) {
		info->names = names;
		info->next = work->infos;
		work->infos = info;
	}
	pthread_mutex_unlock(&work->lock);
	return info;
}

/* Adds the names and records that the rows of a batch may refer to. */
static bool
extend_info(const struct stats_work *work, struct decoder_info *info,
	const struct poly_batch *batch)
{
	const struct poly_trace_info source = info_of_batch(&work->trace, batch);
	return info_copy_update(&info->copy, &source);
}

/* Begins the trace of a part with its first rows. */
static bool
begin_trace(struct stats_work *work, struct decoder_part *part, const struct poly_batch *batch)
{
	part->info = find_info(work, batch);
	if (!part->info || !extend_info(work, part->info, batch))
		return false;
	part->begun = part->info->copy.info.view;
	part->begun.record_count = work->whole->begun_records;
	return stats_begin(part->stats, &part->begun, NULL) == POLY_OK;
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
	struct stats_work *of = ((const struct stats_work *)work)->self;
	struct decoder_part *part = user;
	struct poly_batch view = *batch;
	if (!(part->info ? extend_info(of, part->info, batch) : begin_trace(of, part, batch)))
		return false;
	view.info = &part->info->copy.info.view;
	return stats_update(part->stats, &view, NULL) >= 0 && is_mergeable(part->stats);
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
	part->stats->info = part->stats->first_info = stats->work->own_info;
	/* A decoder numbers rows from 1 or 2. */
	part->stats->row_offset = poly_batch_number(batch, 0) - part->stats->first_number;
	part->stats->first_number += part->stats->row_offset;
	return part;
}

bool
decoder_part_is_cheap(const struct poly_stats *stats)
{
	return stats->work && stats->work->is_cheap;
}

void
decoder_part_free(struct decoder_part *part)
{
	if (!part)
		return;
	part_free(part->stats);
	mem_free(part);
}

void
stats_work_free(struct stats_work *work)
{
	if (!work)
		return;
	for (struct decoder_info *next, *info = work->infos; info; info = next) {
		next = info->next;
		info_copy_fini(&info->copy);
		mem_free(info);
	}
	info_copy_fini(&work->trace);
	pthread_mutex_destroy(&work->lock);
	mem_free(work);
}

/* Sets what decoders need to know of the analyses. */
static void
describe_work(const struct poly_stats *stats, struct stats_work *of)
{
	struct poly_decoder_work *work = &of->work;
	work->part_max = PART_MAX;
	of->is_cheap = true;
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis *analysis = stats->instances[i].analysis;
		if (!stats->instances[i].suits)
			continue;
		work->needs_numbers |= analysis->uses_numbers;
		of->is_cheap &= analysis->is_cheap;
		if (analysis->part_grows)
			work->part_max = GROWING_PART_MAX;
	}
}

/* Creates the work of a run; NULL: out of memory. */
static struct stats_work *
new_work(struct poly_stats *stats)
{
	struct stats_work *work = mem_new(1, sizeof *work);
	if (!work)
		return NULL;
	work->work = (struct poly_decoder_work){.begin = begin, .add = add, .end = end};
	describe_work(stats, work);
	work->self = work;
	work->whole = stats;
	work->own_info = stats->info;
	pthread_mutex_init(&work->lock, NULL);
	if (info_copy_without_names(&work->trace, stats->info))
		return work;
	stats_work_free(work);
	return NULL;
}

/* Returns whether decoders can digest rows for the pipeline. */
static bool
can_digest(const struct poly_stats *stats)
{
	return stats->pipeline && stats->instances[0].suits && !stats->real.is_active &&
	       stats->options.memory >= DIGEST_MEMORY_MIN;
}

const struct poly_decoder_work *
poly_stats_decoder_work(struct poly_stats *stats)
{
	const struct poly_stats_options *options = &stats->options;
	if (stats->run || stats->seen)
		return NULL;
	stats_work_free(stats->work);
	digest_work_free(stats->digests);
	stats->work = NULL;
	stats->digests = NULL;
	if (!stats->info || stats->parts.count || options->warmup || options->period ||
		stats->effects || thread_count(options->threads) < 2)
		return NULL;
	if (can_digest(stats)) {
		stats->digests = digest_work_new(stats);
		return stats->digests ? digest_work_of(stats->digests) : NULL;
	}
	if (stats_are_divisible(stats))
		stats->work = new_work(stats);
	return stats->work ? &stats->work->work : NULL;
}
