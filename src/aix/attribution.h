/* SPDX-License-Identifier: MIT */
/*
 * Whose an AIX event is: the process, program and system call of the thread that ran, followed
 * from event to event by a table that says which data words of which kernel hooks carry them.
 *
 * spec: reference aix 3 (37), 4.6, 4.8 (Data words of the kernel hooks).
 */
#ifndef AIX_ATTRIBUTION_H
#define AIX_ATTRIBUTION_H

#include "aix/hooks.h"

struct aix_attribution;

/*
 * New, with the built-in table, all of whose rows are assumed, or with that of a text: n bytes
 * of lines as polytrace-trcrpt(1) defines them, called name in messages. POLY_ERR_USAGE: the
 * text is wrong; the message names line and column. POLY_ERR_MEMORY.
 */
enum poly_status aix_attribution_new(const char *table, size_t n, const char *name,
	struct aix_attribution **attribution, struct poly_error *error);

/* Whose an event is. Strings hold until the next event. */
struct aix_who {
	bool has_pid, has_tid, has_cpu;
	uint64_t pid, tid;
	uint32_t cpu;
	const char *exec; /* path of the program that the process runs; NULL: not known */
	const char *svc;  /* current system call of the thread; NULL: none, or not known */
	unsigned depth;	  /* of interrupts */
};

/*
 * Takes the next event, in order of time, into account, then says whose it is. Memory grows
 * with threads and processes, up to a limit behind which further ones are not remembered.
 */
struct aix_who aix_attribution_event(
	struct aix_attribution *attribution, const struct aix_event *event);

/* Path of the program that a process runs; NULL: not known. Holds until the next event. */
const char *aix_attribution_path(const struct aix_attribution *attribution, uint64_t pid);

/*
 * Enters (by 1) or leaves (by -1) an interrupt on the cpu of the last event, unless the table
 * has that event do so; 0: neither. Returns the depth.
 */
unsigned aix_attribution_interrupt(struct aix_attribution *attribution, int by);

/* A name for the address or number of a system call, as a list of names gives it. */
enum poly_status aix_attribution_name(
	struct aix_attribution *attribution, uint64_t svc, const char *name);

/* The row of the table that the last event fell under; NULL: none. */
const struct aix_hook *aix_attribution_hook(const struct aix_attribution *attribution);

/* True where a hook that tells of processes (106, 10C, 134, 139, 465) has been seen. */
bool aix_attribution_trusted(const struct aix_attribution *attribution);

/* Gives everything back. Accepts NULL. */
void aix_attribution_free(struct aix_attribution *attribution);

#endif
