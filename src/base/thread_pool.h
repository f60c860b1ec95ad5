/* SPDX-License-Identifier: MIT */
/*
 * Threads that do the tasks of one round after the other together with their caller. A round
 * is short, a tenth of a millisecond or so: nobody waits for a thread that is late, as its
 * share is taken by the others.
 */
#ifndef BASE_THREAD_POOL_H
#define BASE_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct thread_pool;

/* Most threads, with the caller. */
#define THREAD_POOL_MAX 64

/* A pool of so many threads, with the caller; NULL: no memory, or no thread could be had. */
struct thread_pool *thread_pool_new(unsigned threads);

/*
 * Calls task(user, i) once for each i below count, by whatever thread has time, and returns
 * when all are done. What was written before is seen by the tasks, what they write by the
 * caller, and by the tasks of later rounds.
 */
void thread_pool_run(
	struct thread_pool *pool, void (*task)(void *user, size_t i), void *user, size_t count);

/* As thread_pool_run; the caller does it all where pool is NULL, or there is one task. */
void thread_pool_for_each(
	struct thread_pool *pool, void (*task)(void *user, size_t i), void *user, size_t count);

/* Ends the threads. Accepts NULL. */
void thread_pool_free(struct thread_pool *pool);

#endif
