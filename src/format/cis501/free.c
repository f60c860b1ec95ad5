/* SPDX-License-Identifier: MIT */
/*
 * CIS 501 records independent of lines: fourteen fields form a record, whatever white space
 * separates them. A line that is a record, a header row or blank by itself is read as a line.
 * Corrupt data extend to the end of their line.
 *
 * spec: Instruction Trace Format (Penn CIS 501), Parser Code
 */
#include "format/cis501/cis501.h"

#include <stdio.h>

/* The record at the front, or the fault if it is not a record. */
struct front {
	struct cis501_parsed parsed;
	struct line line;
	bool last; /* it extends to the end of the input */
	struct line_fault fault;
};

/* Parses n bytes as if they were one line. */
static void
parse_words(struct cis501_free *free, const uint8_t *text, size_t n, struct front *front)
{
	for (size_t i = 0; i < n; i++)
		free->text[i] = text[i] == '\n' ? ' ' : text[i];
	free->text[n] = '\n';
	front->parsed.is = cis501_parse(free->text, &front->parsed.op, &front->fault);
}

/* Parses a record whose first line is not a record by itself; have bytes are available. */
static void
parse_record(struct cis501_free *free, size_t have, struct front *front)
{
	struct line *line = &front->line;
	const size_t max = have < CIS501_LINE_MAX ? have : CIS501_LINE_MAX;
	const bool all = have == max; /* the input ends there */
	size_t n = free->within ? 0 : cis501_words_size(line->text, max);
	front->parsed.split = true;
	front->parsed.is = CIS501_CORRUPT;
	if (n && (n < max || all)) {
		parse_words(free, line->text, n, front);
		if (front->parsed.is != CIS501_CORRUPT) {
			size_t gap = cis501_gap_size(line->text + n, max - n);
			line->ended = gap && line->text[n + gap - 1] == '\n';
			line->size = line->ended ? n + gap : n;
			return;
		}
	} else if (all && !free->within) {
		parse_words(free, line->text, max, front);
		front->last = true;
		line->ended = line->text[max - 1] == '\n';
		line->size = max;
		return;
	} else {
		line_set_fault(&front->fault, CIS501_C02, 0,
			"the record is longer than %d bytes", CIS501_LINE_MAX);
	}
	line->ended = line->size != 0;
	line->size = line->ended ? line->size : max;
}

/* Finds the record at the front; corrupt data extend to the end of their line. */
static enum poly_status
find_front(struct cis501_free *free, struct in *in, struct front *front)
{
	struct line *line = &front->line;
	size_t have;
	front->parsed.line = line;
	front->parsed.split = front->last = false;
	line->shape = NULL;
	line->text = in_peek(in, CIS501_LINE_MAX + 1, &have);
	line->offset = in_offset(in);
	line->size = line_size(line->text, have, CIS501_LINE_MAX);
	line->ended = true;
	if (have == 0)
		return POLY_END;
	front->parsed.is = CIS501_CORRUPT;
	if (line->size && !free->within)
		front->parsed.is = cis501_parse(line->text, &front->parsed.op, &front->fault);
	if (front->parsed.is == CIS501_CORRUPT)
		parse_record(free, have, front);
	return POLY_OK;
}

/* Consumes the front. */
static void
skip_front(struct cis501_free *free, struct in *in, const struct line *line)
{
	for (size_t i = 0; i < line->size; i++) {
		bool newline = line->text[i] == '\n';
		free->newlines += newline;
		free->column = newline ? 0 : free->column + 1;
	}
	in_consume(in, line->size);
}

/* Returns the line of a fault, and stores the message with its column. */
static uint64_t
locate_fault(const struct cis501_free *free, const struct front *front, char *text, size_t size)
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
	uint64_t line = locate_fault(free, front, text, sizeof text);
	err_set(error, POLY_ERR_FORMAT, front->line.offset + (column ? column - 1 : 0), "%s",
		text);
	if (error)
		error->line = line;
	return POLY_ERR_FORMAT;
}

static void
add_fault(struct reading *reading, const struct cis501_free *free, size_t row,
	const struct front *front)
{
	char text[300];
	uint64_t line = locate_fault(free, front, text, sizeof text);
	(front->last ? findings_add_truncation : findings_add)(reading->findings,
		front->fault.rule, reading->record + row + 1, front->line.offset,
		"line %llu%s%s%s", (unsigned long long)line, front->fault.column ? ", " : ": ",
		front->last ? "the last record is truncated: " : "", text);
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
		bool corrupt = status == POLY_OK && front.parsed.is == CIS501_CORRUPT;
		if (corrupt && !front.last)
			status = fail(free, &front, error);
		if (status != POLY_OK)
			break;
		if (corrupt && in_ended(reading->in))
			add_fault(reading, free, row, &front);
		cis501_put_row(reading, batch, row, &front.parsed);
		skip_front(free, reading->in, &front.line);
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
		add_fault(reading, free, 0, &front);
	cis501_put_row(reading, batch, 0, &front.parsed);
	batch->view.rows = 1;
	free->within = !front.line.ended;
	skip_front(free, reading->in, &front.line);
	return POLY_OK;
}
