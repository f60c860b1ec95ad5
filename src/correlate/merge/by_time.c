/* SPDX-License-Identifier: MIT */
/* Merges by time: of the next rows of all inputs the one with the least time, of equals the
 * first.
 */
#include "correlate/merge/merge.h"

#include "base/err.h"
#include "base/mem.h"

/* Updates the time of an input's next row; a row without a time has that of the row before. */
static void
update_time(struct poly_merge *merge, size_t number)
{
	const struct merge_input *input = &merge->inputs[number];
	if (!poly_present(input->batch, POLY_COLUMN_time, input->at))
		return;
	const uint64_t time = input->batch->time[input->at];
	if (time < merge->times[number] && !merge->back[number]) {
		merge->back[number] = true;
		sync_note(&merge->sync,
			"times decrease: thread %llu, record %llu has time %llu after %llu",
			(unsigned long long)input->thread,
			(unsigned long long)poly_batch_number(input->batch, input->at),
			(unsigned long long)time, (unsigned long long)merge->times[number]);
	}
	merge->times[number] = time;
}

static enum poly_status
prepare(struct poly_merge *merge, struct poly_error *error)
{
	const size_t count = merge->sync.count;
	if (merge->times)
		return POLY_OK;
	merge->times = mem_new(count, sizeof *merge->times);
	merge->back = mem_new(count, sizeof *merge->back);
	merge->over = mem_new(count, sizeof *merge->over);
	return merge->times && merge->back && merge->over ? POLY_OK : err_memory(error);
}

static bool
needs_reading(const struct poly_merge *merge, size_t number)
{
	const struct merge_input *input = &merge->inputs[number];
	return !merge->over[number] && (!input->batch || input->at == input->batch->rows);
}

/* Reads batches so that every input has a next row, unless it has ended. */
static enum poly_status
read_inputs(struct poly_merge *merge, struct poly_error *error)
{
	for (size_t i = 0; i < merge->sync.count; i++) {
		if (!needs_reading(merge, i))
			continue;
		const enum poly_status status = merger_read(&merge->merger, i, error);
		if (status < 0)
			return status;
		merge->over[i] = status == POLY_END;
		if (status == POLY_OK)
			update_time(merge, i);
	}
	return POLY_OK;
}

/* True if the next row of input a comes before that of input b. */
static bool
is_before(const struct poly_merge *merge, size_t a, size_t b)
{
	if (merge->times[a] != merge->times[b])
		return merge->times[a] < merge->times[b];
	return a < b;
}

/* Finds the inputs with the first and second next rows; sync.count: none. */
static void
find_first(const struct poly_merge *merge, size_t *first, size_t *second)
{
	const size_t count = merge->sync.count;
	*first = *second = count;
	for (size_t i = 0; i < count; i++) {
		if (merge->over[i])
			continue;
		if (*first == count || is_before(merge, i, *first)) {
			*second = *first;
			*first = i;
		} else if (*second == count || is_before(merge, i, *second)) {
			*second = i;
		}
	}
}

/* Takes the rows of an input that come before the next one of another. */
static void
take_rows(struct poly_merge *merge, size_t first, size_t second)
{
	struct merge_input *input = &merge->inputs[first];
	const size_t room = POLY_BATCH_ROWS - merge->merger.rows, start = input->at;
	size_t rows = 0;
	do {
		rows++;
		input->at++;
		if (input->at < input->batch->rows)
			update_time(merge, first);
	} while (rows < room && input->at < input->batch->rows &&
		 (second == merge->sync.count || is_before(merge, first, second)));
	input->at = start;
	merger_add(&merge->merger, first, rows);
}

enum poly_status
merge_next_by_time(struct poly_merge *merge, struct poly_error *error)
{
	enum poly_status status = prepare(merge, error);
	if (status == POLY_OK)
		status = read_inputs(merge, error);
	while (status == POLY_OK && merge->merger.rows < POLY_BATCH_ROWS) {
		size_t first, second;
		find_first(merge, &first, &second);
		if (first == merge->sync.count)
			return POLY_END;
		take_rows(merge, first, second);
		if (needs_reading(merge, first))
			return POLY_OK; /* the rows point into the batch that is read next */
	}
	return status;
}
