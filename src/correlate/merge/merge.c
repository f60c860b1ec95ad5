/* SPDX-License-Identifier: MIT */
/* Merges the traces of several threads or processors. */
#include "correlate/merge/merge.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/attached.h"

#include <stdio.h>
#include <string.h>

enum poly_status
poly_merge_new(const struct poly_merge_options *options, struct poly_merge **merge,
	struct poly_error *error)
{
	const struct poly_merge_options initial = POLY_MERGE_OPTIONS_INIT;
	*merge = NULL;
	if (options && options->size == 0)
		return err_usage(error, "options of size 0: not initialized");
	struct poly_merge *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	created->sync.options = initial;
	if (options)
		memcpy(&created->sync.options, options,
			options->size < sizeof initial ? options->size : sizeof initial);
	created->merger.failed = SIZE_MAX;
	*merge = created;
	return POLY_OK;
}

enum poly_status
poly_merge_add(
	struct poly_merge *merge, uint64_t thread, const char *name, struct poly_error *error)
{
	return sync_add(&merge->sync, thread, name, error);
}

poly_columns
poly_merge_columns(const struct poly_merge *merge)
{
	(void)merge;
	return POLY_COLUMNS(kind, sync, address, value, pc, opcode, synthetic, uop_index);
}

enum poly_status
poly_merge_read_events(struct poly_merge *merge, size_t trace, const struct poly_batch *batch,
	struct poly_error *error)
{
	struct sync_state *sync = &merge->sync;
	const enum poly_status status = sync_read_calls(&sync->threads[trace], batch, error);
	return status == POLY_OK ? sync_read_events(sync, trace, batch, error) : status;
}

enum poly_status
poly_merge_resolve(struct poly_merge *merge, struct poly_error *error)
{
	return sync_resolve(&merge->sync, error);
}

const char *
poly_merge_note_at(const struct poly_merge *merge, size_t i, uint64_t *count)
{
	if (count)
		*count = merge->sync.note_count;
	return i < SYNC_NOTES_MAX ? merge->sync.notes[i] : NULL;
}

/* Fails unless the events are resolved. */
static enum poly_status
check_resolved(const struct poly_merge *merge, struct poly_error *error)
{
	if (merge->sync.options.by == POLY_MERGE_BY_SYNC && merge->sync.resolved)
		return POLY_OK;
	return err_usage(error, "the order by synchronization needs poly_merge_read_events and "
				"poly_merge_resolve first");
}

enum poly_status
poly_merge_next_run(
	struct poly_merge *merge, struct poly_merge_run *run, struct poly_error *error)
{
	const enum poly_status status = check_resolved(merge, error);
	return status == POLY_OK ? sync_next_run(&merge->sync, run, error) : status;
}

void
poly_merge_rewind(struct poly_merge *merge)
{
	if (merge->sync.resolved)
		sync_rewind(&merge->sync);
}

void
poly_merge_set_source(struct poly_merge *merge, size_t trace, const struct poly_source *source)
{
	if (!merge->inputs)
		merge->inputs = mem_new(merge->sync.count, sizeof *merge->inputs);
	if (merge->inputs)
		merge->inputs[trace].source = *source;
}

static const struct poly_trace_info *
info_of(const struct poly_merge *merge, size_t i)
{
	return merge->inputs[i].source.info;
}

/* Checks that all inputs have times of one clock. */
static enum poly_status
check_times(struct poly_merge *merge, struct poly_error *error)
{
	const char *clock = info_of(merge, 0)->clock;
	for (size_t i = 0; i < merge->sync.count; i++) {
		const struct poly_trace_info *info = info_of(merge, i);
		const char *other_clock = info->clock;
		if (!POLY_HAS(info->columns, time))
			return err_usage(
				error, "'%s' has no times", merge->sync.threads[i].name);
		if ((clock && other_clock) ? strcmp(clock, other_clock) != 0
					   : clock != other_clock)
			return err_usage(error, "clocks differ ('%s' counts %s, '%s' %s)",
				merge->sync.threads[0].name, clock ? clock : "ticks",
				merge->sync.threads[i].name,
				other_clock ? other_clock : "ticks");
	}
	return POLY_OK;
}

/* Checks that the instruction sets of all inputs that state one are the same. */
static enum poly_status
check_isas(struct poly_merge *merge, struct poly_error *error)
{
	size_t first = 0;
	for (size_t i = 0; i < merge->sync.count; i++) {
		const char *isa = info_of(merge, i)->isa,
			   *expected = info_of(merge, first)->isa;
		if (!expected)
			first = i;
		else if (isa && strcmp(isa, expected) != 0)
			return err_usage(error,
				"instruction sets differ ('%s' has %s, '%s' %s)",
				merge->sync.threads[first].name, expected,
				merge->sync.threads[i].name, isa);
	}
	return POLY_OK;
}

static enum poly_status
init_inputs(struct poly_merge *merge, struct poly_error *error)
{
	const poly_columns own = POLY_COLUMNS_INIT(thread, cpu);
	if (!merge->inputs && merge->sync.count)
		return err_memory(error);
	for (size_t i = 0; i < merge->sync.count; i++) {
		struct merge_input *input = &merge->inputs[i];
		if (!input->source.next)
			return err_usage(
				error, "'%s' has no source", merge->sync.threads[i].name);
		input->thread = merge->sync.threads[i].number;
		input->fills_thread = merge->sync.options.by == POLY_MERGE_BY_SYNC ||
				      !poly_columns_overlap(info_of(merge, i)->columns, own);
	}
	return check_isas(merge, error);
}

enum poly_status
poly_merge_start(struct poly_merge *merge, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (!merge->sync.count)
		return err_usage(error, "no traces added");
	if (merge->sync.options.by == POLY_MERGE_BY_SYNC)
		status = check_resolved(merge, error);
	poly_merge_rewind(merge);
	if (status == POLY_OK)
		status = init_inputs(merge, error);
	if (status == POLY_OK && merge->sync.options.by == POLY_MERGE_BY_TIME)
		status = check_times(merge, error);
	if (status == POLY_OK)
		status = merger_open(&merge->merger, merge->inputs, merge->sync.count, error);
	if (status == POLY_OK && !metadata_share(merge))
		status = err_memory(error);
	if (status != POLY_OK || !merge->sync.options.analyse ||
		merge->sync.options.by == POLY_MERGE_BY_TIME)
		return status;
	merge->analysis = analysis_new(&merge->sync);
	return merge->analysis ? POLY_OK : err_memory(error);
}

const struct poly_trace_info *
poly_merge_info(const struct poly_merge *merge)
{
	return &merge->merger.info.view;
}

size_t
poly_merge_failed(const struct poly_merge *merge)
{
	return merge->merger.failed;
}

/* Returns the rows of the run available in its input's batch; 0: it must be read. */
static size_t
rows_at_hand(const struct poly_merge *merge)
{
	const struct merge_input *input = &merge->inputs[merge->run.trace];
	size_t rows = input->batch ? input->batch->rows - input->at : 0;
	if (rows > POLY_BATCH_ROWS - merge->merger.rows)
		rows = POLY_BATCH_ROWS - merge->merger.rows;
	return rows > merge->run.records ? (size_t)merge->run.records : rows;
}

/* Reads the next batch of the run's input. */
static enum poly_status
read_run(struct poly_merge *merge, struct poly_error *error)
{
	const enum poly_status status = merger_read(&merge->merger, merge->run.trace, error);
	if (status != POLY_END)
		return status;
	merge->merger.failed = merge->run.trace;
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"the trace is shorter than at the first reading");
}

/* Notes whether rows end with an escape whose instruction follows them. */
static void
note_escapes(struct merge_input *input, size_t first, size_t end)
{
	for (size_t row = end; row-- > first;) {
		if (!is_instruction_row(input->batch, row) &&
			!attached_to_next(input->batch, row))
			continue;
		input->open = !is_instruction_row(input->batch, row);
		return;
	}
}

/* Adds rows of the run; *full: the merger's view has rows to deliver. */
static enum poly_status
add_run(struct poly_merge *merge, size_t rows, bool *full, struct poly_error *error)
{
	const size_t number = merge->run.trace;
	struct merge_input *input = &merge->inputs[number];
	const size_t range[2] = {input->at, input->at + rows};
	enum poly_status status = POLY_OK;
	if (merge->analysis)
		status = analysis_rows(merge->analysis, number, input->batch, range, error);
	note_escapes(input, range[0], range[1]);
	merge->run.records -= rows;
	*full = status == POLY_OK && merger_can_pass(&merge->merger, number, rows);
	if (*full)
		return merger_pass(&merge->merger, number, rows, error);
	merger_add(&merge->merger, number, rows);
	return status;
}

/* Returns whether an input's next row belongs to the row before it. */
static bool
continues(const struct merge_input *input)
{
	return input->batch && input->at < input->batch->rows &&
	       !poly_present(input->batch, POLY_COLUMN_sync, input->at) &&
	       (input->open || attached_to_last(input->batch, input->at));
}

/*
 * Extends a run so that it does not end between an escape and its instruction, nor within a twi
 * and its pair; no record of another thread depends on these. Rows that the merger holds must
 * be delivered first if a batch must be read: then the run stays empty.
 */
static enum poly_status
extend_run(struct poly_merge *merge, struct poly_error *error)
{
	struct merge_input *input = &merge->inputs[merge->run.trace];
	enum poly_status status = POLY_OK;
	if (!input->batch || input->at == input->batch->rows) {
		if (merge->merger.rows)
			return POLY_OK;
		status = merger_read(&merge->merger, merge->run.trace, error);
	}
	merge->extends = status == POLY_OK && continues(input);
	merge->run.records = merge->extends;
	input->ahead += merge->extends;
	return status == POLY_END ? POLY_OK : status;
}

/* Gets the next run, without rows that extended the runs before it. */
static enum poly_status
next_run(struct poly_merge *merge, struct poly_error *error)
{
	const enum poly_status status = sync_next_run(&merge->sync, &merge->run, error);
	if (status != POLY_OK)
		return status;
	struct merge_input *input = &merge->inputs[merge->run.trace];
	const uint64_t records = merge->run.records;
	const uint64_t ahead = input->ahead < records ? input->ahead : records;
	input->ahead -= ahead;
	merge->run.records -= ahead;
	merge->extends = merge->run.records && POLY_HAS(input->source.info->columns, escape);
	return POLY_OK;
}

/* Adds rows in the order of events; *full: the merger's view has rows to deliver. */
static enum poly_status
next_by_sync(struct poly_merge *merge, bool *full, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && !*full && merge->merger.rows < POLY_BATCH_ROWS) {
		if (!merge->run.records && merge->extends)
			status = extend_run(merge, error);
		if (!merge->run.records && merge->extends)
			return status; /* what is pending comes first */
		if (status == POLY_OK && !merge->run.records)
			status = next_run(merge, error);
		if (status != POLY_OK)
			return status;
		if (!merge->run.records)
			continue;
		const size_t rows = rows_at_hand(merge);
		if (rows)
			status = add_run(merge, rows, full, error);
		else if (merge->merger.rows)
			return POLY_OK; /* the pending rows point into the batch that would be
					   replaced */
		else
			status = read_run(merge, error);
	}
	return status;
}

enum poly_status
poly_merge_next(
	struct poly_merge *merge, const struct poly_batch **batch, struct poly_error *error)
{
	bool full = false;
	if (merge->status == POLY_OK)
		merge->status = merge->sync.options.by == POLY_MERGE_BY_SYNC
					? next_by_sync(merge, &full, &merge->error)
					: merge_next_by_time(merge, &merge->error);
	/* Rows before an end or a failure are delivered first. */
	if (!full && merge->merger.rows) {
		const enum poly_status flushed = merger_flush(&merge->merger, &merge->error);
		if (flushed != POLY_OK)
			merge->status = flushed;
		full = flushed == POLY_OK;
	}
	*batch = &merge->merger.view;
	if (full)
		return POLY_OK;
	if (error && merge->status < 0)
		*error = merge->error;
	return merge->status;
}

void
poly_merge_free(struct poly_merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; merge->inputs && i < merge->sync.count; i++)
		merger_close_input(&merge->inputs[i]);
	analysis_free(merge->analysis);
	merger_close(&merge->merger);
	mem_free(merge->times);
	mem_free(merge->back);
	mem_free(merge->over);
	mem_free(merge->inputs);
	sync_fini(&merge->sync);
	mem_free(merge);
}
