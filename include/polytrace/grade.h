/* SPDX-License-Identifier: MIT */
/*
 * Compares outputs of simulators of the CIS 501 courses with expected outputs: the first
 * difference, its field, and the reason for the expected value.
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

/* The first difference of two outputs. Strings are the comparison's, valid until it is freed.
 */
struct poly_grade_verdict {
	uint64_t line;	    /* number of the first differing line, from 1; 0: equal */
	size_t column;	    /* of the first differing byte of it, from 1 */
	const char *layout; /* layout of the lines: "bimodal, Penn"; NULL: unknown */
	const char *field;  /* name of the field: "prediction"; NULL: unknown */
	const char *expected, *actual; /* the lines; NULL if that output has ended */
	const char *why; /* state before, operation, expected state after; NULL: unknown */
};

/*
 * Creates a comparison. On POLY_OK *grade belongs to the caller; on failure, POLY_ERR_MEMORY,
 * it is NULL.
 */
POLY_API enum poly_status poly_grade_new(struct poly_grade **grade, struct poly_error *error);

/*
 * Adds a line of the expected output, of size bytes without its line feed; NULL: it has ended.
 * To be followed by poly_grade_actual. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_grade_expected(
	struct poly_grade *grade, const char *line, size_t size, struct poly_error *error);

/*
 * Adds the corresponding line of the actual output, in the same way. POLY_OK: the lines are
 * equal. POLY_END: they differ or both outputs have ended; the verdict is final, and further
 * lines are ignored. POLY_ERR_MEMORY. Memory: the last lines.
 */
POLY_API enum poly_status poly_grade_actual(
	struct poly_grade *grade, const char *line, size_t size, struct poly_error *error);

/* Returns the verdict; line 0 until lines differ. */
POLY_API const struct poly_grade_verdict *poly_grade_get_verdict(
	const struct poly_grade *grade);

/* Frees a comparison. Accepts NULL. */
POLY_API void poly_grade_free(struct poly_grade *grade);

#ifdef __cplusplus
}
#endif

#endif
