/* SPDX-License-Identifier: MIT */
/*
 * Split points of AIX traces, and what the reader does with the rows between them: it unwraps
 * times of 32 bits, and identifies processes by all events in order.
 *
 * The directory of a log states where blocks begin; within a block, and in traces without
 * blocks, the position of an entry is a guess.
 *
 * spec: trcfmt File Format, Trace Entries; AIX <sys/trchdr.h>.
 */
#include "format/aix/aix.h"

#include "aix/clock.h"

/* Bytes at the end of a chunk that are searched for entries. */
#define SEARCH_SIZE ((size_t)8 << 10)

/* An interval of offsets that hold entries. */
struct entry_range {
	uint64_t begin, end;
};

/* Returns the number of blocks that begin before an offset. */
static size_t
blocks_before(const struct aix_blocks *blocks, uint64_t offset)
{
	size_t low = 0, high = blocks->count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (blocks->list[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the last entries that begin before an offset: a block, or all. */
static struct entry_range
entries_before(const struct aix_reader *state, uint64_t offset)
{
	if (!aix_header_size(state->magic))
		return (struct entry_range){state->magic ? 4 : 0, UINT64_MAX};
	const size_t count = blocks_before(&state->blocks, offset);
	if (!count)
		return (struct entry_range){0, 0};
	const struct aix_block *block = &state->blocks.list[count - 1];
	return (struct entry_range){block->offset, block->offset + block->size};
}

/* Returns the offset from `at` on in n bytes at which the last chain of entries ends; 0: none.
 */
static size_t
find_chain_end(const struct aix_form *form, const uint8_t *p, size_t n, size_t at)
{
	const size_t unit = form->wide ? 8 : 4;
	struct aix_entry entry;
	size_t found = 0;
	while (at + unit <= n && aix_chain_bits(form, p + at, n - at, false) < AIX_CHAIN_ENOUGH)
		at += unit;
	while (at < n && aix_entry_parse(form, p + at, n - at, &entry) == AIX_COMPLETE) {
		at += entry.length;
		found = at;
	}
	return found;
}

size_t
aix_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	const struct aix_reader *state = reading->state;
	const size_t unit = state->form.wide ? 8 : 4;
	const struct entry_range range = entries_before(state, offset + n);
	const uint64_t end = offset + n < range.end ? offset + n : range.end;
	if (end <= offset)
		return 0;
	uint64_t from = end - offset > SEARCH_SIZE ? end - SEARCH_SIZE : offset;
	if (from < range.begin)
		from = range.begin;
	from += (unit - (from - range.begin) % unit) % unit;
	size_t found = 0;
	if (from < end)
		found = find_chain_end(
			&state->form, p, (size_t)(end - offset), (size_t)(from - offset));
	if (found && offset + found < range.end)
		return found;
	/* The block begins in the chunk. */
	return range.begin > offset && range.end != UINT64_MAX ? (size_t)(range.begin - offset)
							       : 0;
}

void
aix_enter_split(struct reading *reading, const uint8_t *before, size_t n)
{
	struct aix_reader *state = reading->state;
	const uint64_t offset = in_offset(reading->in);
	(void)before;
	(void)n;
	state->front = 0;
	state->in_corrupt = false;
	if (!aix_header_size(state->magic)) {
		state->is_inside = true;
		state->left = UINT64_MAX;
		return;
	}
	const size_t count = blocks_before(&state->blocks, offset);
	struct aix_block *block = count ? &state->blocks.list[count - 1] : NULL;
	state->is_inside = block && offset < block->offset + block->size;
	state->block = state->is_inside ? block : NULL;
	state->left = state->is_inside ? block->offset + block->size - offset : 0;
	state->next = state->passed = count;
}

bool
aix_is_at_split(const struct reading *reading, const uint8_t *before, size_t n)
{
	const struct aix_reader *state = reading->state;
	const uint64_t offset = in_offset(reading->in);
	(void)before;
	(void)n;
	if (state->front || state->in_corrupt || state->own)
		return false;
	if (!aix_header_size(state->magic))
		return state->is_inside;
	if (state->is_inside && state->left)
		return true;
	return state->next < state->blocks.count &&
	       state->blocks.list[state->next].offset == offset;
}

/* What a decoder stores as the process of a row: a thread, the offset of an entry, or nothing.
 */
#define DEFERRED_ENTRY 1u
#define DEFERRED_NOTHING UINT64_MAX

void
aix_defer_process(const struct reading *reading, struct batch *batch, size_t row,
	const struct aix_event *event)
{
	const struct aix_reader *state = reading->state;
	if (!batch->view.process)
		return;
	uint64_t deferred = DEFERRED_NOTHING;
	if (event) {
		const bool is_thread = event->has_thread && !(event->thread >> 63) &&
				       !event->has_cpu &&
				       !aix_attribution_uses(state->attribution, event);
		deferred = is_thread ? event->thread << 1
				     : in_offset(reading->in) << 1 | DEFERRED_ENTRY;
	}
	batch->view.process[row] = deferred;
}

/* Unwraps the times of rows, which a decoder has unwrapped after another one. */
static void
unwrap_times(struct aix_reader *state, struct batch *batch)
{
	uint64_t *times = batch->view.time;
	for (size_t row = 0; row < batch->view.rows; row++) {
		if (!poly_present(&batch->view, POLY_COLUMN_time, row))
			continue;
		state->time = aix_time_unwrap(state->time, (uint32_t)times[row]);
		times[row] = state->time;
	}
}

/* Identifies the processes of rows, whose bytes are at p and begin at an offset. */
static void
store_processes(
	struct aix_reader *state, struct batch *batch, const uint8_t *p, uint64_t offset)
{
	const uint64_t *deferred = batch->view.process;
	for (size_t row = 0; row < batch->view.rows; row++) {
		struct aix_context context;
		if (deferred[row] == DEFERRED_NOTHING)
			continue;
		if (deferred[row] & DEFERRED_ENTRY) {
			const uint8_t *at = p + ((deferred[row] >> 1) - offset);
			struct aix_entry entry;
			/* The decoder has parsed it. */
			(void)aix_entry_parse(&state->form, at, SIZE_MAX, &entry);
			const struct aix_event event = aix_event_of(state, &entry, at);
			context = aix_attribution_event(state->attribution, &event);
		} else {
			const struct aix_event event = {
				.has_thread = true, .thread = deferred[row] >> 1};
			context = aix_attribution_other(state->attribution, &event);
		}
		if (context.has_pid)
			batch_put(batch, process, row, context.pid);
	}
}

bool
aix_complete_rows(
	struct reading *reading, struct batch *batch, const uint8_t *p, uint64_t offset)
{
	struct aix_reader *state = reading->state;
	if (batch->view.time && !state->form.wide)
		unwrap_times(state, batch);
	if (!batch->view.process)
		return true;
	if (!state->attribution &&
		aix_attribution_new(NULL, 0, NULL, &state->attribution, NULL) != POLY_OK)
		return false;
	store_processes(state, batch, p, offset);
	return true;
}
