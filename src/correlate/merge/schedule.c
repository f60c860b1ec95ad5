/* SPDX-License-Identifier: MIT */
/*
 * Computes the order with one cursor per thread. Instructions up to the next event are
 * unconstrained; an event follows when its predecessors are in the order. Threads take turns
 * round robin.
 *
 * spec: Apple amber traces 7.1, pass 2.
 */
#include "correlate/merge/sync.h"

#include "base/err.h"

#include <string.h>

/* Maximum number of waits of equal count that are searched; executions have one per thread. */
#define EQUALS_MAX 256

/* Returns the next event of a thread, or NULL. */
static const struct sync_event *
next_event(const struct sync_thread *thread)
{
	return thread->next < thread->count ? &thread->events[thread->next] : NULL;
}

static struct block_state
blocked_on(enum block_reason reason, uint32_t object, const struct event_mark *mark)
{
	return (struct block_state){reason, mark->at, object, mark->ordinal};
}

/* Returns the first signal of an object that is not in the order, if its ordinal is below
 * limit. */
static const struct event_mark *
signal_below(const struct sync_object *object, uint64_t limit)
{
	const struct event_mark *first = &object->signals[object->next_signal];
	const bool any = object->next_signal < object->signal_count;
	return any && first->ordinal < limit ? first : NULL;
}

/* SEQ: after the previous signals. SNAP: after the waits that do not count it. */
static struct block_state
block_of_signal(const struct sync_state *sync, const struct sync_event *event)
{
	const struct sync_object *object = &sync->objects[event->object];
	const struct event_mark *first = signal_below(object, event->ordinal);
	if (first)
		return blocked_on(BLOCK_SEQUENCE, event->object, first);
	first = &object->waits[object->next_wait];
	if (!(event->flags & EVENT_SNAP_DROPPED) && object->next_wait < object->wait_count &&
		sync->options.wait == POLY_MERGE_WAIT_COMPLETION &&
		first->ordinal < event->ordinal)
		return blocked_on(BLOCK_SNAPSHOT, event->object, first);
	return (struct block_state){0};
}

/* Returns the index of the first wait whose ordinal is at least this. */
static size_t
first_wait(const struct sync_object *object, uint64_t ordinal)
{
	size_t low = 0, high = object->wait_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (object->waits[middle].ordinal < ordinal)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Finds a wait of another thread for a mutex with the same count as the section that an acquire
 * begins: that thread released the mutex within a wait for a condition variable.
 */
static const struct event_mark *
wait_before(const struct sync_state *sync, size_t thread, const struct sync_event *event)
{
	const struct sync_object *mutex = &sync->objects[event->mutex];
	const uint64_t ordinal = event->section - 1;
	size_t i = first_wait(mutex, ordinal);
	if (i == mutex->wait_count || mutex->waits[i].ordinal != ordinal || !mutex->left[i])
		return NULL;
	if (i < mutex->next_wait)
		i = mutex->next_wait;
	for (size_t n = 0;
		n < EQUALS_MAX && i < mutex->wait_count && mutex->waits[i].ordinal == ordinal;
		n++, i++) {
		const struct event_ref at = mutex->waits[i].at;
		if (at.thread != thread && !sync_done(sync, at))
			return &mutex->waits[i];
	}
	return NULL;
}

/*
 * Finds a wait for a condition variable that another thread reacquires the mutex by, and that
 * does not count a signal within the section that an acquire begins: it must precede the
 * section, since the mutex is held from the acquire to that signal.
 */
static const struct event_mark *
reacquire_before(const struct sync_state *sync, size_t thread, const struct sync_event *event)
{
	if (!event->signal)
		return NULL;
	const struct sync_object *condition = &sync->objects[event->signaled];
	size_t i = condition->next_wait;
	for (size_t n = 0; n < EQUALS_MAX && i < condition->wait_count &&
			   condition->waits[i].ordinal < event->signal;
		n++, i++) {
		const struct event_ref at = condition->waits[i].at;
		if (at.thread != thread && !sync_done(sync, at) &&
			sync_event_at(sync, at)->mutex == event->mutex)
			return &condition->waits[i];
	}
	return NULL;
}

/* True if a thread is at a wait for a condition variable that releases a mutex. */
static bool
gives_up(const struct sync_state *sync, uint32_t thread, uint32_t mutex)
{
	const struct sync_thread *other_clock = &sync->threads[thread];
	const struct sync_event *event = next_event(other_clock);
	return event && event->mutex == mutex && event->object != mutex &&
	       other_clock->position == event->record;
}

/* MX: after the sections that end before it. Ownership: no other thread holds the mutex. */
static struct block_state
block_of_acquire(const struct sync_state *sync, size_t thread, const struct sync_event *event)
{
	const struct sync_object *mutex = &sync->objects[event->mutex];
	const bool counts = sync->options.wait == POLY_MERGE_WAIT_COMPLETION;
	const struct event_mark *first = NULL;
	uint32_t object = event->mutex;
	if (event->section && !(event->flags & EVENT_MUTEX_DROPPED)) {
		first = signal_below(mutex, event->section);
		if (!first && counts)
			first = wait_before(sync, thread, event);
	}
	if (!first && counts && !(event->flags & EVENT_MUTEX_DROPPED)) {
		first = reacquire_before(sync, thread, event);
		object = event->signaled;
	}
	if (first)
		return blocked_on(BLOCK_SECTION, object, first);
	if (mutex->owner != SYNC_NONE && mutex->owner != thread &&
		!(event->flags & EVENT_OWNER_RELAXED) &&
		!gives_up(sync, mutex->owner, event->mutex)) {
		const struct event_ref on = {mutex->owner, sync->threads[mutex->owner].next};
		return (struct block_state){BLOCK_OWNER, on, event->mutex, 0};
	}
	return (struct block_state){0};
}

struct block_state
sync_block(const struct sync_state *sync, size_t thread)
{
	const struct sync_event *event = next_event(&sync->threads[thread]);
	if (!event || event->flags & EVENT_FORCED)
		return (struct block_state){0};
	if (event_signals(event))
		return block_of_signal(sync, event);
	/* HB: after every signal that it counts. */
	const struct sync_object *object = &sync->objects[event->object];
	const struct event_mark *first =
		event->ordinal == UINT64_MAX ? NULL : signal_below(object, event->ordinal + 1);
	if (first)
		return blocked_on(BLOCK_SIGNAL, event->object, first);
	if (event->mutex != SYNC_NONE)
		return block_of_acquire(sync, thread, event);
	return (struct block_state){0};
}

/* Appends the next event of a thread to the order. */
static void
pass_sync_event(struct sync_state *sync, size_t number)
{
	struct sync_thread *thread = &sync->threads[number];
	const struct sync_event *event = &thread->events[thread->next++];
	struct sync_object *object = &sync->objects[event->object];
	if (event_signals(event)) {
		while (object->next_signal < object->signal_count &&
			sync_done(sync, object->signals[object->next_signal].at))
			object->next_signal++;
		object->owner = SYNC_NONE;
		return;
	}
	object->left[first_wait(object, event->ordinal)]--;
	while (object->next_wait < object->wait_count &&
		sync_done(sync, object->waits[object->next_wait].at))
		object->next_wait++;
	if (event->mutex != SYNC_NONE)
		sync->objects[event->mutex].owner = (uint32_t)number;
}

/* Appends the event at which a thread stands, if it is not blocked; done: length of the order.
 */
static bool
pass_event(struct sync_state *sync, size_t number, uint64_t done)
{
	struct sync_thread *thread = &sync->threads[number];
	struct sync_event *event = &thread->events[thread->next];
	const struct block_state block = sync_block(sync, number);
	if (block.reason != BLOCK_NONE) {
		if (thread->block.reason == BLOCK_NONE)
			thread->since = done;
		thread->block = block;
		return false;
	}
	if (thread->block.reason != BLOCK_NONE) {
		event->flags |= EVENT_WAITED;
		event->waited = done - thread->since;
	}
	thread->block.reason = BLOCK_NONE;
	pass_sync_event(sync, number);
	return true;
}

/* Advances a thread by at most limit records; returns the number. */
static uint64_t
advance(struct sync_state *sync, size_t number, uint64_t limit)
{
	struct sync_thread *thread = &sync->threads[number];
	const uint64_t start = thread->position;
	uint64_t end = thread->records - start > limit ? start + limit : thread->records;
	while (thread->position < end) {
		const struct sync_event *event = next_event(thread);
		const uint64_t free_to = event && event->record < end ? event->record : end;
		if (thread->position < free_to)
			thread->position = free_to;
		else if (pass_event(sync, number, sync->total + thread->position - start))
			thread->position++;
		else
			break;
	}
	return thread->position - start;
}

/* Returns why a thread could continue after a block, if it was blocked. */
static const char *
explain(struct sync_state *sync, const struct sync_thread *thread,
	const struct sync_event *event, const struct block_state *block, bool begins)
{
	const unsigned relaxed =
		EVENT_SNAP_DROPPED | EVENT_MUTEX_DROPPED | EVENT_OWNER_RELAXED | EVENT_FORCED;
	if (begins && block->reason == BLOCK_NONE && thread->creator == SYNC_NONE)
		return "begin";
	if (begins && block->reason == BLOCK_NONE) {
		buf_clear(&sync->why);
		buf_printf(&sync->why, "creation by thread %llu, record %llu",
			(unsigned long long)sync->threads[thread->creator].number,
			(unsigned long long)thread->created_at);
		return buf_text(&sync->why);
	}
	if (block->reason == BLOCK_NONE)
		return "turn";
	buf_clear(&sync->why);
	buf_string(&sync->why, event->flags & relaxed ? "relaxed: before " : "after ");
	sync_describe_block(sync, block, &sync->why);
	return buf_text(&sync->why);
}

/* Runs a thread for its turn; false if it is blocked. */
static bool
run_thread(struct sync_state *sync, size_t number, uint64_t limit, struct poly_merge_run *run)
{
	struct sync_thread *thread = &sync->threads[number];
	const struct block_state block = thread->block;
	const uint64_t first = thread->position;
	const struct sync_event *event = next_event(thread);
	const uint64_t records =
		first || sync_is_created(sync, number) ? advance(sync, number, limit) : 0;
	if (!records)
		return false;
	*run = (struct poly_merge_run){
		number, first + 1, records, explain(sync, thread, event, &block, !first)};
	sync->used = number == sync->turn ? sync->used + records : records;
	sync->turn = number;
	sync->total += records;
	return true;
}

static bool
all_done(const struct sync_state *sync)
{
	for (size_t t = 0; t < sync->count; t++) {
		if (sync->threads[t].position < sync->threads[t].records)
			return false;
	}
	return true;
}

/* Finds a run of the first thread, in round-robin order, that is not blocked. */
static bool
find_run(struct sync_state *sync, struct poly_merge_run *run)
{
	const uint64_t quantum = sync->options.quantum;
	const bool over = quantum && sync->used >= quantum;
	if (over)
		sync->used = 0;
	for (size_t k = over; k < sync->count + over; k++) {
		const size_t number = (sync->turn + k) % sync->count;
		uint64_t limit = quantum ? quantum : UINT64_MAX;
		if (quantum && k == 0)
			limit -= sync->used;
		if (run_thread(sync, number, limit, run))
			return true;
	}
	return false;
}

enum poly_status
sync_next_run(struct sync_state *sync, struct poly_merge_run *run, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	while (status == POLY_OK) {
		if (sync->count && find_run(sync, run))
			return POLY_OK;
		status = all_done(sync) ? POLY_END : sync_relax(sync, error);
		if (sync->no_memory)
			status = err_memory(error);
	}
	return status;
}

/* Stores the number of waits of equal ordinal at the first of them. */
static void
count_left(struct sync_object *object)
{
	size_t first = 0;
	for (size_t i = 0; i < object->wait_count; i++) {
		if (object->waits[i].ordinal != object->waits[first].ordinal)
			first = i;
		object->left[i] = 0;
		object->left[first]++;
	}
}

void
sync_rewind(struct sync_state *sync)
{
	for (size_t t = 0; t < sync->count; t++) {
		struct sync_thread *thread = &sync->threads[t];
		thread->next = 0;
		thread->position = thread->since = 0;
		thread->creation_dropped = false;
		thread->block.reason = BLOCK_NONE;
		for (size_t i = 0; i < thread->count; i++) {
			thread->events[i].flags = 0;
			thread->events[i].waited = 0;
		}
	}
	for (size_t i = 0; i < sync->object_count; i++) {
		struct sync_object *object = &sync->objects[i];
		object->next_signal = object->next_wait = 0;
		object->owner = SYNC_NONE;
		count_left(object);
	}
	sync->total = sync->used = 0;
	sync->turn = 0;
	sync->relaxed = sync->snapshots = sync->sections = sync->forced = 0;
	sync_discard_notes(sync);
}
