/* SPDX-License-Identifier: MIT */
/* The summary of an input: what its reader knows of the file, and the query "summary". */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "cli/files/command_input.h"

/* Returns a run of the query "summary", and of "totals" if requested. */
struct poly_stats *summary_new(const struct input_options *input, bool with_totals);

/* Finishes the run. */
void summary_finish(struct poly_stats *stats);

/* Reports a finished run with the format, metadata, size and findings of its input. */
void report_summary(const struct poly_stats *stats, const struct command_input *input,
	struct poly_report *report);

#endif
