/* SPDX-License-Identifier: MIT */
/* Threads of the library. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts a thread that takes no signal: those are the program's affair. False: none can be had.
 * Who starts it joins it.
 */
bool thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* How many threads are meant by a number that was chosen; by 0 one a processor, at most 16. */
unsigned thread_count(unsigned chosen);

#endif
