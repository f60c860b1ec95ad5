/* SPDX-License-Identifier: MIT */
/* Rows as text, for hand-written expectations. */
#ifndef TESTS_ROWS_HELP_H
#define TESTS_ROWS_HELP_H

#include "bus_help.h"

/* The bytes of a text. */
static inline struct buf
bytes_of(const char *text)
{
	struct buf bytes = {0};
	buf_string(&bytes, text);
	return bytes;
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
		assert_int_equal(status, POLY_END);
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
