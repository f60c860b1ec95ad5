/* SPDX-License-Identifier: MIT */
/*
 * Records of CIS 501 traces that are not bound to lines: fourteen fields are one, whatever
 * white space stands between them. What is a line by itself is read as one, headings and blank
 * lines among them; damage costs the rest of its line.
 *
 * spec: reference cis501 2.1 and 3/18
 */
#include "format/cis501/cis501.h"

#include <stdio.h>

/* What is at the front, and why it is no record where it is none. */
struct front {
	struct cis501_piece piece;
	struct line line;
	bool last; /* all that is left */
	struct line_fault fault;
};

static void
blame_length(struct line_fault *fault)
{
	fault->rule = CIS501_C02;
	fault->column = 0;
	snprintf(fault->text, sizeof fault->text, "the record is longer than %d bytes",
		CIS501_LINE_MOST);
}

/* Parses n bytes as if they stood in one line. */
static void
parse_words(struct cis501_free *free, const uint8_t *text, size_t n, struct front *front)
{
	for (size_t i = 0; i < n; i++)
		free->text[i] = text[i] == '\n' ? ' ' : text[i];
	free->text[n] = '\n';
	front->piece.is = cis501_parse(free->text, &front->piece.op, &front->fault);
}

/* A front of have bytes, the line of which is no record. */
static void
take_words(struct cis501_free *free, size_t have, struct front *front)
{
	struct line *line = &front->line;
	const size_t most = have < CIS501_LINE_MOST ? have : CIS501_LINE_MOST;
	const bool all = have == most; /* the input ends there */
	size_t n = free->within ? 0 : cis501_words_size(line->text, most);
	front->piece.split = true;
	front->piece.is = CIS501_DAMAGED;
	if (n && (n < most || all)) {
		parse_words(free, line->text, n, front);
		if (front->piece.is != CIS501_DAMAGED) {
			size_t gap = cis501_gap_size(line->text + n, most - n);
			line->ended = gap && line->text[n + gap - 1] == '\n';
			line->size = line->ended ? n + gap : n;
			return;
		}
	} else if (all && !free->within) {
		parse_words(free, line->text, most, front);
		front->last = true;
		line->ended = line->text[most - 1] == '\n';
		line->size = most;
		return;
	} else {
		blame_length(&front->fault);
	}
	line->ended = line->size != 0;
	line->size = line->ended ? line->size : most;
}

/* What stands at the front; damage takes the rest of its line. */
static enum poly_status
find_front(struct cis501_free *free, struct in *in, struct front *front)
{
	struct line *line = &front->line;
	size_t have;
	front->piece.line = line;
	front->piece.split = front->last = false;
	line->shape = NULL;
	line->text = in_peek(in, CIS501_LINE_MOST + 1, &have);
	line->offset = in_offset(in);
	line->size = line_size(line->text, have, CIS501_LINE_MOST);
	line->ended = true;
	if (have == 0)
		return POLY_END;
	front->piece.is = CIS501_DAMAGED;
	if (line->size && !free->within)
		front->piece.is = cis501_parse(line->text, &front->piece.op, &front->fault);
	if (front->piece.is == CIS501_DAMAGED)
		take_words(free, have, front);
	return POLY_OK;
}

/* Passes over the front. */
static void
pass(struct cis501_free *free, struct in *in, const struct line *line)
{
	for (size_t i = 0; i < line->size; i++) {
		bool newline = line->text[i] == '\n';
		free->newlines += newline;
		free->column = newline ? 0 : free->column + 1;
	}
	in_consume(in, line->size);
}

/* The line of a fault, and the message with its column there. */
static uint64_t
place_of(const struct cis501_free *free, const struct front *front, char *text, size_t size)
{
	uint64_t line = free->newlines + 1;
	unsigned column = free->column;
	if (front->fault.column == 0) {
		snprintf(text, size, "%s", front->fault.text);
		return line;
	}
	for (unsigned i = 0; i + 1 < front->fault.column; i++) {
		bool newline = front->line.text[i] == '\n';
		line += newline;
		column = newline ? 0 : column + 1;
	}
	snprintf(text, size, "column %u: %s", column + 1, front->fault.text);
	return line;
}

static enum poly_status
fail(const struct cis501_free *free, const struct front *front, struct poly_error *error)
{
	const unsigned column = front->fault.column;
	char text[300];
	uint64_t line = place_of(free, front, text, sizeof text);
	err_set(error, POLY_ERR_FORMAT, front->line.offset + (column ? column - 1 : 0), "%s",
		text);
	if (error)
		error->line = line;
	return POLY_ERR_FORMAT;
}

static void
find_fault(struct reading *reading, const struct cis501_free *free, size_t row,
	const struct front *front)
{
	char text[300];
	uint64_t line = place_of(free, front, text, sizeof text);
	findings_add(reading->findings, front->fault.rule, reading->record + row + 1,
		front->line.offset, "line %llu%s%s", (unsigned long long)line,
		front->fault.column ? ", " : ": ", text);
}

enum poly_status
cis501_free_read(struct reading *reading, struct cis501_free *free, struct batch *batch,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	struct front front;
	size_t row = 0;
	for (; row < batch->capacity; row++) {
		status = find_front(free, reading->in, &front);
		bool damaged = status == POLY_OK && front.piece.is == CIS501_DAMAGED;
		if (damaged && !front.last)
			status = fail(free, &front, error);
		if (status != POLY_OK)
			break;
		if (damaged && in_status(reading->in, NULL) == POLY_END)
			find_fault(reading, free, row, &front);
		cis501_put(reading, batch, row, &front.piece);
		pass(free, reading->in, &front.line);
	}
	batch->view.rows = row;
	return row && status == POLY_END ? POLY_OK : status;
}

enum poly_status
cis501_free_resync(struct reading *reading, struct cis501_free *free, struct batch *batch)
{
	struct front front;
	enum poly_status status = find_front(free, reading->in, &front);
	if (status != POLY_OK)
		return status;
	if (!free->within)
		find_fault(reading, free, 0, &front);
	cis501_put(reading, batch, 0, &front.piece);
	batch->view.rows = 1;
	free->within = !front.line.ended;
	pass(free, reading->in, &front.line);
	return POLY_OK;
}
