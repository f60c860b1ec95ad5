/* SPDX-License-Identifier: MIT */
/* Decoders of chunks. */
#include "format/core/chunk_decoder.h"

#include "base/mem.h"
#include "format/core/chunk_bytes.h"
#include "io/source.h"

#include <assert.h>
#include <string.h>

void
chunk_reclaim(struct chunk *chunk)
{
	for (size_t i = 0; i < chunk->batch_count; i++) {
		struct chunk_batch *batch = &chunk->batches[i];
		if (!stored_batch_reclaim(batch->stored))
			batch->stored = NULL;
	}
	chunk->batch_count = 0;
	decoder_result_clear(&chunk->result);
}

void
chunk_fini(struct chunk *chunk)
{
	for (size_t i = 0; i < chunk->batch_capacity; i++) {
		stored_batch_free(chunk->batches[i].stored);
		mem_free(chunk->batches[i].check.state);
	}
	decoder_result_clear(&chunk->result);
	mem_free(chunk->batches);
	mem_free(chunk->memory);
	mem_free(chunk->names);
	mem_free(chunk->sites);
}

/* Reads the bytes of a streamed chunk. */
static enum poly_status
stream_read(void *self, uint8_t *dst, size_t size, size_t *got, struct poly_error *error)
{
	struct chunk_decoder *decoder = self;
	const uint64_t left = decoder->stream_end - decoder->stream_at;
	struct source_room room = {dst, size < left ? size : (size_t)left, 0};
	enum poly_status status = POLY_END;
	if (left)
		status = in_read_at(decoder->plan->in, decoder->stream_at, &room, error);
	decoder->stream_at += room.got;
	*got = room.got;
	return status;
}

static void
stream_close(void *self)
{
	(void)self;
}

bool
chunk_decoder_init(struct chunk_decoder *decoder, const struct decode_plan *plan,
	struct batch_store *store)
{
	const struct format *format = plan->format;
	struct reading *reading = &decoder->reading;
	decoder->plan = plan;
	decoder->store = store;
	info_init(&decoder->info);
	*reading = *plan->reading;
	reading->info = &decoder->info;
	reading->findings = &decoder->findings;
	reading->sites = &decoder->sites;
	reading->in = plan->in;
	reading->state = mem_new(1, format->reader_size);
	if (!reading->state || !findings_init(&decoder->findings, format->info.rules))
		return false;
	if (plan->checks && !(decoder->agreed = mem_new(AGREED_COUNT, sizeof *decoder->agreed)))
		return false;
	decoder->info.view.format = plan->reading->info->view.format;
	decoder->info.view.raw_format = plan->reading->info->view.raw_format;
	decoder->info.view.columns = format->info.columns;
	decoder->opened = true;
	reading->is_chunk = true;
	uint64_t before = in_offset(plan->in);
	bool good = format->open_decoder
			    ? format->open_decoder(reading, plan->reading)
			    : !format->open || format->open(reading, NULL) == POLY_OK;
	assert(in_offset(plan->in) == before);
	(void)before;
	if (!format->add_record) {
		decoder->info.view.records = plan->reading->info->view.records;
		decoder->info.view.record_count = plan->reading->info->view.record_count;
	}
	decoder->records_listed = (uint32_t)decoder->info.view.record_count;
	const struct source stream = {stream_read, stream_close, decoder, NULL};
	decoder->view = in_view();
	decoder->stream = in_from_source(&stream, plan->block_size);
	return good && decoder->view && decoder->stream;
}

/* Returns the next batch of a chunk, empty; NULL: out of memory. */
static struct chunk_batch *
next_batch(struct chunk_decoder *decoder, struct chunk *chunk)
{
	if (chunk->batch_count == chunk->batch_capacity) {
		struct chunk_batch *larger =
			mem_resize(chunk->batches, chunk->batch_capacity + 1, sizeof *larger);
		if (!larger)
			return NULL;
		chunk->batches = larger;
		larger[chunk->batch_capacity].stored = NULL;
		larger[chunk->batch_capacity++].check.state = NULL;
	}
	struct chunk_batch *batch = &chunk->batches[chunk->batch_count];
	const struct decode_plan *plan = decoder->plan;
	const size_t check_size = plan->checks ? plan->format->check_size : 0;
	if (check_size && !batch->check.state && !(batch->check.state = mem_new(1, check_size)))
		return NULL;
	if (batch->stored)
		batch_clear(&batch->stored->batch);
	else
		batch->stored = batch_store_get(decoder->store);
	return batch->stored ? batch : NULL;
}

/* Returns whether the reader's numbers of all names and sites are known. */
static bool
knows_numbers(const struct chunk_decoder *decoder)
{
	return decoder->info.names.names.count <= decoder->names.count &&
	       decoder->sites.count <= decoder->site_numbers.count &&
	       (!decoder->plan->format->add_record ||
		       decoder->info.view.record_count <= decoder->records.count);
}

void
chunk_decoder_forget_checks(struct chunk_decoder *decoder)
{
	if (decoder->agreed)
		memset(decoder->agreed, 0, AGREED_COUNT * sizeof *decoder->agreed);
}

/* Checks the rows of a batch. */
static void
check_rows(struct chunk_decoder *decoder, struct chunk_batch *filled)
{
	const struct format *format = decoder->plan->format;
	struct reading *reading = &decoder->reading;
	struct batch_check *check = &filled->check;
	struct poly_batch *view = &filled->stored->batch.view;
	const struct poly_trace_info *info = view->info;
	struct findings *findings = &decoder->findings;
	check->deferred = (struct deferred_checks){.agreed = decoder->agreed};
	check->first = view->first = reading->record;
	/* Names still have the decoder's numbers. */
	view->info = &decoder->info.view;
	reading->deferred = &check->deferred;
	findings->counted = &decoder->full_rules;
	format->check(reading, view);
	reading->deferred = NULL;
	view->info = info;
	check->failed = findings->unstored;
	for (unsigned rule = 0; rule < findings->rule_count; rule++)
		check->counts[rule] = (uint32_t)findings->counts[rule];
	findings->counted = NULL;
	findings_clear(findings);
	if (format->check_size)
		memcpy(check->state, check_state(format, reading), format->check_size);
}

/* Gives a batch the reader's numbers. If a name or site is new, the reader does. */
static void
translate(struct chunk_decoder *decoder, struct chunk_batch *filled)
{
	struct batch *batch = &filled->stored->batch;
	filled->translated = knows_numbers(decoder);
	if (!filled->translated)
		return;
	id_remap_apply_names(&decoder->names, batch);
	id_remap_apply_records(&decoder->records, batch);
	id_remap_apply(&decoder->site_numbers, batch, POLY_COLUMN_site);
}

/* Decodes the rows of a batch; they have the decoder's numbers. */
static bool
fill_batch(struct chunk_decoder *decoder, struct chunk_batch *filled)
{
	struct reading *reading = &decoder->reading;
	struct batch *batch = &filled->stored->batch;
	struct poly_error failure; /* not used: the reader meets it again */
	if (decoder->plan->format->read(reading, batch, &failure) != POLY_OK ||
		decoder->findings.kept_count || decoder->info.full || decoder->info.no_memory ||
		batch_finish(batch, NULL) != POLY_OK ||
		(batch->view.site && sites_fill(&decoder->sites, batch, NULL) != POLY_OK))
		return false;
	filled->end = in_offset(reading->in);
	if (decoder->plan->checks)
		check_rows(decoder, filled);
	reading->record += batch->view.rows;
	return true;
}

/* Adds the rows of a batch, before which there is a number of records, to the result of its
 * chunk. */
static bool
work_on(struct chunk_decoder *decoder, struct chunk *chunk, struct poly_batch *view,
	uint64_t before)
{
	const struct poly_trace_info *info = view->info;
	view->info = &decoder->info.view;
	view->first = before;
	const bool good = decoder_result_add(&chunk->result, view);
	view->info = info;
	return good;
}

/* Lists the names that the reader does not know yet. */
static bool
list_names(struct chunk_decoder *decoder, struct chunk *chunk)
{
	const struct intern *names = &decoder->info.names.names;
	const struct poly_trace_info *view = &decoder->info.view;
	size_t name_count = names->count - decoder->names_listed,
	       record_count = view->record_count - decoder->records_listed;
	if (name_count + record_count) {
		const char **list =
			mem_resize(chunk->names, name_count + record_count, sizeof *list);
		if (!list)
			return false;
		chunk->names = list;
		for (size_t i = 0; i < name_count; i++)
			list[i] = names->strings[decoder->names_listed + i];
		for (size_t i = 0; i < record_count; i++)
			list[name_count + i] = view->records[decoder->records_listed + i];
	}
	chunk->name_count = name_count;
	chunk->record_count = record_count;
	decoder->names_listed = names->count;
	decoder->records_listed = (uint32_t)view->record_count;
	return true;
}

/* Lists the sites that the reader does not know yet. */
static bool
list_sites(struct chunk_decoder *decoder, struct chunk *chunk)
{
	const size_t site_count = decoder->sites.count - decoder->sites_listed;
	if (site_count) {
		struct site *list = mem_resize(chunk->sites, site_count, sizeof *list);
		if (!list)
			return false;
		chunk->sites = list;
		memcpy(list, decoder->sites.list + decoder->sites_listed,
			site_count * sizeof *list);
	}
	chunk->site_count = site_count;
	decoder->sites_listed = decoder->sites.count;
	return true;
}

/* Lets the decoder read a chunk. */
static void
show_chunk(struct chunk_decoder *decoder, const struct chunk *chunk)
{
	decoder->reading.in = chunk->streamed ? decoder->stream : decoder->view;
	if (chunk->streamed) {
		decoder->stream_at = chunk->offset;
		decoder->stream_end = chunk->offset + chunk->size;
		in_restart(decoder->stream, chunk->offset);
	} else {
		in_show(decoder->view, chunk->data, chunk->size, chunk->offset);
	}
}

static bool
decode_rows(struct chunk_decoder *decoder, struct chunk *chunk)
{
	struct reading *reading = &decoder->reading;
	const uint64_t end = chunk->offset + chunk->size;
	show_chunk(decoder, chunk);
	chunk_enter(chunk, decoder->plan->format, reading);
	while (in_offset(reading->in) < end) {
		struct chunk_batch *batch = next_batch(decoder, chunk);
		if (!batch || !fill_batch(decoder, batch))
			return false;
		if (!chunk->result.count) {
			if (chunk->works)
				batch->translated = false;
			else
				translate(decoder, batch);
			chunk->batch_count++;
		} else if (!work_on(decoder, chunk, &batch->stored->batch.view,
				   reading->record - batch->stored->batch.view.rows +
					   !chunk->first)) {
			return false;
		}
	}
	chunk->lines = reading->line;
	return (chunk->last || chunk_ends_at_split(chunk, decoder->plan->format, reading)) &&
	       list_sites(decoder, chunk) && list_names(decoder, chunk);
}

void
chunk_decoder_discard_sites(struct chunk_decoder *decoder, unsigned generation)
{
	decoder->generation = generation;
	decoder->sites_listed = 0;
	sites_fini(&decoder->sites);
	id_remap_free(&decoder->site_numbers);
}

/* Decodes the rows of a chunk, for its result if that has begun, else for its batches. */
static bool
decode_chunk(struct chunk_decoder *decoder, struct chunk *chunk)
{
	decoder->reading.line = decoder->reading.record = 0;
	if (decoder->findings.kept_count)
		findings_clear(&decoder->findings);
	chunk->batch_count = 0;
	chunk->name_count = chunk->record_count = chunk->site_count = 0;
	chunk->generation = decoder->generation;
	chunk->check_version = decoder->check_version;
	const struct format *format = decoder->plan->format;
	if (decoder->plan->checks && format->check_size)
		memset(check_state(format, &decoder->reading), 0, format->check_size);
	return decode_rows(decoder, chunk);
}

static bool
begin_result(const struct chunk_decoder *decoder, struct chunk *chunk)
{
	const struct decode_plan *plan = decoder->plan;
	return decoder_result_begin(&chunk->result, plan->work, plan->work_count,
		(struct numbering){decoder->index, decoder->generation});
}

void
chunk_decoder_run(struct chunk_decoder *decoder, struct chunk *chunk)
{
	const struct decode_plan *plan = decoder->plan;
	const bool begun = !chunk->works || plan->numbered || begin_result(decoder, chunk);
	chunk->irregular |= !begun || !decode_chunk(decoder, chunk);
	if (chunk->irregular || !chunk->result.records)
		decoder_result_clear(&chunk->result);
	if (chunk->irregular)
		chunk_decoder_forget_checks(decoder);
	if (chunk->irregular && plan->format->is_at_split)
		chunk_decoder_discard_sites(decoder, decoder->generation + 1);
}

bool
chunk_decoder_work(struct chunk_decoder *decoder, struct chunk *chunk, uint64_t before)
{
	bool good = begin_result(decoder, chunk);
	for (size_t i = 0; good && i < chunk->batch_count; i++) {
		struct poly_batch *view = &chunk->batches[i].stored->batch.view;
		good = work_on(decoder, chunk, view, before);
		before += view->rows;
	}
	if (good && chunk->result.records)
		chunk->batch_count = 0;
	else
		decoder_result_clear(&chunk->result);
	return good;
}

void
chunk_decoder_fini(struct chunk_decoder *decoder)
{
	const struct format *format = decoder->plan->format;
	if (decoder->opened && format->close)
		format->close(&decoder->reading);
	in_close(decoder->view);
	in_close(decoder->stream);
	mem_free(decoder->reading.state);
	mem_free(decoder->agreed);
	info_fini(&decoder->info);
	findings_fini(&decoder->findings);
	sites_fini(&decoder->sites);
	id_remap_free(&decoder->names);
	id_remap_free(&decoder->records);
	id_remap_free(&decoder->site_numbers);
}
