/* SPDX-License-Identifier: MIT */
/*
 * The events of one or more AIX traces in order of time: of equal times first those of the
 * input that was named first, and those of an input always in its own order.
 *
 * spec: reference aix 4.8 (Time), 7.1 (-C, -m).
 */
#ifndef TRCFMT_MERGE_H
#define TRCFMT_MERGE_H

#include "polytrace/filter.h"
#include "polytrace/reader.h"

#include "aix/clock.h"

/* An input, and the event that is next of it. */
struct merge_input {
	struct poly_reader *reader; /* the caller's */
	const struct poly_batch *batch;
	struct poly_filter *filter;	       /* NULL: every row is chosen */
	uint64_t chosen[POLY_BATCH_ROWS / 64]; /* rows of the batch, where there is a filter */
	size_t row;
	bool ended;
	struct aix_clock clock;
	struct aix_event event;
	uint64_t ns; /* absolute; that of the event before where it has no time */
};

struct merge {
	struct merge_input *inputs;
	size_t count;
	uint32_t *heap; /* numbers of inputs that have an event, least first */
	size_t live;	/* how many */
	size_t failed;	/* the input that failed; SIZE_MAX: none */
	bool delivered; /* heap[0]'s event was handed out */
	struct aix_rate rate;
	const char *where; /* see merge_where */
};

/* Columns that the events are made of. */
poly_columns merge_columns(void);

/*
 * Starts with count (1 or more) readers, which stay the caller's. Reads the first batch of
 * each, so that a rate that one of them states holds for all. POLY_ERR_MEMORY; or what a reader
 * failed with. Ended with merge_fini in any case.
 */
enum poly_status merge_init(struct merge *merge, struct poly_reader *const *readers,
	size_t count, struct poly_error *error);

/*
 * For before merge_init: the events will be chosen by a filter, of which each input has one of
 * its own; all are delivered. The text must stay until then.
 */
void merge_where(struct merge *merge, const char *where);

/* True where the event that an input has been delivered for is chosen. */
static inline bool
merge_chosen(const struct merge_input *input)
{
	return !input->filter || (input->chosen[input->row / 64] >> input->row % 64 & 1);
}

/*
 * The input whose event is next, which holds until the next call; POLY_END after the last one.
 * A failure of a reader is told when all events before it were delivered.
 */
enum poly_status merge_next(
	struct merge *merge, struct merge_input **input, struct poly_error *error);

/* Gives back what merge_init made. */
void merge_fini(struct merge *merge);

#endif
