/* SPDX-License-Identifier: MIT */
/*
 * How far long work has come, on standard error where that is a terminal, and Ctrl-C: the first
 * one ends the work between two batches, the second one at once.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;	/* a bar may be drawn */
	bool drawn;	/* one is on the screen */
	uint64_t start; /* milliseconds of the monotonic clock */
	uint64_t next;	/* when to draw again */
};

/* From now on Ctrl-C is noted. */
void progress_catch_interrupt(void);

/* True where Ctrl-C has been pressed. */
bool progress_interrupted(void);

/* Begins: quiet where standard output goes to the same terminal while it works. */
void progress_start(struct progress *progress, bool prints);

/* To be called between batches (user: a struct progress); 1 asks to stop. */
int progress_update(void *user, uint64_t done, uint64_t total);

/* Takes the bar off the screen. */
void progress_clear(struct progress *progress);

#endif
