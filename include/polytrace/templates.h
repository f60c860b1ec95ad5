/* SPDX-License-Identifier: MIT */
/*
 * Templates of AIX trace hooks: files in the language of /etc/trcfmt, parsed and checked once,
 * then run for every event by a report (polytrace/trcrpt.h).
 *
 * A set of templates does not change: any number of threads may use it.
 *
 * spec: trcfmt File Format; AIX trcupdate command.
 */
#ifndef POLYTRACE_TEMPLATES_H
#define POLYTRACE_TEMPLATES_H

#include "polytrace/format.h"
#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_templates;

/* A finding in a template file. Valid during the call of poly_template_options.found. */
struct poly_template_finding {
	const struct poly_rule *rule; /* T01 to T16 of polytrace-trcfmt(7) */
	uint64_t line;		      /* of the file, from 1 */
	uint64_t column;	      /* in bytes from 1; a tab is one */
	uint16_t hook;		      /* of the template, four digits; 0: none */
	const char *message; /* as in struct poly_error: what is wrong; on two further lines the
				line and a caret */
};

/* How a template file is parsed. Initialise with POLY_TEMPLATE_OPTIONS_INIT. */
struct poly_template_options {
	size_t size;	    /* of this struct in bytes; set by the macro, and not 0 */
	bool left_to_right; /* aix.expr=ltr: all operators have one precedence */
	/*
	 * Called for every finding, in the order of the file, including the error that makes
	 * loading fail. NULL: not called.
	 */
	void (*found)(void *user, const struct poly_template_finding *finding);
	void *user;	  /* passed to found */
	const char *name; /* name of a parsed text in messages; NULL: none. Loaded files use
			     their own name */
};

/* Initial values. */
#define POLY_TEMPLATE_OPTIONS_INIT                                            \
	{                                                                     \
		sizeof(struct poly_template_options), false, NULL, NULL, NULL \
	}

/*
 * Parses and checks a template file. A template with an error is skipped; parsing continues
 * after it, and the call fails at the end with the first error. options may be NULL. On POLY_OK
 * *templates belongs to the caller; on failure it is NULL. POLY_ERR_IO, POLY_ERR_FORMAT,
 * POLY_ERR_LIMIT (nesting, more than 16 MiB), POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_templates_load(const char *path,
	const struct poly_template_options *options, struct poly_templates **templates,
	struct poly_error *error);

/*
 * As poly_templates_load for n bytes of text; NULL: the library's default template file, whose
 * ids below 010 are not reported.
 */
POLY_API enum poly_status poly_templates_parse(const char *text, size_t n,
	const struct poly_template_options *options, struct poly_templates **templates,
	struct poly_error *error);

/* Description of a template. */
struct poly_template_info {
	uint16_t hook;		   /* in the form of four digits */
	uint32_t version, release; /* as in "1.0" */
	const char *label;	   /* without quotes, with a leading @; "" if absent */
	const char *level;	   /* APPL, SVC, KERN or INT */
	uint64_t line;		   /* of the file, from 1 */
	const char *source;	   /* its lines in the file, each with its newline */
};

/*
 * Returns template i, from 0, in order of hooks; false after the last one. The strings belong
 * to the templates and are valid until those are freed.
 */
POLY_API bool poly_template_at(
	const struct poly_templates *templates, size_t i, struct poly_template_info *info);

/* Frees templates. Accepts NULL. */
POLY_API void poly_templates_free(struct poly_templates *templates);

/*
 * Reads a file of templates, or of changes, as text; "-" is standard input. Compressed input is
 * decompressed. On POLY_OK the caller frees *text, which has a NUL after *n bytes, by
 * poly_template_text_free; on failure it is NULL. POLY_ERR_IO, POLY_ERR_FORMAT (corrupt
 * compressed file), POLY_ERR_LIMIT (16 MiB), POLY_ERR_UNSUPPORTED, POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_template_text_load(
	const char *path, char **text, size_t *n, struct poly_error *error);

/*
 * Writes n bytes of text to a file atomically; an existing file is replaced and keeps its
 * permissions. POLY_ERR_IO, POLY_ERR_UNSUPPORTED, POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_template_text_save(
	const char *path, const char *text, size_t n, struct poly_error *error);

/* Frees a text of poly_template_text_load. Accepts NULL. */
POLY_API void poly_template_text_free(char *text);

/*
 * Changes to a template file, as AIX's trcupdate command applies them. Initialise with
 * POLY_UPDATE_INIT.
 */
struct poly_update {
	size_t size;	     /* of this struct in bytes; set by the macro, and not 0 */
	const char *master;  /* text of the template file; owned by the caller */
	size_t master_size;  /* bytes of it */
	const char *changes; /* text of the changes; owned by the caller */
	size_t changes_size; /* bytes of it */
	bool any_version;    /* -o: replace templates whatever their versions */
	bool later;	     /* aix.update=later: do not replace by the same version */
	/* As in poly_template_options; lines and columns refer to the changes. */
	void (*found)(void *user, const struct poly_template_finding *finding);
	void *user; /* passed to found */
};

/* Initial values: no text, versions are compared, the same version replaces. */
#define POLY_UPDATE_INIT                                                               \
	{                                                                              \
		sizeof(struct poly_update), NULL, 0, NULL, 0, false, false, NULL, NULL \
	}

/* Result of a change. */
enum poly_update_action {
	POLY_UPDATE_ADDED,    /* the hook had no template */
	POLY_UPDATE_REPLACED, /* the hook's template was replaced */
	POLY_UPDATE_KEPT,     /* the hook's template has a later version, and was not changed */
	POLY_UPDATE_DELETED,  /* the hook's template was deleted */
	POLY_UPDATE_ABSENT,   /* the template to delete does not exist */
};

/* One change; deleting several templates of a hook is one change per template. */
struct poly_update_step {
	enum poly_update_action action; /* its result */
	uint16_t hook;			/* in the form of four digits */
	uint64_t line;			/* of the changes, from 1 */
};

struct poly_updated;

/*
 * Applies changes to the text of a template file. Only changed templates are modified; a new
 * one is appended. The master's other templates may be invalid. On POLY_OK *updated belongs to
 * the caller; on failure it is NULL. POLY_ERR_FORMAT: the changes are invalid (rules T01 to
 * T07, T14), or the master ends in a continued line. POLY_ERR_LIMIT, POLY_ERR_USAGE (size 0),
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_templates_update(const struct poly_update *update,
	struct poly_updated **updated, struct poly_error *error);

/* Returns the text of the changed file: *n bytes, and a NUL. Valid until updated is freed. */
POLY_API const char *poly_updated_text(const struct poly_updated *updated, size_t *n);

/*
 * Returns the text of changes that restore the file, byte for byte, when applied with
 * any_version: *n bytes, and a NUL. Valid until updated is freed.
 */
POLY_API const char *poly_updated_undo(const struct poly_updated *updated, size_t *n);

/* Returns change i, from 0, in order of application; false after the last one. */
POLY_API bool poly_updated_step(
	const struct poly_updated *updated, size_t i, struct poly_update_step *step);

/* Frees a result of poly_templates_update. Accepts NULL. */
POLY_API void poly_updated_free(struct poly_updated *updated);

#ifdef __cplusplus
}
#endif

#endif
