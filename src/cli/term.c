/* SPDX-License-Identifier: MIT */
/* The terminal. */
#include "cli/term.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *const term_colors[] = {"auto", "always", "never", NULL};

bool
term_input(void)
{
	return isatty(STDIN_FILENO);
}

bool
term_output(void)
{
	return isatty(STDOUT_FILENO);
}

bool
term_error(void)
{
	return isatty(STDERR_FILENO);
}

bool
term_colored(enum term_color color)
{
	if (color != TERM_AUTO)
		return color == TERM_ALWAYS;
	const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return term_output() && !(refused && *refused) &&
	       !(terminal && strcmp(terminal, "dumb") == 0);
}

unsigned
term_width(void)
{
	struct winsize size;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return 80;
}
