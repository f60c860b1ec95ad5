/* SPDX-License-Identifier: MIT */
/*
 * Resolves the events of all threads: numbering of signals, mutexes and condition variables,
 * critical sections, invalid counts.
 *
 * spec: Apple amber traces 7.1 (R1 to R6), 5 (A19).
 */
#include "correlate/merge/sync.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* State of an object during a walk through the events of one thread. */
struct object_walk {
	uint64_t ordinal; /* of the previous event */
	bool delivered;	  /* it is set */
};

/* Counts the unlocks whose count is that of the thread's lock plus 1, or the same. */
static void
vote(const struct sync_state *sync, struct object_walk *walks, size_t *after, size_t *before)
{
	for (size_t t = 0; t < sync->count; t++) {
		const struct sync_thread *thread = &sync->threads[t];
		memset(walks, 0, sync->object_count * sizeof *walks);
		for (size_t i = 0; i < thread->count; i++) {
			const struct sync_event *event = &thread->events[i];
			struct object_walk *walk = &walks[event->object];
			const bool signals = event_signals(event);
			*after += signals && walk->delivered &&
				  event->ordinal == walk->ordinal + 1;
			*before +=
				signals && walk->delivered && event->ordinal == walk->ordinal;
			*walk = (struct object_walk){event->ordinal, !signals};
		}
	}
}

/* R2: by the majority of addresses, then by locks and unlocks. */
static void
find_numbering(struct sync_state *sync, struct object_walk *walks)
{
	size_t after = 0, before = 0;
	for (size_t i = 0; i < sync->object_count; i++) {
		after += sync->objects[i].min_count == 1;
		before += sync->objects[i].min_count == 0;
	}
	if (after == before) {
		after = before = 0;
		vote(sync, walks, &after, &before);
	}
	sync->decided = after != before;
	sync->before = before > after;
	if (sync->options.numbering != POLY_MERGE_NUMBERING_AUTO) {
		sync->before = sync->options.numbering == POLY_MERGE_BEFORE;
		sync->decided = true;
	}
}

/* Converts counts to ordinals, and checks whether waits and signals of a thread alternate. */
static void
number_events(struct sync_state *sync, struct object_walk *walks)
{
	for (size_t t = 0; t < sync->count; t++) {
		const struct sync_thread *thread = &sync->threads[t];
		memset(walks, 0, sync->object_count * sizeof *walks);
		for (size_t i = 0; i < thread->count; i++) {
			struct sync_event *event = &thread->events[i];
			const bool signals = event_signals(event);
			event->ordinal += signals && sync->before;
			if (walks[event->object].delivered != signals)
				sync->objects[event->object].alternates = false;
			walks[event->object].delivered = !signals;
		}
	}
}

/* R6 */
static void
classify(struct sync_state *sync)
{
	for (size_t i = 0; i < sync->object_count; i++) {
		struct sync_object *object = &sync->objects[i];
		object->is_mutex = object->tried || (!object->broadcast && object->alternates);
		if (object->tried && object->broadcast)
			sync_note(sync,
				"0x%llx is tried as a mutex and broadcast as a condition "
				"variable; assumed to be a mutex",
				(unsigned long long)object->address);
	}
}

static int
compare_marks(const void *a, const void *b)
{
	const struct event_mark *x = a, *y = b;
	if (x->ordinal != y->ordinal)
		return x->ordinal < y->ordinal ? -1 : 1;
	if (x->at.thread != y->at.thread)
		return x->at.thread < y->at.thread ? -1 : 1;
	return (x->at.event > y->at.event) - (x->at.event < y->at.event);
}

/* Assigns each object its slice of the marks; returns their number. */
static size_t
slice_marks(struct sync_state *sync)
{
	size_t used = 0;
	for (size_t i = 0; i < sync->object_count; i++) {
		struct sync_object *object = &sync->objects[i];
		object->signals = sync->marks + used;
		used += object->signal_count;
		object->waits = sync->marks + used;
		object->left = sync->left + used;
		used += object->wait_count;
		object->signal_count = object->wait_count = 0;
	}
	return used;
}

static enum poly_status
mark_events(struct sync_state *sync, struct poly_error *error)
{
	size_t events = 0;
	for (size_t t = 0; t < sync->count; t++)
		events += sync->threads[t].count;
	sync->marks = mem_new(events + 1, sizeof *sync->marks);
	sync->left = mem_new(events + 1, sizeof *sync->left);
	if (!sync->marks || !sync->left)
		return err_memory(error);
	slice_marks(sync);
	for (size_t t = 0; t < sync->count; t++) {
		const struct sync_thread *thread = &sync->threads[t];
		for (size_t i = 0; i < thread->count; i++) {
			const struct sync_event *event = &thread->events[i];
			struct sync_object *object = &sync->objects[event->object];
			const struct event_mark mark = {event->ordinal, {(uint32_t)t, i}};
			if (event_signals(event))
				object->signals[object->signal_count++] = mark;
			else
				object->waits[object->wait_count++] = mark;
		}
	}
	for (size_t i = 0; i < sync->object_count; i++) {
		struct sync_object *object = &sync->objects[i];
		qsort(object->signals, object->signal_count, sizeof(struct event_mark),
			compare_marks);
		qsort(object->waits, object->wait_count, sizeof(struct event_mark),
			compare_marks);
	}
	return POLY_OK;
}

/* The mutexes that a thread holds during a walk through its events. */
struct holding {
	size_t *acquired; /* by object: the event that acquired it, plus 1; 0: not held */
	size_t count;	  /* number of held mutexes */
	uint32_t mixed;	  /* exclusive or of their numbers: the number if only one is held */
};

static void
acquire(struct holding *holding, struct sync_thread *thread, size_t i, uint32_t mutex)
{
	if (!holding->acquired[mutex]) {
		holding->count++;
		holding->mixed ^= mutex;
	}
	holding->acquired[mutex] = i + 1;
	thread->events[i].mutex = mutex;
}

static void
release(struct holding *holding, struct sync_thread *thread, const struct sync_event *event)
{
	size_t *acquired = &holding->acquired[event->object];
	if (!*acquired)
		return;
	thread->events[*acquired - 1].section = event->ordinal;
	*acquired = 0;
	holding->count--;
	holding->mixed ^= event->object;
}

/* Notes a signal of a condition variable within the section of the only held mutex. */
static void
add_signal(const struct holding *holding, struct sync_thread *thread, size_t i)
{
	struct sync_event *acquired = &thread->events[holding->acquired[holding->mixed] - 1];
	acquired->signal = thread->events[i].ordinal;
	acquired->signaled = thread->events[i].object;
}

/* A wait for a condition variable with one held mutex reacquires that (R4). */
static void
walk_sections(
	const struct sync_state *sync, struct sync_thread *thread, struct holding *holding)
{
	for (size_t i = 0; i < thread->count; i++) {
		const struct sync_event *event = &thread->events[i];
		const bool is_mutex = sync->objects[event->object].is_mutex;
		if (is_mutex && event_signals(event))
			release(holding, thread, event);
		else if (is_mutex)
			acquire(holding, thread, i, event->object);
		else if (holding->count == 1 && event_signals(event))
			add_signal(holding, thread, i);
		else if (holding->count == 1)
			acquire(holding, thread, i, holding->mixed);
	}
}

static enum poly_status
find_sections(struct sync_state *sync, struct poly_error *error)
{
	struct holding holding = {mem_new(sync->object_count + 1, sizeof(size_t)), 0, 0};
	if (!holding.acquired)
		return err_memory(error);
	for (size_t t = 0; t < sync->count; t++) {
		memset(holding.acquired, 0, sync->object_count * sizeof(size_t));
		holding.count = holding.mixed = 0;
		walk_sections(sync, &sync->threads[t], &holding);
	}
	mem_free(holding.acquired);
	return POLY_OK;
}

enum poly_status
sync_resolve(struct sync_state *sync, struct poly_error *error)
{
	struct object_walk *walks = mem_new(sync->object_count + 1, sizeof *walks);
	if (!walks)
		return err_memory(error);
	find_numbering(sync, walks);
	number_events(sync, walks);
	mem_free(walks);
	classify(sync);
	sync_find_creators(sync);
	enum poly_status status = mark_events(sync, error);
	if (status == POLY_OK)
		status = find_sections(sync, error);
	if (status == POLY_OK)
		status = sync_check(sync, error);
	if (status == POLY_OK && sync->no_memory)
		status = err_memory(error);
	if (status != POLY_OK)
		return status;
	sync->resolved = true;
	sync->resolved_notes = sync->note_count;
	sync_rewind(sync);
	return POLY_OK;
}
