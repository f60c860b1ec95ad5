/* SPDX-License-Identifier: MIT */
/*
 * Reading JSON Lines: lines, rows, and the bytes of those that are not canonical.
 * spec: polytrace-jsonl(5).
 */
#include "format/jsonl/jsonl.h"

#include "base/mem.h"
#include "model/columns.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A batch ends early if its arena exceeds this size: long lines come a few at a time. */
#define ARENA_MAX ((size_t)4 << 20)

/* A line and the blank ones that follow. */
struct jsonl_line {
	const uint8_t *text;
	size_t length; /* of the line itself in bytes, without its line feed */
	size_t size;   /* in bytes, with the blank lines */
	size_t feeds;  /* line feeds in it */
	bool ended;    /* the line itself has its line feed */
};

static size_t
skip_blanks(const uint8_t *p, size_t i, size_t n)
{
	while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r'))
		i++;
	return i;
}

/* Measures the line in n bytes; false if it needs more. */
static bool
measure(struct jsonl_line *line, const uint8_t *p, size_t n, bool eof)
{
	const uint8_t *feed = memchr(p, '\n', n);
	*line = (struct jsonl_line){p, n, n, 0, false};
	if (!feed)
		return eof;
	line->length = (size_t)(feed - p);
	line->ended = true;
	for (size_t i = line->length; i < n && p[i] == '\n';) {
		line->feeds++;
		line->size = i + 1;
		i = skip_blanks(p, i + 1, n);
		if (i == n) {
			line->size = n;
			return eof;
		}
	}
	return true;
}

/* Peeks at the next line. POLY_END: no line. POLY_ERR_LIMIT: too long. */
static enum poly_status
next_line(struct reading *reading, struct jsonl_line *line, struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	state->offset = in_offset(reading->in);
	state->lines = reading->line;
	for (size_t want = 1;;) {
		size_t have;
		const uint8_t *p = in_peek(reading->in, want, &have);
		if (!have)
			return POLY_END;
		/* Bytes beyond the limit do not count, even if they are available. */
		if (measure(line, p, have < IN_PEEK_MAX ? have : IN_PEEK_MAX, have < want))
			return POLY_OK;
		if (want == IN_PEEK_MAX)
			break;
		want = have < IN_PEEK_MAX / 2 ? 2 * have : IN_PEEK_MAX;
	}
	err_set(error, POLY_ERR_LIMIT, state->offset,
		"the line and the blank ones after it exceed %zu bytes", IN_PEEK_MAX);
	if (error)
		error->line = state->lines + 1;
	return POLY_ERR_LIMIT;
}

static void
consume(struct reading *reading, const struct jsonl_line *line)
{
	reading->line += line->feeds;
	in_consume(reading->in, line->size);
}

static enum poly_status
parse(struct jsonl_reader *state, const struct jsonl_line *line, struct poly_error *error)
{
	enum poly_status status = object_parse(&state->object, line->text, line->length, error);
	state->rule = JSONL_SYNTAX;
	if (status == POLY_ERR_FORMAT && error) {
		error->offset = state->offset;
		error->line = state->lines + 1;
	}
	return status;
}

static bool
is_header(const struct jsonl_reader *state)
{
	const struct json_member *magic = object_find(&state->object, "polytrace");
	return magic && magic->kind == MEMBER_STRING && strcmp(magic->text, "trace") == 0;
}

/* Moves blank lines, then a header if there is one, into state->header. */
static enum poly_status
read_header(struct reading *reading, struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	struct jsonl_line line;
	enum poly_status status = next_line(reading, &line, error);
	if (status == POLY_OK && skip_blanks(line.text, 0, line.length) == line.length) {
		buf_append(&state->header, line.text, line.size);
		consume(reading, &line);
		status = next_line(reading, &line, error);
	}
	if (status != POLY_OK)
		return status == POLY_END ? POLY_OK : status;
	status = parse(state, &line, error);
	if (status == POLY_ERR_FORMAT || (status == POLY_OK && !is_header(state)))
		return POLY_OK;
	if (status == POLY_OK)
		status = jsonl_read_header(reading, error);
	if (status == POLY_OK) {
		buf_append(&state->header, line.text, line.size);
		consume(reading, &line);
	}
	return status;
}

/* Stores the header's bytes as a fact if the writer would not produce them. */
static enum poly_status
keep_header(struct reading *reading, struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	const struct buf *header = &state->header;
	const struct poly_trace_info *view = &reading->info->view;
	jsonl_header(&state->text, view, JSONL_CANONICAL, view);
	if (header->failed || state->text.failed)
		return err_memory(error);
	if (header->size == state->text.size &&
		memcmp(header->data, state->text.data, header->size) == 0)
		return POLY_OK;
	return info_fact(reading->info, JSONL_HEADER, buf_text(&state->header))
		       ? POLY_OK
		       : err_memory(error);
}

/* Allocates what the state of an open reader needs. */
static enum poly_status
init_state(struct reading *reading, struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	state->records = mem_new(JSONL_RECORDS, sizeof *state->records);
	view->records = state->records;
	return state->records ? batch_init(&state->row, POLY_ALL_COLUMNS, 1, view, error)
			      : err_memory(error);
}

bool
jsonl_open_decoder(struct reading *reading, const struct reading *opened)
{
	struct jsonl_reader *state = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	const struct poly_trace_info *from = &opened->info->view;
	if (init_state(reading, NULL) != POLY_OK)
		return false;
	state->columns = ((const struct jsonl_reader *)opened->state)->columns;
	state->known = ((const struct jsonl_reader *)opened->state)->known;
	view->columns = from->columns;
	view->record_count = from->record_count;
	for (unsigned i = 0; i < from->record_count; i++)
		state->records[i] = from->records[i];
	return true;
}

/* After a line feed, and before a line's first byte: blank lines belong to the one before. */
size_t
jsonl_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	bool is_line = false;
	(void)reading;
	(void)offset;
	for (; n; n--) {
		if (p[n - 1] == '\n' && is_line)
			return n;
		is_line |= skip_blanks(p, n - 1, n) < n && p[n - 1] != '\n';
	}
	return 0;
}

enum poly_status
jsonl_open(struct reading *reading, struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	view->raw_format = NULL;
	view->columns = POLY_ALL_COLUMNS;
	reading->info->names_max = JSONL_NAMES;
	enum poly_status status = init_state(reading, error);
	if (status == POLY_OK)
		status = read_header(reading, error);
	state->columns = view->columns;
	state->known = view->record_count;
	view->columns = poly_columns_union(view->columns, POLY_COLUMNS(origin, verbatim));
	return status == POLY_OK ? keep_header(reading, error) : status;
}

/*
 * Whether the writer would produce exactly this line from the decoded row. The name of a record
 * that the header lacks may not be stored with the rows.
 */
static bool
is_canonical(struct jsonl_reader *state, const struct jsonl_line *line)
{
	const struct poly_batch *row = &state->row.view;
	buf_clear(&state->text);
	if (poly_present(row, POLY_COLUMN_record, 0) && row->record[0] >= state->known)
		return false;
	jsonl_plan(&state->plan, &state->row.view, JSONL_CANONICAL);
	jsonl_row(&state->text, &state->plan, &state->row.view, 0);
	return !state->text.failed && state->text.size == line->size &&
	       memcmp(state->text.data, line->text, line->size) == 0;
}

/*
 * Copies the decoded row except origin, site and verbatim, which describe another file. A line
 * with one of these keys is not canonical and is stored whole.
 */
static void
store(struct batch *batch, size_t to, const struct poly_batch *row)
{
	FOR_COLUMNS(column, poly_columns_common(batch->wanted, JSONL_CANONICAL))
	{
		if (!poly_present(row, column, 0))
			continue;
		enum poly_form form = poly_column_form(column);
		if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT) {
			size_t n;
			const uint8_t *bytes = poly_batch_bytes(row, column, 0, &n);
			batch_put_bytes(batch, column, to, bytes, n);
		} else {
			batch_put_integer(
				batch, column, to, poly_batch_integer(row, column, 0));
		}
	}
}

/* Adds a row for a corrupt line. */
static enum poly_status
store_corrupt(struct reading *reading, struct batch *batch, const struct jsonl_line *line,
	struct poly_error *error)
{
	static const char name[] = "corrupt";
	int record = jsonl_record(reading, name, sizeof name - 1);
	if (record < 0 && reading->info->view.record_count < JSONL_RECORDS)
		return err_memory(error);
	size_t row = batch->view.rows++;
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	if (record >= 0)
		batch_put(batch, record, row, (uint8_t)record);
	batch_put(batch, origin, row, in_offset(reading->in));
	batch_put_bytes(batch, POLY_COLUMN_verbatim, row, line->text, line->size);
	consume(reading, line);
	return POLY_OK;
}

static enum poly_status
store_line(struct reading *reading, struct batch *batch, const struct jsonl_line *line,
	struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	size_t row = batch->view.rows;
	store(batch, row, &state->row.view);
	batch_put(batch, origin, row, in_offset(reading->in));
	if (batch->view.verbatim && !is_canonical(state, line))
		batch_put_bytes(batch, POLY_COLUMN_verbatim, row, line->text, line->size);
	if (state->text.failed)
		return err_memory(error);
	batch->view.rows++;
	consume(reading, line);
	return POLY_OK;
}

/* Adds a finding for a corrupt line. */
static void
report_corrupt(struct reading *reading, uint64_t record, const struct poly_error *error)
{
	const struct jsonl_reader *state = reading->state;
	(state->rule == JSONL_TRUNCATED ? findings_add_truncation : findings_add)(
		reading->findings, state->rule, record, state->offset, "line %llu: %s",
		(unsigned long long)state->lines + 1, error->message);
}

/* Reads one line into the batch. */
static enum poly_status
read_line(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	struct jsonl_line line;
	enum poly_status status = next_line(reading, &line, error);
	if (status != POLY_OK)
		return status;
	status = parse(state, &line, error);
	if (status == POLY_ERR_FORMAT && !line.ended) {
		state->rule = JSONL_TRUNCATED;
		report_corrupt(reading, reading->record + batch->view.rows + 1, error);
		return store_corrupt(reading, batch, &line, error);
	}
	if (status == POLY_OK)
		status = jsonl_decode(reading, error);
	if (status == POLY_OK)
		return store_line(reading, batch, &line, error);
	/* After other rows, the next call reads the line again. */
	if (status == POLY_ERR_FORMAT && !batch->view.rows)
		report_corrupt(reading, reading->record + 1, error);
	return status;
}

enum poly_status
jsonl_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && batch->view.rows < batch->capacity &&
		batch->arena.size < ARENA_MAX)
		status = read_line(reading, batch, error);
	return status == POLY_END && batch->view.rows ? POLY_OK : status;
}

enum poly_status
jsonl_resync(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct jsonl_line line;
	enum poly_status status = next_line(reading, &line, error);
	return status == POLY_OK ? store_corrupt(reading, batch, &line, error) : status;
}

void
jsonl_close(struct reading *reading)
{
	struct jsonl_reader *state = reading->state;
	object_free(&state->object);
	batch_fini(&state->row);
	buf_free(&state->text);
	buf_free(&state->bytes);
	buf_free(&state->header);
	mem_free(state->records);
	reading->info->view.records = NULL;
	reading->info->view.record_count = 0;
}
