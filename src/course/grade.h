/* SPDX-License-Identifier: MIT */
/*
 * The layouts of the courses' outputs as fields of lines, and why a field has to be what it is.
 *
 * spec: reference cis501 7.1.2 to 7.1.8, 6 (reference output)
 */
#ifndef COURSE_GRADE_H
#define COURSE_GRADE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRADE_FIELDS_MAX = 16, GRADE_NAME_ROOM = 32 };

/* A stretch of a line. */
struct grade_text {
	const char *at;
	size_t size;
};

/* The fields of a line. */
struct grade_record {
	struct grade_text fields[GRADE_FIELDS_MAX];
	size_t count;
};

/* What an output's lines are. */
struct grade_layout {
	const char *name;
	const char *heading;   /* how the line above the records begins; NULL: there is none */
	const char *separator; /* bytes that separate fields */
	char tail;	       /* with which the last field begins, where it stands last; 0 */
	/*
	 * Names of the fields in order, NULL at the end; "" is a sign that never changes. A
	 * layout without fields has no records, but lines "what = value".
	 */
	const char *fields[GRADE_FIELDS_MAX];
	/* Appends why a field of a record is as it is, behind an earlier record (NULL: it is
	 * the first). NULL: that isn't known. */
	void (*explain)(const struct grade_layout *layout, const struct grade_record *before,
		const struct grade_record *record, const char *field, struct buf *to);
};

/* The layouts that a heading tells, NULL at the end, and those that their first line tells. */
extern const struct grade_layout *const grade_headed[], *const grade_first[];

/* Takes a line apart. False: it is no record of the layout. */
bool grade_split(
	const struct grade_layout *layout, struct grade_text line, struct grade_record *record);

/* The field of a name; of size 0 where the layout has none. */
struct grade_text grade_field(
	const struct grade_layout *layout, const struct grade_record *record, const char *name);

/* Explains fields of predictors, scoreboards, caches, stages, and of SFSU's predictors. */
void grade_explain_predictor(const struct grade_layout *layout,
	const struct grade_record *before, const struct grade_record *record, const char *field,
	struct buf *to);
void grade_explain_scoreboard(const struct grade_layout *layout,
	const struct grade_record *before, const struct grade_record *record, const char *field,
	struct buf *to);
void grade_explain_cache(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to);
void grade_explain_stages(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to);
void grade_explain_sfsu(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to);

#endif
