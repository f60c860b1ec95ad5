/* SPDX-License-Identifier: MIT */
/*
 * The progress bar of long work, on standard error if that is a terminal, and signals: the
 * first Ctrl-C ends the work after the current batch. A second one, TERM, HUP, XCPU and XFSZ
 * end the process immediately, by the signal; unfinished outputs are removed.
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
