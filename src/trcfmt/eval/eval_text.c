/* SPDX-License-Identifier: MIT */
/* The text of an event: blanks, lines and columns. spec: AIX trace reference 4.7; IBM, trcfmt
 * File Format (Labels).
 */
#include "trcfmt/eval/eval_state.h"

#include "base/utf8.h"
#include "base/vec.h"

#include <string.h>

#define TAB_STOP 8

static struct trcfmt_span *
last_span(struct eval_text *text)
{
	return &text->spans[text->span_count - 1];
}

static bool
add_span(struct eval_text *text, uint8_t level, bool continues)
{
	if (!VEC_ROOM(text->spans, text->span_capacity, text->span_count))
		return false;
	text->spans[text->span_count++] = (struct trcfmt_span){
		.level = level, .continues = continues, .offset = (uint32_t)text->bytes.size};
	return true;
}

bool
text_begin(struct trcfmt_eval *eval, uint8_t level)
{
	struct eval_text *text = &eval->text;
	buf_clear(&text->bytes);
	text->span_count = 0;
	text->room = TRCFMT_OUTPUT;
	text->lines = 0;
	text->tight = false;
	text->raw = eval->options.raw_spacing;
	text->after_string = false;
	return add_span(text, level, false);
}

char *
text_grow_slowly(struct trcfmt_eval *eval, size_t n)
{
	struct eval_text *text = &eval->text;
	if (n > text->room) {
		eval_stop(eval, FAULT_OUTPUT);
		return NULL;
	}
	/* Doubles the buffer, so that this function is rarely called. */
	if (!buf_reserve(&text->bytes, n + text->bytes.size)) {
		eval_stop(eval, FAULT_MEMORY);
		return NULL;
	}
	return text_grow(eval, n);
}

void
text_append(struct trcfmt_eval *eval, const void *bytes, size_t n)
{
	char *dst = n ? text_grow(eval, n) : NULL;
	if (dst)
		memcpy(dst, bytes, n);
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
	char *dst = text_grow(eval, n < room ? (size_t)n : room);
	if (dst)
		memset(dst, ' ', n < room ? (size_t)n : room);
	if (n > room)
		eval_stop(eval, FAULT_OUTPUT);
}

/* Ends the last piece without the blanks at its end. */
static void
close_span(struct eval_text *text)
{
	struct trcfmt_span *span = last_span(text);
	struct buf *bytes = &text->bytes;
	while (bytes->size > span->offset && bytes->data[bytes->size - 1] == ' ')
		bytes->size--;
	span->length = (uint32_t)bytes->size - span->offset;
}

/* Ends a line. Drops a span after a change of level that holds only blanks. */
static void
close_line(struct eval_text *text)
{
	close_span(text);
	if (last_span(text)->length == 0 && last_span(text)->continues)
		text->span_count--;
}

void
text_newline(struct trcfmt_eval *eval)
{
	struct eval_text *text = &eval->text;
	const uint8_t level = last_span(text)->level;
	close_line(text);
	text->lines++;
	text->after_string = false;
	if (!add_span(text, level, false))
		eval_stop(eval, FAULT_MEMORY);
}

/* Blanks up to the next tab stop, counted from the start of the span. */
static void
text_to_stop(struct trcfmt_eval *eval)
{
	size_t column = eval->text.bytes.size - last_span(&eval->text)->offset;
	text_blanks(eval, TAB_STOP - column % TAB_STOP);
}

/* Returns the byte to print for a byte of a text; utf8: the text is valid UTF-8. */
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

/* Appends any text; lines: newlines begin lines, as in a template's strings. */
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
 * aix.spacing=raw: a blank follows every item that prints, and consecutive blanks are one, as
 * trcfmt File Format states.
 */
static void
text_raw_blank(struct trcfmt_eval *eval)
{
	const struct buf *bytes = &eval->text.bytes;
	if (bytes->size > last_span(&eval->text)->offset && bytes->data[bytes->size - 1] != ' ')
		text_blanks(eval, 1);
}

void
text_quoted(struct trcfmt_eval *eval, const char *string, size_t n)
{
	struct eval_text *text = &eval->text;
	if (n == 0)
		return;
	if (text->after_string && !text->tight && !text->raw)
		text_blanks(eval, 1);
	text_show(eval, string, n, true);
	text->after_string = string[n - 1] != '\n';
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
	struct eval_text *text = &eval->text;
	if (text->bytes.size == begin)
		return;
	text->after_string = false;
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
	eval->text.after_string = false;
	text_to_stop(eval);
}

void
text_level(struct trcfmt_eval *eval, uint8_t level)
{
	struct eval_text *text = &eval->text;
	if (last_span(text)->level == level)
		return;
	close_span(text);
	text->after_string = false;
	if (last_span(text)->length == 0)
		last_span(text)->level = level;
	else if (!add_span(text, level, true))
		eval_stop(eval, FAULT_MEMORY);
}

void
text_end(struct trcfmt_eval *eval)
{
	close_line(&eval->text);
}
