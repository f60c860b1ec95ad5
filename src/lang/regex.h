/* SPDX-License-Identifier: MIT */
/* Regular expressions, in the syntax of Perl, on bytes. */
#ifndef LANG_REGEX_H
#define LANG_REGEX_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>

struct regex;

/*
 * Compiles a pattern of n bytes. POLY_ERR_USAGE: it is wrong; *place says where.
 * POLY_ERR_LIMIT: it is too large. POLY_ERR_UNSUPPORTED: the build lacks the library.
 * POLY_ERR_MEMORY.
 */
enum poly_status regex_new(const char *pattern, size_t n, struct regex **regex, size_t *place,
	struct poly_error *error);

/*
 * True where it matches anywhere in n bytes of text. Matching takes a bounded time: a text that
 * would need more is taken for one that does not match.
 */
bool regex_matches(const struct regex *regex, const void *text, size_t n);

/* Gives everything back. Accepts NULL. */
void regex_free(struct regex *regex);

#endif
