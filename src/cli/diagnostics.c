/* SPDX-License-Identifier: MIT */
/* Messages on standard error. */
#include "cli/diagnostics.h"

#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is printed says nothing to a terminal. */
static void
hide_controls(char *line)
{
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
}

/* A message is one line whatever a file's name holds. */
static void
put_line(char *line)
{
	hide_controls(line);
	fprintf(stderr, "polytrace: %s\n", line);
}

/* The line that begins behind text that the user gave and ends at a caret below it; or NULL. */
static const char *
shown_place(const char *message)
{
	const char *last = strrchr(message, '\n'), *shown = strchr(message, '\n');
	if (!last || last == shown || strspn(last + 1, " ") + 2 != strlen(last) ||
		last[strlen(last) - 1] != '^')
		return NULL;
	return shown + 1;
}

/* Prints lines as they are. */
static void
put_place(const char *shown)
{
	char line[400];
	while (shown) {
		snprintf(line, sizeof line, "%.*s", (int)strcspn(shown, "\n"), shown);
		hide_controls(line);
		fprintf(stderr, "%s\n", line);
		const char *end = strchr(shown, '\n');
		shown = end ? end + 1 : NULL;
	}
}

void
diag_print(const char *subject, const char *message, ...)
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
diag_error(const char *path, const struct poly_error *error)
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
	const char *shown = shown_place(error->message);
	diag_print(path, "%s%s%.*s", place, used ? ": " : "",
		shown ? (int)(shown - error->message) - 1 : (int)sizeof error->message,
		error->message);
	put_place(shown);
}

const char *
diag_input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *
diag_output_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard output" : path;
}

void
diag_no_memory(void)
{
	diag_print(NULL, "out of memory");
	exit(STATUS_TROUBLE);
}

void *
diag_allocate(size_t count, size_t size)
{
	void *p = calloc(count, size);
	if (!p)
		diag_no_memory();
	return p;
}
