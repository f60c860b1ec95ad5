/* SPDX-License-Identifier: MIT */
/* Values of a format's options from the user's "name=value" words. */
#ifndef FORMAT_OPTION_H
#define FORMAT_OPTION_H

#include "format/format.h"

/*
 * Values in the order of the table, initial ones where words (NULL at the end, may be NULL)
 * name none. *given, where not NULL, gets an array of which were named. Words of other formats'
 * tables pass; a word of none is POLY_ERR_USAGE, as is a value that does not fit. The caller
 * frees both arrays with mem_free.
 */
enum poly_status option_values(const struct poly_format_info *format, const char *const *words,
	uint64_t **values, bool **given, struct poly_error *error);

#endif
