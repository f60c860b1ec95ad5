/* SPDX-License-Identifier: MIT */
/* Options: values from the user's "name=value" words, and structs of older callers. */
#ifndef FORMAT_OPTION_H
#define FORMAT_OPTION_H

#include "format/format.h"

/* Values of a format's options, in the order of its table. */
struct option_values {
	uint64_t *values;   /* initial ones where none was given */
	bool *given;	    /* which ones were */
	const char **texts; /* of texts; NULL: none, or the option is no text */
	char **copies;	    /* of those that were given */
	size_t count;
};

/* What the user gave. */
struct option_words {
	const char *format;	  /* "name" or "name:argument"; NULL: found by content */
	const char *const *words; /* "name=value", NULL at the end; or NULL */
};

/*
 * Takes the words for one use, POLY_OPTION_READ or WRITE. Words of other formats' tables pass;
 * a word of none, one that has no such use and a value that does not fit are POLY_ERR_USAGE; so
 * is an argument of a format whose first option is no text. The caller frees what
 * option_values_free frees.
 */
enum poly_status option_values(const struct poly_format_info *format, enum poly_option_use use,
	const struct option_words *given, struct option_values *values,
	struct poly_error *error);

/*
 * Takes a caller's struct of options, which begins with its size, over the initial one of size
 * bytes: what an older caller does not know keeps its initial value. from may be NULL.
 * POLY_ERR_USAGE: from has no size.
 */
enum poly_status option_struct(
	void *to, size_t size, const void *from, struct poly_error *error);

/* Frees the arrays; may be called again, and on zeroed values. */
void option_values_free(struct option_values *values);

#endif
