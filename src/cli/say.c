/* SPDX-License-Identifier: MIT */
/* Messages on standard error. */
#include "cli/say.h"

#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message is one line whatever a file's name holds, and says nothing to a terminal. */
static void
put_line(char *line)
{
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	fprintf(stderr, "polytrace: %s\n", line);
}

void
say(const char *subject, const char *message, ...)
{
	char line[1600];
	int used = subject ? snprintf(line, sizeof line / 2, "%s: ", subject) : 0;
	if (used >= (int)sizeof line / 2)
		used = (int)sizeof line / 2 - 1;
	va_list list;
	va_start(list, message);
	vsnprintf(line + used, sizeof line - (size_t)used, message, list);
	va_end(list);
	put_line(line);
}

void
say_error(const char *path, const struct poly_error *error)
{
	char place[120] = "";
	size_t used = 0;
	if (error->record)
		used += (size_t)snprintf(
			place, sizeof place, "record %llu", (unsigned long long)error->record);
	if (error->line)
		used += (size_t)snprintf(place + used, sizeof place - used, "%sline %llu",
			used ? ", " : "", (unsigned long long)error->line);
	if (error->offset != POLY_NO_OFFSET)
		used += (size_t)snprintf(place + used, sizeof place - used,
			"%sbyte %llu (0x%llx)", used ? ", " : "",
			(unsigned long long)error->offset, (unsigned long long)error->offset);
	say(path, "%s%s%s", place, used ? ": " : "", error->message);
}

const char *
say_input(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *
say_output(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard output" : path;
}

void
say_no_memory(void)
{
	say(NULL, "out of memory");
	exit(STATUS_TROUBLE);
}

void *
say_allocate(size_t count, size_t size)
{
	void *p = calloc(count, size);
	if (!p)
		say_no_memory();
	return p;
}
