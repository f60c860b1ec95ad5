/* SPDX-License-Identifier: MIT */
/*
 * The log of a part of a trace: the events of an analysis whose results depend on the rows
 * before the part, such as calls and returns, so that they can be repeated from the state that
 * an earlier part ends with. A run that begins with the first row of a trace is not a part, and
 * has none.
 *
 * Bounded: a part with more than PART_LOG_MAX_BYTES of events cannot be merged.
 */
#ifndef ANALYSIS_PART_LOG_H
#define ANALYSIS_PART_LOG_H

#include "polytrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_LOG_MAX_BYTES ((size_t)32 << 20)

struct part_log {
	size_t item_size; /* bytes of an event; set before the first use */
	/* Maintained by the functions below; read only. */
	unsigned char traces; /* that were begun: 0, 1, or 2 for several */
	bool has_rows;	      /* the trace has rows */
	bool is_part;	      /* the first row of the only trace is not the trace's first one */
	bool is_full;	      /* there were too many events: to be ended after the batch */
	unsigned char *items;
	size_t count, capacity;
};

/* Begins a trace; a run of several traces never continues another one, and needs no log. */
void part_log_begin(struct part_log *log);

/* Sees the rows of a batch, before their events. */
void part_log_see(struct part_log *log, const struct poly_batch *batch);

/* Appends an event, if the run is a part. False: out of memory. */
bool part_log_add(struct part_log *log, const void *item);

/* Removes the events: the run is not treated as a part any more. */
void part_log_end(struct part_log *log);

/*
 * Merges what is known of a later run, but not its events; continues: it has the next rows of
 * the same trace. If from is a part, its events are to be repeated. Otherwise it follows no row
 * of its trace, and its counts are added.
 */
void part_log_merge(struct part_log *into, const struct part_log *from, bool continues);

/* Returns an event. */
static inline const void *
part_log_at(const struct part_log *log, size_t i)
{
	return log->items + log->item_size * i;
}

/* Frees the memory. */
void part_log_fini(struct part_log *log);

#endif
