/* SPDX-License-Identifier: MIT */
/*
 * Attribution of AIX events: the process, program and system call of the running thread,
 * tracked from event to event by a table of the data words of kernel hooks that carry them.
 *
 * spec: AIX Trace Hook IDs; the data words are assumed.
 */
#ifndef AIX_ATTRIBUTION_H
#define AIX_ATTRIBUTION_H

#include "aix/hooks.h"

struct aix_attribution;

/*
 * Creates an attribution with the built-in table, all of whose rows are assumed, or with that
 * of a text: n bytes of lines as polytrace-trcrpt(1) defines them, called name in messages.
 * POLY_ERR_USAGE: the text is wrong; the message names line and column. POLY_ERR_MEMORY.
 */
enum poly_status aix_attribution_new(const char *table, size_t n, const char *name,
	struct aix_attribution **attribution, struct poly_error *error);

/* Execution context of an event. Strings are valid until the next event. */
struct aix_context {
	bool has_pid, has_tid, has_cpu;
	uint64_t pid, tid;
	uint32_t cpu;
	const char *exec; /* path of the program that the process runs; NULL: not known */
	const char *svc;  /* current system call of the thread; NULL: none, or not known */
	unsigned depth;	  /* of interrupts */
};

/*
 * Updates the state by the next event, in order of time, and returns the event's context.
 * Memory grows with threads and processes up to a limit; further ones are not tracked.
 */
struct aix_context aix_attribution_event(
	struct aix_attribution *attribution, const struct aix_event *event);

/*
 * Returns whether the table has an event; if not, only its thread and cpu matter. It may be called
 * while another thread calls it.
 */
bool aix_attribution_uses(
	const struct aix_attribution *attribution, const struct aix_event *event);

/* As aix_attribution_event, for an event that the table does not have. */
struct aix_context aix_attribution_other(
	struct aix_attribution *attribution, const struct aix_event *event);

/*
 * Returns the path of the program that a process runs; NULL: not known. Valid until the next
 * event.
 */
const char *aix_attribution_path(const struct aix_attribution *attribution, uint64_t pid);

/*
 * Enters (by 1) or leaves (by -1) an interrupt on the cpu of the last event, unless that event
 * did so by the table; 0: neither. Returns the depth.
 */
unsigned aix_attribution_interrupt(struct aix_attribution *attribution, int by);

/* Sets the name of the system call with an address or number. */
enum poly_status aix_attribution_name(
	struct aix_attribution *attribution, uint64_t svc, const char *name);

/* Returns the row of the table that matched the last event; NULL: none. */
const struct aix_hook *aix_attribution_hook(const struct aix_attribution *attribution);

/* True if a hook that identifies processes (106, 10C, 134, 139, 465) was seen. */
bool aix_attribution_trusted(const struct aix_attribution *attribution);

/* Frees the attribution. Accepts NULL. */
void aix_attribution_free(struct aix_attribution *attribution);

#endif
