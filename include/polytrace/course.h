/* SPDX-License-Identifier: MIT */
/*
 * Homeworks of the courses that use CIS 501 traces: the simulators that they ask for, with the
 * output of the courses' own programs, line by line.
 *
 *     poly_course_new(&options, &course, &error);
 *     poly_course_begin(course, poly_reader_info(reader), &error);
 *     poly_reader_project(reader, poly_course_columns(course));
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

/* What the library knows of a homework. Static and read-only: any thread may use it. */
struct poly_homework_info {
	const char *course; /* "penn", "wustl" or "sfsu" */
	const char *name;   /* as the course calls it: "hw3"; unique within the course */
	const char *title;  /* one line: what it is about */
	const char *source; /* section of the reference cis501 that defines it */
	poly_columns needs; /* columns without which it can't be done */
	poly_columns wants; /* columns that it looks at where there are any */
	const struct poly_option *options; /* never NULL */
};

/* The i-th homework from 0, those of a course together; NULL after the last one. */
POLY_API const struct poly_homework_info *poly_homework_at(size_t i);

/* A homework by its course and name; NULL where there is none. */
POLY_API const struct poly_homework_info *poly_homework_find(
	const char *course, const char *name);

/* A homework that is being done. */
struct poly_course;

/* What is asked. Initialise with POLY_COURSE_OPTIONS_INIT. */
struct poly_course_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	const char *course, *homework; /* as poly_homework_find takes them; not NULL */
	/* Options of the homework as "name=value", NULL at the end; NULL: none. */
	const char *const *words;
	/* Name of the trace, for the line that tells it; not NULL, and copied. */
	const char *trace;
	struct poly_sink sink; /* receives the output; its write may not be NULL */
};

/* Initial values: nothing is asked, and "-" is the trace. */
#define POLY_COURSE_OPTIONS_INIT                                           \
	{                                                                  \
		sizeof(struct poly_course_options), NULL, NULL, NULL, "-", \
		{                                                          \
			NULL, NULL                                         \
		}                                                          \
	}

/*
 * On POLY_OK *course belongs to the caller; on failure it is NULL. Nothing but the sink is
 * looked at afterwards. Its memory is what the model keeps (tables of the sizes that are asked
 * for, and for store sets up to 2^20 addresses of instructions), one line, and 100 KiB.
 * POLY_ERR_USAGE: no such homework or option, a value that does not fit, options of size 0;
 * the message says what is wrong. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_course_new(const struct poly_course_options *options,
	struct poly_course **course, struct poly_error *error);

/*
 * The trace begins: prints what stands above the first record. info is not looked at
 * afterwards. To be called once. POLY_ERR_USAGE: the trace lacks a column that is needed.
 * POLY_ERR_IO: the sink's write returned an errno value, which is in error->sys_errno.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_course_begin(struct poly_course *course,
	const struct poly_trace_info *info, struct poly_error *error);

/* The columns that are looked at, for poly_reader_project; valid after poly_course_begin. */
POLY_API poly_columns poly_course_columns(const struct poly_course *course);

/*
 * Takes the records of a batch, and prints their lines; rows that are no instructions are
 * passed over. POLY_ERR_IO as for poly_course_begin, POLY_ERR_MEMORY; after either nothing but
 * poly_course_free may follow.
 */
POLY_API enum poly_status poly_course_update(
	struct poly_course *course, const struct poly_batch *batch, struct poly_error *error);

/*
 * The trace has ended: prints what is left, and the results. To be called once.
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
