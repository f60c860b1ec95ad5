/* SPDX-License-Identifier: MIT */
/* Selections: bits of a batch's rows, from which each step takes some away. */
#include "polytrace/selection.h"

#include "base/err.h"
#include "base/mem.h"
#include "select/kept.h"

#include <string.h>

#define WORDS (POLY_BATCH_ROWS / 64)

/* Where the time that a record without one has can lie: is it one of those selected? */
enum times { TIMES_OUT, TIMES_IN, TIMES_MIXED, TIMES_NONE };

/* What is known of records that were not yet read. */
struct foresight {
	bool begun;	    /* asked for the first time */
	bool started;	    /* a record that was not passed over may begin the selection */
	enum times carried; /* the time of the last record that has one; at first it is out */
	uint64_t reached;   /* records that were read or passed over, one after the other */
};

struct poly_selection {
	struct poly_selection_options options;
	struct poly_filter *where, *start_at, *stop_at;
	struct foresight foresight;
	bool started, ended; /* the places were met */
	bool drained;	     /* kept rows are given */
	bool timed;	     /* a record had a time */
	uint64_t time;	     /* of the last one */
	uint64_t turn;	     /* records that came to every */
	uint64_t chance;     /* state of the generator */
	uint64_t taken;	     /* records that came through all steps but tail */
	uint64_t given;
	struct pick pick, last;
	struct kept kept;
	enum poly_status status; /* what ended the reading */
	struct poly_error error;
};

/* A filter for an expression, if there is one. */
static enum poly_status
make_filter(const struct poly_selection_options *options, const char *text,
	struct poly_filter **filter, struct poly_error *error)
{
	return text ? poly_filter_new_named(text, options->names, filter, error) : POLY_OK;
}

static enum poly_status
make_filters(struct poly_selection *it, struct poly_error *error)
{
	const struct poly_selection_options *options = &it->options;
	enum poly_status status = make_filter(options, options->start_at, &it->start_at, error);
	if (status == POLY_OK)
		status = make_filter(options, options->stop_at, &it->stop_at, error);
	if (status == POLY_OK)
		status = make_filter(options, options->where, &it->where, error);
	return status;
}

static enum poly_status
check_options(const struct poly_selection_options *options, struct poly_error *error)
{
	if (options->size == 0)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the options were not initialised");
	if (options->has_times && options->from_time > options->to_time)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the first time, %llu, is above the last one, %llu",
			(unsigned long long)options->from_time,
			(unsigned long long)options->to_time);
	if (options->tail != UINT64_MAX && options->tail > POLY_TAIL_MOST)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the last %llu records are asked for, of which %d can be kept",
			(unsigned long long)options->tail, POLY_TAIL_MOST);
	return POLY_OK;
}

enum poly_status
poly_selection_new(const struct poly_selection_options *options,
	struct poly_selection **selection, struct poly_error *error)
{
	*selection = NULL;
	enum poly_status status = check_options(options, error);
	if (status != POLY_OK)
		return status;
	struct poly_selection *it = mem_new(1, sizeof *it);
	if (!it)
		return err_memory(error);
	const struct poly_selection_options initial = POLY_SELECTION_OPTIONS_INIT;
	it->options = initial;
	memcpy(&it->options, options,
		options->size < sizeof initial ? options->size : sizeof initial);
	it->started = !it->options.start_at;
	it->chance = it->options.seed;
	it->kept.most = it->options.tail;
	status = make_filters(it, error);
	/* The texts and names are the caller's. */
	it->options.where = it->options.start_at = it->options.stop_at = NULL;
	it->options.names = NULL;
	if (status != POLY_OK) {
		poly_selection_free(it);
		return status;
	}
	*selection = it;
	return POLY_OK;
}

static poly_columns
columns_of(const struct poly_filter *filter)
{
	return filter ? poly_filter_columns(filter) : 0;
}

poly_columns
poly_selection_columns(const struct poly_selection *selection)
{
	return columns_of(selection->where) | columns_of(selection->start_at) |
	       columns_of(selection->stop_at) |
	       (selection->options.has_times ? POLY_HAS(time) : 0);
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
	if (status == POLY_OK && selection->options.has_times &&
		!(info->columns & POLY_HAS(time)))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the trace has no times to select by");
	return status;
}

/* Leaves the rows from the first to the last place. */
static enum poly_status
take_places(struct poly_selection *it, const struct poly_batch *batch, uint64_t bits[WORDS],
	struct poly_error *error)
{
	uint64_t found[WORDS];
	size_t row = 0;
	if (!it->started) {
		if (poly_filter_test(it->start_at, batch, found, error) != POLY_OK)
			return POLY_ERR_MEMORY;
		while (row < batch->rows && !bit_test(found, row))
			bit_clear(bits, row++);
		it->started = row < batch->rows;
	}
	if (!it->stop_at || !it->started)
		return POLY_OK;
	if (poly_filter_test(it->stop_at, batch, found, error) != POLY_OK)
		return POLY_ERR_MEMORY;
	while (row < batch->rows && !bit_test(found, row))
		row++;
	it->ended = row < batch->rows;
	for (row++; row < batch->rows; row++)
		bit_clear(bits, row);
	return POLY_OK;
}

static void
take_times(struct poly_selection *it, const struct poly_batch *batch, uint64_t bits[WORDS])
{
	for (size_t row = 0; row < batch->rows; row++) {
		if (poly_present(batch, POLY_COLUMN_time, row)) {
			it->timed = true;
			it->time = batch->time[row];
		}
		if (!it->timed || it->time < it->options.from_time ||
			it->time > it->options.to_time)
			bit_clear(bits, row);
	}
}

/* SplitMix64: a number of 64 bits of chance (Steele, Lea, Flood 2014). */
static uint64_t
chance(struct poly_selection *it)
{
	uint64_t z = it->chance += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* True where a record that came so far goes on. */
static bool
passes(struct poly_selection *it)
{
	const struct poly_selection_options *options = &it->options;
	if (options->every > 1 && it->turn++ % options->every != 0)
		return false;
	/* A number below 2^64 / sample: one in sample, to within 2^-32. */
	if (options->sample > 1 && chance(it) > UINT64_MAX / options->sample)
		return false;
	if (it->taken == options->head)
		return false;
	it->taken++;
	return true;
}

static void
take_samples(struct poly_selection *it, uint64_t bits[WORDS])
{
	const struct poly_selection_options *options = &it->options;
	if (options->every <= 1 && options->sample <= 1 && options->head == UINT64_MAX)
		return;
	for (size_t w = 0; w < WORDS; w++) {
		for (uint64_t left = bits[w]; left; left &= left - 1) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			if (!passes(it))
				bit_clear(bits, row);
		}
	}
	it->ended |= it->taken == options->head;
}

/* The rows of a batch that go on. */
static enum poly_status
take(struct poly_selection *it, const struct poly_batch *batch, uint64_t bits[WORDS],
	struct poly_error *error)
{
	uint64_t found[WORDS];
	enum poly_status status = POLY_OK;
	memset(bits, 0, WORDS * sizeof *bits);
	for (size_t row = 0; row < batch->rows; row++)
		bit_set(bits, row);
	if (!it->started || it->stop_at)
		status = take_places(it, batch, bits, error);
	if (it->options.has_times)
		take_times(it, batch, bits);
	if (status == POLY_OK && it->where) {
		status = poly_filter_test(it->where, batch, found, error);
		for (size_t w = 0; w < (batch->rows + 63) / 64; w++)
			bits[w] &= found[w];
	}
	if (status == POLY_OK)
		take_samples(it, bits);
	return status;
}

/* The times of some records. */
static enum times
times_of(const struct poly_selection_options *options, const struct poly_bounds *bounds)
{
	for (size_t i = 0; i < bounds->count; i++) {
		const struct poly_range *range = &bounds->ranges[i];
		if (range->column != POLY_COLUMN_time)
			continue;
		if (range->least > range->greatest)
			return TIMES_NONE;
		if (range->greatest < options->from_time || range->least > options->to_time)
			return TIMES_OUT;
		return range->least >= options->from_time && range->greatest <= options->to_time
			       ? TIMES_IN
			       : TIMES_MIXED;
	}
	return TIMES_MIXED;
}

/*
 * True where passing over records leaves the time that those behind them may have from a record
 * before them on the same side. The first ones are perhaps not all read.
 */
static bool
keeps_times(struct poly_selection *it, enum times times)
{
	struct foresight *ahead = &it->foresight;
	const bool keeps = times == TIMES_NONE || times == ahead->carried;
	if (times != TIMES_NONE)
		ahead->carried = times == TIMES_IN && !ahead->begun ? TIMES_MIXED : times;
	return keeps && times != TIMES_MIXED;
}

/* True where every record that the reader gives comes to tail. */
static bool
takes_all(const struct poly_selection *it)
{
	const struct poly_selection_options *options = &it->options;
	return !it->where && !it->start_at && !it->stop_at && !options->has_times &&
	       options->every <= 1 && options->sample <= 1 && options->head == UINT64_MAX;
}

static bool
is_possible(const struct poly_filter *filter, const struct poly_bounds *bounds)
{
	return filter && poly_filter_possible(filter, bounds);
}

/*
 * A poly_may_match_fn: false where none of the records could be taken, nor begin or end what is
 * taken. Steps behind the filter only see records that came through it. It is asked in the
 * order of the trace, but other records may still stand before those that it is asked about.
 */
static bool
is_wanted(void *user, const struct poly_bounds *bounds)
{
	struct poly_selection *it = user;
	struct foresight *ahead = &it->foresight;
	const bool times = it->options.has_times;
	if (takes_all(it))
		return bounds->behind < it->options.tail;
	if (!ahead->begun || bounds->first <= ahead->reached)
		ahead->started = it->started;
	const bool starts = !it->started && is_possible(it->start_at, bounds);
	const bool inside = ahead->started || starts;
	const enum times when = times ? times_of(&it->options, bounds) : TIMES_NONE;
	const bool taken = inside && (!it->where || is_possible(it->where, bounds)) &&
			   (!times || ahead->carried != TIMES_OUT ||
				   (when != TIMES_NONE && when != TIMES_OUT));
	const bool keeps = !times || keeps_times(it, when);
	const bool wanted =
		starts || taken || !keeps || (inside && is_possible(it->stop_at, bounds));
	ahead->begun = true;
	ahead->started |= starts;
	if (!wanted && bounds->first <= ahead->reached)
		ahead->reached = bounds->first + bounds->rows;
	return wanted;
}

/* The next rows that come through all steps but tail. */
static enum poly_status
next_taken(struct poly_selection *it, struct poly_reader *reader,
	const struct poly_batch **batch, struct poly_error *error)
{
	uint64_t bits[WORDS];
	const struct poly_batch *all;
	it->ended |= it->options.head == 0 || it->options.tail == 0;
	if (!it->options.keep_sites && !(poly_selection_columns(it) & POLY_HAS(site)))
		poly_reader_prune(reader, is_wanted, it);
	while (!it->ended) {
		enum poly_status status = poly_reader_next(reader, &all, error);
		if (status != POLY_OK)
			return status;
		it->foresight.reached = all->first + all->rows;
		status = take(it, all, bits, error);
		if (status == POLY_OK)
			status = pick_make(&it->pick, all, bits, error);
		*batch = &it->pick.view;
		if (status != POLY_OK || it->pick.view.rows)
			return status;
	}
	return POLY_END;
}

/* Keeps the last rows until the reading ends. */
static void
drain(struct poly_selection *it, struct poly_reader *reader)
{
	const struct poly_batch *batch;
	do {
		it->status = next_taken(it, reader, &batch, &it->error);
		if (it->status == POLY_OK)
			it->status = kept_add(&it->kept, batch, &it->error);
	} while (it->status == POLY_OK);
	it->drained = true;
}

enum poly_status
poly_selection_next(struct poly_selection *selection, struct poly_reader *reader,
	const struct poly_batch **batch, struct poly_error *error)
{
	enum poly_status status;
	if (selection->options.tail == UINT64_MAX) {
		status = next_taken(selection, reader, batch, error);
	} else {
		if (!selection->drained)
			drain(selection, reader);
		status = kept_next(&selection->kept, &selection->last, batch, error);
		if (status == POLY_END) {
			status = selection->status;
			if (error && status < 0)
				*error = selection->error;
		}
	}
	selection->given += status == POLY_OK ? (*batch)->rows : 0;
	return status;
}

uint64_t
poly_selection_count(const struct poly_selection *selection)
{
	return selection->given;
}

void
poly_selection_free(struct poly_selection *selection)
{
	if (!selection)
		return;
	poly_filter_free(selection->where);
	poly_filter_free(selection->start_at);
	poly_filter_free(selection->stop_at);
	pick_fini(&selection->pick);
	pick_fini(&selection->last);
	kept_free(&selection->kept);
	mem_free(selection);
}
