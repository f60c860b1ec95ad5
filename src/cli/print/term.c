/* SPDX-License-Identifier: MIT */
/* The terminal. */
#include "cli/print/term.h"

#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Maximum of COLUMNS. */
#define WIDTH_MAX 1000

/* This thread is printing to standard error. */
static _Thread_local volatile sig_atomic_t prints_error;

const char *const term_colors[] = {"auto", "always", "never", NULL};

bool
term_input(void)
{
	return isatty(STDIN_FILENO);
}

/* Returns whether a file is a terminal; mpirun of Open MPI provides one whose bytes it copies.
 */
static bool
is_terminal(int descriptor)
{
	return !getenv("OMPI_COMM_WORLD_SIZE") && isatty(descriptor);
}

bool
term_output(void)
{
	return is_terminal(STDOUT_FILENO);
}

bool
term_error(void)
{
	return is_terminal(STDERR_FILENO);
}

void
term_print_error(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	prints_error = 1;
	vfprintf(stderr, format, list);
	fflush(stderr);
	prints_error = 0;
	va_end(list);
}

bool
term_prints_error(void)
{
	return prints_error;
}

bool
term_draws(void)
{
	const char *terminal = getenv("TERM");
	return term_output() && !(terminal && strcmp(terminal, "dumb") == 0);
}

bool
term_colored(enum term_color color)
{
	if (color != TERM_AUTO)
		return color == TERM_ALWAYS;
	const char *refused = getenv("NO_COLOR");
	return term_draws() && !(refused && *refused);
}

unsigned
term_width(void)
{
	const char *columns = getenv("COLUMNS");
	const unsigned long requested = columns ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;
	if (requested && requested <= WIDTH_MAX)
		return (unsigned)requested;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return 80;
}
