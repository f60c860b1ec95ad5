/* SPDX-License-Identifier: MIT */
/* Starting threads. */
#include "base/thread.h"

#include <signal.h>
#include <unistd.h>

/* Maximum of the default number of threads. */
#define THREADS_USUAL 16

bool
thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	const bool started = pthread_create(thread, NULL, run, user) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

unsigned
thread_count(unsigned chosen)
{
	if (chosen)
		return chosen < THREADS_MAX ? chosen : THREADS_MAX;
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (processors < 1)
		return 1;
	return processors < THREADS_USUAL ? (unsigned)processors : THREADS_USUAL;
}
