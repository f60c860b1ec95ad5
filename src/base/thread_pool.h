/* SPDX-License-Identifier: MIT */
/*
 * A fork-join thread pool: threads and the caller execute the tasks of one round after the
 * other. A round is short, about 0.1 ms: a late thread does not delay a round, as the others
 * execute its tasks.
 */
#ifndef BASE_THREAD_POOL_H
#define BASE_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct thread_pool;

/*
 * Creates a pool of threads, including the caller's, at most THREADS_MAX; NULL: out of memory, or no thread could be
 * started.
 */
struct thread_pool *thread_pool_new(unsigned threads);

/*
 * Calls task(user, i) once for each i below count, on any thread, and returns after all calls.
 * Tasks see all writes before the call; the caller and the tasks of later rounds see the writes
 * of the tasks.
 */
void thread_pool_run(
	struct thread_pool *pool, void (*task)(void *user, size_t i), void *user, size_t count);

/*
 * thread_pool_run in two steps: start returns at once, and the caller does other work until it
 * waits for the tasks. helps: the caller executes tasks, too, while it waits. Each start is
 * followed by one wait.
 */
void thread_pool_start(
	struct thread_pool *pool, void (*task)(void *user, size_t i), void *user, size_t count);
void thread_pool_wait(struct thread_pool *pool, bool helps);

/* As thread_pool_run; the caller's thread executes all tasks if pool is NULL or count is 1. */
void thread_pool_for_each(
	struct thread_pool *pool, void (*task)(void *user, size_t i), void *user, size_t count);

/* Stops the threads and frees the pool. Accepts NULL. */
void thread_pool_free(struct thread_pool *pool);

#endif
