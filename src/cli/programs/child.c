/* SPDX-License-Identifier: MIT */
/* A program that this one starts and waits for. */
#include "cli/programs/child.h"

#include "cli/print/diagnostics.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* Microseconds of a wait. */
#define PAUSE_MIN 50
#define PAUSE_MAX 5000

/* Signals that are left to the program, and those that are passed on to it. */
static const int left[] = {SIGINT, SIGQUIT}, passed[] = {SIGTERM, SIGHUP};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Seconds after which a program is killed that does not end by a signal. */
#define GRACE_SECONDS 10

/* The program, for the handler; 0: it has ended. */
static volatile pid_t current;

/* Signals that were passed on. */
static volatile sig_atomic_t passed_count;

/* Passes a signal on; a further one kills the program. */
static void
pass_on(int number)
{
	const int before = errno;
	if (current)
		kill(current, passed_count++ ? SIGKILL : number);
	errno = before;
}

static void
set_action(int number, void (*handler)(int))
{
	struct sigaction action;
	memset(&action, 0, sizeof action);
	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

/* Starts a process with the actions of signals that this one was started with. */
static int
spawn(struct child *child, const char *const *arguments)
{
	extern char **environ;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	struct sigaction before;
	int failed = posix_spawnattr_init(&attributes);
	if (failed)
		return failed;
	sigemptyset(&defaults);
	for (size_t i = 0; i < COUNT(left); i++) {
		if (sigaction(left[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaddset(&defaults, left[i]);
		set_action(left[i], SIG_IGN);
	}
	failed = posix_spawnattr_setsigdefault(&attributes, &defaults);
	if (!failed)
		failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	if (!failed)
		failed = posix_spawnp(&child->process, arguments[0], NULL, &attributes,
			(char *const *)(uintptr_t)arguments, environ);
	posix_spawnattr_destroy(&attributes);
	return failed;
}

bool
child_start(struct child *child, const char *const *arguments)
{
	*child = (struct child){.pause = PAUSE_MIN};
	const int failed = spawn(child, arguments);
	if (failed) {
		diag_print(arguments[0], "the command cannot be started: %s", strerror(failed));
		return false;
	}
	current = child->process;
	for (size_t i = 0; i < COUNT(passed); i++) {
		struct sigaction before;
		/* What nohup(1) ignores stays ignored, by the program, too. */
		if (sigaction(passed[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			set_action(passed[i], pass_on);
	}
	return true;
}

/* Notes how the program has ended. */
static void
note_end(struct child *child, int status)
{
	current = 0;
	child->has_ended = true;
	child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	child->status = child->signal ? 128 + child->signal : WEXITSTATUS(status);
}

/* Kills a program that ignores the signal that was passed on to it. */
static void
enforce_end(struct child *child)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!child->deadline)
		child->deadline = now.tv_sec + GRACE_SECONDS;
	else if (now.tv_sec >= child->deadline)
		kill(child->process, SIGKILL);
}

void
child_update(struct child *child)
{
	int status;
	if (!child->has_ended && passed_count)
		enforce_end(child);
	if (!child->has_ended && waitpid(child->process, &status, WNOHANG) == child->process)
		note_end(child, status);
}

void
child_finish(struct child *child)
{
	int status;
	pid_t ended = 0;
	while (!child->has_ended &&
		((ended = waitpid(child->process, &status, 0)) > 0 || errno == EINTR)) {
		if (ended == child->process)
			note_end(child, status);
	}
}

void
child_wait(struct child *child)
{
	const struct timespec time = {0, (long)child->pause * 1000};
	nanosleep(&time, NULL);
	if (child->pause < PAUSE_MAX)
		child->pause *= 2;
}

void
child_work(struct child *child)
{
	child->pause = PAUSE_MIN;
}

void
child_kill(struct child *child)
{
	if (child->has_ended)
		return;
	kill(child->process, SIGKILL);
	child_finish(child);
}
