/* SPDX-License-Identifier: MIT */
/* The text of an event: blanks, lines and columns. spec: reference aix 4.7; seed 003 (Labels).
 */
#include "trcfmt/eval_state.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

#define TAB_STOP 8

static struct trcfmt_piece *
text_piece(struct text *text)
{
	return &text->pieces[text->piece_count - 1];
}

static bool
text_add_piece(struct text *text, uint8_t level, bool continues)
{
	if (text->piece_count == text->piece_capacity) {
		size_t more = text->piece_capacity ? 2 * text->piece_capacity : 16;
		void *pieces = mem_resize(text->pieces, more, sizeof *text->pieces);
		if (!pieces)
			return false;
		text->pieces = pieces;
		text->piece_capacity = more;
	}
	text->pieces[text->piece_count++] = (struct trcfmt_piece){
		.level = level, .continues = continues, .offset = (uint32_t)text->bytes.size};
	return true;
}

bool
text_begin(struct trcfmt_eval *eval, uint8_t level)
{
	struct text *text = &eval->text;
	buf_clear(&text->bytes);
	text->piece_count = 0;
	text->room = TRCFMT_OUTPUT;
	text->lines = 0;
	text->tight = false;
	text->raw = eval->options.raw_spacing;
	text->behind_text = false;
	return text_add_piece(text, level, false);
}

char *
text_grow_slowly(struct trcfmt_eval *eval, size_t n)
{
	struct text *text = &eval->text;
	if (n > text->room) {
		eval_stop(eval, FAULT_OUTPUT);
		return NULL;
	}
	/* As much again, so that it is rarely called. */
	if (!buf_reserve(&text->bytes, n + text->bytes.size)) {
		eval_stop(eval, FAULT_MEMORY);
		return NULL;
	}
	return text_grow(eval, n);
}

void
text_append(struct trcfmt_eval *eval, const void *bytes, size_t n)
{
	char *to = n ? text_grow(eval, n) : NULL;
	if (to)
		memcpy(to, bytes, n);
}

void
text_string(struct trcfmt_eval *eval, const char *string)
{
	text_append(eval, string, strlen(string));
}

void
text_blanks(struct trcfmt_eval *eval, uint64_t n)
{
	const size_t room = eval->text.room;
	char *to = text_grow(eval, n < room ? (size_t)n : room);
	if (to)
		memset(to, ' ', n < room ? (size_t)n : room);
	if (n > room)
		eval_stop(eval, FAULT_OUTPUT);
}

/* Ends the last piece without the blanks at its end. */
static void
text_close_piece(struct text *text)
{
	struct trcfmt_piece *piece = text_piece(text);
	struct buf *bytes = &text->bytes;
	while (bytes->size > piece->offset && bytes->data[bytes->size - 1] == ' ')
		bytes->size--;
	piece->length = (uint32_t)bytes->size - piece->offset;
}

/* Ends a line. What held nothing but blanks behind a change of level is dropped. */
static void
text_close_line(struct text *text)
{
	text_close_piece(text);
	if (text_piece(text)->length == 0 && text_piece(text)->continues)
		text->piece_count--;
}

void
text_newline(struct trcfmt_eval *eval)
{
	struct text *text = &eval->text;
	const uint8_t level = text_piece(text)->level;
	text_close_line(text);
	text->lines++;
	text->behind_text = false;
	if (!text_add_piece(text, level, false))
		eval_stop(eval, FAULT_MEMORY);
}

/* Blanks up to the next tab stop, counted from where the piece began. */
static void
text_to_stop(struct trcfmt_eval *eval)
{
	size_t column = eval->text.bytes.size - text_piece(&eval->text)->offset;
	text_blanks(eval, TAB_STOP - column % TAB_STOP);
}

/* What is shown for a byte of a text; utf8: it is well-formed, so its bytes stay. */
static char
text_shown(uint8_t byte, bool utf8)
{
	if (byte == '\n' || byte == '\r')
		return ' ';
	return byte < ' ' || byte == 0x7f || (byte > 0x7f && !utf8) ? '.' : (char)byte;
}

/* As text_show, for text with more than printable ASCII. */
static void
text_odd(struct trcfmt_eval *eval, const uint8_t *p, size_t n, bool lines)
{
	const bool utf8 = utf8_is_valid(p, n);
	for (size_t i = 0; i < n && eval->flow != FLOW_END; i++) {
		if (p[i] == '\t')
			text_to_stop(eval);
		else if (p[i] == '\n' && lines)
			text_newline(eval);
		else
			text_append(eval, &(char){text_shown(p[i], utf8)}, 1);
	}
}

/* Appends text that may hold anything; lines: new lines are meant, it is a template's. */
static void
text_show(struct trcfmt_eval *eval, const void *bytes, size_t n, bool lines)
{
	const uint8_t *p = bytes;
	size_t plain = 0;
	while (plain < n && p[plain] >= ' ' && p[plain] < 0x7f)
		plain++;
	text_append(eval, p, plain);
	if (plain < n)
		text_odd(eval, p + plain, n - plain, lines);
}

void
text_clean(struct trcfmt_eval *eval, const void *bytes, size_t n)
{
	text_show(eval, bytes, n, false);
}

/*
 * aix.spacing=raw is the seed's sentence by itself: whatever prints is followed by a blank, and
 * blanks that follow each other are one.
 */
static void
text_raw_blank(struct trcfmt_eval *eval)
{
	const struct buf *bytes = &eval->text.bytes;
	if (bytes->size > text_piece(&eval->text)->offset &&
		bytes->data[bytes->size - 1] != ' ')
		text_blanks(eval, 1);
}

void
text_quoted(struct trcfmt_eval *eval, const char *string, size_t n)
{
	struct text *text = &eval->text;
	if (n == 0)
		return;
	if (text->behind_text && !text->tight && !text->raw)
		text_blanks(eval, 1);
	text_show(eval, string, n, true);
	text->behind_text = string[n - 1] != '\n';
	if (text->raw && !text->tight)
		text_raw_blank(eval);
}

void
text_chosen(struct trcfmt_eval *eval, const char *string, size_t n)
{
	size_t begin = text_datum(eval);
	text_show(eval, string, n, true);
	if (string[n - 1] != '\n')
		text_datum_end(eval, begin, true);
}

size_t
text_datum(struct trcfmt_eval *eval)
{
	return eval->text.bytes.size;
}

void
text_datum_end(struct trcfmt_eval *eval, size_t begin, bool blank)
{
	struct text *text = &eval->text;
	if (text->bytes.size == begin)
		return;
	text->behind_text = false;
	if (!blank || text->tight)
		return;
	if (text->raw)
		text_raw_blank(eval);
	else
		text_blanks(eval, 1);
}

void
text_tab(struct trcfmt_eval *eval)
{
	eval->text.behind_text = false;
	text_to_stop(eval);
}

void
text_level(struct trcfmt_eval *eval, uint8_t level)
{
	struct text *text = &eval->text;
	if (text_piece(text)->level == level)
		return;
	text_close_piece(text);
	text->behind_text = false;
	if (text_piece(text)->length == 0)
		text_piece(text)->level = level;
	else if (!text_add_piece(text, level, true))
		eval_stop(eval, FAULT_MEMORY);
}

void
text_end(struct trcfmt_eval *eval)
{
	text_close_line(&eval->text);
}
