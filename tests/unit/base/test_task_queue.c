/* SPDX-License-Identifier: MIT */
/* Queues of tasks: every task is executed once, and urgent ones first. */
#include "test_help.h"

#include "base/task_queue.h"
#include "base/thread.h"

#define TASKS 200

struct number {
	struct task task;
	unsigned value, squared;
};

/* Tasks that wait until the gate opens, and the order in which the others start. */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	bool open;
	const struct task *waits; /* at the gate; NULL: none */
	const struct task *order[3];
	size_t count;
};

static void
square(void *user, struct task *task)
{
	struct number *number = (struct number *)task;
	(void)user;
	number->squared = number->value * number->value;
}

static void
check_tasks(unsigned threads)
{
	struct task_queue *queue = task_queue_new(threads, square, NULL);
	struct number numbers[TASKS] = {0};
	assert_non_null(queue);
	for (unsigned i = 0; i < TASKS; i++) {
		numbers[i].value = i;
		task_queue_add(queue, &numbers[i].task, i % 3 == 0);
		task_queue_reduce(queue, 5);
	}
	task_queue_finish(queue, &numbers[TASKS / 2].task);
	assert_true(task_queue_is_done(queue, &numbers[TASKS / 2].task));
	task_queue_reduce(queue, 0);
	for (unsigned i = 0; i < TASKS; i++) {
		assert_true(task_queue_is_done(queue, &numbers[i].task));
		assert_int_equal(numbers[i].squared, i * i);
	}
	task_queue_free(queue);
}

static void
every_task_is_executed(void **unused)
{
	(void)unused;
	check_tasks(1);
	check_tasks(2);
	check_tasks(7);
}

static void
wait_or_note(void *user, struct task *task)
{
	struct gate *gate = user;
	pthread_mutex_lock(&gate->lock);
	if (task == gate->waits) {
		gate->waits = NULL;
		pthread_cond_signal(&gate->opened);
		while (!gate->open)
			pthread_cond_wait(&gate->opened, &gate->lock);
	} else {
		gate->order[gate->count++] = task;
	}
	pthread_mutex_unlock(&gate->lock);
}

static void
urgent_tasks_start_before_others(void **unused)
{
	(void)unused;
	struct task blocked = {0}, first = {0}, second = {0}, urgent = {0};
	struct gate gate = {.waits = &blocked};
	pthread_mutex_init(&gate.lock, NULL);
	pthread_cond_init(&gate.opened, NULL);
	struct task_queue *queue = task_queue_new(1, wait_or_note, &gate);
	assert_non_null(queue);
	task_queue_add(queue, &blocked, false);
	/* The only thread is busy, so that the others wait. */
	pthread_mutex_lock(&gate.lock);
	while (gate.waits)
		pthread_cond_wait(&gate.opened, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
	task_queue_add(queue, &first, false);
	task_queue_add(queue, &second, false);
	task_queue_add(queue, &urgent, true);
	assert_false(task_queue_is_done(queue, &first));
	/* The caller executes them meanwhile. */
	task_queue_finish(queue, &second);
	assert_ptr_equal(gate.order[0], &urgent);
	assert_ptr_equal(gate.order[1], &first);
	assert_ptr_equal(gate.order[2], &second);
	assert_false(task_queue_is_done(queue, &blocked));
	pthread_mutex_lock(&gate.lock);
	gate.open = true;
	pthread_cond_broadcast(&gate.opened);
	pthread_mutex_unlock(&gate.lock);
	task_queue_free(queue);
	assert_true(blocked.done);
	pthread_cond_destroy(&gate.opened);
	pthread_mutex_destroy(&gate.lock);
}

static void
a_task_can_be_added_again(void **unused)
{
	(void)unused;
	struct task_queue *queue = task_queue_new(2, square, NULL);
	struct number number = {0};
	for (number.value = 1; number.value < 50; number.value++) {
		task_queue_add(queue, &number.task, false);
		task_queue_finish(queue, &number.task);
		assert_int_equal(number.squared, number.value * number.value);
	}
	task_queue_free(queue);
}

static void
a_queue_is_freed_with_tasks_in_it(void **unused)
{
	(void)unused;
	for (unsigned turn = 0; turn < 20; turn++) {
		struct number numbers[TASKS] = {0};
		struct task_queue *queue = task_queue_new(3, square, NULL);
		for (unsigned i = 0; i < TASKS; i++)
			task_queue_add(queue, &numbers[i].task, false);
		task_queue_free(queue);
	}
	task_queue_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_task_is_executed),
		cmocka_unit_test(urgent_tasks_start_before_others),
		cmocka_unit_test(a_task_can_be_added_again),
		cmocka_unit_test(a_queue_is_freed_with_tasks_in_it),
	};
	return cmocka_run_group_tests_name("task_queue", tests, NULL, NULL);
}
