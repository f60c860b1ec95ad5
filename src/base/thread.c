/* SPDX-License-Identifier: MIT */
/* Starting threads. */
#include "base/thread.h"

#include <signal.h>

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
