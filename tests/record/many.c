/* SPDX-License-Identifier: MIT */
/* Threads of several processes, one process after the other; recorded by tests. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS_MAX = 600, PAGES = 700, PAGE = 4096 };

static sem_t begun, end;

static void *
wait_for_end(void *none)
{
	sem_post(&begun);
	sem_wait(&end);
	return none;
}

/* The last function of the program. */
__attribute__((noinline)) static void
finish(void)
{
	for (volatile int i = 0; i < 1000; i++)
		continue;
}

/* Starts threads, all of which are running at the end. */
static void
start_threads(int count, pthread_t threads[THREADS_MAX])
{
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], &small, wait_for_end, NULL);
	for (int i = 0; i < count; i++)
		sem_wait(&begun);
}

static void
run_threads(int count, pthread_t threads[THREADS_MAX])
{
	start_threads(count, threads);
	for (int i = 0; i < count; i++)
		sem_post(&end);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* Writes to new pages, which takes long, with few instructions. */
static void
write_pages(void)
{
	static char pages[PAGES * PAGE];
	register volatile char *page = pages;
	for (register int i = PAGES; i; i--, page += PAGE)
		*page = 1;
}

__attribute__((noinline)) static void
work_in_parent(void)
{
}

__attribute__((noinline)) static void
work_in_child(void)
{
}

/* Forks a process that ends before its parent makes another system call. */
static int
fork_late(void)
{
	work_in_parent();
	if (fork() == 0) {
		work_in_child();
		_exit(0);
	}
	write_pages();
	wait(NULL);
	return 0;
}

/* Arguments: threads, and processes besides the first; without arguments: fork_late. */
int
main(int count, char **arguments)
{
	if (count < 3)
		return fork_late();
	static pthread_t threads[THREADS_MAX];
	sem_init(&begun, 0, 0);
	sem_init(&end, 0, 0);
	for (int i = 0; i < atoi(arguments[2]); i++) {
		if (fork() == 0) {
			start_threads(atoi(arguments[1]), threads);
			_exit(0);
		}
		wait(NULL);
	}
	if (!atoi(arguments[2]))
		run_threads(atoi(arguments[1]), threads);
	finish();
	return 0;
}
