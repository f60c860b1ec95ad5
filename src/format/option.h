/* SPDX-License-Identifier: MIT */
/* Values of a format's options from the user's words. */
#ifndef FORMAT_OPTION_H
#define FORMAT_OPTION_H

#include "format/format.h"
#include "model/option.h"

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

#endif
