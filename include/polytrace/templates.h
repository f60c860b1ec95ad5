/* SPDX-License-Identifier: MIT */
/*
 * Templates of AIX trace hooks: files in the language of /etc/trcfmt, parsed and checked once,
 * then run for every event by a report (polytrace/trcrpt.h).
 *
 * A set of templates is immutable: threads may share it.
 *
 * spec: IBM, trcfmt File Format; AIX trace reference 4.1, 4.2, 5.
 */
#ifndef POLYTRACE_TEMPLATES_H
#define POLYTRACE_TEMPLATES_H

#include "polytrace/format.h"
#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_templates;

/* A finding in a template file. Valid during the call that reports it. */
struct poly_template_finding {
	const struct poly_rule
		*rule;	     /* T01 to T17 (AIX trace reference 5, polytrace-trcfmt(7)) */
	uint64_t line;	     /* of the file, from 1 */
	uint64_t column;     /* in bytes from 1; a tab is one */
	uint16_t hook;	     /* of the template, four digits; 0: none */
	const char *message; /* as in struct poly_error; then the line of the file and a caret
				on lines of their own */
};

/* Options of parsing a template file. Initialise with POLY_TEMPLATE_OPTIONS_INIT. */
struct poly_template_options {
	size_t size;	    /* of this struct in bytes; set by the macro, and not 0 */
	bool left_to_right; /* aix.expr=ltr: operators have one precedence (AIX trace reference
			       3 (21)) */
	/*
	 * Called for each finding, in the order of the file, including the error that makes
	 * loading fail. NULL: not called.
	 */
	void (*found)(void *user, const struct poly_template_finding *finding);
	void *user;	  /* passed to found */
	const char *name; /* of a parsed text; NULL: none. A loaded file has its own */
	bool skips_errors; /* errors of templates do not make the call fail */
};

/* Initial values. */
#define POLY_TEMPLATE_OPTIONS_INIT                           \
	{                                                    \
		.size = sizeof(struct poly_template_options) \
	}

/*
 * Parses and checks a template file. A template with an error is skipped; parsing continues
 * after it, and the call fails at the end with the first error unless skips_errors. options may
 * be NULL. On
 * POLY_OK *templates belongs to the caller; on failure it is NULL. POLY_ERR_IO,
 * POLY_ERR_FORMAT, POLY_ERR_LIMIT (nesting, more than 16 MiB), POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_templates_load(const char *path,
	const struct poly_template_options *options, struct poly_templates **templates,
	struct poly_error *error);

/*
 * As poly_templates_load for n bytes of text; NULL: the library's built-in templates,
 * whose ids below 010 are not reported.
 */
POLY_API enum poly_status poly_templates_parse(const char *text, size_t n,
	const struct poly_template_options *options, struct poly_templates **templates,
	struct poly_error *error);

/* A template of a list. */
struct poly_template_info {
	uint16_t hook;		   /* in the form of four digits */
	uint32_t version, release; /* as in "1.0" */
	const char *label;	   /* without quotes, with a leading @; "" if there is none */
	const char *level;	   /* APPL, SVC, KERN or INT */
	uint64_t line;		   /* of the file, from 1 */
	const char *source;	   /* its lines in the file, each with its newline */
};

/*
 * Gets template i from 0 in order of hooks; false after the last one. The strings belong to the
 * templates and are valid until these are freed.
 */
POLY_API bool poly_template_at(
	const struct poly_templates *templates, size_t i, struct poly_template_info *info);

/* Frees templates. Accepts NULL. */
POLY_API void poly_templates_free(struct poly_templates *templates);

/*
 * Reads a file of templates, or of changes to one, as text; "-" is standard input. Compressed
 * files are decompressed. On POLY_OK *text has *n bytes and a NUL, and the caller frees it by
 * poly_template_text_free; on failure it is NULL. POLY_ERR_IO, POLY_ERR_FORMAT (corrupt
 * compressed file), POLY_ERR_LIMIT (16 MiB), POLY_ERR_UNSUPPORTED, POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_template_text_load(
	const char *path, char **text, size_t *n, struct poly_error *error);

/* Frees a text of poly_template_text_load. Accepts NULL. */
POLY_API void poly_template_text_free(char *text);

/*
 * An update of a template file, as trcupdate does (AIX trace reference 4.2). Initialise
 * with POLY_UPDATE_INIT.
 */
struct poly_update {
	size_t size;	     /* of this struct in bytes; set by the macro, and not 0 */
	const char *master;  /* text of the template file; owned by the caller */
	size_t master_size;  /* in bytes */
	const char *changes; /* text of the changes; owned by the caller */
	size_t changes_size; /* in bytes */
	bool any_version;    /* -o: replace templates of any version */
	bool later;	     /* aix.update=later: do not replace one of the same version */
	/* As in poly_template_options; lines and columns refer to the changes. */
	void (*found)(void *user, const struct poly_template_finding *finding);
	void *user; /* passed to found */
};

/* Initial values: no text; the same or a later version replaces. */
#define POLY_UPDATE_INIT                           \
	{                                          \
		.size = sizeof(struct poly_update) \
	}

/* Result of a change. */
enum poly_update_action {
	POLY_UPDATE_ADDED,    /* the hook had no template */
	POLY_UPDATE_REPLACED, /* the hook's template was replaced */
	POLY_UPDATE_KEPT,     /* the hook's template has a later version, and is unchanged */
	POLY_UPDATE_DELETED,  /* the hook's template was deleted */
	POLY_UPDATE_ABSENT,   /* no such template */
};

/* The result of one change; each deleted template of a hook is one. */
struct poly_update_step {
	enum poly_update_action action; /* its result */
	uint16_t hook;			/* in the form of four digits */
	uint64_t line;			/* of the changes, from 1 */
};

struct poly_updated;

/*
 * Applies changes to the text of a template file. All other text is unchanged; a new template
 * is appended. The file's other templates need not be valid. On POLY_OK *updated belongs to the
 * caller; on failure it is NULL. POLY_ERR_FORMAT: the changes are not valid (rules T01 to T07,
 * T14), or the last line of the file ends in "\". POLY_ERR_LIMIT, POLY_ERR_USAGE (size 0),
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_templates_update(const struct poly_update *update,
	struct poly_updated **updated, struct poly_error *error);

/* Returns the text of the updated file: *n bytes, and a NUL. Valid until updated is freed. */
POLY_API const char *poly_updated_text(const struct poly_updated *updated, size_t *n);

/*
 * Returns the text of changes that, applied with any_version, restore the file byte for byte:
 * *n bytes, and a NUL. Valid until updated is freed.
 */
POLY_API const char *poly_updated_undo(const struct poly_updated *updated, size_t *n);

/* Gets step i from 0 in the order of application; false after the last one. */
POLY_API bool poly_updated_step(
	const struct poly_updated *updated, size_t i, struct poly_update_step *step);

/* Frees the result of an update. Accepts NULL. */
POLY_API void poly_updated_free(struct poly_updated *updated);

#ifdef __cplusplus
}
#endif

#endif
