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

/* Something that is wrong in a template file. It holds during the call that tells it. */
struct poly_template_finding {
	const struct poly_rule *rule; /* T01 to T16 (reference aix 5, polytrace-trcfmt(7)) */
	uint64_t line;		      /* of the file, from 1 */
	uint64_t column;	      /* in bytes from 1; a tab is one */
	uint16_t hook;		      /* of the template, four digits; 0: none */
	const char *message; /* as in struct poly_error: what is wrong; on two further lines the
				line and a caret */
};

/* How a template file is parsed. Initialise with POLY_TEMPLATE_OPTIONS_INIT. */
struct poly_template_options {
	size_t size;	    /* of this struct in bytes; set by the macro, and not 0 */
	bool left_to_right; /* aix.expr=ltr: operators have one rank (reference aix 3 (21)) */
	/*
	 * Called for everything found wrong, in the order of the file, also for the error that
	 * makes loading fail. NULL: not called.
	 */
	void (*found)(void *user, const struct poly_template_finding *finding);
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

/*
 * Reads a file of templates, or of changes to one, as text; "-" is standard input. What is
 * compressed is decompressed. On POLY_OK *text, which ends in a NUL behind *n bytes, is freed
 * by poly_template_text_free; on failure it is NULL. POLY_ERR_IO, POLY_ERR_FORMAT (damage of a
 * compressed file), POLY_ERR_LIMIT (16 MiB), POLY_ERR_UNSUPPORTED, POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_template_text_load(
	const char *path, char **text, size_t *n, struct poly_error *error);

/*
 * Writes n bytes of text as a file that appears under its name when it is complete; one that is
 * there is replaced and keeps its permissions. POLY_ERR_IO, POLY_ERR_UNSUPPORTED,
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_template_text_save(
	const char *path, const char *text, size_t n, struct poly_error *error);

/* Frees what poly_template_text_load gave. Accepts NULL. */
POLY_API void poly_template_text_free(char *text);

/*
 * Changes to a template file, as trcupdate makes them (reference aix 4.2). Initialise with
 * POLY_UPDATE_INIT.
 */
struct poly_update {
	size_t size;	     /* of this struct in bytes; set by the macro, and not 0 */
	const char *master;  /* text of the template file; the caller's */
	size_t master_size;  /* bytes of it */
	const char *changes; /* text of the changes; the caller's */
	size_t changes_size; /* bytes of it */
	bool any_version;    /* -o: templates are replaced whatever their versions */
	bool later;	     /* aix.update=later: not by one of the same version */
	/* As in poly_template_options; lines and columns are those of the changes. */
	void (*found)(void *user, const struct poly_template_finding *finding);
	void *user; /* handed to found */
};

/* Initial values: no text, versions count, the same version replaces. */
#define POLY_UPDATE_INIT                                                               \
	{                                                                              \
		sizeof(struct poly_update), NULL, 0, NULL, 0, false, false, NULL, NULL \
	}

/* What became of a change. */
enum poly_update_action {
	POLY_UPDATE_ADDED,    /* the hook had no template */
	POLY_UPDATE_REPLACED, /* the hook's template was replaced */
	POLY_UPDATE_KEPT,     /* the hook's template has a later version, and stayed */
	POLY_UPDATE_DELETED,  /* the hook's template was deleted */
	POLY_UPDATE_ABSENT,   /* there was no such template to delete */
};

/* One change; of several templates of a hook that are deleted each is one. */
struct poly_update_step {
	enum poly_update_action action; /* what became of it */
	uint16_t hook;			/* in the form of four digits */
	uint64_t line;			/* of the changes, from 1 */
};

struct poly_updated;

/*
 * Makes changes to a template file's text. Nothing but templates that are changed is touched;
 * a new one goes to the end. The master's other templates need not be right.
 * On POLY_OK *updated belongs to the caller; on failure it is NULL. POLY_ERR_FORMAT: the
 * changes are wrong (rules T01 to T07, T14), or the master ends in a line that is to be
 * continued. POLY_ERR_LIMIT, POLY_ERR_USAGE (size 0), POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_templates_update(const struct poly_update *update,
	struct poly_updated **updated, struct poly_error *error);

/* The text of the changed file: *n bytes, and a NUL. It holds until updated is freed. */
POLY_API const char *poly_updated_text(const struct poly_updated *updated, size_t *n);

/*
 * The text of changes that make the file what it was, byte for byte, when they are made with
 * any_version: *n bytes, and a NUL. It holds until updated is freed.
 */
POLY_API const char *poly_updated_undo(const struct poly_updated *updated, size_t *n);

/* Change i from 0 in the order in which they were made; false behind the last one. */
POLY_API bool poly_updated_step(
	const struct poly_updated *updated, size_t i, struct poly_update_step *step);

/* Frees what was updated. Accepts NULL. */
POLY_API void poly_updated_free(struct poly_updated *updated);

#ifdef __cplusplus
}
#endif

#endif
