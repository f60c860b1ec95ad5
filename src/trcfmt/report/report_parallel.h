/* SPDX-License-Identifier: MIT */
/*
 * Threads that format events: the reading thread copies events into slices, and writes the
 * lines of the slices in order.
 */
#ifndef TRCFMT_REPORT_PARALLEL_H
#define TRCFMT_REPORT_PARALLEL_H

#include "trcfmt/report/report.h"

/*
 * Starts report->threads threads (2 or more), including the caller's. NULL: out of memory, or
 * no thread could be started.
 */
struct event_pool *event_pool_new(struct poly_trcrpt *report);

/*
 * Adds an event that is shown; if its text is NULL, the threads make it. False: it is larger
 * than a slice. *status is that of the sink, which gets the lines of earlier events.
 */
bool event_pool_add(struct event_pool *pool, const struct report_event *shown,
	enum poly_status *status, struct poly_error *error);

/* Writes the lines of all events. */
enum poly_status event_pool_drain(struct event_pool *pool, struct poly_error *error);

/* Stops the threads. Accepts NULL. */
void event_pool_free(struct event_pool *pool);

#endif
