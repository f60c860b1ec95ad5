/* SPDX-License-Identifier: MIT */
/* Outputs of the courses' simulators compared line by line. */
#include "polytrace/grade.h"

#include "course/grade.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

struct poly_grade {
	struct buf expected, actual; /* the lines that are compared, as strings */
	struct buf before;	     /* the record before them, as a string */
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
keep(struct buf *buf, const char *line, size_t size)
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

/* Finds out what the output is: by the heading above its records, or by its first line. */
static void
recognise(struct poly_grade *grade)
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
	/* The record before is the last line that was one. */
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
	keep(&grade->expected, line, size);
	if (grade->expected.failed)
		return err_memory(error);
	if (!grade->layout)
		recognise(grade);
	return POLY_OK;
}

/* What is compared where lines are no records: the words before a colon or an equals sign. */
static void
name_summary(struct poly_grade *grade)
{
	struct grade_text line = text_of(&grade->expected);
	size_t n = 0;
	while (n < line.size && line.at[n] != ':' && line.at[n] != '=')
		n++;
	while (n && (line.at[n - 1] == ' ' || line.at[n - 1] == '\t'))
		n--;
	if (n && n < line.size)
		buf_append(&grade->field, line.at, n);
}

static bool
same(struct grade_text a, struct grade_text b)
{
	return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

static size_t
pass_blanks(struct grade_text line, size_t at)
{
	while (at < line.size && memchr(" \t\r", line.at[at], 3))
		at++;
	return at;
}

/* Whether the same words stand in two lines, with other blanks between or around them. */
static bool
same_words(struct grade_text a, struct grade_text b)
{
	size_t i = pass_blanks(a, 0), j = pass_blanks(b, 0);
	while (i < a.size && j < b.size && a.at[i] == b.at[j]) {
		const size_t behind = pass_blanks(a, i + 1), other = pass_blanks(b, j + 1);
		const bool ends = behind > i + 1 || behind == a.size;
		const bool other_ends = other > j + 1 || other == b.size;
		if (ends != other_ends)
			return false;
		i = behind;
		j = other;
	}
	return i == a.size && j == b.size;
}

/* Names the first field that differs, and says why it is as it is. */
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
	/* What could be taken apart of a line that is no record is compared all the same. */
	grade_split(layout, text_of(&grade->actual), &actual);
	if (has_before)
		has_before = grade_split(layout, text_of(&grade->before), &before);
	while (i < expected.count && same(expected.fields[i], actual.fields[i]))
		i++;
	/* The fields are the same, and what stands between them is not. */
	if (i == expected.count || !*layout->fields[i])
		return;
	buf_string(&grade->field, layout->fields[i]);
	if (layout->explain)
		layout->explain(layout, has_before ? &before : NULL, &expected,
			layout->fields[i], &grade->why);
}

static enum poly_status
judge(struct poly_grade *grade, bool has_actual, struct poly_error *error)
{
	struct poly_grade_verdict *verdict = &grade->verdict;
	struct grade_text a = text_of(&grade->expected), b = text_of(&grade->actual);
	size_t at = 0;
	verdict->line = grade->line;
	if (grade->has_expected && has_actual) {
		while (at < a.size && at < b.size && a.at[at] == b.at[at])
			at++;
		name_field(grade);
	}
	verdict->column = at + 1;
	verdict->layout = grade->layout ? grade->layout->name : NULL;
	verdict->expected = grade->has_expected ? a.at : NULL;
	verdict->actual = has_actual ? b.at : NULL;
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
		keep(&grade->actual, line, size);
		if (grade->actual.failed)
			return err_memory(error);
	}
	if (line && grade->has_expected &&
		same(text_of(&grade->expected), text_of(&grade->actual)))
		return POLY_OK;
	grade->ended = true;
	if (!line && !grade->has_expected)
		return POLY_END;
	return judge(grade, line != NULL, error);
}

const struct poly_grade_verdict *
poly_grade_told(const struct poly_grade *grade)
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
