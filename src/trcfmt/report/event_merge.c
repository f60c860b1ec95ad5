/* SPDX-License-Identifier: MIT */
/* spec: AIX trace reference 4.8 (Time), 7.1 (-C, -m). */
#include "trcfmt/report/event_merge.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

poly_columns
event_merge_columns(void)
{
	return POLY_COLUMNS(
		record, hook, subhook, hook_type, payload, counters, time, thread, cpu, origin);
}

/* True if input a's event comes before input b's. */
static bool
is_before(const struct event_merge *merge, uint32_t a, uint32_t b)
{
	uint64_t left = merge->inputs[a].ns, right = merge->inputs[b].ns;
	return left != right ? left < right : a < b;
}

static void
sift_down(struct event_merge *merge, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= merge->live)
			return;
		if (child + 1 < merge->live &&
			is_before(merge, merge->heap[child + 1], merge->heap[child]))
			child++;
		if (!is_before(merge, merge->heap[child], merge->heap[at]))
			return;
		uint32_t swapped = merge->heap[at];
		merge->heap[at] = merge->heap[child];
		merge->heap[child] = swapped;
		at = child;
	}
}

static enum poly_status
next_batch(struct event_merge *merge, struct event_input *input, struct poly_error *error)
{
	enum poly_status status = input->source.next(input->source.user, &input->batch, error);
	input->row = 0;
	if (input->filter && status == POLY_OK)
		status = poly_filter_test(input->filter, input->batch, input->chosen, error);
	input->ended = status != POLY_OK;
	if (status < 0)
		merge->failed = (size_t)(input - merge->inputs);
	return status;
}

/* Finds the next event from the input's row on; POLY_END: none. */
static enum poly_status
find_event(struct event_merge *merge, struct event_input *input, struct poly_error *error)
{
	while (!input->ended) {
		for (; input->row < input->batch->rows; input->row++) {
			if (!aix_event_of_row(input->batch, input->row, &input->event))
				continue;
			if (input->event.has_time)
				input->ns = aix_rate_ns(&merge->rate,
					aix_clock_ticks(&input->clock, &input->event));
			return POLY_OK;
		}
		enum poly_status status = next_batch(merge, input, error);
		if (status != POLY_OK)
			return status;
	}
	return POLY_END;
}

/* Finds the clock rate that the first batch of an input states, if any. */
static void
find_rate(struct event_merge *merge, const struct poly_batch *batch)
{
	struct aix_event event;
	for (size_t row = 0; row < batch->rows && !merge->rate.divisor; row++) {
		if (aix_event_of_row(batch, row, &event))
			aix_rate_event(&merge->rate, &event);
	}
}

void
event_merge_where(struct event_merge *merge, const char *where)
{
	merge->where = where;
}

/* Creates an input's filter, if any, and reads its first batch. */
static enum poly_status
begin_input(struct event_merge *merge, struct event_input *input, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (merge->where)
		status = poly_filter_new(merge->where, &input->filter, error);
	if (status == POLY_OK && input->filter)
		status = poly_filter_bind(input->filter, input->source.info, error);
	if (status != POLY_OK)
		return status;
	return next_batch(merge, input, error);
}

enum poly_status
event_merge_init(struct event_merge *merge, const struct poly_source *sources, size_t count,
	struct poly_error *error)
{
	const char *where = merge->where;
	memset(merge, 0, sizeof *merge);
	merge->where = where;
	merge->failed = SIZE_MAX;
	merge->inputs = mem_new(count, sizeof *merge->inputs);
	merge->heap = mem_new(count, sizeof *merge->heap);
	if (!merge->inputs || !merge->heap)
		return err_memory(error);
	merge->count = count;
	for (size_t i = 0; i < count; i++) {
		merge->inputs[i].source = sources[i];
		enum poly_status status = begin_input(merge, &merge->inputs[i], error);
		if (status < 0)
			return status;
		if (status == POLY_OK)
			find_rate(merge, merge->inputs[i].batch);
	}
	for (size_t i = 0; i < count; i++) {
		enum poly_status status = find_event(merge, &merge->inputs[i], error);
		if (status < 0)
			return status;
		if (status == POLY_OK)
			merge->heap[merge->live++] = (uint32_t)i;
	}
	for (size_t i = merge->live; i-- > 0;)
		sift_down(merge, i);
	return POLY_OK;
}

enum poly_status
event_merge_next(
	struct event_merge *merge, struct event_input **input, struct poly_error *error)
{
	if (merge->delivered) {
		struct event_input *last = &merge->inputs[merge->heap[0]];
		last->row++;
		enum poly_status status = find_event(merge, last, error);
		if (status < 0)
			return status;
		if (status == POLY_END)
			merge->heap[0] = merge->heap[--merge->live];
		sift_down(merge, 0);
		merge->delivered = false;
	}
	if (!merge->live)
		return POLY_END;
	merge->delivered = true;
	*input = &merge->inputs[merge->heap[0]];
	return POLY_OK;
}

void
event_merge_fini(struct event_merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		poly_filter_free(merge->inputs[i].filter);
	mem_free(merge->inputs);
	mem_free(merge->heap);
	memset(merge, 0, sizeof *merge);
}
