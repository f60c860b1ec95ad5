/* SPDX-License-Identifier: MIT */
/*
 * JSON Lines: the text form of every trace, one object per row.
 *
 * The first line is a header, {"polytrace":"trace","version":1,...}, with the
 * trace's information; a file without a header is read, too. In a row absent columns are absent
 * keys; keys come in the order of columns.def; enumerations, records and names are strings,
 * hexadecimal columns strings "0x...", other numbers numbers, bytes strings of hexadecimal
 * digits. Text that is not UTF-8 is an object {"hex":"..."} of its bytes. The columns row,
 * origin, site and verbatim are written only when requested by name.
 *
 * A line that the writer would not produce from the row (other blanks, order, case, ending) is
 * stored whole in the column verbatim, and the header likewise in the fact "jsonl.header", so
 * that every file can be written back byte for byte.
 * spec: polytrace-jsonl(5); RFC 8259.
 */
#include "format/jsonl/jsonl.h"

#include <stdio.h>
#include <string.h>

/* Evidence of a header: 160 bits of text with which nothing else begins. */
#define MAGIC_BITS 64

/* Evidence per line that begins with a column's key, and the lines that count. */
#define LINE_BITS 6
#define LINES_MAX 4
#define LINES_MIN 3

/* The bytes that a probe reads; at is at most n. */
struct probe_view {
	const uint8_t *p;
	size_t n, at;
};

static void
skip_space(struct probe_view *view)
{
	while (view->at < view->n && view->p[view->at] && strchr(" \t\r\n", view->p[view->at]))
		view->at++;
}

/* Skips blanks and the byte; false if the next byte is another. */
static bool
skip_byte(struct probe_view *view, char byte)
{
	skip_space(view);
	if (view->at == view->n || view->p[view->at] != byte)
		return false;
	view->at++;
	return true;
}

/* Parses a string without escapes after blanks; returns its length, 0 if there is none. */
static size_t
parse_string(struct probe_view *view, const char **text)
{
	if (!skip_byte(view, '"'))
		return 0;
	*text = (const char *)view->p + view->at;
	const uint8_t *end = memchr(*text, '"', view->n - view->at);
	size_t length = end ? (size_t)(end - (const uint8_t *)*text) : 0;
	view->at += length + (end != NULL);
	return length;
}

static bool
is_word(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(text, word, n) == 0;
}

static bool
is_header(struct probe_view view)
{
	const char *text = NULL;
	size_t n = skip_byte(&view, '{') ? parse_string(&view, &text) : 0;
	if (!is_word(text, n, "polytrace") || !skip_byte(&view, ':'))
		return false;
	n = parse_string(&view, &text);
	return is_word(text, n, "trace");
}

/* Skips the next complete line if it is an object whose first key is a column. */
static bool
skip_row(struct probe_view *view)
{
	const char *key = NULL;
	skip_space(view);
	const uint8_t *from = view->p + view->at;
	const uint8_t *end = memchr(from, '\n', view->n - view->at);
	struct probe_view line = {from, end ? (size_t)(end - from) : 0, 0};
	size_t n = skip_byte(&line, '{') ? parse_string(&line, &key) : 0;
	const bool is_known = is_word(key, n, JSONL_ROW) ||
			      (n && poly_column_find(key, n) != POLY_COLUMN_COUNT);
	if (!is_known || !skip_byte(&line, ':'))
		return false;
	while (line.n && (from[line.n - 1] == '\r' || from[line.n - 1] == ' '))
		line.n--;
	view->at += (size_t)(end - from) + 1;
	return from[line.n - 1] == '}';
}

static int
jsonl_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	struct probe_view view = {p, n, 0};
	int lines = 0;
	(void)eof;
	if (is_header(view)) {
		snprintf(note->text, sizeof note->text,
			"the first line is the header of a trace in JSON Lines");
		return MAGIC_BITS;
	}
	while (lines < LINES_MAX && skip_row(&view))
		lines++;
	if (lines >= LINES_MIN) {
		snprintf(note->text, sizeof note->text,
			"%d lines are JSON objects whose first key is a column", lines);
		return LINE_BITS * lines;
	}
	note->near = lines > 0;
	note->consistent = note->distinct = note->near && view.at == view.n;
	if (lines > 0)
		snprintf(note->text, sizeof note->text,
			"%d lines are rows (expected at least %d)", lines, LINES_MIN);
	return 0;
}

static const struct poly_option no_options[] = {{.name = NULL}};

static const struct poly_rule rules[] = {
	[JSONL_SYNTAX] = {"J01", POLY_ERROR, "every line is one JSON object", "RFC 8259"},
	[JSONL_KEY] = {"J02", POLY_ERROR,
		"every key is a column, one of those in the header if it lists columns",
		"polytrace-jsonl(5)"},
	[JSONL_VALUE] = {"J03", POLY_ERROR, "every value fits its column",
		"polytrace-jsonl(5), polytrace-columns(5)"},
	[JSONL_TOO_MANY] = {"J04", POLY_ERROR,
		"a trace has at most 255 names of records and 65536 other names",
		"polytrace-jsonl(5)"},
	[JSONL_TRUNCATED] = {"J05", POLY_ERROR, "the last line is not truncated",
		"polytrace-jsonl(5)"},
	{.code = NULL},
};

static const struct format jsonl = {
	.content = {.users = "jq, scripts", .kinds = POLY_KINDS_ALL},
	.info = {.name = "jsonl",
		.family = "jsonl",
		.title = "JSON Lines, the text form of any trace",
		.extensions = "jsonl ndjson",
		.spec = "polytrace-jsonl(5); RFC 8259",
		.can_read = true,
		.can_write = true,
		.holds_labels = true,
		.columns = POLY_ALL_COLUMNS_INIT,
		.options = no_options,
		.rules = rules},
	.is_text = true,
	.rows_independent = true,
	.reader_size = sizeof(struct jsonl_reader),
	.writer_size = sizeof(struct jsonl_writer),
	.probe = jsonl_probe,
	.open = jsonl_open,
	.read = jsonl_read,
	.resync = jsonl_resync,
	.find_split = jsonl_find_split,
	.open_decoder = jsonl_open_decoder,
	.add_record = jsonl_record,
	.close = jsonl_close,
	.wopen = jsonl_wopen,
	.write = jsonl_write,
	.wclose = jsonl_wclose,
};

const struct format *const formats_jsonl[] = {&jsonl, NULL};
