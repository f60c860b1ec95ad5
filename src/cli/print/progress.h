/* SPDX-License-Identifier: MIT */
/*
 * The progress bar of long work, on standard error if that is a terminal, and signals: the
 * first Ctrl-C ends the work after the current batch, and then the process, by the signal. A
 * second one, TERM, HUP, XCPU and XFSZ end the process immediately, by the signal, and so does
 * a pipe of standard output without a reader; unfinished outputs are removed.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;	/* a bar may be drawn */
	bool drawn;	/* a bar is on the screen */
	uint64_t start; /* milliseconds of the monotonic clock */
	uint64_t next;	/* when to draw again */
};

/* Installs the handlers of signals. */
void progress_catch_signals(void);

/* Notes that a program which this one ran was ended by a signal. */
void progress_end_by(int number);

/*
 * Ends the process by the signal that interrupted it, or that ended the program which it ran,
 * so that a shell knows it: a loop ends by SIGINT. Returns if there is none. Called when all
 * results are written.
 */
void progress_finish(void);

/*
 * Sets what removes further unfinished outputs when a signal ends the process; it must be safe
 * in handlers of signals. NULL: nothing.
 */
void progress_set_discard(void (*discard)(void));

/* Returns whether Ctrl-C has been pressed. */
bool progress_interrupted(void);

/* Begins; prints: no bar if standard output is a terminal, too. */
void progress_start(struct progress *progress, bool prints);

/* Draws the bar; called between batches (user: a struct progress). Returns 1 to stop. */
int progress_update(void *user, uint64_t done, uint64_t total);

/* The same for work whose end is unknown: what was done, in units such as "instructions". */
void progress_count(struct progress *progress, uint64_t done, const char *units);

/* Clears the bar. */
void progress_clear(struct progress *progress);

#endif
