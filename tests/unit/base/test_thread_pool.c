/* SPDX-License-Identifier: MIT */
/* Teams of threads: every task is done once, and rounds do not mix. */
#include "test_help.h"

#include "base/thread.h"
#include "base/thread_pool.h"

#include <limits.h>

#define TASKS 13
#define ROUNDS 5000

struct work {
	unsigned round;
	unsigned done[TASKS]; /* how often */
	unsigned wrong;	      /* tasks that saw another round than theirs */
};

static void
do_task(void *user, size_t i)
{
	struct work *work = user;
	/* A task sees what its own last round left. */
	if (work->done[i] != work->round)
		work->wrong = 1;
	work->done[i]++;
}

static void
check_rounds(unsigned threads)
{
	struct thread_pool *pool = thread_pool_new(threads);
	struct work work = {0};
	assert_non_null(pool);
	for (work.round = 0; work.round < ROUNDS; work.round++) {
		thread_pool_run(pool, do_task, &work, TASKS);
		for (size_t i = 0; i < TASKS; i++)
			assert_int_equal(work.done[i], work.round + 1);
	}
	assert_int_equal(work.wrong, 0);
	thread_pool_free(pool);
}

static void
every_task_is_done_once_a_round(void **unused)
{
	(void)unused;
	check_rounds(2);
	check_rounds(3);
	check_rounds(8);
}

static void
a_round_without_tasks_ends(void **unused)
{
	(void)unused;
	struct thread_pool *pool = thread_pool_new(2);
	struct work work = {0};
	thread_pool_run(pool, do_task, &work, 0);
	thread_pool_run(pool, do_task, &work, 1);
	assert_int_equal(work.done[0], 1);
	thread_pool_free(pool);
}

static void
a_pool_without_tasks_stops(void **unused)
{
	(void)unused;
	for (int i = 0; i < 20; i++)
		thread_pool_free(thread_pool_new(4));
}

static void
numbers_of_threads_are_bounded(void **state)
{
	(void)state;
	assert_int_equal(thread_count(3), 3);
	assert_int_equal(thread_count(THREADS_MAX + 1), THREADS_MAX);
	assert_int_equal(thread_count(UINT_MAX), THREADS_MAX);
	assert_in_range(thread_count(0), 1, 16);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_task_is_done_once_a_round),
		cmocka_unit_test(a_round_without_tasks_ends),
		cmocka_unit_test(a_pool_without_tasks_stops),
		cmocka_unit_test(numbers_of_threads_are_bounded),
	};
	return cmocka_run_group_tests_name("thread_pool", tests, NULL, NULL);
}
