/* SPDX-License-Identifier: MIT */
/* Eight threads that share a mutex and a condition variable, or take turns by these; recorded
 * by tests. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_begun = PTHREAD_COND_INITIALIZER;
static unsigned begun, total, turn;

static void *
work(void *rounds)
{
	pthread_mutex_lock(&mutex);
	begun++;
	if (begun == 8)
		pthread_cond_broadcast(&all_begun);
	while (begun < 8)
		pthread_cond_wait(&all_begun, &mutex);
	pthread_mutex_unlock(&mutex);
	for (unsigned i = 0; i < *(unsigned *)rounds; i++) {
		pthread_mutex_lock(&mutex);
		total++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

/* Increments when its turn comes. */
static void *
take_turns(void *number)
{
	for (unsigned i = 0; i < 10; i++) {
		pthread_mutex_lock(&mutex);
		while (turn % 8 != *(unsigned *)number)
			pthread_cond_wait(&all_begun, &mutex);
		turn++;
		pthread_cond_broadcast(&all_begun);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int
main(int count, char **arguments)
{
	pthread_t threads[8];
	unsigned rounds = count > 1 ? (unsigned)atoi(arguments[1]) : 100;
	unsigned numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, rounds ? work : take_turns,
			rounds ? &rounds : &numbers[i]);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", rounds ? total : turn);
	return 0;
}
