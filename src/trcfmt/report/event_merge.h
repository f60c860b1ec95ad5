/* SPDX-License-Identifier: MIT */
/*
 * Merges the events of one or more AIX traces by time: events of equal times in the order of
 * the inputs, events of one input always in its order.
 *
 * spec: AIX trace reference 4.8 (Time), 7.1 (-C, -m).
 */
#ifndef TRCFMT_MERGE_H
#define TRCFMT_MERGE_H

#include "polytrace/filter.h"
#include "polytrace/source.h"

#include "aix/clock.h"

/* An input and its next event. */
struct event_input {
	struct poly_source source;
	const struct poly_batch *batch;
	struct poly_filter *filter; /* NULL: selects every row */
	uint64_t chosen[POLY_BATCH_ROWS /
			64]; /* selected rows of the batch, if there is a filter */
	size_t row;
	bool ended;
	struct aix_clock clock;
	struct aix_event event;
	uint64_t ns; /* absolute; that of the event before if it has no time */
};

struct event_merge {
	struct event_input *inputs;
	size_t count;
	uint32_t *heap; /* min-heap of the inputs that have an event */
	size_t live;	/* elements of heap */
	size_t failed;	/* index of the input that failed; SIZE_MAX: none */
	bool delivered; /* heap[0]'s event was returned */
	struct aix_rate rate;
	const char *where; /* see event_merge_where */
};

/* Returns the columns that events need. */
poly_columns event_merge_columns(void);

/*
 * Starts with count (1 or more) sources. Reads the first batch of each,
 * so that a clock rate stated by one applies to all. POLY_ERR_MEMORY; or a source's failure.
 * The caller calls event_merge_fini in any case.
 */
enum poly_status event_merge_init(struct event_merge *merge, const struct poly_source *sources,
	size_t count, struct poly_error *error);

/*
 * Sets an expression that selects events, before event_merge_init, until which the text must
 * stay valid. All events are delivered.
 */
void event_merge_where(struct event_merge *merge, const char *where);

/* True if the filter selects the input's current event. */
static inline bool
event_merge_chosen(const struct event_input *input)
{
	return !input->filter || (input->chosen[input->row / 64] >> input->row % 64 & 1);
}

/*
 * Gets the input of the next event, valid until the next call; POLY_END after the last one. A
 * source's failure is returned after all events before it.
 */
enum poly_status event_merge_next(
	struct event_merge *merge, struct event_input **input, struct poly_error *error);

/* Frees what event_merge_init allocated. */
void event_merge_fini(struct event_merge *merge);

#endif
