/* SPDX-License-Identifier: MIT */
/* Readers: opening, batches, sticky errors, resynchronisation, findings. */
#include "format/core/reader.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "format/core/decode_pool.h"
#include "format/core/option.h"
#include "format/core/line_cache.h"
#include "format/core/probe.h"
#include "isa/disasm.h"
#include "model/columns.h"
#include "model/site.h"
#include "model/slice.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Minimum input for parallel decoding: 4 chunks, or 64 KiB of compressed data. */
#define POOL_MIN_CHUNKS 4
#define POOL_MIN_COMPRESSED ((uint64_t)64 << 10)

struct poly_reader {
	struct format_list formats; /* the caller's, too */
	const struct format *format;
	struct poly_read_options
		options; /* strings in it belong to the caller until open returns */
	struct in *in;
	struct info info;
	struct findings findings;
	struct batch batch;
	struct batch *shown;	  /* the rows filled last; NULL: none */
	struct decode_pool *pool; /* NULL: one thread decodes */
	bool alone; /* the reader decodes the present chunk itself, although it has a pool */
	struct sites sites;
	struct slice slice;	/* of the batch, if not all its rows are selected */
	struct poly_batch bare; /* the batch without its lazy columns */
	struct reading reading;
	struct option_values values; /* of the format */
	bool accepts_lazy;	     /* columns may be lazy */
	poly_may_match_fn may_match; /* decides what may be skipped; NULL: nothing */
	void *user;		     /* passed to may_match */
	bool begun;		     /* the first batch was requested */
	bool accepts_weights;	     /* rows may be weighted */
	bool opened;		     /* the format's open was called: close it */
	enum poly_status ended;	     /* POLY_OK while records may follow */
	struct poly_error failure;   /* what ended it */
	struct poly_reader_counts counts;
	bool corrupt;		    /* the last row delivered is corrupt data */
	struct probe_result probed; /* the format's evidence */
};

static enum poly_status
choose_format(struct poly_reader *reader, const char *path, struct poly_error *error)
{
	const char *wanted = reader->options.format;
	if (!wanted) {
		if (!reader->options.name)
			reader->options.name = path;
		const enum poly_status status = probe_format(
			reader->in, &reader->formats, &reader->options, &reader->probed, error);
		reader->format = reader->probed.format;
		return status;
	}
	reader->format = format_list_find(&reader->formats, wanted);
	if (!reader->format)
		return err_usage(error, "options.format: no such format '%s'", wanted);
	if (!reader->format->info.can_read)
		return err_usage(error, "format '%s' can only be written", wanted);
	snprintf(reader->probed.evidence, sizeof reader->probed.evidence, "named by the user");
	return POLY_OK;
}

/* Returns the columns that get storage: those requested that the trace can have. */
static poly_columns
columns_to_fill(const struct poly_reader *reader)
{
	poly_columns able = reader->info.view.columns, wanted = reader->options.columns;
	if (POLY_HAS(able, pc))
		poly_columns_add(&able, POLY_COLUMN_site);
	if (POLY_HAS(wanted, site)) /* sites are found by these */
		wanted = poly_columns_union(wanted, POLY_COLUMNS(pc, opcode));
	if (reader->format->also)
		wanted = poly_columns_union(
			wanted, reader->format->also(&reader->reading, wanted));
	return reader->reading.check ? able : poly_columns_common(able, wanted);
}

static enum poly_status
open_format(struct poly_reader *reader, struct poly_error *error)
{
	const struct format *format = reader->format;
	const struct option_words requested = {
		reader->options.format, reader->options.options, &reader->formats};
	enum poly_status status = option_values(
		&format->info, POLY_OPTION_READ, &requested, &reader->values, error);
	if (status != POLY_OK)
		return status;
	struct reading *reading = &reader->reading;
	reading->plugin = format->plugin;
	reading->state = mem_new(1, format->reader_size);
	if (!reading->state || !findings_init(&reader->findings, format->info.rules))
		return err_memory(error);
	reader->findings.skip = reader->options.skip;
	reader->findings.count = reader->options.count;
	reading->in = reader->in;
	reading->info = &reader->info;
	reading->findings = &reader->findings;
	reading->sites = &reader->sites;
	reading->max_line = reader->options.max_line;
	reading->options = reader->values.values;
	reading->texts = reader->values.texts;
	reading->check = reader->options.check || reader->options.strict;
	struct poly_trace_info *view = &reader->info.view;
	view->format = format->info.name;
	view->raw_format = format->info.family;
	view->columns = format->info.columns;
	reader->opened = true;
	if (format->open && (status = format->open(reading, error)) != POLY_OK)
		return status;
	if (reader->options.isa)
		view->isa = isa_find(reader->options.isa, error);
	if (reader->options.isa && !view->isa)
		return POLY_ERR_USAGE;
	if (POLY_HAS(columns_to_fill(reader), site))
		poly_columns_add(&view->columns, POLY_COLUMN_site);
	const struct format *family =
		view->raw_format ? format_list_find(&reader->formats, view->raw_format) : NULL;
	view->family = family ? &family->info : NULL;
	return POLY_OK;
}

/* Opens the format on an opened input, or returns the input's failure. */
static enum poly_status
reader_start(struct poly_reader *reader, const char *path, enum poly_status status,
	struct poly_reader **result, struct poly_error *error)
{
	if (status == POLY_OK)
		status = format_list_init(&reader->formats, reader->options.formats, error);
	if (status == POLY_OK)
		status = choose_format(reader, path, error);
	if (status == POLY_OK)
		status = open_format(reader, error);
	if (status != POLY_OK) {
		poly_reader_close(reader);
		return status;
	}
	reader->options.options = NULL;
	reader->options.formats = NULL;
	reader->options.name = reader->options.format = reader->options.isa = NULL;
	*result = reader;
	return POLY_OK;
}

/* Creates a reader that has only its options; NULL on failure. */
static enum poly_status
reader_new(const struct poly_read_options *options, struct poly_reader **result,
	struct poly_error *error)
{
	static const struct poly_read_options initial = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader = mem_new(1, sizeof *reader);
	*result = NULL;
	if (!reader)
		return err_memory(error);
	reader->options = initial;
	enum poly_status status =
		option_struct(&reader->options, sizeof reader->options, options, error);
	if (status != POLY_OK) {
		mem_free(reader);
		return status;
	}
	size_t rows = reader->options.batch_rows;
	if (rows == 0 || rows > POLY_BATCH_ROWS)
		reader->options.batch_rows = POLY_BATCH_ROWS;
	info_init(&reader->info);
	*result = reader;
	return POLY_OK;
}

static struct in_options
input_options(const struct poly_reader *reader)
{
	const struct poly_read_options *options = &reader->options;
	return (struct in_options){options->nesting_limit, options->expansion_limit,
		options->block_size, options->one_thread};
}

enum poly_status
poly_reader_open(const char *path, const struct poly_read_options *options,
	struct poly_reader **reader, struct poly_error *error)
{
	struct poly_reader *created;
	*reader = NULL;
	enum poly_status status = reader_new(options, &created, error);
	if (!created)
		return status;
	struct in_options input = input_options(created);
	status = in_open(path, &input, &created->in, error);
	return reader_start(created, path, status, reader, error);
}

enum poly_status
poly_reader_open_memory(const void *data, size_t size, const struct poly_read_options *options,
	struct poly_reader **reader, struct poly_error *error)
{
	struct poly_reader *created;
	*reader = NULL;
	enum poly_status status = reader_new(options, &created, error);
	if (!created)
		return status;
	struct in_options input = input_options(created);
	status = in_open_memory(data, size, &input, &created->in, error);
	return reader_start(created, NULL, status, reader, error);
}

void
poly_reader_project(struct poly_reader *reader, poly_columns columns)
{
	reader->options.columns = poly_columns_common(reader->options.columns, columns);
}

void
poly_reader_accept_weights(struct poly_reader *reader)
{
	reader->accepts_weights = !reader->begun;
}

void
poly_reader_accept_lazy(struct poly_reader *reader)
{
	reader->accepts_lazy = true;
}

void
poly_reader_prune(struct poly_reader *reader, poly_may_match_fn may_match, void *user)
{
	reader->may_match = may_match;
	reader->user = user;
}

bool
reader_predict_by(struct poly_reader *reader, enum predict_way way)
{
	reader->reading.prediction = way;
	return way == PREDICT_NEVER || predict_walk_by(way);
}

static size_t
rows_shown(const struct poly_reader *reader)
{
	return reader->shown ? reader->shown->view.rows : 0;
}

/* Returns the number of records in a batch, weights included. */
static uint64_t
records_of(const struct poly_batch *batch)
{
	uint64_t records = batch->weight ? 0 : batch->rows;
	for (size_t row = 0; batch->weight && row < batch->rows; row++)
		records += batch->weight[row];
	return records;
}

static uint64_t
records_shown(const struct poly_reader *reader)
{
	return reader->shown ? records_of(&reader->shown->view) : 0;
}

/* Returns the offset after the rows decoded and delivered. */
static uint64_t
reader_offset(const struct poly_reader *reader)
{
	return reader->pool ? decode_pool_offset(reader->pool) : in_offset(reader->in);
}

/* Returns the first warning or error; NULL: no such finding. */
static const struct finding *
first_warning(const struct findings *findings)
{
	for (size_t i = 0; i < findings->kept_count; i++) {
		const struct finding *finding = &findings->kept[i];
		if (findings->rules[finding->rule].severity != POLY_NOTE)
			return finding;
	}
	return NULL;
}

/* Ends the trace at the first warning (strict), after the record that the warning is about. */
static enum poly_status
apply_strict(struct poly_reader *reader, struct poly_error *failure)
{
	const struct findings *findings = &reader->findings;
	const struct finding *finding = first_warning(findings);
	if (!finding)
		return POLY_OK;
	/* A later record may cause a finding about a record that was delivered before. */
	const uint64_t before = reader->reading.record;
	const uint64_t rows = finding->record > before ? finding->record - before : 0;
	if (finding->record && rows < rows_shown(reader))
		reader->shown->view.rows = (size_t)rows;
	err_set(failure, POLY_ERR_FORMAT, finding->offset, "%s: %s",
		findings->rules[finding->rule].code,
		(const char *)findings->texts.data + finding->message);
	failure->record = finding->record;
	return POLY_ERR_FORMAT;
}

/* Ends the reader for good. */
static void
reader_end(
	struct poly_reader *reader, enum poly_status status, const struct poly_error *failure)
{
	if (status < 0) {
		reader->failure = *failure;
		reader->failure.status = status;
		if (!reader->failure.record)
			reader->failure.record =
				reader->reading.record + records_shown(reader) + 1;
	} else {
		if (reader->reading.check && reader->format->check)
			reader->format->check(&reader->reading, NULL);
		if (reader->options.strict)
			status = apply_strict(reader, &reader->failure);
		if (status == POLY_OK)
			status = POLY_END;
	}
	reader->ended = status;
}

/* Returns POLY_END only if the input below ended without a failure. */
static enum poly_status
check_end(struct poly_reader *reader, struct poly_error *failure)
{
	size_t have;
	in_peek(reader->reading.in, 1, &have);
	return have ? POLY_END : in_status(reader->reading.in, failure);
}

static bool
is_compressed(const struct poly_reader *reader)
{
	return strcmp(in_layers(reader->in), "none") != 0;
}

/* Returns the number of decoder threads; decompression has a thread of its own. */
static unsigned
threads_wanted(const struct poly_reader *reader)
{
	if (reader->options.one_thread)
		return 1;
	return thread_count(reader->options.threads) - is_compressed(reader);
}

/*
 * Returns whether more threads would cost more than they save, or would wait for input while
 * rows are available.
 */
static bool
is_little(const struct poly_reader *reader, size_t chunk_size)
{
	const uint64_t skip = reader->options.skip, count = reader->options.count;
	/* Assumes records of at least 16 bytes. */
	const uint64_t rows = chunk_size / 16;
	return in_waits(reader->in) || (skip < rows && count < rows - skip);
}

/* Returns the same for a decode pool. */
static bool
is_short(const struct poly_reader *reader, size_t chunk_size)
{
	uint64_t taken, total;
	in_progress(reader->in, &taken, &total);
	return total < (is_compressed(reader) ? POOL_MIN_COMPRESSED
					      : POOL_MIN_CHUNKS * (uint64_t)chunk_size) ||
	       is_little(reader, chunk_size);
}

/* Returns the number of the last selected record, counted from 1. */
static uint64_t
records_end(const struct poly_reader *reader)
{
	const uint64_t skip = reader->options.skip, count = reader->options.count;
	return count < UINT64_MAX - skip ? skip + count : UINT64_MAX;
}

/* A poly_may_match_fn: no record after the last selected one matches. */
static bool
may_match(void *user, const struct poly_bounds *bounds)
{
	const struct poly_reader *reader = user;
	struct poly_bounds clipped = *bounds;
	const uint64_t end = records_end(reader), next = bounds->first + bounds->rows;
	const uint64_t left = end > next ? end - next : 0;
	if (left < clipped.following)
		clipped.following = left;
	return bounds->first < end && reader->may_match(reader->user, &clipped);
}

/* Returns whether records may be skipped: no option requests their findings. */
static bool
may_prune(const struct poly_reader *reader)
{
	return reader->may_match && !reader->accepts_weights && !reader->options.skip_errors &&
	       !reader->reading.check;
}

/* Starts decoding, by a pool if it pays: the columns are final now. */
static void
start_decoding(struct poly_reader *reader)
{
	const struct decode_plan plan = {.format = reader->format,
		.in = reader->in,
		.reading = &reader->reading,
		.sites = &reader->sites,
		.columns = columns_to_fill(reader),
		.batch_rows = reader->options.batch_rows,
		.block_size = reader->options.block_size,
		.chunk_size = decode_pool_chunk_size(reader->options.block_size),
		.threads = threads_wanted(reader)};
	reader->begun = true;
	reader->reading.may_match = may_prune(reader) ? may_match : NULL;
	reader->reading.user = reader;
	reader->reading.threads = is_little(reader, plan.chunk_size) ? 1 : plan.threads;
	reader->reading.end = records_end(reader);
	/* Weighted rows take less time than distributing chunks. */
	if (reader->accepts_weights && plan.format->accepts_weights)
		return;
	if (!plan.format->find_split || reader->reading.unsplittable || plan.threads < 2 ||
		is_short(reader, plan.chunk_size))
		return;
	reader->pool = decode_pool_new(&plan);
	if (reader->pool)
		reader->reading.in = decode_pool_input(reader->pool);
}

/* Skips records at the front, if the format needs no decoding for it. */
static void
skip_front(struct poly_reader *reader)
{
	const struct format *format = reader->format;
	if (format->skip_records && reader->options.skip)
		reader->reading.record =
			format->skip_records(&reader->reading, reader->options.skip);
}

/* Adds a row of corrupt bytes, if skip_errors is set and the format can resynchronise. */
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
		return status == POLY_END ? check_end(reader, failure) : status;
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
	if (!reader->accepts_weights || reader->reading.check ||
		reader->reading.record < options->skip)
		return 0;
	return options->count - reader->counts.records;
}

/* Returns whether only a writer reads columns, those of complete batches. */
static bool
may_be_lazy(const struct poly_reader *reader)
{
	return reader->accepts_lazy && !reader->reading.check && !reader->options.skip &&
	       reader->options.count == UINT64_MAX && !reader->batch.view.site;
}

/* Fills the reader's own batch. */
static enum poly_status
fill_own(struct poly_reader *reader, struct poly_error *failure)
{
	enum poly_status status;
	reader->shown = &reader->batch;
	if (reader->batch.capacity)
		batch_clear(&reader->batch);
	else if ((status = batch_init(&reader->batch, columns_to_fill(reader),
			  reader->options.batch_rows, &reader->info.view, failure)) != POLY_OK)
		return status;
	reader->reading.weighted = weighted_max(reader);
	reader->batch.may_defer = may_be_lazy(reader);
	status = reader->format->read(&reader->reading, &reader->batch, failure);
	if (status == POLY_END)
		return check_end(reader, failure);
	if (reader->batch.view.rows && (status == POLY_OK || status == POLY_ERR_FORMAT)) {
		/*
		 * Valid records first: the next call meets the corrupt data again, without
		 * rows.
		 */
		reader->corrupt = false;
		if (status == POLY_ERR_FORMAT && reader->options.skip_errors)
			return POLY_OK;
	}
	if (status == POLY_ERR_FORMAT && !reader->batch.view.rows)
		status = skip_corrupt(reader, failure);
	assert(status != POLY_OK || reader->batch.view.rows);
	return status;
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
	if (status == POLY_OK && reader->reading.check && reader->format->check)
		reader->format->check(&reader->reading, &batch->view);
	if (status == POLY_OK && reader->options.strict)
		status = apply_strict(reader, failure);
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
	reader->reading.record += records_shown(reader);
	if (cancelled(reader)) {
		reader->shown = NULL;
		err_set(&failure, POLY_ERR_CANCELLED, reader_offset(reader), "cancelled");
		reader_end(reader, POLY_ERR_CANCELLED, &failure);
		return reader->ended;
	}
	if (!reader->begun) {
		start_decoding(reader);
		skip_front(reader);
	}
	enum poly_status status = fill_batch(reader, &failure);
	if (rows_shown(reader)) {
		struct poly_error worse;
		enum poly_status completed = complete_batch(reader, &worse);
		if (completed != POLY_OK)
			reader_end(reader, completed, &worse);
	}
	if (status != POLY_OK && reader->ended == POLY_OK)
		reader_end(reader, status, &failure);
	return rows_shown(reader) && reader->ended != POLY_ERR_MEMORY ? POLY_OK : reader->ended;
}

/* Returns the batch without its lazy columns, which are not filled. */
static const struct poly_batch *
bare_batch(struct poly_reader *reader, const struct poly_batch *batch)
{
	struct poly_batch *bare = &reader->bare;
	*bare = *batch;
	batch_keep_columns(
		bare, poly_columns_minus(batch->varying, POLY_COLUMNS(origin, site)));
	return bare;
}

/* Delivers the selected rows of the batch; *batch stays NULL if it has none. */
static enum poly_status
deliver_rows(
	struct poly_reader *reader, const struct poly_batch **batch, struct poly_error *error)
{
	const struct poly_batch *view = &reader->shown->view;
	const uint64_t skip = reader->options.skip, end = records_end(reader);
	if (view->weight) {
		reader->counts.records += records_of(view);
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
	if (view->patterns && view->patterns->lazy)
		view = bare_batch(reader, view);
	reader->counts.records += rows;
	*batch = view;
	return POLY_OK;
}

enum poly_status
poly_reader_next(
	struct poly_reader *reader, const struct poly_batch **batch, struct poly_error *error)
{
	*batch = NULL;
	while (!*batch && reader->options.count &&
		reader->reading.record + records_shown(reader) < records_end(reader)) {
		enum poly_status status = advance(reader);
		if (status != POLY_OK) {
			if (error && status < 0)
				*error = reader->failure;
			return status;
		}
		struct poly_error failure;
		status = deliver_rows(reader, batch, &failure);
		if (status != POLY_OK)
			reader_end(reader, status, &failure);
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
		status = check_end(reader, &failure);
	if (status >= 0 && reader->options.strict)
		status = apply_strict(reader, &failure);
	reader_end(reader, status < 0 ? status : POLY_END, &failure);
	if (status < 0 && error)
		*error = reader->failure;
	return status < 0 ? status : POLY_OK;
}

const struct poly_trace_info *
poly_reader_info(const struct poly_reader *reader)
{
	return &reader->info.view;
}

const struct poly_format_info *
poly_reader_format(const struct poly_reader *reader)
{
	return &reader->format->info;
}

const char *
poly_reader_evidence(const struct poly_reader *reader)
{
	return reader->probed.evidence;
}

const char *
poly_reader_compression(const struct poly_reader *reader)
{
	return in_layers(reader->in);
}

void
poly_reader_count(const struct poly_reader *reader, struct poly_reader_counts *counts)
{
	*counts = reader->counts;
	in_progress(reader->in, &counts->input_bytes, &counts->input_total);
	counts->content_bytes = reader_offset(reader);
}

bool
poly_reader_finding_at(const struct poly_reader *reader, size_t i, struct poly_finding *finding)
{
	const struct findings *findings = &reader->findings;
	if (i >= findings->kept_count || findings->texts.failed)
		return false;
	const struct finding *kept = &findings->kept[i];
	*finding = (struct poly_finding){&findings->rules[kept->rule],
		findings->counts[kept->rule], kept->record, kept->offset,
		(const char *)findings->texts.data + kept->message};
	return true;
}

void
poly_reader_close(struct poly_reader *reader)
{
	if (!reader)
		return;
	decode_pool_free(reader->pool);
	if (reader->opened && reader->format->close)
		reader->format->close(&reader->reading);
	batch_fini(&reader->batch);
	sites_fini(&reader->sites);
	slice_fini(&reader->slice);
	findings_fini(&reader->findings);
	info_fini(&reader->info);
	mem_free(reader->reading.state);
	format_list_fini(&reader->formats);
	option_values_free(&reader->values);
	in_close(reader->in);
	mem_free(reader);
}
