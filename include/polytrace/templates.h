/* SPDX-License-Identifier: MIT */
/*
 * Templates of AIX trace hooks: files in the language of /etc/trcfmt, parsed and checked once,
 * then run for every event by a report (polytrace/trcrpt.h).
 *
 * A set of templates does not change: any number of threads may use it.
 *
 * spec: seed 003; reference aix 4.1, 4.2, 5.
 */
#ifndef POLYTRACE_TEMPLATES_H
#define POLYTRACE_TEMPLATES_H

#include "polytrace/format.h"
#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_templates;

/* How a template file is parsed. Initialise with POLY_TEMPLATE_OPTIONS_INIT. */
struct poly_template_options {
	size_t size;	    /* of this struct in bytes; set by the macro, and not 0 */
	bool left_to_right; /* aix.expr=ltr: operators have one rank (reference aix 3 (21)) */
	/*
	 * Called for everything found wrong, in the order of the file, also for the error that
	 * makes loading fail: rule (reference aix 5, T01 to T16), line and column from 1 and
	 * hook (four digits; 0: none). The message is as in struct poly_error: what is wrong,
	 * on further lines the line and a caret. NULL: not called.
	 */
	void (*found)(void *user, const struct poly_rule *rule, uint64_t line, uint64_t column,
		uint16_t hook, const char *message);
	void *user;	  /* handed to found */
	const char *name; /* of a text that is parsed; NULL: none. A file that is loaded has its
			     own */
};

/* Initial values. */
#define POLY_TEMPLATE_OPTIONS_INIT                                            \
	{                                                                     \
		sizeof(struct poly_template_options), false, NULL, NULL, NULL \
	}

/*
 * Parses and checks a template file. A template with an error is left out; parsing goes on
 * behind it, and the call fails at the end with the first error. options may be NULL. On
 * POLY_OK *templates belongs to the caller; on failure it is NULL. POLY_ERR_IO,
 * POLY_ERR_FORMAT, POLY_ERR_LIMIT (nesting, more than 16 MiB), POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_templates_load(const char *path,
	const struct poly_template_options *options, struct poly_templates **templates,
	struct poly_error *error);

/*
 * As poly_templates_load for n bytes of text; NULL: the text of the default template file,
 * which is the library's own, and whose ids below 010 are no finding.
 */
POLY_API enum poly_status poly_templates_parse(const char *text, size_t n,
	const struct poly_template_options *options, struct poly_templates **templates,
	struct poly_error *error);

/* What a list of templates says of one. */
struct poly_template_info {
	uint16_t hook;		   /* in the form of four digits */
	uint32_t version, release; /* as in "1.0" */
	const char *label;  /* without quotes, with a leading @; "" where there is none */
	const char *level;  /* APPL, SVC, KERN or INT */
	uint64_t line;	    /* of the file, from 1 */
	const char *source; /* its lines as they stand in the file, each with its newline */
};

/*
 * Template i from 0 in order of hooks; false behind the last one. The strings are of the
 * templates and hold until they are freed.
 */
POLY_API bool poly_template_at(
	const struct poly_templates *templates, size_t i, struct poly_template_info *info);

/* Frees templates. Accepts NULL. */
POLY_API void poly_templates_free(struct poly_templates *templates);

#ifdef __cplusplus
}
#endif

#endif
