/* SPDX-License-Identifier: MIT */
/* Fragments of a template file. spec: AIX trace reference 4.2. */
#include "trcfmt/lang/fragments.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"
#include "trcfmt/lang/join.h"

#include <string.h>

static size_t
count_lines(const char *text, size_t n)
{
	size_t lines = n > 0 && text[n - 1] != '\n';
	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

struct source_fragment
fragment_new(const char *text, size_t n)
{
	return (struct source_fragment){text, n, count_lines(text, n), FRAGMENT_GAP, 0, 0};
}

/* Inserts a fragment at an index; false: out of memory, or too many. */
static bool
insert_fragment(
	struct source_fragments *fragments, size_t i, const struct source_fragment *fragment)
{
	if (fragments->count == FRAGMENTS_MAX)
		return false;
	if (!VEC_ROOM(fragments->list, fragments->capacity, fragments->count))
		return false;
	memmove(fragments->list + i + 1, fragments->list + i,
		(fragments->count - i) * sizeof *fragments->list);
	fragments->list[i] = *fragment;
	fragments->count++;
	return true;
}

/* Skips blanks; returns the size of the token that follows. */
static size_t
next_token(const char *text, size_t size, size_t *at)
{
	size_t n = 0;
	while (*at < size && (text[*at] == ' ' || text[*at] == '\t'))
		++*at;
	while (*at + n < size && text[*at + n] != ' ' && text[*at + n] != '\t')
		n++;
	return n;
}

/* Parses id and version at the start of a template; false if they are not valid. */
static bool
parse_head(struct source_fragment *fragment, const struct buf *text)
{
	const char *p = (const char *)text->data;
	size_t at = 0, n = next_token(p, text->size, &at);
	uint64_t hook, version, release;
	if ((n != 3 && n != 4) || !num_parse_hex(p + at, n, &hook))
		return false;
	hook = n == 3 ? hook << 4 : hook;
	at += n;
	n = next_token(p, text->size, &at);
	const char *point = n ? memchr(p + at, '.', n) : NULL;
	size_t digits = point ? (size_t)(point - p) - at : 0;
	if (!point || !num_parse(p + at, digits, &version) ||
		!num_parse(point + 1, n - digits - 1, &release) || version > UINT32_MAX ||
		release > UINT32_MAX)
		return false;
	fragment->hook = (uint32_t)hook;
	fragment->version = (uint32_t)version;
	fragment->release = (uint32_t)release;
	return true;
}

static bool
append(struct source_fragments *fragments, const struct source_fragment *fragment)
{
	return fragment->size == 0 || insert_fragment(fragments, fragments->count, fragment);
}

/* Appends the joined template and the gap before it. */
static bool
append_fragments(struct source_fragments *fragments, const struct joined *joined,
	const char *text, size_t end)
{
	struct source_fragment gap = fragment_new(text + end, joined->start - end);
	struct source_fragment fragment =
		fragment_new(text + joined->start, joined->end - joined->start);
	parse_head(&fragment, &joined->text);
	return append(fragments, &gap) && append(fragments, &fragment);
}

enum poly_status
fragments_parse(struct source_fragments *fragments, const char *text, size_t n,
	struct poly_error *error)
{
	struct join_source source = {text, n, 0, 1};
	struct joined joined = {0};
	size_t end = 0;
	bool taken = true, open = false;
	fragments->open = n > 0 && text[n - 1] != '\n';
	while (taken && join_next(&source, &joined)) {
		taken = append_fragments(fragments, &joined, text, end);
		end = joined.end;
		open = joined.open;
	}
	struct source_fragment gap = fragment_new(text + end, n - end);
	taken = taken && !joined.failed && append(fragments, &gap);
	join_free(&joined);
	if (open)
		return err_set(error, POLY_ERR_FORMAT, n,
			"the last line of the template file ends in '\\'");
	if (!taken && fragments->count == FRAGMENTS_MAX)
		return err_set(error, POLY_ERR_LIMIT, end,
			"more than %zu templates and comments in the template file",
			FRAGMENTS_MAX);
	return taken ? POLY_OK : err_memory(error);
}

size_t
fragments_find(const struct source_fragments *fragments, uint32_t hook, size_t i)
{
	while (i-- > 0)
		if (fragments->list[i].hook == hook)
			return i;
	return SIZE_MAX;
}

size_t
fragments_line(const struct source_fragments *fragments, size_t i)
{
	size_t line = 1;
	for (size_t k = 0; k < i; k++)
		line += fragments->list[k].lines;
	return line;
}

/* Splits a gap after some of its lines. */
static bool
split_gap(struct source_fragments *fragments, size_t i, size_t lines)
{
	struct source_fragment *fragment = &fragments->list[i], rest = *fragment;
	size_t size = 0;
	for (size_t k = 0; k < lines; k++)
		size = (size_t)((const char *)memchr(
					fragment->text + size, '\n', fragment->size - size) -
				fragment->text) +
		       1;
	rest.text += size;
	rest.size -= size;
	rest.lines -= lines;
	fragment->size = size;
	fragment->lines = lines;
	return insert_fragment(fragments, i + 1, &rest);
}

size_t
fragments_insert(
	struct source_fragments *fragments, const struct source_fragment *fragment, size_t line)
{
	size_t i = 0, before = 1;
	while (i < fragments->count && before + fragments->list[i].lines <= line)
		before += fragments->list[i++].lines;
	if (i < fragments->count && before != line) {
		bool gap = fragments->list[i].hook == FRAGMENT_GAP && line > 0;
		if (gap && !split_gap(fragments, i, line - before))
			return SIZE_MAX;
		i = gap ? i + 1 : fragments->count;
	}
	return insert_fragment(fragments, i, fragment) ? i : SIZE_MAX;
}

void
fragments_remove(struct source_fragments *fragments, size_t i)
{
	fragments->count--;
	memmove(fragments->list + i, fragments->list + i + 1,
		(fragments->count - i) * sizeof *fragments->list);
}

void
fragment_write(struct buf *out, const struct source_fragment *fragment)
{
	buf_append(out, fragment->text, fragment->size);
	if (fragment->size == 0 || fragment->text[fragment->size - 1] != '\n')
		buf_byte(out, '\n');
}

void
fragments_write(struct buf *out, const struct source_fragments *fragments)
{
	for (size_t i = 0; i < fragments->count; i++)
		fragment_write(out, &fragments->list[i]);
	/* Without its newline, an empty last line would be lost. */
	if (fragments->open && out->size > 1 && out->data[out->size - 2] != '\n')
		out->size--;
}

void
fragments_free(struct source_fragments *fragments)
{
	mem_free(fragments->list);
	memset(fragments, 0, sizeof *fragments);
}
