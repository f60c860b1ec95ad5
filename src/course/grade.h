/* SPDX-License-Identifier: MIT */
/*
 * The layouts of the courses' outputs as fields of lines, and explanations of expected fields.
 *
 * spec: outputs of the CIS 501, CSE 560M and CSC 656 homeworks
 */
#ifndef COURSE_GRADE_H
#define COURSE_GRADE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRADE_FIELDS_MAX = 16, GRADE_NAME_ROOM = 32 };

/* Part of a line. */
struct grade_text {
	const char *start;
	size_t size;
};

/* The fields of a line. */
struct grade_record {
	struct grade_text fields[GRADE_FIELDS_MAX];
	size_t count;
};

/* A layout of an output's lines. */
struct grade_layout {
	const char *name;
	const char *heading;   /* prefix of the line above the records; NULL: none */
	const char *separator; /* bytes that separate fields */
	char tail; /* first character of the last field, at its last occurrence; 0: none */
	/*
	 * Names of the fields in order, NULL at the end; "" is a constant sign. A layout
	 * without fields has lines "name = value" instead of records.
	 */
	const char *fields[GRADE_FIELDS_MAX];
	/* Appends the reason for the value of a field of a record after an earlier record
	 * (NULL: it is the first). NULL: no explanations. */
	void (*explain)(const struct grade_layout *layout, const struct grade_record *before,
		const struct grade_record *record, const char *field, struct buf *out);
};

/* The layouts detected by a heading, NULL at the end, and those detected by their first line.
 */
extern const struct grade_layout *const grade_headed[], *const grade_first[];

/* Splits a line into fields. False: it is not a record of the layout. */
bool grade_split(
	const struct grade_layout *layout, struct grade_text line, struct grade_record *record);

/* Returns the field of a name; of size 0 if the layout does not have it. */
struct grade_text grade_field(
	const struct grade_layout *layout, const struct grade_record *record, const char *name);

/* Explains fields of predictors, scoreboards, caches, stages, and of SFSU's predictors. */
void grade_explain_predictor(const struct grade_layout *layout,
	const struct grade_record *before, const struct grade_record *record, const char *field,
	struct buf *out);
void grade_explain_scoreboard(const struct grade_layout *layout,
	const struct grade_record *before, const struct grade_record *record, const char *field,
	struct buf *out);
void grade_explain_cache(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out);
void grade_explain_stages(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out);
void grade_explain_sfsu(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out);

#endif
