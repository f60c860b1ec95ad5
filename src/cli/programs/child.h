/* SPDX-License-Identifier: MIT */
/*
 * A program that this one starts and waits for. Ctrl-C reaches both by the terminal, and is
 * left to the program; TERM and HUP are passed on to it, and kill it if they are repeated or
 * if it has not ended after ten seconds. So whatever ends the program, this one
 * continues and completes its output.
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct child {
	pid_t process;
	bool has_ended;
	int status;	 /* exit status, if it has ended; 128 + signal: killed by it */
	int signal;	 /* that killed it; 0: none */
	unsigned pause;	 /* microseconds of the next child_wait */
	time_t deadline; /* seconds of the monotonic clock, when it is killed; 0: no signal was
			    passed on */
};

/* Starts a command of PATH with its arguments (NULL at the end); false, after a message: it
 * cannot be started. */
bool child_start(struct child *child, const char *const *arguments);

/* Notes whether the program has ended; kills it if it should have. */
void child_update(struct child *child);

/* Waits for the end of the program. */
void child_finish(struct child *child);

/* Waits a moment; longer each time, until child_work. */
void child_wait(struct child *child);

/* States that there was something to do, so that the next wait is short. */
void child_work(struct child *child);

/* Kills the program, if it has not ended. */
void child_kill(struct child *child);

#endif
