/* SPDX-License-Identifier: MIT */
/*
 * The ticket says how many tasks of which round nobody has taken yet. Who takes one keeps the
 * round from ending, so what the round is about stands still until its task is done.
 */
#include "base/thread_pool.h"

#include "base/mem.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Looks at the ticket before a thread sleeps: about as long as a round. */
#define PATIENCE 20000

struct thread_pool {
	_Atomic uint64_t ticket; /* round in the upper half, tasks to be taken in the lower */
	atomic_size_t left;	 /* tasks that are not done */
	void (*task)(void *user, size_t i);
	void *user;
	pthread_mutex_t lock;	    /* of what follows */
	pthread_cond_t begun, done; /* a round; its last task */
	bool stop;
	unsigned asleep; /* threads that wait for a round */
	unsigned started;
	pthread_t threads[THREAD_POOL_MAX];
};

static uint32_t
open_tasks(uint64_t ticket)
{
	return (uint32_t)ticket;
}

/* Takes a task and does it; false where none is left to be taken. */
static bool
work_once(struct thread_pool *pool)
{
	uint64_t ticket = atomic_load(&pool->ticket);
	do {
		if (!open_tasks(ticket))
			return false;
	} while (!atomic_compare_exchange_weak(&pool->ticket, &ticket, ticket - 1));
	pool->task(pool->user, open_tasks(ticket) - 1);
	if (atomic_fetch_sub(&pool->left, 1) == 1) {
		pthread_mutex_lock(&pool->lock);
		pthread_cond_signal(&pool->done);
		pthread_mutex_unlock(&pool->lock);
	}
	return true;
}

/* Waits for tasks; false: there will be none. */
static bool
wait_for_round(struct thread_pool *pool)
{
	for (unsigned i = 0; i < PATIENCE; i++) {
		if (open_tasks(atomic_load_explicit(&pool->ticket, memory_order_relaxed)))
			return true;
	}
	pthread_mutex_lock(&pool->lock);
	pool->asleep++;
	while (!pool->stop && !open_tasks(atomic_load(&pool->ticket)))
		pthread_cond_wait(&pool->begun, &pool->lock);
	pool->asleep--;
	const bool goes_on = !pool->stop;
	pthread_mutex_unlock(&pool->lock);
	return goes_on;
}

static void *
work(void *user)
{
	struct thread_pool *pool = user;
	do {
		while (work_once(pool))
			;
	} while (wait_for_round(pool));
	return NULL;
}

/* Starts the threads, as many as can be had. */
static void
start(struct thread_pool *pool, unsigned threads)
{
	while (pool->started < threads - 1 &&
		thread_start(&pool->threads[pool->started], work, pool))
		pool->started++;
}

struct thread_pool *
thread_pool_new(unsigned threads)
{
	struct thread_pool *pool = mem_new(1, sizeof *pool);
	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->begun, NULL);
	pthread_cond_init(&pool->done, NULL);
	start(pool, threads < THREAD_POOL_MAX ? threads : THREAD_POOL_MAX);
	if (pool->started)
		return pool;
	thread_pool_free(pool);
	return NULL;
}

void
thread_pool_run(
	struct thread_pool *pool, void (*task)(void *user, size_t i), void *user, size_t count)
{
	if (!count)
		return;
	pool->task = task;
	pool->user = user;
	atomic_store(&pool->left, count);
	const uint64_t round = (atomic_load(&pool->ticket) >> 32) + 1;
	pthread_mutex_lock(&pool->lock);
	atomic_store(&pool->ticket, round << 32 | (uint32_t)count);
	if (pool->asleep)
		pthread_cond_broadcast(&pool->begun);
	pthread_mutex_unlock(&pool->lock);
	while (work_once(pool))
		;
	for (unsigned i = 0; i < PATIENCE && atomic_load(&pool->left); i++)
		;
	pthread_mutex_lock(&pool->lock);
	while (atomic_load(&pool->left))
		pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void
thread_pool_for_each(
	struct thread_pool *pool, void (*task)(void *user, size_t i), void *user, size_t count)
{
	if (pool && count > 1) {
		thread_pool_run(pool, task, user, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		task(user, i);
}

void
thread_pool_free(struct thread_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->begun);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->started; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->begun);
	pthread_cond_destroy(&pool->done);
	pthread_mutex_destroy(&pool->lock);
	mem_free(pool);
}
