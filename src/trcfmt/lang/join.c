/* SPDX-License-Identifier: MIT */
/*
 * Splits template files into templates.
 *
 * spec: IBM, trcfmt File Format (Continuation Character); AIX trace reference 3 (25), 4.1.
 */
#include "trcfmt/lang/join.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/* A line of the file. */
struct source_line {
	const char *text;
	size_t size; /* without the line end, a trailing "\" and blanks after that */
	bool continues;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Reads a line; false at the end of the file. */
static bool
read_line(struct join_source *source, struct source_line *line)
{
	if (source->at == source->size)
		return false;
	const char *text = source->text + source->at, *end;
	size_t left = source->size - source->at;
	end = memchr(text, '\n', left);
	size_t size = end ? (size_t)(end - text) : left;
	source->at += size + (end != NULL);
	source->line++;
	while (size > 0 && is_blank(text[size - 1]))
		size--;
	line->continues = size > 0 && text[size - 1] == '\\';
	line->text = text;
	line->size = size - line->continues;
	return true;
}

static bool
is_comment(const struct source_line *line)
{
	bool any = line->size > 0 || line->continues;
	return any && (line->text[0] == '#' || line->text[0] == '*');
}

static void
add_line_map_entry(struct joined *joined, uint32_t offset, uint32_t line)
{
	bool same =
		joined->count && joined->line_map[joined->count - 1].at == joined->text.size;
	if (!same && !VEC_ROOM(joined->line_map, joined->capacity, joined->count)) {
		joined->failed = true;
		return;
	}
	joined->count += !same;
	joined->line_map[joined->count - 1] =
		(struct line_map_entry){(uint32_t)joined->text.size, offset, line};
}

/* True if a string is open after n bytes of text. */
static bool
in_string(const char *text, size_t n, bool open)
{
	for (size_t i = 0; i < n; i++)
		if (open && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			open = !open;
	return open;
}

static void
reset_joined(struct joined *joined)
{
	buf_clear(&joined->text);
	joined->count = 0;
	joined->open = false;
	joined->failed = false;
}

/* Skips blank lines and comments, reads the first line of a template; false at the end of the
 * file. */
static bool
read_first_line(struct join_source *source, struct joined *joined, struct source_line *line)
{
	do {
		joined->start = source->at;
		if (!read_line(source, line))
			return false;
	} while (is_comment(line) || (line->size == 0 && !line->continues));
	return true;
}

bool
join_next(struct join_source *source, struct joined *joined)
{
	struct source_line line;
	bool string = false, found = true;
	reset_joined(joined);
	if (!read_first_line(source, joined, &line))
		return false;
	while (found && !joined->failed) {
		add_line_map_entry(
			joined, (uint32_t)(line.text - source->text), source->line - 1);
		buf_append(&joined->text, line.text, line.size);
		joined->end = source->at;
		string = in_string(line.text, line.size, string);
		if (!line.continues)
			break;
		do
			found = read_line(source, &line);
		while (found && is_comment(&line));
		if (found && !string)
			buf_byte(&joined->text, ' ');
		joined->open = !found;
	}
	joined->failed |= joined->text.failed;
	return !joined->failed;
}

struct join_position
join_position(const struct joined *joined, size_t at)
{
	size_t low = 0, high = joined->count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (joined->line_map[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	const struct line_map_entry *line_map_entry = &joined->line_map[low];
	return (struct join_position){line_map_entry->offset,
		line_map_entry->offset + (at - line_map_entry->at), line_map_entry->line};
}

void
join_free(struct joined *joined)
{
	buf_free(&joined->text);
	mem_free(joined->line_map);
	memset(joined, 0, sizeof *joined);
}
