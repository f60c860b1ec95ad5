/* SPDX-License-Identifier: MIT */
/* Selections: bits of a batch's rows, some of which each step clears. */
#include "polytrace/selection.h"

#include "base/err.h"
#include "base/mem.h"
#include "lang/expr/expr.h"
#include "model/batch_gather.h"
#include "model/batch_internal.h"
#include "select/attached_rows.h"
#include "select/tail_buffer.h"

#include <string.h>

#define WORDS (POLY_BATCH_ROWS / 64)

/* Times of records against the selected interval; a record without a time inherits one. */
enum times { TIMES_OUT, TIMES_IN, TIMES_MIXED, TIMES_NONE };

/* State of the records that the reader prunes, ahead of those that it delivers. */
struct prune_state {
	bool begun;	    /* the reader called the predicate */
	bool started;	    /* a record that was not pruned may begin the selection */
	enum times carried; /* time of the last record that has one; initially out */
	uint64_t reached;   /* records that were read or pruned without a gap */
};

/* Records on each side of the requested positions among which attached ones are found. */
#define MARGIN 64

struct poly_selection {
	struct poly_selection_options options;
	struct poly_filter *where, *start_at, *stop_at;
	struct prune_state prune;
	bool started, ended; /* the first record, the last one was reached */
	bool drained;	     /* rows of the tail buffer are delivered */
	bool timed;	     /* some record had a time */
	uint64_t time;	     /* of the last record that has one */
	uint64_t turn;	     /* records that reached the step every */
	uint64_t chance;     /* state of the random generator */
	uint64_t passed;     /* records that passed all steps before tail */
	uint64_t delivered;  /* records returned to the caller */
	struct batch_gather gather;
	struct attached_rows attached;
	bool attaches; /* the trace has attached rows, which are kept */
	struct poly_batch marked;	     /* the delivered batch, if it attaches */
	struct poly_batch_internal internal; /* of it */
	/* A batch whose rows follow those that were released. */
	const struct poly_batch *next;
	uint64_t next_bits[WORDS];
	struct tail_buffer tail;
	enum poly_status fault; /* of an expression at the record after the selected ones */
	struct poly_error fault_error;
	enum poly_status status; /* what ended the reading */
	struct poly_error error;
};

/* Parses an expression unless it is NULL. */
static enum poly_status
make_filter(const struct poly_selection_options *options, const char *text,
	struct poly_filter **filter, struct poly_error *error)
{
	return text ? poly_filter_new_named(text, options->names, filter, error) : POLY_OK;
}

static enum poly_status
make_filters(struct poly_selection *selection, struct poly_error *error)
{
	const struct poly_selection_options *options = &selection->options;
	enum poly_status status =
		make_filter(options, options->start_at, &selection->start_at, error);
	if (status == POLY_OK)
		status = make_filter(options, options->stop_at, &selection->stop_at, error);
	if (status == POLY_OK)
		status = make_filter(options, options->where, &selection->where, error);
	return status;
}

static enum poly_status
check_options(const struct poly_selection_options *options, struct poly_error *error)
{
	if (options->size == 0)
		return err_usage(error,
			"options.size is 0; initialize with POLY_SELECTION_OPTIONS_INIT");
	if (options->has_times && options->from_time > options->to_time)
		return err_usage(error, "times %llu to %llu: the first exceeds the last",
			(unsigned long long)options->from_time,
			(unsigned long long)options->to_time);
	if (options->tail != UINT64_MAX && options->tail > POLY_TAIL_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"tail of %llu records exceeds the maximum, %d",
			(unsigned long long)options->tail, POLY_TAIL_MAX);
	return POLY_OK;
}

enum poly_status
poly_selection_new(const struct poly_selection_options *options, struct poly_selection **result,
	struct poly_error *error)
{
	*result = NULL;
	enum poly_status status = check_options(options, error);
	if (status != POLY_OK)
		return status;
	struct poly_selection *selection = mem_new(1, sizeof *selection);
	if (!selection)
		return err_memory(error);
	const struct poly_selection_options initial = POLY_SELECTION_OPTIONS_INIT;
	selection->options = initial;
	memcpy(&selection->options, options,
		options->size < sizeof initial ? options->size : sizeof initial);
	selection->started = !selection->options.start_at;
	selection->chance = selection->options.seed;
	selection->tail.max = selection->options.tail;
	status = make_filters(selection, error);
	/* The texts and names belong to the caller. */
	selection->options.where = selection->options.start_at = selection->options.stop_at =
		NULL;
	selection->options.names = NULL;
	if (status != POLY_OK) {
		poly_selection_free(selection);
		return status;
	}
	*result = selection;
	return POLY_OK;
}

static poly_columns
columns_of(const struct poly_filter *filter)
{
	return filter ? poly_filter_columns(filter) : POLY_NO_COLUMNS;
}

poly_columns
poly_selection_columns(const struct poly_selection *selection)
{
	poly_columns columns = poly_columns_union(columns_of(selection->where),
		poly_columns_union(
			columns_of(selection->start_at), columns_of(selection->stop_at)));
	if (selection->options.has_times)
		poly_columns_add(&columns, POLY_COLUMN_time);
	if (selection->options.keep_attached)
		columns = poly_columns_union(columns, POLY_COLUMNS(ATTACHED_COLUMNS));
	return columns;
}

uint64_t
poly_selection_margin(const struct poly_selection *selection)
{
	const struct poly_selection_options *options = &selection->options;
	return selection->attaches && (options->skip || options->count != UINT64_MAX) ? MARGIN
										      : 0;
}

const char *
poly_selection_register_at(const struct poly_selection *selection, unsigned i)
{
	const struct poly_filter *const filters[] = {
		selection->start_at, selection->stop_at, selection->where};
	for (size_t f = 0; f < 3; f++) {
		unsigned n = 0;
		const char *name;
		while (filters[f] && (name = poly_filter_register_at(filters[f], n))) {
			if (i-- == 0)
				return name;
			n++;
		}
	}
	return NULL;
}

enum poly_status
poly_selection_bind(struct poly_selection *selection, const struct poly_trace_info *info,
	struct poly_error *error)
{
	struct poly_filter *const filters[] = {
		selection->start_at, selection->stop_at, selection->where};
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < 3 && status == POLY_OK; i++)
		status = filters[i] ? poly_filter_bind(filters[i], info, error) : POLY_OK;
	selection->attaches =
		selection->options.keep_attached && POLY_HAS(info->columns, escape);
	if (status == POLY_OK && selection->options.has_times && !POLY_HAS(info->columns, time))
		return err_usage(error, "the trace has no times to select records by");
	return status;
}

/* Selects the rows of the requested positions, or all. */
static void
set_positions(const struct poly_selection *selection, const struct poly_batch *batch,
	uint64_t bits[WORDS])
{
	const struct poly_selection_options *options = &selection->options;
	const bool is_all = !poly_selection_margin(selection);
	memset(bits, 0, WORDS * sizeof *bits);
	for (size_t row = 0; row < batch->rows; row++) {
		const uint64_t before = batch->first + row;
		if (is_all ||
			(before >= options->skip && before - options->skip < options->count))
			bit_set(bits, row);
	}
}

/* Ends the selection at the row valid with a failure, after the rows before it. */
static void
set_fault(struct poly_selection *selection, const struct poly_batch *batch, size_t valid,
	enum poly_status status, uint64_t bits[WORDS])
{
	selection->fault = status;
	selection->ended = false;
	for (size_t row = valid; row < batch->rows; row++)
		bit_clear(bits, row);
}

/* Clears the rows before the start and after the stop record. */
static enum poly_status
clear_outside_places(struct poly_selection *selection, const struct poly_batch *batch,
	uint64_t bits[WORDS], struct poly_error *error)
{
	uint64_t found[WORDS];
	struct expr_test test = {.needed = bits, .selected = found};
	enum poly_status status;
	size_t row = 0;
	if (!selection->started) {
		status = expr_test_rows(selection->start_at, batch, &test, error);
		while (row < test.valid && !(bit_test(found, row) && bit_test(bits, row)))
			bit_clear(bits, row++);
		selection->started = row < test.valid;
		if (!selection->started)
			return status;
	}
	if (!selection->stop_at)
		return POLY_OK;
	status = expr_test_rows(selection->stop_at, batch, &test, &selection->fault_error);
	while (row < test.valid && !(bit_test(found, row) && bit_test(bits, row)))
		row++;
	selection->ended = row < test.valid;
	if (!selection->ended && status != POLY_OK)
		set_fault(selection, batch, test.valid, status, bits);
	for (row++; row < batch->rows; row++)
		bit_clear(bits, row);
	return POLY_OK;
}

static void
clear_outside_times(
	struct poly_selection *selection, const struct poly_batch *batch, uint64_t bits[WORDS])
{
	for (size_t row = 0; row < batch->rows; row++) {
		if (poly_present(batch, POLY_COLUMN_time, row)) {
			selection->timed = true;
			selection->time = batch->time[row];
		}
		if (!selection->timed || selection->time < selection->options.from_time ||
			selection->time > selection->options.to_time)
			bit_clear(bits, row);
	}
}

/* SplitMix64: a random number of 64 bits (Steele, Lea, Flood 2014). */
static uint64_t
chance(struct poly_selection *selection)
{
	uint64_t z = selection->chance += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Whether a record that passed the other steps passes every, sample and head. */
static bool
passes(struct poly_selection *selection)
{
	const struct poly_selection_options *options = &selection->options;
	if (options->every > 1 && selection->turn++ % options->every != 0)
		return false;
	/* A number below 2^64 / sample: one in sample, to within 2^-32. */
	if (options->sample > 1 && chance(selection) > UINT64_MAX / options->sample)
		return false;
	if (selection->passed == options->head)
		return false;
	selection->passed++;
	return true;
}

static void
clear_unsampled(struct poly_selection *selection, uint64_t bits[WORDS])
{
	const struct poly_selection_options *options = &selection->options;
	if (options->every <= 1 && options->sample <= 1 && options->head == UINT64_MAX)
		return;
	for (size_t w = 0; w < WORDS; w++) {
		for (uint64_t left = bits[w]; left; left &= left - 1) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			if (!passes(selection))
				bit_clear(bits, row);
		}
	}
	selection->ended |= selection->passed == options->head;
}

/* Sets the bits of the rows that pass all steps before tail. */
static enum poly_status
select_rows(struct poly_selection *selection, const struct poly_batch *batch,
	uint64_t bits[WORDS], struct poly_error *error)
{
	uint64_t found[WORDS];
	struct expr_test test = {.needed = bits, .selected = found};
	enum poly_status status = POLY_OK, tested;
	set_positions(selection, batch, bits);
	if (!selection->started || selection->stop_at)
		status = clear_outside_places(selection, batch, bits, error);
	if (selection->options.has_times)
		clear_outside_times(selection, batch, bits);
	if (status == POLY_OK && selection->where) {
		tested =
			expr_test_rows(selection->where, batch, &test, &selection->fault_error);
		if (tested != POLY_OK)
			set_fault(selection, batch, test.valid, tested, bits);
		for (size_t w = 0; w < (batch->rows + 63) / 64; w++)
			bits[w] &= found[w];
	}
	if (status == POLY_OK)
		clear_unsampled(selection, bits);
	return status;
}

/* Compares the times of pruned records with the selected interval. */
static enum times
times_of(const struct poly_selection_options *options, const struct poly_bounds *bounds)
{
	for (size_t i = 0; i < bounds->count; i++) {
		const struct poly_range *range = &bounds->ranges[i];
		if (range->column != POLY_COLUMN_time)
			continue;
		if (range->min > range->max)
			return TIMES_NONE;
		if (range->max < options->from_time || range->min > options->to_time)
			return TIMES_OUT;
		return range->min >= options->from_time && range->max <= options->to_time
			       ? TIMES_IN
			       : TIMES_MIXED;
	}
	return TIMES_MIXED;
}

/*
 * Whether pruning records leaves a time that following records inherit on the same side of the
 * interval. Not all of the first records need have been read.
 */
static bool
prune_keeps_time(struct poly_selection *selection, enum times times)
{
	struct prune_state *prune = &selection->prune;
	const bool keeps_time = times == TIMES_NONE || times == prune->carried;
	if (times != TIMES_NONE)
		prune->carried = times == TIMES_IN && !prune->begun ? TIMES_MIXED : times;
	return keeps_time && times != TIMES_MIXED;
}

/* Whether every record that the reader delivers reaches tail. */
static bool
selects_all(const struct poly_selection *selection)
{
	const struct poly_selection_options *options = &selection->options;
	return !selection->where && !selection->start_at && !selection->stop_at &&
	       !options->has_times && options->every <= 1 && options->sample <= 1 &&
	       options->head == UINT64_MAX;
}

static bool
is_possible(const struct poly_filter *filter, const struct poly_bounds *bounds)
{
	return filter && poly_filter_possible(filter, bounds);
}

/*
 * A poly_may_match_fn: false if none of the records can be selected, nor begin or end the
 * selection. Steps after the filter only count records that pass. Calls come in the order of
 * the trace, but the reader may not have delivered all records before bounds yet.
 */
static bool
is_wanted(void *user, const struct poly_bounds *bounds)
{
	struct poly_selection *selection = user;
	struct prune_state *prune = &selection->prune;
	const bool times = selection->options.has_times;
	if (selects_all(selection))
		return bounds->following < selection->options.tail;
	if (!prune->begun || bounds->first <= prune->reached)
		prune->started = selection->started;
	const bool starts = !selection->started && is_possible(selection->start_at, bounds);
	const bool inside = prune->started || starts;
	const enum times when = times ? times_of(&selection->options, bounds) : TIMES_NONE;
	const bool may_select = inside &&
				(!selection->where || is_possible(selection->where, bounds)) &&
				(!times || prune->carried != TIMES_OUT ||
					(when != TIMES_NONE && when != TIMES_OUT));
	const bool keeps_time = !times || prune_keeps_time(selection, when);
	const bool wanted = starts || may_select || !keeps_time ||
			    (inside && is_possible(selection->stop_at, bounds));
	prune->begun = true;
	prune->started |= starts;
	if (!wanted && bounds->first <= prune->reached)
		prune->reached = bounds->first + bounds->rows;
	return wanted;
}

poly_may_match_fn
poly_selection_pruning(const struct poly_selection *selection)
{
	const bool all = selection->options.keep_sites ||
			 POLY_HAS(poly_selection_columns(selection), site);
	return all || selection->attaches || poly_selection_register_at(selection, 0)
		       ? NULL
		       : is_wanted;
}

/* Returns the selected rows of the batch that follows released ones; there is at least one,
 * their instruction. */
static enum poly_status
next_held(struct poly_selection *selection, const struct poly_batch **batch,
	struct poly_error *error)
{
	const enum poly_status status = batch_gather_rows(
		&selection->gather, selection->next, selection->next_bits, error);
	selection->next = NULL;
	*batch = &selection->gather.view;
	return status;
}

/* Returns the escapes that no instruction follows. */
static enum poly_status
next_ending(struct poly_selection *selection, const struct poly_batch **batch,
	struct poly_error *error)
{
	const struct poly_batch *rows;
	const enum poly_status status =
		attached_rows_end(&selection->attached, &selection->gather, &rows, error);
	*batch = rows;
	return status == POLY_OK && !rows ? POLY_END : status;
}

/* Marks a batch: its attached rows are those of its instructions. */
static void
mark_attached(struct poly_selection *selection, const struct poly_batch **batch)
{
	const struct poly_batch_internal none = {0};
	selection->marked = **batch;
	selection->internal = selection->marked.internal ? *selection->marked.internal : none;
	selection->internal.keeps_attached = true;
	selection->marked.internal = &selection->internal;
	*batch = &selection->marked;
}

/* Reads the next rows that pass all steps before tail. */
static enum poly_status
next_selected(struct poly_selection *selection, const struct poly_source *source,
	const struct poly_batch **batch, struct poly_error *error)
{
	uint64_t bits[WORDS];
	const struct poly_batch *all, *released = NULL;
	selection->ended |= selection->options.head == 0 || selection->options.tail == 0;
	if (selection->next)
		return next_held(selection, batch, error);
	while (!selection->ended) {
		if (selection->fault != POLY_OK && error)
			*error = selection->fault_error;
		if (selection->fault != POLY_OK)
			return selection->fault;
		enum poly_status status = source->next(source->user, &all, error);
		if (status == POLY_END && selection->attaches)
			return next_ending(selection, batch, error);
		if (status != POLY_OK)
			return status;
		selection->prune.reached = all->first + all->rows;
		status = select_rows(selection, all, bits, error);
		if (status == POLY_OK && selection->attaches)
			status = attached_rows_decide(
				&selection->attached, all, bits, &released, error);
		if (released) {
			selection->next = all;
			memcpy(selection->next_bits, bits, sizeof bits);
			*batch = released;
			return status;
		}
		if (status == POLY_OK)
			status = batch_gather_rows(&selection->gather, all, bits, error);
		*batch = &selection->gather.view;
		if (status != POLY_OK || selection->gather.view.rows)
			return status;
	}
	return POLY_END;
}

/* Reads all rows into the tail buffer. */
static void
fill_tail(struct poly_selection *selection, const struct poly_source *source)
{
	const struct poly_batch *batch;
	do {
		selection->status = next_selected(selection, source, &batch, &selection->error);
		if (selection->status == POLY_OK)
			selection->status =
				tail_buffer_add(&selection->tail, batch, &selection->error);
	} while (selection->status == POLY_OK);
	selection->drained = true;
}

enum poly_status
poly_selection_next(struct poly_selection *selection, const struct poly_source *source,
	const struct poly_batch **batch, struct poly_error *error)
{
	enum poly_status status;
	if (selection->options.tail == UINT64_MAX) {
		status = next_selected(selection, source, batch, error);
	} else {
		if (!selection->drained)
			fill_tail(selection, source);
		status = tail_buffer_next(&selection->tail, batch, error);
		if (status == POLY_END) {
			status = selection->status;
			if (error && status < 0)
				*error = selection->error;
		}
	}
	if (status == POLY_OK && selection->attaches && selection->options.tail == UINT64_MAX)
		mark_attached(selection, batch);
	selection->delivered += status == POLY_OK ? (*batch)->rows : 0;
	return status;
}

uint64_t
poly_selection_count(const struct poly_selection *selection)
{
	return selection->delivered;
}

void
poly_selection_free(struct poly_selection *selection)
{
	if (!selection)
		return;
	poly_filter_free(selection->where);
	poly_filter_free(selection->start_at);
	poly_filter_free(selection->stop_at);
	batch_gather_fini(&selection->gather);
	attached_rows_fini(&selection->attached);
	tail_buffer_free(&selection->tail);
	mem_free(selection);
}
