/* SPDX-License-Identifier: MIT */
/*
 * The ticket holds the round and the number of its tasks not yet claimed. A thread that claimed
 * a task keeps the round from ending, so the round's data stays constant until the task is
 * done.
 */
#include "base/thread_pool.h"

#include "base/mem.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Polls of the ticket before a thread sleeps: about as long as a round. */
#define PATIENCE 20000

struct thread_pool {
	_Atomic uint64_t ticket; /* round in the upper half, unclaimed tasks in the lower */
	atomic_size_t left;	 /* tasks not done */
	void (*task)(void *user, size_t i);
	void *user;
	pthread_mutex_t lock;	    /* guards the fields below */
	pthread_cond_t begun, done; /* a round; its last task */
	bool stop;
	unsigned asleep; /* threads waiting for a round */
	unsigned started;
	pthread_t threads[THREADS_MAX];
};

static uint32_t
open_tasks(uint64_t ticket)
{
	return (uint32_t)ticket;
}

/* Claims and executes a task; false: none is left. */
static bool
run_task(struct thread_pool *pool)
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

/* Waits for tasks; false: the pool stops. */
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
		while (run_task(pool))
			;
	} while (wait_for_round(pool));
	return NULL;
}

/* Starts as many of the threads as possible. */
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
	start(pool, threads < THREADS_MAX ? threads : THREADS_MAX);
	if (pool->started)
		return pool;
	thread_pool_free(pool);
	return NULL;
}

void
thread_pool_start(
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
}

void
thread_pool_wait(struct thread_pool *pool, bool helps)
{
	while (helps && run_task(pool))
		;
	for (unsigned i = 0; i < PATIENCE && atomic_load(&pool->left); i++)
		;
	pthread_mutex_lock(&pool->lock);
	while (atomic_load(&pool->left))
		pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void
thread_pool_run(
	struct thread_pool *pool, void (*task)(void *user, size_t i), void *user, size_t count)
{
	thread_pool_start(pool, task, user, count);
	thread_pool_wait(pool, true);
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
