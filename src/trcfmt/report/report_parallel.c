/* SPDX-License-Identifier: MIT */
/*
 * Two rounds of slices: the pool formats the events of one, while the reading thread fills the
 * other. What an event refers to is copied: batches and the names of processes change.
 */
#include "trcfmt/report/report_parallel.h"

#include "base/mem.h"
#include "base/thread_pool.h"

#include <string.h>

/* Events of a slice, bytes that they refer to, and slices of a round per thread. */
#define SLICE_EVENTS 256
#define SLICE_BYTES ((size_t)32 << 10)
#define SLICES_PER_THREAD 2

/* With fewer threads the reading thread formats slices, too. */
#define THREADS_WITHOUT_CALLER 4

struct copied_event {
	struct report_event shown;
	struct aix_event event;
};

struct event_slice {
	struct event_formatter formatter;
	struct copied_event *events;
	size_t count;
	uint8_t *bytes;
	size_t used;
};

struct event_pool {
	struct poly_trcrpt *report;
	struct thread_pool *threads;
	struct event_slice *slices; /* of two rounds */
	size_t per_round;
	struct event_slice *filling, *formatting; /* the rounds */
	size_t full;				  /* slices of filling that are full */
	size_t started; /* slices of formatting; 0: no round was started */
	bool helps;
	bool failed; /* the sink, or for lack of memory: nothing more is written */
};

static bool
open_slice(struct event_slice *slice, const struct poly_trcrpt *report)
{
	slice->events = mem_new(SLICE_EVENTS, sizeof *slice->events);
	slice->bytes = mem_new(SLICE_BYTES, 1);
	return slice->events && slice->bytes &&
	       report_formatter_init(&slice->formatter, report);
}

struct event_pool *
event_pool_new(struct poly_trcrpt *report)
{
	struct event_pool *pool = mem_new(1, sizeof *pool);
	if (!pool)
		return NULL;
	const unsigned threads = report->threads;
	pool->report = report;
	pool->helps = threads < THREADS_WITHOUT_CALLER;
	pool->per_round = SLICES_PER_THREAD * (size_t)threads;
	pool->slices = mem_new(2 * pool->per_round, sizeof *pool->slices);
	bool good = pool->slices != NULL;
	for (size_t i = 0; good && i < 2 * pool->per_round; i++)
		good = open_slice(&pool->slices[i], report);
	pool->filling = pool->slices;
	pool->formatting = pool->slices + pool->per_round;
	pool->threads = good ? thread_pool_new(threads) : NULL;
	if (pool->threads)
		return pool;
	event_pool_free(pool);
	return NULL;
}

void
event_pool_free(struct event_pool *pool)
{
	if (!pool)
		return;
	if (pool->started)
		thread_pool_wait(pool->threads, true);
	thread_pool_free(pool->threads);
	for (size_t i = 0; pool->slices && i < 2 * pool->per_round; i++) {
		report_formatter_fini(&pool->slices[i].formatter);
		mem_free(pool->slices[i].events);
		mem_free(pool->slices[i].bytes);
	}
	mem_free(pool->slices);
	mem_free(pool);
}

/* Formats the events of a slice. */
static void
format_slice(void *user, size_t i)
{
	const struct event_pool *pool = user;
	struct event_slice *slice = &pool->formatting[i];
	for (size_t k = 0; k < slice->count; k++) {
		struct report_event *shown = &slice->events[k].shown;
		if (!shown->text && shown->template)
			report_run_template(&slice->formatter, shown, NULL);
		else if (!shown->text)
			builtin_text(&slice->formatter, shown);
		report_write_event(&slice->formatter, shown);
	}
}

/* Adds the faults of a slice to those of the report. */
static void
move_faults(struct event_pool *pool, struct event_formatter *from)
{
	struct event_formatter *into = &pool->report->formatter;
	const size_t count = from->has_faults ? pool->report->templates->count : 0;
	for (size_t i = 0; i < count; i++) {
		struct fault_counts *sum = &into->fault_counts[i];
		for (unsigned f = 0; f < REPORTED_COUNT; f++)
			sum->count[f] += from->fault_counts[i].count[f];
		if (!sum->line)
			sum->line = from->fault_counts[i].line;
		from->fault_counts[i] = (struct fault_counts){.line = 0};
	}
	from->has_faults = false;
}

/* Waits for the round that is being formatted, and writes its lines. */
static enum poly_status
finish_round(struct event_pool *pool, struct poly_error *error)
{
	if (!pool->started)
		return POLY_OK;
	thread_pool_wait(pool->threads, pool->helps);
	enum poly_status status = report_flush(&pool->report->formatter, error);
	for (size_t i = 0; i < pool->started; i++) {
		struct event_slice *slice = &pool->formatting[i];
		if (status == POLY_OK)
			status = report_flush(&slice->formatter, error);
		move_faults(pool, &slice->formatter);
		slice->count = slice->used = 0;
	}
	pool->started = 0;
	pool->failed |= status != POLY_OK;
	return status;
}

/* Starts the filled round, once the previous one is written. */
static enum poly_status
start_round(struct event_pool *pool, struct poly_error *error)
{
	const enum poly_status status = finish_round(pool, error);
	struct event_slice *filled = pool->filling;
	if (status != POLY_OK)
		return status;
	pool->started = pool->full + (pool->full < pool->per_round && filled[pool->full].count);
	pool->filling = pool->formatting;
	pool->formatting = filled;
	pool->full = 0;
	thread_pool_start(pool->threads, format_slice, pool, pool->started);
	return POLY_OK;
}

/* Returns n bytes of a slice, aligned to 8; NULL: it is full. */
static void *
take_bytes(struct event_slice *slice, size_t n)
{
	const size_t at = (slice->used + 7) / 8 * 8;
	if (n > SLICE_BYTES || at > SLICE_BYTES - n)
		return NULL;
	slice->used = at + n;
	return slice->bytes + at;
}

/* Copies n bytes into a slice; NULL: it is full. */
static void *
copy_bytes(struct event_slice *slice, const void *bytes, size_t n)
{
	void *copy = take_bytes(slice, n);
	if (copy && n)
		memcpy(copy, bytes, n);
	return copy;
}

/* Copies a string, or NULL; false: the slice is full. */
static bool
copy_string(struct event_slice *slice, const char **string)
{
	if (!*string)
		return true;
	*string = copy_bytes(slice, *string, strlen(*string) + 1);
	return *string != NULL;
}

/* Copies the text of an event that has one. */
static bool
copy_text(struct event_slice *slice, struct report_event *shown)
{
	size_t size = 0;
	if (!shown->text)
		return true;
	for (size_t i = 0; i < shown->span_count; i++) {
		const size_t end = (size_t)shown->spans[i].offset + shown->spans[i].length;
		size = end > size ? end : size;
	}
	shown->text = copy_bytes(slice, shown->text, size);
	shown->spans =
		copy_bytes(slice, shown->spans, shown->span_count * sizeof *shown->spans);
	return shown->text && shown->spans;
}

/* Copies an event with all that it refers to; false: the slice is full. */
static bool
copy_event(struct event_slice *slice, const struct report_event *shown)
{
	if (slice->count == SLICE_EVENTS)
		return false;
	struct copied_event *copy = &slice->events[slice->count];
	struct aix_event *event = &copy->event;
	const size_t used = slice->used;
	copy->shown = *shown;
	copy->event = *shown->event;
	copy->shown.event = event;
	event->data = copy_bytes(slice, event->data, event->size);
	event->registers = copy_bytes(slice, event->registers, 8 * event->register_count);
	if (event->data && event->registers && copy_string(slice, &copy->shown.who.exec) &&
		copy_string(slice, &copy->shown.who.svc) && copy_text(slice, &copy->shown)) {
		slice->count++;
		return true;
	}
	slice->used = used;
	return false;
}

bool
event_pool_add(struct event_pool *pool, const struct report_event *shown,
	enum poly_status *status, struct poly_error *error)
{
	*status = POLY_OK;
	if (copy_event(&pool->filling[pool->full], shown))
		return true;
	if (!pool->filling[pool->full].count)
		return false;
	pool->full++;
	if (pool->full == pool->per_round)
		*status = start_round(pool, error);
	return *status != POLY_OK || copy_event(&pool->filling[pool->full], shown);
}

enum poly_status
event_pool_drain(struct event_pool *pool, struct poly_error *error)
{
	enum poly_status status = pool->failed ? POLY_OK : start_round(pool, error);
	if (status == POLY_OK)
		status = finish_round(pool, error);
	return status;
}
