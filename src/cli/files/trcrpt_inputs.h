/* SPDX-License-Identifier: MIT */
/* Inputs of the command trcrpt: traces to merge, and text files. */
#ifndef CLI_TRCRPT_INPUTS_H
#define CLI_TRCRPT_INPUTS_H

#include "polytrace/trcrpt.h"

#include "cli/files/command_input.h"

/* Open traces. Zero-initialise. */
struct traces {
	struct command_input *sources;
	struct poly_source *inputs;
	const char **names;
	char **owned_names; /* paths to free; NULL: not owned */
	size_t count, capacity;
	bool verbose;	      /* print the names of files */
	poly_columns columns; /* required of the readers */
	const struct input_options *options;
	struct command_input head; /* another reading of an input, if it is open */
	bool has_head;
};

/* Opens a trace; false, after a message, on failure. */
bool traces_open(struct traces *traces, const char *path, const struct input_options *options);

/*
 * Opens the files of a trace with one file per CPU (base-0, base-1 ...): those of a list such
 * as "0,2-3", or with "all" every one that exists. False, after a message, if one cannot be
 * opened or the list is not valid.
 */
bool traces_open_cpus(struct traces *traces, const char *base, const char *list,
	const struct input_options *options);

/* Returns the open traces as inputs of a report. */
struct poly_trcrpt_inputs traces_inputs(struct traces *traces);

/* Records the failure of input i, for traces_close to report. */
void traces_failed(struct traces *traces, size_t i, const struct poly_error *error);

/* Closes all traces and reports their findings; returns the exit status. */
int traces_close(struct traces *traces);

/*
 * Reads the text of a file; false, after a message, on failure. The caller frees it by
 * poly_template_text_free.
 */
bool trcrpt_read_text(const char *path, struct poly_trcrpt_text *text);

#endif
