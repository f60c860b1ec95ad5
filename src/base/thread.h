/* SPDX-License-Identifier: MIT */
/* Threads of the library. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts a thread with all signals blocked: signals belong to the program. False: no thread
 * could be started. The caller joins it.
 */
bool thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* Maximum number of threads of an option. */
#define THREADS_MAX 64

/* Resolves a thread option: 0: one per CPU, at most 16; else the number itself, at most
 * THREADS_MAX. */
unsigned thread_count(unsigned chosen);

#endif
