/* SPDX-License-Identifier: MIT */
/*
 * Template files by templates.
 *
 * spec: seed 003 (Continuation Character); reference aix 3 (25), 4.1.
 */
#include "trcfmt/join.h"

#include "base/mem.h"

#include <string.h>

/* A line of the file. */
struct line {
	const char *text;
	size_t size; /* without its end, a "\" there and blanks behind that */
	bool continues;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Takes a line; false at the end of the file. */
static bool
take_line(struct join_source *source, struct line *line)
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
is_comment(const struct line *line)
{
	bool any = line->size > 0 || line->continues;
	return any && (line->text[0] == '#' || line->text[0] == '*');
}

static void
add_joint(struct joined *joined, uint32_t offset, uint32_t line)
{
	bool same = joined->count && joined->joints[joined->count - 1].at == joined->text.size;
	if (!same && joined->count == joined->capacity) {
		size_t capacity = joined->capacity ? 2 * joined->capacity : 16;
		struct joint *more =
			mem_resize(joined->joints, capacity, sizeof *joined->joints);
		if (!more) {
			joined->failed = true;
			return;
		}
		joined->joints = more;
		joined->capacity = capacity;
	}
	joined->count += !same;
	joined->joints[joined->count - 1] =
		(struct joint){(uint32_t)joined->text.size, offset, line};
}

/* Whether a string is open behind n bytes of text. */
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
begin(struct joined *joined)
{
	buf_clear(&joined->text);
	joined->count = 0;
	joined->open = false;
	joined->failed = false;
}

/* Passes over blank lines and comments; false where nothing else follows. */
static bool
take_first(struct join_source *source, struct joined *joined, struct line *line)
{
	do {
		joined->start = source->at;
		if (!take_line(source, line))
			return false;
	} while (is_comment(line) || (line->size == 0 && !line->continues));
	return true;
}

bool
join_next(struct join_source *source, struct joined *joined)
{
	struct line line;
	bool string = false, more = true;
	begin(joined);
	if (!take_first(source, joined, &line))
		return false;
	while (more && !joined->failed) {
		add_joint(joined, (uint32_t)(line.text - source->text), source->line - 1);
		buf_append(&joined->text, line.text, line.size);
		joined->end = source->at;
		string = in_string(line.text, line.size, string);
		if (!line.continues)
			break;
		do
			more = take_line(source, &line);
		while (more && is_comment(&line));
		if (more && !string)
			buf_byte(&joined->text, ' ');
		joined->open = !more;
	}
	joined->failed |= joined->text.failed;
	return !joined->failed;
}

struct join_place
join_place(const struct joined *joined, size_t at)
{
	size_t low = 0, high = joined->count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (joined->joints[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	const struct joint *joint = &joined->joints[low];
	return (struct join_place){
		joint->offset, joint->offset + (at - joint->at), joint->line};
}

void
join_free(struct joined *joined)
{
	buf_free(&joined->text);
	mem_free(joined->joints);
	memset(joined, 0, sizeof *joined);
}
