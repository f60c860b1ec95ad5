/* SPDX-License-Identifier: MIT */
/* The terminal. */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include <stdbool.h>

/* Values of --color, in the order of term_colors. */
enum term_color { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

/* Words of --color, NULL at the end. */
extern const char *const term_colors[];

/* Returns whether to colour standard output. NO_COLOR and TERM=dumb disable colours. */
bool term_colored(enum term_color color);

/* Return whether standard input, output or error is a terminal. */
bool term_input(void);
bool term_output(void);
bool term_error(void);

/*
 * Prints to standard error. That its reader has gone is not a failure: a command does not
 * depend on who reads its messages.
 */
void term_print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns whether the calling thread is printing to standard error; for handlers of signals. */
bool term_prints_error(void);

/* Returns whether standard output is a terminal that can show plots; not with TERM=dumb. */
bool term_draws(void);

/*
 * Returns the characters of a line of standard output: COLUMNS, or the width of the terminal;
 * 80 if both are unknown.
 */
unsigned term_width(void);

#endif
