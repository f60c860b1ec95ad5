/* SPDX-License-Identifier: MIT */
/* Computes vector clocks, critical sections and lock order. */
#include "correlate/merge/analysis.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

static bool
init_clocks(struct merge_analysis *analysis)
{
	const size_t threads = analysis->sync->count;
	for (size_t t = 0; t < threads; t++) {
		uint64_t *clock = mem_new(threads, sizeof *clock);
		if (!clock)
			return false;
		analysis->progresses[t].clock = clock;
		analysis->progresses[t].known = mem_new(threads, sizeof *clock);
		if (!analysis->progresses[t].known)
			return false;
		clock[t] = 1;
	}
	for (size_t i = 0; i < analysis->sync->object_count; i++)
		analysis->usages[i].owner = SYNC_NONE;
	return true;
}

struct merge_analysis *
analysis_new(const struct sync_state *sync)
{
	struct merge_analysis *analysis = mem_new(1, sizeof *analysis);
	if (!analysis)
		return NULL;
	analysis->sync = sync;
	analysis->usages = mem_new(sync->object_count + 1, sizeof *analysis->usages);
	analysis->progresses = mem_new(sync->count + 1, sizeof *analysis->progresses);
	analysis->shadow_words = mem_new(SHADOW_WORDS, sizeof *analysis->shadow_words);
	analysis->races = mem_new(RACES_MAX, sizeof *analysis->races);
	if (analysis->usages && analysis->progresses && analysis->shadow_words &&
		analysis->races && init_clocks(analysis))
		return analysis;
	analysis_free(analysis);
	return NULL;
}

static void
join(uint64_t *into, const uint64_t *src, size_t count)
{
	for (size_t i = 0; src && i < count; i++)
		into[i] = src[i] > into[i] ? src[i] : into[i];
}

/* Stores the record from which on a thread's clock includes others. */
static void
note_known(struct merge_analysis *analysis, size_t thread, uint64_t record)
{
	struct thread_progress *progress = &analysis->progresses[thread];
	for (size_t i = 0; i < analysis->sync->count; i++) {
		if (progress->clock[i] && !progress->known[i])
			progress->known[i] = record;
	}
}

/* Publishes a thread's clock: its past happens before the next acquire of the object. */
static bool
publish(struct merge_analysis *analysis, size_t thread, uint32_t object, bool also_before)
{
	const size_t threads = analysis->sync->count;
	struct object_usage *usage = &analysis->usages[object];
	uint64_t *clock = analysis->progresses[thread].clock;
	if (!usage->clock)
		usage->clock = mem_new(threads, sizeof *usage->clock);
	if (!usage->clock)
		return false;
	if (also_before)
		join(usage->clock, clock, threads);
	else
		memcpy(usage->clock, clock, threads * sizeof *clock);
	clock[thread]++;
	return true;
}

/* Records that a mutex was acquired while another one was held. */
static bool
add_order(struct merge_analysis *analysis, size_t thread, const struct sync_event *event,
	uint32_t first)
{
	const uint64_t number = analysis->sync->threads[thread].number;
	const uint64_t key = (uint64_t)first << 32 | event->mutex;
	const uint64_t *found = map_find(&analysis->order_numbers, key);
	bool added;
	if (found) {
		struct lock_order *order = &analysis->orders[*found];
		order->count++;
		order->several |= order->thread != number;
		return true;
	}
	if (analysis->order_count == ORDERS_MAX) {
		analysis->orders_dropped++;
		return true;
	}
	if (!VEC_ROOM(analysis->orders, analysis->order_capacity, analysis->order_count))
		return false;
	if (!map_get(&analysis->order_numbers, key, analysis->order_count, &added))
		return false;
	analysis->orders[analysis->order_count++] =
		(struct lock_order){first, event->mutex, 1, number, event->record + 1, false};
	return true;
}

/* Returns the index of a mutex among those that a thread holds; held_count: not held. */
static size_t
find_held(const struct thread_progress *progress, uint32_t mutex)
{
	size_t i = 0;
	while (i < progress->held_count && progress->held[i].mutex != mutex)
		i++;
	return i;
}

/* Ends the section of a mutex at an event. */
static void
end_section(struct merge_analysis *analysis, size_t thread, const struct sync_event *event,
	uint32_t mutex)
{
	struct thread_progress *progress = &analysis->progresses[thread];
	struct object_usage *usage = &analysis->usages[mutex];
	const size_t i = find_held(progress, mutex);
	if (i == progress->held_count)
		return;
	const struct held_lock *held = &progress->held[i];
	const uint64_t length = event->instruction - held->instruction;
	if (!usage->sections++ || length > usage->longest) {
		usage->longest = length;
		usage->longest_thread = analysis->sync->threads[thread].number;
		usage->longest_record = held->record + 1;
	}
	usage->held += length;
	progress->held_count--;
	memmove(&progress->held[i], &progress->held[i + 1],
		(progress->held_count - i) * sizeof *held);
}

static void
begin_section(struct merge_analysis *analysis, size_t thread, const struct sync_event *event)
{
	struct thread_progress *progress = &analysis->progresses[thread];
	if (find_held(progress, event->mutex) < progress->held_count)
		return;
	if (progress->held_count == HELD_MAX) {
		analysis->held_untracked++;
		return;
	}
	progress->held[progress->held_count++] =
		(struct held_lock){event->mutex, event->record, event->instruction};
}

/* Acquires a mutex; a thread that waits for a condition variable has released it. */
static bool
acquire(struct merge_analysis *analysis, size_t thread, const struct sync_event *event)
{
	struct thread_progress *progress = &analysis->progresses[thread];
	struct object_usage *usage = &analysis->usages[event->mutex];
	bool valid = true;
	if (usage->owner != SYNC_NONE && usage->owner != thread)
		valid = publish(analysis, usage->owner, event->mutex, true);
	usage->owner = (uint32_t)thread;
	join(progress->clock, usage->clock, analysis->sync->count);
	/* The wait for a condition variable ended one section and begins the next. */
	if (event->mutex != event->object)
		end_section(analysis, thread, event, event->mutex);
	for (size_t i = 0; valid && event->kind == POLY_SYNC_WAIT && i < progress->held_count;
		i++) {
		if (progress->held[i].mutex != event->mutex)
			valid = add_order(analysis, thread, event, progress->held[i].mutex);
	}
	begin_section(analysis, thread, event);
	return valid;
}

static void
count_event(struct object_usage *usage, const struct sync_event *event)
{
	usage->signals += event->kind == POLY_SYNC_SIGNAL;
	usage->broadcasts += event->kind == POLY_SYNC_BROADCAST;
	usage->waits += event->kind == POLY_SYNC_WAIT;
	usage->tries += event->kind == POLY_SYNC_TRYWAIT;
	if (event->flags & EVENT_WAITED) {
		usage->waited++;
		usage->waited_records += event->waited;
	}
}

bool
analysis_event(struct merge_analysis *analysis, size_t thread)
{
	struct thread_progress *progress = &analysis->progresses[thread];
	const struct sync_event *event =
		&analysis->sync->threads[thread].events[progress->events++];
	const bool is_mutex = analysis->sync->objects[event->object].is_mutex;
	struct object_usage *usage = &analysis->usages[event->object];
	count_event(usage, event);
	if (event_signals(event)) {
		end_section(analysis, thread, event, event->object);
		usage->owner = SYNC_NONE;
		return publish(analysis, thread, event->object, is_mutex);
	}
	join(progress->clock, usage->clock, analysis->sync->count);
	const bool valid = event->mutex == SYNC_NONE || acquire(analysis, thread, event);
	note_known(analysis, thread, event->record + 1);
	return valid;
}

/* lwarx, ldarx, stwcx., stdcx. are synchronisation, not races. */
static bool
is_atomic(const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_opcode, row) || batch->opcode[row] >> 26 != 31)
		return false;
	const unsigned minor = batch->opcode[row] >> 1 & 0x3ff;
	return minor == 20 || minor == 84 || minor == 150 || minor == 214;
}

static bool
check_access(struct merge_analysis *analysis, size_t thread, const struct poly_batch *batch,
	size_t row)
{
	const uint8_t what = batch->access[row];
	if ((what != POLY_ACCESS_READ && what != POLY_ACCESS_WRITE) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return true;
	struct memory_access access = {.address = batch->address[row],
		.record = poly_batch_number(batch, row),
		.size = 1,
		.thread = (uint32_t)thread,
		.writes = what == POLY_ACCESS_WRITE,
		.atomic = analysis->powerpc && is_atomic(batch, row)};
	if (poly_present(batch, POLY_COLUMN_size, row))
		access.size = batch->size[row];
	if (poly_present(batch, POLY_COLUMN_pc, row))
		access.pc = batch->pc[row];
	return analysis_access(analysis, &access);
}

static bool
pass_sync_event(struct merge_analysis *analysis, size_t thread, const struct poly_batch *batch,
	size_t row)
{
	const bool is_event =
		poly_present(batch, POLY_COLUMN_address, row) &&
		poly_present(batch, POLY_COLUMN_value, row) &&
		batch->sync[row] < POLY_SYNC_COUNT &&
		analysis->progresses[thread].events < analysis->sync->threads[thread].count;
	return !is_event || analysis_event(analysis, thread);
}

/* Returns the rows of a range with a value in a column, of the 64 rows of word w. */
static uint64_t
present_in(const struct poly_batch *batch, enum poly_column column, const size_t range[2],
	size_t w)
{
	uint64_t bits = batch->present[column] ? batch->present[column][w] : 0;
	if (range[0] > 64 * w)
		bits &= UINT64_MAX << range[0] % 64;
	if (range[1] < 64 * (w + 1))
		bits &= ((uint64_t)1 << range[1] % 64) - 1;
	return bits;
}

/* Lets the past of a thread happen before the threads that it created. */
static void
create_threads(struct merge_analysis *analysis, size_t thread, uint64_t record)
{
	struct thread_progress *creator = &analysis->progresses[thread];
	for (size_t t = 0; t < analysis->sync->count; t++) {
		const struct sync_thread *created = &analysis->sync->threads[t];
		if (created->creator != thread || created->created_at != record ||
			created->creation_dropped)
			continue;
		join(analysis->progresses[t].clock, creator->clock, analysis->sync->count);
		note_known(analysis, t, 1);
		creator->clock[thread]++;
	}
}

/* Returns the first row of a range after which the thread has created another one; range[1]:
 * none. */
static size_t
find_creation(const struct merge_analysis *analysis, size_t thread,
	const struct poly_batch *batch, const size_t range[2])
{
	const uint64_t first = poly_batch_number(batch, 0);
	size_t found = range[1];
	for (size_t t = 0; t < analysis->sync->count; t++) {
		const struct sync_thread *created = &analysis->sync->threads[t];
		if (created->creator == thread && created->created_at >= first + range[0] &&
			created->created_at < first + found)
			found = (size_t)(created->created_at - first);
	}
	return found;
}

/* Analyses rows between creations. */
static bool
analyse_range(struct merge_analysis *analysis, size_t thread, const struct poly_batch *batch,
	const size_t range[2])
{
	bool valid = true;
	for (size_t w = range[0] / 64; w < (range[1] + 63) / 64; w++) {
		const uint64_t events = present_in(batch, POLY_COLUMN_sync, range, w);
		uint64_t left = events | present_in(batch, POLY_COLUMN_access, range, w);
		for (; left && valid; left &= left - 1) {
			const unsigned bit = (unsigned)__builtin_ctzll(left);
			valid = events >> bit & 1
					? pass_sync_event(analysis, thread, batch, 64 * w + bit)
					: check_access(analysis, thread, batch, 64 * w + bit);
		}
	}
	return valid;
}

enum poly_status
analysis_rows(struct merge_analysis *analysis, size_t thread, const struct poly_batch *batch,
	const size_t range[2], struct poly_error *error)
{
	const char *isa = batch->info->isa;
	size_t part[2] = {range[0], range[0]};
	analysis->powerpc = isa && strcmp(isa, "powerpc") == 0;
	while (part[0] < range[1]) {
		const size_t creation =
			find_creation(analysis, thread, batch, (size_t[]){part[0], range[1]});
		part[1] = creation < range[1] ? creation + 1 : range[1];
		if (!analyse_range(analysis, thread, batch, part))
			return err_memory(error);
		if (creation < range[1])
			create_threads(analysis, thread, poly_batch_number(batch, creation));
		part[0] = part[1];
	}
	return POLY_OK;
}

void
analysis_free(struct merge_analysis *analysis)
{
	if (!analysis)
		return;
	for (size_t i = 0; analysis->usages && i < analysis->sync->object_count; i++)
		mem_free(analysis->usages[i].clock);
	for (size_t i = 0; analysis->progresses && i < analysis->sync->count; i++) {
		mem_free(analysis->progresses[i].clock);
		mem_free(analysis->progresses[i].known);
	}
	mem_free(analysis->usages);
	mem_free(analysis->progresses);
	map_free(&analysis->order_numbers);
	mem_free(analysis->orders);
	mem_free(analysis->shadow_words);
	map_free(&analysis->race_numbers);
	mem_free(analysis->races);
	mem_free(analysis);
}
