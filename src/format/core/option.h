/* SPDX-License-Identifier: MIT */
/* Parses the options of a format. */
#ifndef FORMAT_OPTION_H
#define FORMAT_OPTION_H

#include "format/core/plugin.h"
#include "model/option.h"

/* The user's options. */
struct option_words {
	const char *format;	  /* "name" or "name:argument"; NULL: detected by content */
	const char *const *words; /* "name=value", NULL at the end; or NULL */
	const struct format_list *formats; /* all formats; NULL: those of the build's list */
};

/*
 * Parses the words for one use, POLY_OPTION_READ or POLY_OPTION_WRITE. Options of other formats
 * are ignored. POLY_ERR_USAGE: an unknown option, one without this use, an invalid value, or an
 * argument for a format whose first option is not a TEXT. The caller calls option_values_free.
 */
enum poly_status option_values(const struct poly_format_info *format, enum poly_option_use use,
	const struct option_words *requested, struct option_values *values,
	struct poly_error *error);

#endif
