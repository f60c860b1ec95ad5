/* SPDX-License-Identifier: MIT */
/* Filling a caller's struct poly_error. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "polytrace/status.h"

/*
 * Fills error (which may be NULL) and returns status, so that a failure is one line: return
 * err_set(error, POLY_ERR_FORMAT, offset, "record size is %zu bytes, expected 64", n); Sets
 * record and line to 0, and stores errno only for POLY_ERR_IO.
 */
enum poly_status err_set(struct poly_error *error, enum poly_status status, uint64_t offset,
	const char *message, ...) __attribute__((format(printf, 4, 5)));

/* Same as err_set with POLY_ERR_USAGE and no offset: an option or argument is not valid. */
enum poly_status err_usage(struct poly_error *error, const char *message, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * POLY_ERR_IO with the calling thread's errno: what failed ("cannot open file"), a colon and
 * the system's reason.
 */
enum poly_status err_system(struct poly_error *error, uint64_t offset, const char *what);

/*
 * POLY_ERR_UNSUPPORTED: what requires a library, of that Debian package, that this build lacks.
 */
enum poly_status err_missing(struct poly_error *error, const char *what, const char *package);

/* As err_set with POLY_ERR_MEMORY and its only message. */
enum poly_status err_memory(struct poly_error *error);

#endif
