/* SPDX-License-Identifier: MIT */
/* Compares outputs of the courses' simulators line by line. */
#include "polytrace/grade.h"

#include "course/grade.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

struct poly_grade {
	struct buf expected, actual; /* the compared lines, as strings */
	struct buf before;	     /* the previous record, as a string */
	struct buf field, why;
	bool has_expected, has_before, ended;
	const struct grade_layout *layout;
	uint64_t line;
	struct poly_grade_verdict verdict;
};

enum poly_status
poly_grade_new(struct poly_grade **grade, struct poly_error *error)
{
	*grade = mem_new(1, sizeof **grade);
	return *grade ? POLY_OK : err_memory(error);
}

static void
store_line(struct buf *buf, const char *line, size_t size)
{
	buf_clear(buf);
	buf_append(buf, line, size);
	buf_text(buf);
}

static struct grade_text
text_of(const struct buf *buf)
{
	return (struct grade_text){(const char *)buf->data, buf->size};
}

/* Detects the layout by the heading above the records, or by the first line. */
static void
detect_layout(struct poly_grade *grade)
{
	struct grade_record record;
	const char *line = (const char *)grade->expected.data;
	for (size_t i = 0; grade_headed[i] && !grade->layout; i++)
		if (!strncmp(line, grade_headed[i]->heading, strlen(grade_headed[i]->heading)))
			grade->layout = grade_headed[i];
	for (size_t i = 0; grade_first[i] && !grade->layout && grade->line == 1; i++)
		if (grade_split(grade_first[i], text_of(&grade->expected), &record))
			grade->layout = grade_first[i];
}

enum poly_status
poly_grade_expected(
	struct poly_grade *grade, const char *line, size_t size, struct poly_error *error)
{
	struct grade_record record;
	if (grade->ended)
		return POLY_OK;
	grade->line++;
	/* The previous record is the last line that was a record. */
	if (grade->has_expected && grade->layout &&
		grade_split(grade->layout, text_of(&grade->expected), &record)) {
		struct buf swap = grade->before;
		grade->before = grade->expected;
		grade->expected = swap;
		grade->has_before = true;
	}
	grade->has_expected = line != NULL;
	if (!line)
		return POLY_OK;
	store_line(&grade->expected, line, size);
	if (grade->expected.failed)
		return err_memory(error);
	if (!grade->layout)
		detect_layout(grade);
	return POLY_OK;
}

/* Names the field of a line that is not a record: the words before a colon or an equals sign.
 */
static void
name_summary(struct poly_grade *grade)
{
	struct grade_text line = text_of(&grade->expected);
	size_t n = 0;
	while (n < line.size && line.start[n] != ':' && line.start[n] != '=')
		n++;
	while (n && (line.start[n - 1] == ' ' || line.start[n - 1] == '\t'))
		n--;
	if (n && n < line.size)
		buf_append(&grade->field, line.start, n);
}

static bool
equals(struct grade_text a, struct grade_text b)
{
	return a.size == b.size && !memcmp(a.start, b.start, a.size);
}

static size_t
skip_blanks(struct grade_text line, size_t start)
{
	while (start < line.size && memchr(" \t\r", line.start[start], 3))
		start++;
	return start;
}

/* Whether the same words stand in two lines, with other blanks between or around them. */
static bool
same_words(struct grade_text a, struct grade_text b)
{
	size_t i = skip_blanks(a, 0), j = skip_blanks(b, 0);
	while (i < a.size && j < b.size && a.start[i] == b.start[j]) {
		const size_t next = skip_blanks(a, i + 1), other_next = skip_blanks(b, j + 1);
		const bool ends = next > i + 1 || next == a.size;
		const bool other_ends = other_next > j + 1 || other_next == b.size;
		if (ends != other_ends)
			return false;
		i = next;
		j = other_next;
	}
	return i == a.size && j == b.size;
}

/* Names the first field that differs, and explains its expected value. */
static void
name_field(struct poly_grade *grade)
{
	const struct grade_layout *layout = grade->layout;
	struct grade_record expected, actual, before;
	bool has_before = grade->has_before;
	size_t i = 0;
	if (same_words(text_of(&grade->expected), text_of(&grade->actual))) {
		buf_string(&grade->field, "blanks");
		return;
	}
	if (!layout || !grade_split(layout, text_of(&grade->expected), &expected)) {
		name_summary(grade);
		return;
	}
	/* Compare the fields that were split even if the line is not a record. */
	grade_split(layout, text_of(&grade->actual), &actual);
	if (has_before)
		has_before = grade_split(layout, text_of(&grade->before), &before);
	while (i < expected.count && equals(expected.fields[i], actual.fields[i]))
		i++;
	/* The fields are equal, but the text between them differs. */
	if (i == expected.count || !*layout->fields[i])
		return;
	buf_string(&grade->field, layout->fields[i]);
	if (layout->explain)
		layout->explain(layout, has_before ? &before : NULL, &expected,
			layout->fields[i], &grade->why);
}

static enum poly_status
set_verdict(struct poly_grade *grade, bool has_actual, struct poly_error *error)
{
	struct poly_grade_verdict *verdict = &grade->verdict;
	struct grade_text a = text_of(&grade->expected), b = text_of(&grade->actual);
	size_t start = 0;
	verdict->line = grade->line;
	if (grade->has_expected && has_actual) {
		while (start < a.size && start < b.size && a.start[start] == b.start[start])
			start++;
		name_field(grade);
	}
	verdict->column = start + 1;
	verdict->layout = grade->layout ? grade->layout->name : NULL;
	verdict->expected = grade->has_expected ? a.start : NULL;
	verdict->actual = has_actual ? b.start : NULL;
	if (grade->field.size)
		verdict->field = buf_text(&grade->field);
	if (grade->why.size)
		verdict->why = buf_text(&grade->why);
	if (grade->field.failed || grade->why.failed)
		return err_memory(error);
	return POLY_END;
}

enum poly_status
poly_grade_actual(
	struct poly_grade *grade, const char *line, size_t size, struct poly_error *error)
{
	if (grade->ended)
		return POLY_END;
	if (line) {
		store_line(&grade->actual, line, size);
		if (grade->actual.failed)
			return err_memory(error);
	}
	if (line && grade->has_expected &&
		equals(text_of(&grade->expected), text_of(&grade->actual)))
		return POLY_OK;
	grade->ended = true;
	if (!line && !grade->has_expected)
		return POLY_END;
	return set_verdict(grade, line != NULL, error);
}

const struct poly_grade_verdict *
poly_grade_get_verdict(const struct poly_grade *grade)
{
	return &grade->verdict;
}

void
poly_grade_free(struct poly_grade *grade)
{
	if (!grade)
		return;
	buf_free(&grade->expected);
	buf_free(&grade->actual);
	buf_free(&grade->before);
	buf_free(&grade->field);
	buf_free(&grade->why);
	mem_free(grade);
}
