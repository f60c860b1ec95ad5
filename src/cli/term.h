/* SPDX-License-Identifier: MIT */
/* What is known of the terminal. */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include <stdbool.h>

/* Answers of --color, in the order of term_colors. */
enum term_color { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

/* Words of --color, NULL at the end. */
extern const char *const term_colors[];

/* True where standard output is to be coloured. NO_COLOR and TERM=dumb speak against it. */
bool term_colored(enum term_color color);

/* True where standard input, output, error is a terminal. */
bool term_input(void);
bool term_output(void);
bool term_error(void);

/* True where standard output is a terminal that can show plots: TERM=dumb speaks against it. */
bool term_draws(void);

/*
 * How many characters a line of standard output has: COLUMNS, or what the terminal says; 80
 * where neither does.
 */
unsigned term_width(void);

#endif
