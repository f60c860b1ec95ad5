/* SPDX-License-Identifier: MIT */
/*
 * Relaxes edges when all threads are blocked: first the ownership of mutexes, then the
 * creation of threads, then the edges SNAP and MX on the cycle of waiting threads. A cycle of
 * hard edges only is a contradiction in the traces, never a deadlock of the program.
 *
 * spec: Apple amber traces 7.1, pass 2.
 */
#include "correlate/merge/sync.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

void
sync_discard_notes(struct sync_state *sync)
{
	for (size_t i = (size_t)sync->resolved_notes; i < SYNC_NOTES_MAX; i++) {
		mem_free(sync->notes[i]);
		sync->notes[i] = NULL;
	}
	sync->note_count = sync->resolved_notes;
}

static bool
is_over(const struct sync_thread *thread)
{
	return thread->position == thread->records;
}

/* Notes that the next event of a thread precedes the event that blocked it. */
static void
note_relaxed(struct sync_state *sync, const struct sync_thread *thread, const char *what)
{
	struct buf text = {0};
	sync_describe_block(sync, &thread->block, &text);
	sync_note(sync, "%s: thread %llu, record %llu precedes %s", what,
		(unsigned long long)thread->number, (unsigned long long)thread->position + 1,
		buf_text(&text));
	buf_free(&text);
}

/* Removes one kind of edge from the next event of a thread. */
static enum poly_status
relax_event(struct sync_state *sync, struct sync_thread *thread, enum event_flag flag)
{
	thread->events[thread->next].flags |= (uint8_t)flag;
	switch (flag) {
	case EVENT_OWNER_RELAXED:
		sync->relaxed++;
		note_relaxed(sync, thread, "critical sections overlap");
		break;
	case EVENT_SNAP_DROPPED:
		sync->snapshots++;
		note_relaxed(sync, thread, "wait counts too few signals");
		break;
	case EVENT_MUTEX_DROPPED:
		sync->sections++;
		note_relaxed(sync, thread, "critical sections out of order");
		break;
	case EVENT_WAITED:
	case EVENT_FORCED:
		sync->forced++;
		note_relaxed(sync, thread, "forced");
		break;
	}
	return POLY_OK;
}

/*
 * Returns a thread on a cycle of waiting threads. Following the waits from any thread leads to
 * one, since every awaited thread is blocked, too.
 */
static size_t
find_cycle(const struct sync_state *sync)
{
	size_t thread = 0;
	while (is_over(&sync->threads[thread]))
		thread++;
	for (size_t steps = 0; steps < sync->count; steps++)
		thread = sync->threads[thread].block.on.thread;
	return thread;
}

/* Returns the lowest thread on the cycle that is blocked for a reason; SIZE_MAX: none. */
static size_t
on_cycle(const struct sync_state *sync, size_t start, enum block_reason reason)
{
	size_t found = SIZE_MAX, thread = start;
	do {
		const struct block_state *block = &sync->threads[thread].block;
		if (block->reason == reason && thread < found)
			found = thread;
		thread = block->on.thread;
	} while (thread != start);
	return found;
}

/* "thread 2 instruction 812 (wait 7 of 0x1000) needs signal 7 of 0x1000 in thread 3" ... */
static enum poly_status
contradiction(const struct sync_state *sync, size_t start, struct poly_error *error)
{
	struct buf text = {0};
	size_t number = start;
	buf_string(&text, "the records contradict each other: ");
	do {
		const struct sync_thread *thread = &sync->threads[number];
		const struct sync_event *event = &thread->events[thread->next];
		const struct sync_event *on = sync_event_at(sync, thread->block.on);
		if (number != start)
			buf_string(&text, ", which is after ");
		buf_printf(&text, "thread %llu instruction %llu, %s %llu of 0x%llx, waits for ",
			(unsigned long long)thread->number,
			(unsigned long long)event->instruction,
			poly_enum_name(POLY_FORM_SYNC, event->kind),
			(unsigned long long)event->ordinal,
			(unsigned long long)sync->objects[event->object].address);
		sync_describe_block(sync, &thread->block, &text);
		buf_printf(&text, " instruction %llu", (unsigned long long)on->instruction);
		number = thread->block.on.thread;
	} while (number != start && text.size < sizeof error->message);
	if (number == start)
		buf_printf(&text, ", which is after thread %llu instruction %llu",
			(unsigned long long)sync->threads[start].number,
			(unsigned long long)sync->threads[start]
				.events[sync->threads[start].next]
				.instruction);
	const enum poly_status status =
		err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET, "%s", buf_text(&text));
	buf_free(&text);
	return status;
}

/* Returns the number of signals that the next event of a thread lacks. */
static uint64_t
deficit(const struct sync_thread *thread)
{
	const struct sync_event *event = &thread->events[thread->next];
	return event->ordinal - thread->block.ordinal;
}

/* Returns the thread blocked by a hard edge whose next event lacks the fewest signals. */
static struct sync_thread *
least_deficit(const struct sync_state *sync)
{
	struct sync_thread *min_count = NULL;
	for (size_t t = 0; t < sync->count; t++) {
		struct sync_thread *thread = &sync->threads[t];
		const bool hard = thread->block.reason == BLOCK_SEQUENCE ||
				  thread->block.reason == BLOCK_SIGNAL;
		if (!is_over(thread) && hard &&
			(!min_count || deficit(thread) < deficit(min_count)))
			min_count = thread;
	}
	return min_count;
}

enum poly_status
sync_relax(struct sync_state *sync, struct poly_error *error)
{
	for (size_t t = 0; t < sync->count; t++) {
		struct sync_thread *thread = &sync->threads[t];
		if (!is_over(thread) && thread->block.reason == BLOCK_OWNER)
			return relax_event(sync, thread, EVENT_OWNER_RELAXED);
	}
	if (sync_drop_creation(sync))
		return POLY_OK;
	const size_t cycle = find_cycle(sync);
	size_t found = on_cycle(sync, cycle, BLOCK_SNAPSHOT);
	if (found != SIZE_MAX)
		return relax_event(sync, &sync->threads[found], EVENT_SNAP_DROPPED);
	found = on_cycle(sync, cycle, BLOCK_SECTION);
	if (found != SIZE_MAX)
		return relax_event(sync, &sync->threads[found], EVENT_MUTEX_DROPPED);
	struct sync_thread *thread = sync->options.force ? least_deficit(sync) : NULL;
	return thread ? relax_event(sync, thread, EVENT_FORCED)
		      : contradiction(sync, cycle, error);
}
