/* SPDX-License-Identifier: MIT */
/*
 * Outputs of simulators of the CIS 501 courses compared with what was expected: where they
 * differ first, in which field, and why that one was expected.
 */
#ifndef POLYTRACE_GRADE_H
#define POLYTRACE_GRADE_H

#include "polytrace/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A comparison of two outputs. One thread at a time may use it. */
struct poly_grade;

/* Where two outputs differ first. Strings are the comparison's, valid until it is freed. */
struct poly_grade_verdict {
	uint64_t line;	    /* number of the first differing line, from 1; 0: none differs */
	size_t column;	    /* of the first differing byte of it, from 1 */
	const char *layout; /* what the lines are: "bimodal, Penn"; NULL: not known */
	const char *field;  /* what differs: "prediction"; NULL: not known */
	const char *expected, *actual; /* the lines; NULL where that output had ended */
	const char *why; /* state before, operation, state expected after; NULL: not known */
};

/*
 * Begins a comparison. On POLY_OK *grade belongs to the caller; on failure, POLY_ERR_MEMORY, it
 * is NULL.
 */
POLY_API enum poly_status poly_grade_new(struct poly_grade **grade, struct poly_error *error);

/*
 * Takes a line of the output that is expected, of size bytes without its line feed; NULL: it
 * has ended. To be followed by poly_grade_actual. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_grade_expected(
	struct poly_grade *grade, const char *line, size_t size, struct poly_error *error);

/*
 * Takes the line of the other output at the same place, in the same way. POLY_OK: the lines are
 * equal. POLY_END: they differ or both outputs have ended; the verdict stands, and further
 * lines are not looked at. POLY_ERR_MEMORY. Besides the layout it keeps the last lines only.
 */
POLY_API enum poly_status poly_grade_actual(
	struct poly_grade *grade, const char *line, size_t size, struct poly_error *error);

/* What was found; line 0 until lines differ. */
POLY_API const struct poly_grade_verdict *poly_grade_told(const struct poly_grade *grade);

/* Frees a comparison. Accepts NULL. */
POLY_API void poly_grade_free(struct poly_grade *grade);

#ifdef __cplusplus
}
#endif

#endif
