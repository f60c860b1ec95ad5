/* SPDX-License-Identifier: MIT */
#include "base/task_queue.h"

#include "base/mem.h"
#include "base/thread.h"

struct task_queue {
	void (*run)(void *user, struct task *task);
	void *user;
	pthread_t *threads;
	unsigned started;
	pthread_mutex_t lock;	     /* guards the fields below */
	pthread_cond_t added, ended; /* a task */
	struct task *first, *last;   /* not started */
	size_t unfinished;	     /* tasks added and not done */
	bool stop;
};

/* Executes the first task, with the lock released in the meantime. */
static void
run_first(struct task_queue *queue)
{
	struct task *task = queue->first;
	queue->first = task->next;
	pthread_mutex_unlock(&queue->lock);
	queue->run(queue->user, task);
	pthread_mutex_lock(&queue->lock);
	task->done = true;
	queue->unfinished--;
	pthread_cond_broadcast(&queue->ended);
}

/* Executes the first task, or waits until another thread has ended one. */
static void
run_or_wait(struct task_queue *queue)
{
	if (queue->first)
		run_first(queue);
	else
		pthread_cond_wait(&queue->ended, &queue->lock);
}

static void *
work(void *user)
{
	struct task_queue *queue = user;
	pthread_mutex_lock(&queue->lock);
	while (!queue->stop) {
		if (queue->first)
			run_first(queue);
		else
			pthread_cond_wait(&queue->added, &queue->lock);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

struct task_queue *
task_queue_new(unsigned threads, void (*run)(void *user, struct task *task), void *user)
{
	struct task_queue *queue = mem_new(1, sizeof *queue);
	if (!queue)
		return NULL;
	queue->run = run;
	queue->user = user;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->added, NULL);
	pthread_cond_init(&queue->ended, NULL);
	queue->threads = mem_new(threads, sizeof *queue->threads);
	while (queue->threads && queue->started < threads &&
		thread_start(&queue->threads[queue->started], work, queue))
		queue->started++;
	if (queue->started)
		return queue;
	task_queue_free(queue);
	return NULL;
}

void
task_queue_add(struct task_queue *queue, struct task *task, bool urgent)
{
	pthread_mutex_lock(&queue->lock);
	task->done = false;
	task->next = urgent ? queue->first : NULL;
	if (!queue->first)
		queue->first = queue->last = task;
	else if (urgent)
		queue->first = task;
	else
		queue->last = queue->last->next = task;
	queue->unfinished++;
	pthread_cond_signal(&queue->added);
	pthread_mutex_unlock(&queue->lock);
}

bool
task_queue_is_done(struct task_queue *queue, const struct task *task)
{
	pthread_mutex_lock(&queue->lock);
	const bool done = task->done;
	pthread_mutex_unlock(&queue->lock);
	return done;
}

void
task_queue_finish(struct task_queue *queue, const struct task *task)
{
	pthread_mutex_lock(&queue->lock);
	while (!task->done)
		run_or_wait(queue);
	pthread_mutex_unlock(&queue->lock);
}

void
task_queue_reduce(struct task_queue *queue, size_t max)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->unfinished > max)
		run_or_wait(queue);
	pthread_mutex_unlock(&queue->lock);
}

void
task_queue_free(struct task_queue *queue)
{
	if (!queue)
		return;
	pthread_mutex_lock(&queue->lock);
	queue->stop = true;
	pthread_cond_broadcast(&queue->added);
	pthread_mutex_unlock(&queue->lock);
	for (unsigned i = 0; i < queue->started; i++)
		pthread_join(queue->threads[i], NULL);
	pthread_cond_destroy(&queue->added);
	pthread_cond_destroy(&queue->ended);
	pthread_mutex_destroy(&queue->lock);
	mem_free(queue->threads);
	mem_free(queue);
}
