/* SPDX-License-Identifier: MIT */
/* Messages on standard error. */
#include "cli/print/diagnostics.h"

#include "cli/command.h"
#include "cli/options/switches.h"
#include "cli/print/term.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char origin[400]; /* precedes the subject */
static FILE *held;	 /* messages that are held back; NULL: they are printed */
static char *held_text;
static size_t held_size;

void
diag_set_origin(const char *text)
{
	snprintf(origin, sizeof origin, "%s", text);
}

void
diag_hold(void)
{
	held = open_memstream(&held_text, &held_size);
	if (!held)
		diag_no_memory();
}

size_t
diag_take(char **texts)
{
	FILE *stream = held;
	*texts = NULL;
	if (!stream)
		return 0;
	held = NULL;
	if (fclose(stream) != 0)
		diag_no_memory();
	*texts = held_text;
	return held_size;
}

void
diag_release(bool prints)
{
	char *texts;
	const size_t size = diag_take(&texts);
	if (prints && size)
		term_print_error("%.*s", (int)size, texts);
	free(texts);
}

/* Prints one line, even if a file's name contains a line feed. */
static void
print_line(const char *before, const char *line)
{
	char visible[4000];
	poly_text_visible(visible, sizeof visible, line, strlen(line));
	const char *from = *before ? origin : "";
	if (held)
		fprintf(held, "%s%s%s\n", before, from, visible);
	else
		term_print_error("%s%s%s\n", before, from, visible);
}

/* Returns the excerpt at the end of a message: the user's text, and a caret below; or NULL. */
static const char *
find_excerpt(const char *message)
{
	const char *last = strrchr(message, '\n'), *first = strchr(message, '\n');
	if (!last || last == first || strspn(last + 1, " ") + 2 != strlen(last) ||
		last[strlen(last) - 1] != '^')
		return NULL;
	return first + 1;
}

/* Prints the lines of an excerpt (NULL: none) without a prefix. */
static void
print_excerpt(const char *excerpt)
{
	char line[400];
	while (excerpt) {
		snprintf(line, sizeof line, "%.*s", (int)strcspn(excerpt, "\n"), excerpt);
		print_line("", line);
		const char *end = strchr(excerpt, '\n');
		excerpt = end ? end + 1 : NULL;
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
	print_line("polytrace: ", line);
}

/* Formats record, line and byte offset of an error, as far as they are known. */
static void
format_location(const struct poly_error *error, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	if (error->record)
		used += (size_t)snprintf(
			text, size, "record %llu", (unsigned long long)error->record);
	if (error->line)
		used += (size_t)snprintf(text + used, size - used, "%sline %llu",
			used ? ", " : "", (unsigned long long)error->line);
	if (error->offset != POLY_NO_OFFSET)
		snprintf(text + used, size - used, "%sbyte %llu (0x%llx)", used ? ", " : "",
			(unsigned long long)error->offset, (unsigned long long)error->offset);
}

static void
print_error(const char *subject, const struct poly_error *error, bool writes)
{
	char location[120], message[1200];
	const char *excerpt = find_excerpt(error->message);
	const size_t length =
		excerpt ? (size_t)(excerpt - error->message) - 1 : strlen(error->message);
	format_location(error, location, sizeof location);
	switches_name(error, length, writes, message, sizeof message);
	diag_print(subject, "%s%s%s", location, *location ? ": " : "", message);
	print_excerpt(excerpt);
}

void
diag_times(const char *subject, const char *note, uint64_t count)
{
	if (count == 1)
		diag_print(subject, "%s (once)", note);
	else
		diag_print(subject, "%s (%llu times)", note, (unsigned long long)count);
}

void
diag_notes(const char *subject, const struct poly_writer *writer)
{
	const char *note;
	uint64_t count;
	for (size_t i = 0; (note = poly_writer_note_at(writer, i, &count)); i++)
		diag_times(subject, note, count);
}

void
diag_error(const char *subject, const struct poly_error *error)
{
	print_error(subject, error, false);
}

void
diag_writer_error(const char *subject, const struct poly_error *error)
{
	print_error(subject, error, true);
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
	diag_release(true);
	diag_print(NULL, "out of memory");
	exit(STATUS_ERROR);
}

void *
diag_allocate(size_t count, size_t size)
{
	void *p = calloc(count, size);
	if (!p)
		diag_no_memory();
	return p;
}

const char *
severity_name(enum poly_severity severity)
{
	static const char *const names[] = {
		[POLY_NOTE] = "note", [POLY_WARNING] = "warning", [POLY_ERROR] = "error"};
	return names[severity];
}
