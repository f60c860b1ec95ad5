/* SPDX-License-Identifier: MIT */
/*
 * Threads that do the tasks of one round after the other together with their caller. A round
 * is short, a tenth of a millisecond or so: nobody waits for a thread that is late, as its
 * share is taken by the others.
 */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stdbool.h>
#include <stddef.h>

struct team;

/* Most threads, with the caller. */
#define TEAM_MOST 64

/* A team of so many threads, with the caller; NULL: no memory, or no thread could be had. */
struct team *team_new(unsigned threads);

/*
 * Calls task(user, i) once for each i below count, by whatever thread has time, and returns
 * when all are done. What was written before is seen by the tasks, what they write by the
 * caller, and by the tasks of later rounds.
 */
void team_run(struct team *team, void (*task)(void *user, size_t i), void *user, size_t count);

/* As team_run; the caller does it all where team is NULL, or there is one task. */
void team_share(
	struct team *team, void (*task)(void *user, size_t i), void *user, size_t count);

/* Ends the threads. Accepts NULL. */
void team_free(struct team *team);

#endif
