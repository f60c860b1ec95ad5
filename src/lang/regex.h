/* SPDX-License-Identifier: MIT */
/* Regular expressions, in the syntax of Perl, on bytes. */
#ifndef LANG_REGEX_H
#define LANG_REGEX_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>

struct regex;

/*
 * Compiles a pattern of n bytes. POLY_ERR_USAGE: a syntax error at offset *place.
 * POLY_ERR_LIMIT: the pattern is too large. POLY_ERR_UNSUPPORTED: the build lacks the library.
 * POLY_ERR_MEMORY.
 */
enum poly_status regex_new(const char *pattern, size_t n, struct regex **regex, size_t *place,
	struct poly_error *error);

/*
 * Returns whether the pattern matches anywhere in n bytes of text. The time is bounded:
 * REGEX_UNDECIDED: a text needs more.
 */
enum regex_result { REGEX_NO, REGEX_YES, REGEX_UNDECIDED };
enum regex_result regex_match(const struct regex *regex, const void *text, size_t n);

/* Frees the pattern. Accepts NULL. */
void regex_free(struct regex *regex);

#endif
