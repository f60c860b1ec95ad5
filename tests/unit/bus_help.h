/* SPDX-License-Identifier: MIT */
/* Reading and writing traces in memory, for the tests of formats. */
#ifndef TESTS_BUS_HELP_H
#define TESTS_BUS_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "polytrace/polytrace.h"

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

/* Opens bytes; format NULL: found by content; option NULL: none. */
static inline struct poly_reader *
open_bytes(const struct buf *bytes, const char *format, const char *option, bool tolerant)
{
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const char *words[] = {option, NULL};
	options.format = format;
	options.options = words;
	options.check = options.skip_errors = tolerant;
	enum poly_status status =
		poly_reader_open_memory(bytes->data, bytes->size, &options, &reader, &error);
	if (status == POLY_ERR_UNSUPPORTED)
		skip();
	if (status != POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

static inline int
append(void *user, const void *data, size_t size)
{
	buf_append(user, data, size);
	return 0;
}

/* What comes of a conversion; notes, where not NULL, gets a line for each note. */
static inline struct buf
convert(struct poly_reader *reader, const char *target, const char *option, struct buf *notes)
{
	struct buf out = {0};
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_sink sink = {append, &out};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const char *words[] = {option, NULL}, *note;
	const struct poly_batch *batch;
	uint64_t count;
	options.format = target;
	options.options = words;
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(reader), &options, &writer, &error);
	if (status != POLY_OK)
		fail_msg("%s", error.message);
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		if (poly_writer_write(writer, batch, &error) != POLY_OK)
			fail_msg("%s", error.message);
	}
	assert_int_equal(status, POLY_END);
	assert_int_equal(poly_writer_finish(writer, &error), POLY_OK);
	for (size_t i = 0; notes && (note = poly_writer_note_at(writer, i, &count)); i++)
		buf_printf(notes, "%llu %s\n", (unsigned long long)count, note);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return out;
}

static inline void
expect_same(const struct buf *got, const struct buf *expected)
{
	assert_int_equal(got->size, expected->size);
	assert_memory_equal(got->data, expected->data, expected->size);
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

#endif
