/* SPDX-License-Identifier: MIT */
/* Readers: the loop over batches. */
#include "format/core/reader_state.h"

#include "base/err.h"
#include "format/core/line_cache.h"
#include "model/columns.h"

#include <assert.h>
#include <string.h>

/* Adds a row of corrupt bytes, unless no record was lost, if skip_errors is set and the format
 * can resynchronise. */
static enum poly_status
skip_corrupt(struct poly_reader *reader, struct poly_error *failure)
{
	if (!reader->options.skip_errors || !reader->format->resync)
		return POLY_ERR_FORMAT;
	struct in *in = reader->reading.in;
	uint64_t before = in_offset(in);
	enum poly_status status =
		reader->format->resync(&reader->reading, &reader->batch, failure);
	if (status != POLY_OK)
		return status == POLY_END ? reader_check_end(reader, failure) : status;
	if (!reader_shown_records(reader))
		return POLY_OK;
	reader->counts.skipped_bytes += in_offset(in) - before;
	reader->counts.skipped_places += !reader->corrupt;
	reader->corrupt = true;
	return POLY_OK;
}

/* Returns the number of next records that may become weighted rows; all are selected. */
static uint64_t
weighted_max(const struct poly_reader *reader)
{
	const struct poly_read_options *options = &reader->options;
	if (!reader->plan.weights || reader->reading.check || options->drop_corrupt ||
		reader->reading.record < options->skip)
		return 0;
	return options->count - reader->counts.records;
}

/* Returns whether only a writer reads columns, those of complete batches. */
static bool
may_be_lazy(const struct poly_reader *reader)
{
	return reader->plan.lazy && !reader->reading.check && !reader->options.skip &&
	       !reader->options.drop_corrupt && reader->options.count == UINT64_MAX &&
	       !reader->batch.view.site;
}

/* Fills the reader's own batch. */
static enum poly_status
fill_own(struct poly_reader *reader, struct poly_error *failure)
{
	enum poly_status status;
	reader->shown = &reader->batch;
	if (reader->batch.capacity)
		batch_clear(&reader->batch);
	else if ((status = batch_init(&reader->batch, reader_columns(reader),
			  reader->options.batch_rows, &reader->info.view, failure)) != POLY_OK)
		return status;
	reader->reading.weighted = weighted_max(reader);
	reader->batch.may_defer = may_be_lazy(reader);
	for (;;) {
		status = reader->format->read(&reader->reading, &reader->batch, failure);
		if (status == POLY_END)
			return reader_check_end(reader, failure);
		if (reader_shown_records(reader) &&
			(status == POLY_OK || status == POLY_ERR_FORMAT)) {
			/*
			 * Valid records first: the next call meets the corrupt data again,
			 * without rows.
			 */
			reader->corrupt = false;
			return POLY_OK;
		}
		assert(status != POLY_OK);
		if (status == POLY_ERR_FORMAT)
			status = skip_corrupt(reader, failure);
		if (status != POLY_OK || reader_shown_records(reader))
			return status;
	}
}

/*
 * Fills a batch. POLY_OK: it has rows, and the reader continues. Otherwise it may have rows
 * too, and the reader is at its end.
 */
static enum poly_status
fill_batch(struct poly_reader *reader, struct poly_error *failure)
{
	memset(failure, 0, sizeof *failure);
	failure->offset = POLY_NO_OFFSET;
	for (;;) {
		if (reader->pool && !reader->alone) {
			enum poly_status status =
				decode_pool_next(reader->pool, &reader->shown, failure);
			if (reader->shown)
				reader->corrupt = false;
			if (reader->shown || status != POLY_OK)
				return status;
			reader->alone = true;
		}
		enum poly_status status = fill_own(reader, failure);
		if (status != POLY_END || !reader->pool)
			return status;
		reader->alone = false;
	}
}

/* Checks the rows filled last. */
static void
check_batch(struct poly_reader *reader)
{
	if (reader->shown == &reader->batch)
		reader->format->check(&reader->reading, &reader->shown->view);
	else
		decode_pool_check(reader->pool);
	if (reader->pool)
		decode_pool_share_check(reader->pool);
}

/* Completes a filled batch: sites, checks, strict. */
static enum poly_status
complete_batch(struct poly_reader *reader, struct poly_error *failure)
{
	struct batch *batch = reader->shown;
	batch->view.first = reader->reading.record;
	/* The pool has completed its batches. */
	bool own = batch == &reader->batch;
	enum poly_status status = own ? batch_finish(batch, failure) : POLY_OK;
	if (status == POLY_OK && own && batch->view.site)
		status = sites_fill(&reader->sites, batch, failure);
	if (status == POLY_OK && reader->registers) {
		/* Rows of a pattern differ in registers. */
		batch->view.internal = NULL;
		if (!registers_fill(reader->registers, batch))
			status = err_memory(failure);
	}
	if (status == POLY_OK && reader->reading.check && reader->format->check)
		check_batch(reader);
	if (status == POLY_OK && reader->options.strict)
		status = reader_apply_strict(reader, failure);
	return status;
}

static bool
cancelled(const struct poly_reader *reader)
{
	uint64_t taken, total;
	if (!reader->options.progress)
		return false;
	in_progress(reader->in, &taken, &total);
	return reader->options.progress(reader->options.user, taken, total) != 0;
}

/* Fills and completes the next batch. POLY_OK: it has rows; otherwise the reader has ended. */
static enum poly_status
advance(struct poly_reader *reader)
{
	struct poly_error failure;
	if (reader->ended != POLY_OK)
		return reader->ended;
	reader->reading.record += reader_shown_records(reader);
	if (cancelled(reader)) {
		reader->shown = NULL;
		err_set(&failure, POLY_ERR_CANCELLED, reader_offset(reader), "cancelled");
		reader_end(reader, POLY_ERR_CANCELLED, &failure);
		return reader->ended;
	}
	if (!reader->begun) {
		reader_start_decoding(reader);
		/* Skips records at the front, if the format needs no decoding for it. */
		if (reader->format->skip_records && reader->options.skip && !reader->registers)
			reader->reading.record = reader->format->skip_records(
				&reader->reading, reader->options.skip);
	}
	enum poly_status status = fill_batch(reader, &failure);
	if (reader_shown_records(reader)) {
		struct poly_error worse;
		enum poly_status completed = complete_batch(reader, &worse);
		if (completed != POLY_OK)
			reader_end(reader, completed, &worse);
	}
	if (status != POLY_OK && reader->ended == POLY_OK)
		reader_end(reader, status, &failure);
	return reader_shown_records(reader) && reader->ended != POLY_ERR_MEMORY ? POLY_OK
										: reader->ended;
}

/* Returns the batch without its lazy columns, which are not filled. */
static const struct poly_batch *
bare_batch(struct poly_reader *reader, const struct poly_batch *batch)
{
	struct poly_batch *bare = &reader->bare;
	*bare = *batch;
	batch_keep_columns(
		bare, poly_columns_minus(batch->internal->varying, POLY_COLUMNS(origin, site)));
	return bare;
}

/* Returns the value of the column record of corrupt bytes; UINT8_MAX: none. */
static uint8_t
corrupt_record(const struct poly_trace_info *info)
{
	unsigned record = 0;
	while (record < info->record_count && strcmp(info->records[record], "corrupt") != 0)
		record++;
	return record < info->record_count ? (uint8_t)record : UINT8_MAX;
}

/* Drops the rows of corrupt bytes; *view: NULL if no row is left. */
static enum poly_status
drop_corrupt(
	struct poly_reader *reader, const struct poly_batch **view, struct poly_error *error)
{
	const struct poly_batch *batch = *view;
	const struct findings *findings = &reader->findings;
	const uint64_t end = findings->truncated && findings->truncation.record
				     ? findings->truncation.record
				     : UINT64_MAX;
	const uint8_t corrupt = corrupt_record(&reader->info.view);
	uint64_t kept[POLY_BATCH_ROWS / 64] = {0};
	size_t count = 0;
	for (size_t row = 0; row < batch->rows && !reader->corrupt; row++) {
		if ((poly_present(batch, POLY_COLUMN_record, row) &&
			    batch->record[row] == corrupt) ||
			(poly_batch_number(batch, row) == end &&
				batch->kind[row] == POLY_KIND_OTHER))
			continue;
		kept[row / 64] |= UINT64_C(1) << row % 64;
		count++;
	}
	if (count == batch->rows)
		return POLY_OK;
	*view = NULL;
	if (!count)
		return POLY_OK;
	const enum poly_status status = batch_gather_rows(&reader->kept, batch, kept, error);
	*view = status == POLY_OK ? &reader->kept.view : NULL;
	return status;
}

/* Delivers the selected rows of the batch; *batch stays NULL if it has none. */
static enum poly_status
deliver_rows(
	struct poly_reader *reader, const struct poly_batch **batch, struct poly_error *error)
{
	const struct poly_batch *view = &reader->shown->view;
	const uint64_t skip = reader->options.skip, end = reader_last_record(reader);
	const bool corrupt = reader->corrupt && reader->shown == &reader->batch;
	if (poly_batch_weights(view) || batch_decoded(view)) {
		reader->counts.records += reader_count_records(view);
		*batch = view;
		return POLY_OK;
	}
	if (skip >= view->first + view->rows || view->first >= end)
		return POLY_OK;
	size_t from = skip > view->first ? (size_t)(skip - view->first) : 0;
	const uint64_t left = end - view->first - from;
	size_t rows = view->rows - from < left ? view->rows - from : (size_t)left;
	if (rows != view->rows) {
		enum poly_status status = slice_make(&reader->slice, view, from, rows, error);
		if (status != POLY_OK)
			return status;
		view = &reader->slice.view;
	}
	reader->counts.records += rows;
	reader->corrupt_records += corrupt ? rows : 0;
	if (reader->options.drop_corrupt) {
		enum poly_status status = drop_corrupt(reader, &view, error);
		if (!view)
			return status;
	}
	const struct poly_patterns *patterns = batch_patterns(view);
	if (patterns && patterns->lazy)
		view = bare_batch(reader, view);
	*batch = view;
	return POLY_OK;
}

enum poly_status
poly_reader_next(
	struct poly_reader *reader, const struct poly_batch **batch, struct poly_error *error)
{
	*batch = NULL;
	while (!*batch && reader->options.count &&
		reader->reading.record + reader_shown_records(reader) <
			reader_last_record(reader)) {
		enum poly_status status = advance(reader);
		if (status != POLY_OK) {
			if (error && status < 0)
				*error = reader->failure;
			return status;
		}
		struct poly_error failure;
		status = deliver_rows(reader, batch, &failure);
		if (status != POLY_OK) {
			reader->shown = NULL; /* its rows are not delivered */
			reader_end(reader, status, &failure);
		}
	}
	return *batch ? POLY_OK : POLY_END;
}

enum poly_status
poly_reader_size_breakdown(
	struct poly_reader *reader, struct poly_size_breakdown *space, struct poly_error *error)
{
	struct poly_error failure = {.offset = POLY_NO_OFFSET};
	memset(space, 0, sizeof *space);
	if (!reader->format->size_breakdown || reader->begun)
		return err_usage(error,
			reader->begun
				? "size breakdown of format '%s' after its records were read"
				: "no size breakdown of format '%s' (expected a packed trace)",
			reader->format->info.name);
	reader->begun = true;
	enum poly_status status =
		reader->format->size_breakdown(&reader->reading, space, &failure);
	if (status == POLY_OK)
		status = reader_check_end(reader, &failure);
	if (status >= 0 && reader->options.strict)
		status = reader_apply_strict(reader, &failure);
	reader_end(reader, status < 0 ? status : POLY_END, &failure);
	/* A breakdown states whether the trace is complete. */
	reader->truncated = false;
	if (status >= 0)
		reader->ended = POLY_END;
	if (status < 0 && error)
		*error = reader->failure;
	return status < 0 ? status : POLY_OK;
}
