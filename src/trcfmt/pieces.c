/* SPDX-License-Identifier: MIT */
/* A template file in pieces. spec: reference aix 4.2. */
#include "trcfmt/pieces.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "trcfmt/join.h"

#include <string.h>

static size_t
count_lines(const char *text, size_t n)
{
	size_t lines = n > 0 && text[n - 1] != '\n';
	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

struct piece
piece_of(const char *text, size_t n)
{
	return (struct piece){text, n, count_lines(text, n), PIECE_GAP, 0, 0};
}

/* Puts a piece in at an index. */
static bool
insert_at(struct pieces *pieces, size_t i, const struct piece *piece)
{
	if (pieces->count == PIECES_MOST)
		return false;
	if (pieces->count == pieces->capacity) {
		size_t capacity = pieces->capacity ? 2 * pieces->capacity : 256;
		struct piece *more = mem_resize(pieces->list, capacity, sizeof *more);
		if (!more)
			return false;
		pieces->list = more;
		pieces->capacity = capacity;
	}
	memmove(pieces->list + i + 1, pieces->list + i,
		(pieces->count - i) * sizeof *pieces->list);
	pieces->list[i] = *piece;
	pieces->count++;
	return true;
}

/* The next run of bytes that are no blanks; its size. */
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

/* Takes id and version from the beginning of a template; false where they are not right. */
static bool
take_head(struct piece *piece, const struct buf *text)
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
	piece->hook = (uint32_t)hook;
	piece->version = (uint32_t)version;
	piece->release = (uint32_t)release;
	return true;
}

static bool
append(struct pieces *pieces, const struct piece *piece)
{
	return piece->size == 0 || insert_at(pieces, pieces->count, piece);
}

/* Takes the template that was joined, and what stood before it. */
static bool
take_piece(struct pieces *pieces, const struct joined *joined, const char *text, size_t behind)
{
	struct piece gap = piece_of(text + behind, joined->start - behind);
	struct piece piece = piece_of(text + joined->start, joined->end - joined->start);
	take_head(&piece, &joined->text);
	return append(pieces, &gap) && append(pieces, &piece);
}

enum poly_status
pieces_take(struct pieces *pieces, const char *text, size_t n, struct poly_error *error)
{
	struct join_source source = {text, n, 0, 1};
	struct joined joined = {0};
	size_t behind = 0;
	bool taken = true, open = false;
	pieces->open = n > 0 && text[n - 1] != '\n';
	while (taken && join_next(&source, &joined)) {
		taken = take_piece(pieces, &joined, text, behind);
		behind = joined.end;
		open = joined.open;
	}
	struct piece gap = piece_of(text + behind, n - behind);
	taken = taken && !joined.failed && append(pieces, &gap);
	join_free(&joined);
	if (open)
		return err_set(error, POLY_ERR_FORMAT, n,
			"the last line of the template file ends in '\\', and nothing follows");
	if (!taken && pieces->count == PIECES_MOST)
		return err_set(error, POLY_ERR_LIMIT, behind,
			"more than %zu templates and comments in the template file",
			PIECES_MOST);
	return taken ? POLY_OK : err_memory(error);
}

size_t
pieces_find(const struct pieces *pieces, uint32_t hook, size_t i)
{
	while (i-- > 0)
		if (pieces->list[i].hook == hook)
			return i;
	return SIZE_MAX;
}

size_t
pieces_line(const struct pieces *pieces, size_t i)
{
	size_t line = 1;
	for (size_t k = 0; k < i; k++)
		line += pieces->list[k].lines;
	return line;
}

/* Divides what stands between templates behind some of its lines. */
static bool
divide(struct pieces *pieces, size_t i, size_t lines)
{
	struct piece *piece = &pieces->list[i], rest = *piece;
	size_t size = 0;
	for (size_t k = 0; k < lines; k++)
		size = (size_t)((const char *)memchr(
					piece->text + size, '\n', piece->size - size) -
				piece->text) +
		       1;
	rest.text += size;
	rest.size -= size;
	rest.lines -= lines;
	piece->size = size;
	piece->lines = lines;
	return insert_at(pieces, i + 1, &rest);
}

size_t
pieces_insert(struct pieces *pieces, const struct piece *piece, size_t line)
{
	size_t i = 0, before = 1;
	while (i < pieces->count && before + pieces->list[i].lines <= line)
		before += pieces->list[i++].lines;
	if (i < pieces->count && before != line) {
		bool gap = pieces->list[i].hook == PIECE_GAP && line > 0;
		if (gap && !divide(pieces, i, line - before))
			return SIZE_MAX;
		i = gap ? i + 1 : pieces->count;
	}
	return insert_at(pieces, i, piece) ? i : SIZE_MAX;
}

void
pieces_remove(struct pieces *pieces, size_t i)
{
	pieces->count--;
	memmove(pieces->list + i, pieces->list + i + 1,
		(pieces->count - i) * sizeof *pieces->list);
}

void
piece_write(struct buf *to, const struct piece *piece)
{
	buf_append(to, piece->text, piece->size);
	if (piece->size == 0 || piece->text[piece->size - 1] != '\n')
		buf_byte(to, '\n');
}

void
pieces_write(struct buf *to, const struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		piece_write(to, &pieces->list[i]);
	/* An empty last line would be lost with its new line. */
	if (pieces->open && to->size > 1 && to->data[to->size - 2] != '\n')
		to->size--;
}

void
pieces_free(struct pieces *pieces)
{
	mem_free(pieces->list);
	memset(pieces, 0, sizeof *pieces);
}
