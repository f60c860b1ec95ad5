/* SPDX-License-Identifier: MIT */
/*
 * A summary of a trace: format and evidence, records by kind, instructions, address ranges,
 * time span, threads, damage. What `polytrace info` prints.
 */
#ifndef POLYTRACE_SUMMARY_H
#define POLYTRACE_SUMMARY_H

#include "polytrace/reader.h"
#include "polytrace/report.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_summary;

/* Columns that a summary looks at: ask a reader for these. */
POLY_API poly_columns poly_summary_columns(void);

/* A new, empty summary; NULL where memory cannot be had. One thread at a time. */
POLY_API struct poly_summary *poly_summary_new(void);

/* Adds the rows of a batch. */
POLY_API void poly_summary_update(struct poly_summary *summary, const struct poly_batch *batch);

/* Adds the rows that from has seen to into; from is unchanged. */
POLY_API void poly_summary_merge(struct poly_summary *into, const struct poly_summary *from);

/*
 * Writes the summary into the open section of a report, with what reader knows of the file
 * (format, evidence, compression, findings); reader may be NULL.
 */
POLY_API void poly_summary_report(const struct poly_summary *summary,
	const struct poly_reader *reader, struct poly_report *report);

/* Frees a summary. Accepts NULL. */
POLY_API void poly_summary_free(struct poly_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
