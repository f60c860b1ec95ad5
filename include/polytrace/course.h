/* SPDX-License-Identifier: MIT */
/*
 * Homeworks of the courses that use CIS 501 traces: their simulators, with the output of the
 * courses' own programs, line by line.
 *
 *     poly_course_new(&options, &course, &error);
 *     poly_course_begin(course, poly_reader_info(reader), &error);
 *     plan.columns = poly_course_columns(course);
 *     poly_reader_plan(reader, &plan, &error);
 *     while (poly_reader_next(reader, &batch, &error) == POLY_OK)
 *             poly_course_update(course, batch, &error);
 *     poly_course_finish(course, &error);
 *
 * A handle is used by one thread at a time; different handles by any threads.
 */
#ifndef POLYTRACE_COURSE_H
#define POLYTRACE_COURSE_H

#include "polytrace/format.h"
#include "polytrace/trace.h"
#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Description of a homework. Static and read-only: any thread may use it. */
struct poly_homework_info {
	const char *course; /* "penn", "wustl" or "sfsu" */
	const char *name;   /* the course's name of it: "hw3"; unique within the course */
	const char *title;  /* subject, in one line */
	const char *source; /* course document that defines it */
	poly_columns needs; /* required columns */
	poly_columns wants; /* columns that it reads if the trace has them */
	const struct poly_option *options; /* never NULL */
};

/* Returns the i-th homework from 0, grouped by course; NULL after the last one. */
POLY_API const struct poly_homework_info *poly_homework_at(size_t i);

/* Returns a homework by its course and name; NULL: no such homework. */
POLY_API const struct poly_homework_info *poly_homework_find(
	const char *course, const char *name);

/* A running homework. */
struct poly_course;

/* Options. Initialise with POLY_COURSE_OPTIONS_INIT. */
struct poly_course_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	const char *course, *homework; /* as for poly_homework_find; not NULL */
	/* Options of the homework as "name=value", NULL at the end; NULL: none. */
	const char *const *words;
	/* Name of the trace, for the line 'Trace name'; not NULL, and copied. */
	const char *trace;
	struct poly_sink sink; /* receives the output; its write may not be NULL */
};

/* Initial values: no homework, and the trace "-". */
#define POLY_COURSE_OPTIONS_INIT                                           \
	{                                                                  \
		sizeof(struct poly_course_options), NULL, NULL, NULL, "-", \
		{                                                          \
			NULL, NULL                                         \
		}                                                          \
	}

/*
 * On POLY_OK *course belongs to the caller; on failure it is NULL. Only the sink is used
 * afterwards. Memory: that of the model (tables of the requested sizes, and up to 2^20
 * addresses of instructions for store sets), one line, and 100 KiB. POLY_ERR_USAGE with a
 * message: no such homework or option, an invalid value, options of size 0. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_course_new(const struct poly_course_options *options,
	struct poly_course **course, struct poly_error *error);

/*
 * Begins the trace: prints the heading. info is not used afterwards. To be called once.
 * POLY_ERR_USAGE: the trace lacks a required column.
 * POLY_ERR_IO: the sink's write returned an errno value, which is in error->sys_errno.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_course_begin(struct poly_course *course,
	const struct poly_trace_info *info, struct poly_error *error);

/* Returns the columns to read, for poly_reader_plan; valid after poly_course_begin. */
POLY_API poly_columns poly_course_columns(const struct poly_course *course);

/*
 * Processes the records of a batch, and prints their lines; skips rows that are not
 * instructions. POLY_ERR_IO as for poly_course_begin, POLY_ERR_MEMORY; after either only
 * poly_course_free may be called.
 */
POLY_API enum poly_status poly_course_update(
	struct poly_course *course, const struct poly_batch *batch, struct poly_error *error);

/*
 * Ends the trace: prints the remaining lines and the results. To be called once.
 * POLY_ERR_IO as for poly_course_begin, POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_course_finish(
	struct poly_course *course, struct poly_error *error);

/* Frees a homework. Accepts NULL. */
POLY_API void poly_course_free(struct poly_course *course);

#ifdef __cplusplus
}
#endif

#endif
