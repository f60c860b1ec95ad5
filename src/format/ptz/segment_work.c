/* SPDX-License-Identifier: MIT */
/* Passes the rows of segments to work. Each thread numbers names and sites by itself. */
#include "format/ptz/segment_work.h"

static bool
prepare(struct segment_worker *worker, const struct segment_work_plan *plan)
{
	if (worker->batch.capacity)
		return true;
	info_init(&worker->info);
	worker->info.view.records = plan->records;
	worker->info.view.record_count = plan->record_count;
	return batch_init(&worker->batch, plan->columns, plan->batch_rows, &worker->info.view,
		       NULL) == POLY_OK;
}

/* Creates the next rows of a segment. */
static bool
create_rows(struct segment_worker *worker, struct unpacked *segment, uint64_t offset)
{
	struct batch *batch = &worker->batch;
	const uint64_t before = segment->delivered;
	batch_clear(batch);
	if (unpacked_next_rows(segment, batch, batch->capacity, NULL) != POLY_OK)
		return false;
	unpacked_fill_lazy(segment);
	batch->view.first = segment->first + before;
	for (size_t row = 0; batch->view.origin && row < batch->view.rows; row++)
		batch->view.origin[row] = offset;
	if (batch->view.origin)
		batch_all_present(batch, POLY_COLUMN_origin);
	return batch_finish(batch, NULL) == POLY_OK &&
	       (!batch->view.site || sites_fill(&worker->sites, batch, NULL) == POLY_OK);
}

bool
segment_work_on(struct segment_worker *worker, const struct segment_work_plan *plan,
	struct unpacked *segment, uint64_t offset, struct decoder_result *result)
{
	bool good = prepare(worker, plan) &&
		    unpacked_resolve_names(segment, &worker->info, NULL) == POLY_OK &&
		    decoder_result_begin(result, plan->work, plan->count,
			    (struct numbering){worker->index, 0});
	while (good && segment->delivered < segment->rows)
		good = create_rows(worker, segment, offset) &&
		       decoder_result_add(result, &worker->batch.view);
	if (!good || !result->records)
		decoder_result_clear(result);
	return good;
}

void
segment_worker_fini(struct segment_worker *worker)
{
	batch_fini(&worker->batch);
	sites_fini(&worker->sites);
	info_fini(&worker->info);
}
