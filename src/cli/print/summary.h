/* SPDX-License-Identifier: MIT */
/* The summary of an input: what its reader knows of the file, and the query "summary". */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "polytrace/reader.h"
#include "polytrace/stats.h"

/* Returns a run of the query "summary", and of "totals" if requested. */
struct poly_stats *summary_new(bool with_totals);

/* Reports a finished run with the format, metadata, size and findings of its reader. */
void report_summary(const struct poly_stats *stats, const struct poly_reader *reader,
	struct poly_report *report);

#endif
