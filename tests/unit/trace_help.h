/* SPDX-License-Identifier: MIT */
/* Reading and writing traces in memory, and rows as text for hand-written expectations. */
#ifndef TESTS_TRACE_HELP_H
#define TESTS_TRACE_HELP_H

#include "test_help.h"

/* The bytes of a file, or false. */
static inline bool
load_path(const char *path, struct buf *bytes)
{
	FILE *file = fopen(path, "rb");
	char block[4096];
	size_t n;
	if (!file)
		return false;
	while ((n = fread(block, 1, sizeof block, file)) > 0)
		buf_append(bytes, block, n);
	fclose(file);
	return true;
}

/* A sample of the repository. */
static inline struct buf
load_sample(const char *name)
{
	struct buf bytes = {0};
	char path[500];
	snprintf(path, sizeof path, "%s/tests/data/%s", getenv("POLYTRACE_ROOT"), name);
	assert_true(load_path(path, &bytes));
	return bytes;
}

/* A file of the shared data beside the repository; skips the test where it isn't there. */
static inline struct buf
load_shared(const char *name)
{
	struct buf bytes = {0};
	char path[600], shared[400];
	const char *where = getenv("POLYTRACE_SHARED");
	snprintf(shared, sizeof shared, "%s/../shared", getenv("POLYTRACE_ROOT"));
	snprintf(path, sizeof path, "%s/data/%s", where ? where : shared, name);
	if (!load_path(path, &bytes))
		skip();
	return bytes;
}

/* A published trace of bus cycles. */
static inline struct buf
load_public(const char *name)
{
	char path[100];
	snprintf(path, sizeof path, "public/bach/%s", name);
	return load_shared(path);
}

/* Opens bytes; skips the test in a build without the library that the format needs. */
static inline struct poly_reader *
open_memory(const struct buf *bytes, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	struct poly_error error;
	enum poly_status status =
		poly_reader_open_memory(bytes->size ? (const void *)bytes->data : "",
			bytes->size, options, &reader, &error);
	skip_unsupported(status, &error);
	if (status != POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

/* Opens bytes; format NULL: found by content; option NULL: none. */
static inline struct poly_reader *
open_bytes(const struct buf *bytes, const char *format, const char *option, bool tolerant)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const char *words[] = {option, NULL};
	options.format = format;
	options.options = words;
	options.check = options.skip_errors = tolerant;
	return open_memory(bytes, &options);
}

/* What comes of a conversion; notes, where not NULL, gets a line for each note. */
static inline struct buf
convert(struct poly_reader *reader, const char *target, const char *option, struct buf *notes)
{
	struct buf out = {0};
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_sink sink = {collect, &out};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const char *words[] = {option, NULL}, *note;
	const struct poly_batch *batch;
	uint64_t count;
	options.format = target;
	options.options = words;
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(reader), &options, &writer, &error);
	skip_unsupported(status, &error);
	if (status != POLY_OK)
		fail_msg("%s", error.message);
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		if (poly_writer_write(writer, batch, &error) != POLY_OK)
			fail_msg("%s", error.message);
	}
	assert_true(status == POLY_END || status == POLY_ERR_TRUNCATED);
	assert_int_equal(poly_writer_finish(writer, &error), POLY_OK);
	for (size_t i = 0; notes && (note = poly_writer_note_at(writer, i, &count)); i++)
		buf_printf(notes, "%llu %s\n", (unsigned long long)count, note);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return out;
}

/* Writes JSON Lines of x86-64 as a format. */
static inline struct buf
convert_x86(const char *target, const char *rows, struct buf *notes)
{
	struct buf lines = {0};
	buf_printf(&lines,
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"recording\",\"isa\":"
		"\"x86-64\",\"address_bits\":64}\n%s",
		rows);
	struct buf out = convert(open_bytes(&lines, "jsonl", NULL, false), target, NULL, notes);
	buf_free(&lines);
	return out;
}

/* A cell as listings show it, or null. */
static inline const char *
shown(const struct poly_batch *batch, enum poly_column column, size_t row, char value[300])
{
	strcpy(value, "null");
	if (poly_present(batch, column, row))
		poly_batch_format(batch, column, row, value, 300);
	return value;
}

/* Returns the rows of a text, one per line, as the values of the named columns; closes it. */
static inline struct buf
show_rows(struct poly_reader *reader, const char *columns)
{
	struct buf out = {0};
	const struct poly_batch *batch;
	char value[300];
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			for (const char *p = columns; *p; p += *p == ' ') {
				size_t n = strcspn(p, " ");
				buf_printf(&out, "%s%s", p == columns ? "" : " ",
					shown(batch, poly_column_find(p, n), row, value));
				p += n;
			}
			buf_byte(&out, '\n');
		}
	}
	poly_reader_close(reader);
	return out;
}

/* The rows of a text of a format, with an option or NULL, shown. */
static inline void
expect_shown_of(const char *format, const char *text, const char *option, const char *columns,
	const char *expected)
{
	struct buf bytes = bytes_of(text);
	struct buf rows = show_rows(open_bytes(&bytes, format, option, false), columns);
	assert_string_equal(buf_text(&rows), expected);
	buf_free(&rows);
	buf_free(&bytes);
}

/* Returns the codes of a trace's findings with their records, as "B02:4 B02:5 "; closes the
 * trace. */
static inline struct buf
find_all(struct poly_reader *reader)
{
	struct buf codes = {0};
	const struct poly_batch *batch;
	struct poly_finding finding;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++)
		buf_printf(&codes, "%s:%llu ", finding.rule->code,
			(unsigned long long)finding.record);
	poly_reader_close(reader);
	return codes;
}

/* A line a row with the values of columns, "a b c", between blanks, "-" where one is absent. */
static inline void
list_batch(const struct poly_batch *batch, const char *columns, struct buf *out)
{
	for (size_t row = 0; row < batch->rows; row++) {
		for (const char *name = columns; *name; name += *name == ' ') {
			char value[300] = "-";
			size_t n = strcspn(name, " ");
			enum poly_column column = poly_column_find(name, n);
			assert_int_not_equal(column, POLY_COLUMN_COUNT);
			if (poly_present(batch, column, row))
				poly_batch_format(batch, column, row, value, sizeof value);
			buf_printf(out, "%s%s", name == columns ? "" : " ", value);
			name += n;
		}
		buf_byte(out, '\n');
	}
}

/* Lists the rows of a trace up to its end or an error, which goes to *error; closes the reader.
 */
static inline struct buf
list_rows(struct poly_reader *reader, const char *columns, struct poly_error *error)
{
	struct buf out = {0};
	const struct poly_batch *batch;
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, error)) == POLY_OK)
		list_batch(batch, columns, &out);
	if (!error)
		assert_true(status == POLY_END || status == POLY_ERR_TRUNCATED);
	poly_reader_close(reader);
	return out;
}

/* The rows of a text, read as a format. */
static inline void
expect_rows(const char *text, const char *format, const char *columns, const char *expected)
{
	struct buf bytes = bytes_of(text);
	struct buf rows = list_rows(open_bytes(&bytes, format, NULL, false), columns, NULL);
	assert_string_equal(buf_text(&rows), expected);
	buf_free(&rows);
	buf_free(&bytes);
}

/* A text that is read as a format is written the same. */
static inline void
expect_kept(const char *text, const char *format, const char *option)
{
	struct buf bytes = bytes_of(text);
	struct buf out = convert(open_bytes(&bytes, format, option, true), format, NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	buf_free(&bytes);
}

/* What a text of a format becomes in another one, or with an option. */
static inline void
expect_converted(const char *text, const char *from, const char *to, const char *option,
	const char *expected)
{
	struct buf bytes = bytes_of(text);
	struct buf out = convert(open_bytes(&bytes, from, NULL, false), to, option, NULL);
	assert_string_equal(buf_text(&out), expected);
	buf_free(&out);
	buf_free(&bytes);
}

/* The codes of what is found in a text, as "L01:4 ". */
static inline void
expect_found(const char *text, const char *format, const char *codes)
{
	struct buf bytes = bytes_of(text);
	struct buf found = find_all(open_bytes(&bytes, format, NULL, true));
	assert_string_equal(buf_text(&found), codes);
	buf_free(&found);
	buf_free(&bytes);
}

#endif
