/* SPDX-License-Identifier: MIT */
/* Inputs of the command trcrpt: several traces at once, and small files of text. */
#ifndef CLI_TRCRPT_INPUTS_H
#define CLI_TRCRPT_INPUTS_H

#include "polytrace/trcrpt.h"

#include "cli/command_input.h"

/* Traces that are open together. Zero-initialise. */
struct traces {
	struct command_input *sources;
	struct poly_reader **readers;
	const char **names;
	char **made; /* paths that were made; NULL: another's */
	size_t count, capacity;
	bool verbose;	      /* tell the names of files */
	poly_columns columns; /* asked of the readers */
};

/* Opens one; false, and told, where it cannot be. */
bool traces_open(struct traces *traces, const char *path, const struct input_options *options);

/*
 * Opens the files beside base of a trace with a file for each cpu (base-0, base-1 ...): those
 * of a list such as "0,2-3", or with "all" as many as there are. False, and told, where one
 * cannot be opened or the list is none.
 */
bool traces_open_cpus(struct traces *traces, const char *base, const char *list,
	const struct input_options *options);

/* The open traces as a report takes them. */
struct poly_trcrpt_inputs traces_inputs(const struct traces *traces);

/* Remembers that the input numbered i failed, so that closing tells it. */
void traces_failed(struct traces *traces, size_t i, const struct poly_error *error);

/* Closes all, tells what was found wrong; returns the exit status. */
int traces_close(struct traces *traces);

/*
 * The text of a file; false, and told, where it cannot be read. The caller frees it by
 * poly_template_text_free.
 */
bool trcrpt_read_text(const char *path, struct poly_trcrpt_text *text);

#endif
