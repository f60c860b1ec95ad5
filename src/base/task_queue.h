/* SPDX-License-Identifier: MIT */
/*
 * Tasks that threads execute in the order in which they were added, while the caller continues;
 * for long tasks. (Rounds of short ones: thread_pool.h.) One thread calls all functions.
 */
#ifndef BASE_TASK_QUEUE_H
#define BASE_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct task_queue;

/* Part of the caller's structure, zeroed; stays in place until the task is done. */
struct task {
	struct task *next;
	bool done; /* guarded by the queue's lock */
};

/*
 * Starts threads (1 or more) for tasks that run executes. NULL: out of memory, or no thread
 * could be started.
 */
struct task_queue *task_queue_new(
	unsigned threads, void (*run)(void *user, struct task *task), void *user);

/*
 * Adds a task; urgent: before those not yet started. run sees all writes before the call.
 */
void task_queue_add(struct task_queue *queue, struct task *task, bool urgent);

/* Returns whether a task that was added is done; then the caller sees its writes. */
bool task_queue_is_done(struct task_queue *queue, const struct task *task);

/* Waits until a task is done, and executes it or others in the meantime. */
void task_queue_finish(struct task_queue *queue, const struct task *task);

/* While more than max tasks are not done: executes tasks, or waits. */
void task_queue_reduce(struct task_queue *queue, size_t max);

/*
 * Waits for the tasks that have started, drops the others, stops the threads and frees the
 * queue. Accepts NULL.
 */
void task_queue_free(struct task_queue *queue);

#endif
