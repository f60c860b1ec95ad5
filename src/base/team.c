/* SPDX-License-Identifier: MIT */
/*
 * The ticket says how many tasks of which round nobody has taken yet. Who takes one keeps the
 * round from ending, so what the round is about stands still until its task is done.
 */
#include "base/team.h"

#include "base/mem.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Looks at the ticket before a thread sleeps: about as long as a round. */
#define PATIENCE 20000

struct team {
	_Atomic uint64_t ticket; /* round in the upper half, tasks to be taken in the lower */
	atomic_size_t left;	 /* tasks that are not done */
	void (*task)(void *user, size_t i);
	void *user;
	pthread_mutex_t lock;	    /* of what follows */
	pthread_cond_t begun, done; /* a round; its last task */
	bool stop;
	unsigned asleep; /* threads that wait for a round */
	unsigned started;
	pthread_t threads[TEAM_MOST];
};

static uint32_t
open_tasks(uint64_t ticket)
{
	return (uint32_t)ticket;
}

/* Takes a task and does it; false where none is left to be taken. */
static bool
work_once(struct team *team)
{
	uint64_t ticket = atomic_load(&team->ticket);
	do {
		if (!open_tasks(ticket))
			return false;
	} while (!atomic_compare_exchange_weak(&team->ticket, &ticket, ticket - 1));
	team->task(team->user, open_tasks(ticket) - 1);
	if (atomic_fetch_sub(&team->left, 1) == 1) {
		pthread_mutex_lock(&team->lock);
		pthread_cond_signal(&team->done);
		pthread_mutex_unlock(&team->lock);
	}
	return true;
}

/* Waits for tasks; false: there will be none. */
static bool
wait_for_round(struct team *team)
{
	for (unsigned i = 0; i < PATIENCE; i++) {
		if (open_tasks(atomic_load_explicit(&team->ticket, memory_order_relaxed)))
			return true;
	}
	pthread_mutex_lock(&team->lock);
	team->asleep++;
	while (!team->stop && !open_tasks(atomic_load(&team->ticket)))
		pthread_cond_wait(&team->begun, &team->lock);
	team->asleep--;
	const bool goes_on = !team->stop;
	pthread_mutex_unlock(&team->lock);
	return goes_on;
}

static void *
work(void *user)
{
	struct team *team = user;
	do {
		while (work_once(team))
			;
	} while (wait_for_round(team));
	return NULL;
}

/* Starts the threads, as many as can be had. */
static void
start(struct team *team, unsigned threads)
{
	while (team->started < threads - 1 &&
		thread_start(&team->threads[team->started], work, team))
		team->started++;
}

struct team *
team_new(unsigned threads)
{
	struct team *team = mem_new(1, sizeof *team);
	if (!team)
		return NULL;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->begun, NULL);
	pthread_cond_init(&team->done, NULL);
	start(team, threads < TEAM_MOST ? threads : TEAM_MOST);
	if (team->started)
		return team;
	team_free(team);
	return NULL;
}

void
team_run(struct team *team, void (*task)(void *user, size_t i), void *user, size_t count)
{
	if (!count)
		return;
	team->task = task;
	team->user = user;
	atomic_store(&team->left, count);
	const uint64_t round = (atomic_load(&team->ticket) >> 32) + 1;
	pthread_mutex_lock(&team->lock);
	atomic_store(&team->ticket, round << 32 | (uint32_t)count);
	if (team->asleep)
		pthread_cond_broadcast(&team->begun);
	pthread_mutex_unlock(&team->lock);
	while (work_once(team))
		;
	for (unsigned i = 0; i < PATIENCE && atomic_load(&team->left); i++)
		;
	pthread_mutex_lock(&team->lock);
	while (atomic_load(&team->left))
		pthread_cond_wait(&team->done, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

void
team_share(struct team *team, void (*task)(void *user, size_t i), void *user, size_t count)
{
	if (team && count > 1) {
		team_run(team, task, user, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		task(user, i);
}

void
team_free(struct team *team)
{
	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->stop = true;
	pthread_cond_broadcast(&team->begun);
	pthread_mutex_unlock(&team->lock);
	for (unsigned i = 0; i < team->started; i++)
		pthread_join(team->threads[i], NULL);
	pthread_cond_destroy(&team->begun);
	pthread_cond_destroy(&team->done);
	pthread_mutex_destroy(&team->lock);
	mem_free(team);
}
