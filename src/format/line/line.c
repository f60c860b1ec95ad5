/* SPDX-License-Identifier: MIT */
/* Reads lines of text. */
#include "format/line/line.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* Expected maximum length of a line in bytes. */
#define USUAL_LINE 512

/* Returns the size of the first record of the window; 0: its end is not there. */
static inline size_t
record_size(const struct lines *lines, const struct reading *reading, size_t limit, bool is_all)
{
	const size_t n = (size_t)(lines->window.end - lines->at);
	/* The rest of a line that was skipped in part is not a record. */
	if (lines->format->record_size && !lines->within)
		return lines->format->record_size(reading, lines->at, n, limit, is_all);
	return line_size(lines->at, n, limit);
}

/* Refills the window so that it contains the end of the first record, if it has one. */
static enum poly_status
refill(struct lines *lines, const struct reading *reading, size_t limit, struct line *line)
{
	struct in *in = reading->in;
	size_t have, want = USUAL_LINE < limit ? USUAL_LINE : limit + 1;
	in_consume(in, (size_t)(lines->at - lines->window.start));
	for (;; want = limit + 1) {
		lines->window.start = lines->at = in_peek(in, want, &have);
		lines->window.end = lines->at + have;
		lines->window.base = in_offset(in);
		line->size = record_size(lines, reading, limit, false);
		if (line->size || have < want || want > limit)
			break;
	}
	if (!line->size)
		line->size = record_size(lines, reading, limit, true);
	line->text = lines->at;
	line->ended = line->size != 0;
	if (have == 0)
		return POLY_END;
	if (line->ended || have > limit) {
		line->size = line->ended ? line->size : limit + 1;
		return POLY_OK;
	}
	line->size = have;
	buf_clear(&lines->tail);
	buf_append(&lines->tail, lines->at, have);
	buf_byte(&lines->tail, '\n');
	line->text = buf_reserve(&lines->tail, IN_PADDING);
	if (!line->text)
		return POLY_ERR_MEMORY;
	line->text = lines->tail.data;
	return POLY_OK;
}

/* Returns the first line. A size of limit + 1 means: the line is longer than the limit. */
static inline enum poly_status
front_line(struct lines *lines, const struct reading *reading, struct line *line)
{
	const size_t limit = lines->limit;
	line->size = record_size(lines, reading, limit, false);
	line->text = lines->at;
	line->ended = true;
	line->shape = NULL;
	enum poly_status status = POLY_OK;
	if (!line->size) {
		predict_fill(&lines->predictor, POLY_BATCH_ROWS);
		status = refill(lines, reading, limit, line);
	}
	line->offset = lines->window.base + (uint64_t)(lines->at - lines->window.start);
	line->row_index = lines->row_index;
	*line->more_rows = false;
	return status;
}

/* Returns the number of complete lines of n bytes. */
static uint64_t
count_lines(const uint8_t *text, size_t n)
{
	uint64_t count = 0;
	for (size_t size; (size = line_size(text, n, n)) != 0; count++) {
		text += size;
		n -= size;
	}
	return count;
}

/* Advances past a line, or to its next row. */
static inline void
pass(struct reading *reading, struct lines *lines, const struct line *line)
{
	if (*line->more_rows) {
		lines->row_index++;
		return;
	}
	lines->row_index = 0;
	lines->at += line->size;
	reading->line +=
		lines->format->record_size ? count_lines(line->text, line->size) : line->ended;
}

/* Consumes the lines read, and drops the window. */
static void
settle(struct lines *lines, struct in *in)
{
	in_consume(in, (size_t)(lines->at - lines->window.start));
	lines->window.start = lines->at = lines->window.end = NULL;
	lines->next = in_offset(in);
}

static void
store_corrupt(struct batch *batch, size_t row, const struct line_format *format,
	const struct line *line)
{
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, format->corrupt_kind);
	batch_put(batch, origin, row, line->offset);
	batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text, line->size);
}

/* Returns the failure for a line that is not a record. */
static enum poly_status
bad_line(const struct reading *reading, const struct line *line, const struct line_fault *fault,
	struct poly_error *error)
{
	char column[40] = "";
	if (fault->column)
		snprintf(column, sizeof column, "column %u: ", fault->column);
	err_set(error, POLY_ERR_FORMAT, line->offset + (fault->column ? fault->column - 1 : 0),
		"%s%s", column, fault->text);
	if (error)
		error->line = reading->line + 1;
	return POLY_ERR_FORMAT;
}

/* Reports a line that is not a record: the last one of a truncated input, or another. */
static void
find_fault(struct reading *reading, size_t row, const struct line *line,
	const struct line_fault *fault)
{
	const struct lines *lines = reading->state;
	const bool truncated = !line->ended && line->size <= lines->limit;
	char column[40] = "";
	if (fault->column)
		snprintf(column, sizeof column, ", column %u", fault->column);
	(truncated ? findings_add_truncation : findings_add)(reading->findings, fault->rule,
		reading->record + row + 1, line->offset, "line %llu%s: %s%s",
		(unsigned long long)reading->line + 1, column,
		truncated ? "the last line is truncated: " : "", fault->text);
}

/* Returns whether no column of a row is set. */
static bool
is_empty(const struct batch *batch, size_t row)
{
	for (size_t i = 0; i < POLY_COLUMN_COUNT; i++) {
		if (batch->bits[i] && bit_test(batch->bits[i], row))
			return false;
	}
	return true;
}

/* Parses a line into a row; false, and no column is set, if the line is not a record. */
static bool
parse_line(struct reading *reading, struct batch *batch, size_t row, const struct line *line,
	struct line_fault *fault)
{
	const struct lines *lines = reading->state;
	if (lines->format->parse_line(reading, batch, row, line, fault))
		return true;
	assert(is_empty(batch, row));
	return false;
}

/* The rows being created from lines. */
struct taking {
	struct reading *reading;
	struct predictor *predictor;
	struct batch *batch;
	size_t row;
};

/* Parses a complete line into a row; false if the line is not a record. */
static bool
take_line(const struct taking *taking, struct line *line, struct line_fault *fault)
{
	struct line_shape shape = {.line = line->text, .size = line->size};
	bool learns =
		taking->predictor->started && line->ended && predict_wants(taking->predictor);
	line->shape = learns ? &shape : NULL;
	bool good = parse_line(taking->reading, taking->batch, taking->row, line, fault);
	/* The parts of several rows are neighbours. */
	shape.at = (uint32_t)(shape.line - line->text);
	shape.line_size = line->size;
	shape.is_open = *line->more_rows;
	shape.repeats &= good && (shape.at == 0) == !line->row_index &&
			 (shape.at + shape.size == line->size) == !shape.is_open;
	/*
	 * A template contains its site, so all sites are numbered here, in order. A failure is
	 * repeated and reported later.
	 */
	if (good && taking->batch->view.site)
		sites_fill_row(taking->reading->sites, taking->batch, taking->row);
	if (learns)
		predict_learn(taking->predictor, taking->row, &shape);
	return good;
}

/* Creates the rows of predicted lines. Returns their number. */
static size_t
take_known(struct reading *reading, struct lines *lines, size_t row)
{
	if (!lines->predictor.started)
		return 0;
	/* The rows that are not filled yet may be of lines that were learned in it. */
	lines->predictor.window = lines->window;
	if (lines->within || lines->row_index)
		return 0;
	const uint8_t *start = lines->at;
	size_t known = predict_lines(&lines->predictor, row, &lines->at);
	reading->line += lines->format->record_size || lines->predictor.templates.has_parts
				 ? count_lines(start, (size_t)(lines->at - start))
				 : known;
	return known;
}

void
lines_open(struct reading *reading, struct lines *lines, const struct line_format *format)
{
	const size_t max = reading->max_line;
	assert((void *)lines == reading->state);
	lines->format = format;
	lines->limit = max && max < format->limit ? max : format->limit;
}

enum poly_status
lines_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct lines *lines = reading->state;
	const struct line_format *format = lines->format;
	enum poly_status status = POLY_OK;
	bool more_rows;
	struct line line = {.more_rows = &more_rows};
	size_t row = 0;
	if (lines->next != in_offset(reading->in)) {
		/* Another section of the trace: discard the state of the previous line. */
		lines->row_index = 0;
		lines->within = false;
	}
	if (!poly_columns_empty(format->predict.windows))
		predict_begin(&lines->predictor, batch, &format->predict,
			(enum predict_way)reading->prediction);
	for (;; row++) {
		struct line_fault fault;
		row += take_known(reading, lines, row);
		if (row == batch->capacity)
			break;
		status = front_line(lines, reading, &line);
		if (status != POLY_OK)
			break;
		const struct taking taking = {reading, &lines->predictor, batch, row};
		bool whole = !lines->within && line.size <= lines->limit;
		if (!whole)
			line_set_fault(&fault, lines->format->too_long, 0,
				"the line is longer than %zu bytes", lines->limit);
		/* A line within which a compressed stream ends may be a part of another one. */
		const bool cut = whole && !line.ended && in_status(reading->in, NULL) < 0;
		if (cut) {
			findings_set_truncation(
				reading->findings, reading->record + row + 1, line.offset);
			store_corrupt(batch, row, format, &line);
		} else if (!whole || !take_line(&taking, &line, &fault)) {
			if (!whole || line.ended) {
				status = bad_line(reading, &line, &fault, error);
				break;
			}
			/* The last line is truncated. */
			find_fault(reading, row, &line, &fault);
			store_corrupt(batch, row, format, &line);
		}
		pass(reading, lines, &line);
	}
	predict_fill(&lines->predictor, POLY_BATCH_ROWS);
	settle(lines, reading->in);
	batch->view.rows = row;
	if (status == POLY_ERR_MEMORY || reading->info->no_memory)
		return err_memory(error);
	return row && status == POLY_END ? POLY_OK : status;
}

enum poly_status
lines_resync(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct lines *lines = reading->state;
	const struct line_format *format = lines->format;
	bool more_rows;
	struct line line = {.more_rows = &more_rows};
	struct line_fault fault;
	enum poly_status status = front_line(lines, reading, &line);
	if (status != POLY_OK) {
		settle(lines, reading->in);
		return status == POLY_ERR_MEMORY ? err_memory(error) : status;
	}
	bool too_long = line.size > lines->limit;
	if (too_long)
		line_set_fault(&fault, lines->format->too_long, 0,
			"the line is longer than %zu bytes", lines->limit);
	if (!lines->within && (too_long || !parse_line(reading, batch, 0, &line, &fault)))
		find_fault(reading, 0, &line, &fault);
	if (too_long)
		line.size = lines->limit;
	store_corrupt(batch, 0, format, &line);
	batch->view.rows = 1;
	lines->at += line.size;
	lines->within = !line.ended;
	reading->line += format->record_size ? count_lines(line.text, line.size) : line.ended;
	settle(lines, reading->in);
	return POLY_OK;
}

size_t
lines_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	(void)reading;
	(void)offset;
	return lines_size(p, n);
}

void
lines_close(struct reading *reading)
{
	struct lines *lines = reading->state;
	buf_free(&lines->tail);
	predict_free(&lines->predictor);
}

bool
line_set_fault(struct line_fault *fault, unsigned rule, size_t column, const char *format, ...)
{
	va_list list;
	fault->rule = rule;
	fault->column = (unsigned)column;
	va_start(list, format);
	vsnprintf(fault->text, sizeof fault->text, format, list);
	va_end(list);
	return false;
}

void
line_check_end(struct reading *reading, size_t row, const struct line *line, unsigned rule)
{
	if (!line->ended && in_status(reading->in, NULL) == POLY_END)
		findings_add(reading->findings, rule, reading->record + row + 1, line->offset,
			"the last line has no newline, it may be truncated");
}

static struct findings_line
describe_line(const struct reading *reading, size_t row, const struct line *line)
{
	return (struct findings_line){.record = reading->record + row + 1,
		.offset = line->offset,
		.number = reading->line + 1,
		.text = line->text,
		.size = line->size};
}

void
line_add_unknown(
	struct reading *reading, size_t row, const struct line *line, const char *dialect)
{
	const struct findings_line described = describe_line(reading, row, line);
	char what[80] = "is not a record";
	if (dialect)
		snprintf(what, sizeof what, "is not a record of the dialect %s", dialect);
	for (size_t i = 0; i < line->size; i++) {
		if (line->text[i] <= ' ')
			continue;
		findings_add_line(reading->findings, FINDINGS_NOT_UNDERSTOOD, &described, what);
		return;
	}
}

void
line_add_partly_read(
	struct reading *reading, size_t row, const struct line *line, const char *what)
{
	const struct findings_line described = describe_line(reading, row, line);
	findings_add_line(reading->findings, FINDINGS_PARTLY_READ, &described, what);
	if (line->shape)
		line->shape->repeats = false;
}

int
line_shown(const uint8_t *word, size_t n)
{
	int shown = 0;
	while (shown < 40 && (size_t)shown < n && word[shown] > ' ' && word[shown] < 0x7f)
		shown++;
	return shown;
}
