/* SPDX-License-Identifier: MIT */
/* Checks the counts: duplicate, missing, not increasing, or above all signals. */
#include "correlate/merge/sync.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* Return the number of an event's record, and of its thread. */
static unsigned long long
record_at(const struct sync_state *sync, struct event_ref at)
{
	return sync_event_at(sync, at)->record + 1;
}

static unsigned long long
thread_at(const struct sync_state *sync, struct event_ref at)
{
	return sync->threads[at.thread].number;
}

/* Notes that the signals between last and next are missing. */
static void
note_gap(
	struct sync_state *sync, const struct sync_object *object, uint64_t last, uint64_t next)
{
	if (next - last == 2)
		sync_note(sync, "missing signal: %llu of 0x%llx is not in any trace",
			(unsigned long long)(last + 1), (unsigned long long)object->address);
	else
		sync_note(sync, "missing signals: %llu to %llu of 0x%llx are not in any trace",
			(unsigned long long)(last + 1), (unsigned long long)(next - 1),
			(unsigned long long)object->address);
}

static void
check_signals(struct sync_state *sync, const struct sync_object *object)
{
	uint64_t last = 0;
	for (size_t i = 0; i < object->signal_count; i++) {
		const struct event_mark *mark = &object->signals[i];
		if (mark->ordinal == 0)
			sync_note(sync,
				"invalid signal: thread %llu, record %llu has count 0 of "
				"0x%llx "
				"(expected 1 or more)",
				thread_at(sync, mark->at), record_at(sync, mark->at),
				(unsigned long long)object->address);
		else if (i && mark->ordinal == last)
			sync_note(sync,
				"duplicate signal: %llu of 0x%llx is in thread %llu, record "
				"%llu and in thread %llu, record %llu",
				(unsigned long long)last, (unsigned long long)object->address,
				thread_at(sync, mark[-1].at), record_at(sync, mark[-1].at),
				thread_at(sync, mark->at), record_at(sync, mark->at));
		else if (mark->ordinal - last > 1)
			note_gap(sync, object, last, mark->ordinal);
		last = mark->ordinal;
	}
}

/* Notes waits for signals after the last one. */
static void
check_waits(struct sync_state *sync, const struct sync_object *object)
{
	const size_t n = object->signal_count;
	const uint64_t last = n ? object->signals[n - 1].ordinal : 0;
	for (size_t i = object->wait_count; i-- > 0 && object->waits[i].ordinal > last;) {
		const struct event_mark *mark = &object->waits[i];
		sync_note(sync,
			"missing signal: thread %llu, record %llu waits for %llu of 0x%llx; "
			"the last in any trace is %llu",
			thread_at(sync, mark->at), record_at(sync, mark->at),
			(unsigned long long)mark->ordinal, (unsigned long long)object->address,
			(unsigned long long)last);
	}
}

/* Notes signals of one thread whose ordinals do not increase; last: previous ordinal, by
 * object. */
static void
check_thread(struct sync_state *sync, const struct sync_thread *thread, uint64_t *last)
{
	for (size_t i = 0; i < thread->count; i++) {
		const struct sync_event *event = &thread->events[i];
		if (!event_signals(event))
			continue;
		if (event->ordinal < last[event->object])
			sync_note(sync,
				"signals out of order: thread %llu, record %llu is %llu of "
				"0x%llx and follows %llu",
				(unsigned long long)thread->number,
				(unsigned long long)event->record + 1,
				(unsigned long long)event->ordinal,
				(unsigned long long)sync->objects[event->object].address,
				(unsigned long long)last[event->object]);
		last[event->object] = event->ordinal;
	}
}

enum poly_status
sync_check(struct sync_state *sync, struct poly_error *error)
{
	uint64_t *last = mem_new(sync->object_count + 1, sizeof *last);
	if (!last)
		return err_memory(error);
	for (size_t i = 0; i < sync->object_count; i++) {
		check_signals(sync, &sync->objects[i]);
		check_waits(sync, &sync->objects[i]);
	}
	for (size_t t = 0; t < sync->count; t++) {
		memset(last, 0, sync->object_count * sizeof *last);
		check_thread(sync, &sync->threads[t], last);
	}
	mem_free(last);
	return POLY_OK;
}
