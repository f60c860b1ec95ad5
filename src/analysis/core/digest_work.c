/* SPDX-License-Identifier: MIT */
/* Decoders digest the rows of a chunk in parts, which are used again after the state has
 * advanced over them. */
#include "analysis/core/digest_work.h"

#include "analysis/core/analysis_instance.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/decoder_work.h"
#include "model/info.h"

#include <pthread.h>

/* Bytes of a chunk: few for the processor's cache, since digests have no tables. */
#define PART_MAX ((size_t)1 << 20)

struct digest_list {
	void **parts;
	size_t count, capacity;
	size_t rows; /* of the last part */
};

struct digest_work {
	struct poly_decoder_work work; /* first */
	struct digest_work *self;      /* not constant, as work is for decoders */
	struct poly_stats *stats;
	struct info_copy trace;	  /* without names */
	pthread_mutex_t lock;	  /* guards spare */
	struct digest_list spare; /* cleared parts */
};

static struct digest_work *
work_of(const struct poly_decoder_work *work)
{
	return ((const struct digest_work *)work)->self;
}

static const struct analysis *
analysis_of(const struct digest_work *work)
{
	return work->stats->instances[0].analysis;
}

/* Returns an empty part; NULL: out of memory. */
static void *
get_part(struct digest_work *work)
{
	pthread_mutex_lock(&work->lock);
	void *part = work->spare.count ? work->spare.parts[--work->spare.count] : NULL;
	pthread_mutex_unlock(&work->lock);
	return part ? part : mem_new(1, analysis_of(work)->parts->part_size);
}

static void
free_part(const struct digest_work *work, void *part)
{
	analysis_of(work)->parts->fini(part);
	mem_free(part);
}

/* Keeps the parts of a list for other rows. */
static void
put_parts(struct digest_work *work, struct digest_list *list)
{
	pthread_mutex_lock(&work->lock);
	struct digest_list *spare = &work->spare;
	for (size_t i = 0; i < list->count; i++) {
		void *part = list->parts[i];
		analysis_of(work)->parts->clear(part);
		if (VEC_ROOM(spare->parts, spare->capacity, spare->count))
			spare->parts[spare->count++] = part;
		else
			free_part(work, part);
	}
	pthread_mutex_unlock(&work->lock);
	mem_free(list->parts);
	mem_free(list);
}

static void *
begin(const struct poly_decoder_work *work, struct numbering numbering)
{
	(void)numbering;
	(void)work;
	return mem_new(1, sizeof(struct digest_list));
}

/* Returns the part for further rows; NULL: out of memory. */
static void *
find_part(struct digest_work *work, struct digest_list *list)
{
	if (list->count && list->rows < analysis_of(work)->parts->rows)
		return list->parts[list->count - 1];
	void *part = get_part(work);
	if (part && !VEC_ROOM(list->parts, list->capacity, list->count)) {
		free_part(work, part);
		return NULL;
	}
	if (!part)
		return NULL;
	list->rows = 0;
	list->parts[list->count++] = part;
	return part;
}

static bool
add(const struct poly_decoder_work *user, void *chunk, const struct poly_batch *batch)
{
	struct digest_work *work = work_of(user);
	struct digest_list *list = chunk;
	struct poly_batch view = *batch;
	void *part = find_part(work, list);
	if (!part)
		return false;
	view.info = &work->trace.info.view;
	list->rows += batch->rows;
	return analysis_of(work)->parts->digest(work->stats->instances[0].state, part,
		&(struct analysis_rows){.batch = &view, .counts = true});
}

static void
end(const struct poly_decoder_work *work, void *chunk)
{
	put_parts(work_of(work), chunk);
}

struct digest_work *
digest_work_new(struct poly_stats *stats)
{
	struct digest_work *work = mem_new(1, sizeof *work);
	if (!work)
		return NULL;
	work->work = (struct poly_decoder_work){
		.begin = begin, .add = add, .end = end, .part_max = PART_MAX};
	work->self = work;
	work->stats = stats;
	pthread_mutex_init(&work->lock, NULL);
	if (info_copy_without_names(&work->trace, stats->info))
		return work;
	digest_work_free(work);
	return NULL;
}

const struct poly_decoder_work *
digest_work_of(const struct digest_work *work)
{
	return &work->work;
}

enum poly_status
digest_work_advance(
	struct digest_work *work, const struct poly_batch *batch, struct poly_error *error)
{
	struct decoder_result *result = batch_decoded(batch);
	struct digest_list *list = work ? decoder_result_take(result, &work->work) : NULL;
	if (!list)
		return err_usage(error,
			"a batch without rows, whose records were digested for other handles");
	struct poly_stats *stats = work->stats;
	const bool ok = part_pipeline_advance(stats->pipeline, list->parts, list->count);
	if (!stats->first_number)
		stats->first_number = poly_batch_number(batch, 0);
	stats->seen += result->records;
	put_parts(work, list);
	return ok ? POLY_OK : err_memory(error);
}

void
digest_work_free(struct digest_work *work)
{
	if (!work)
		return;
	for (size_t i = 0; i < work->spare.count; i++)
		free_part(work, work->spare.parts[i]);
	mem_free(work->spare.parts);
	info_copy_fini(&work->trace);
	pthread_mutex_destroy(&work->lock);
	mem_free(work);
}
