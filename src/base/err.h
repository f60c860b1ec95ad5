/* SPDX-License-Identifier: MIT */
/* Filling a caller's struct poly_error. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "polytrace/status.h"

/*
 * Fills error (which may be NULL) and returns status, so that a failure is one line:
 * return err_set(error, POLY_ERR_FORMAT, offset, "record size is %zu bytes, expected 64", n);
 * Record and line become 0. errno is kept for POLY_ERR_IO only.
 */
enum poly_status err_set(struct poly_error *error, enum poly_status status, uint64_t offset,
	const char *message, ...) __attribute__((format(printf, 4, 5)));

/*
 * POLY_ERR_IO with the calling thread's errno: what failed ("cannot be opened"), a colon and
 * the system's reason.
 */
enum poly_status err_system(struct poly_error *error, uint64_t offset, const char *what);

/* POLY_ERR_UNSUPPORTED: what needs a library, of that Debian package, that the build lacks. */
enum poly_status err_missing(struct poly_error *error, const char *what, const char *package);

/* As err_set with POLY_ERR_MEMORY and its only message. */
enum poly_status err_memory(struct poly_error *error);

#endif
