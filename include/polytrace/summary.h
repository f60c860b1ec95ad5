/* SPDX-License-Identifier: MIT */
/*
 * A summary of a trace: format and evidence, records by kind, instructions, address ranges,
 * time span, threads, damage. What `polytrace info` prints.
 *
 * Its keys are stable. Sections end in a colon, tables in [] with the keys of their columns;
 * what is not known or cannot be is absent (null in JSON), except that a count of something
 * that the format can have is 0.
 *
 *     trace:      format, title, evidence, compression, isa, byte_order (big, little),
 *                 address_bits, addresses (virtual, physical), clock, producer, first_pc
 *       facts[]   key, value: further facts in the order they were stated
 *     input:      file_bytes (the file as it stands), read_bytes (taken from it),
 *                 content_bytes (after decompression), skipped_bytes and skipped_places
 *                 (passed over after damage); only with a reader
 *     records:    total (rows), instructions (neither synthetic nor a further micro-operation
 *                 of one), micro_operations (rows with the column uop), synthetic
 *                 (instructions put there by the tracer), raw (rows of kind other with raw
 *                 bytes: what was not understood)
 *       kinds[]   kind, count: kinds that occur, in the order of enum poly_kind
 *       names[]   name, count: records by the format's own names, in the format's order
 *     accesses[]  access, count (rows with access and address), bytes (sum of size; absent
 *                 where no size is known), lowest and highest (address): accesses that occur,
 *                 in the order of enum poly_access
 *     pc:         lowest, highest
 *     time:       first and last (the earliest and the latest), span (between them), unit
 *     contexts:    cpus, processes, threads: how many different ones; 65537 stands for any
 *                 number above 65536
 *     findings:   errors, warnings, notes: places where a rule of that severity did not hold;
 *                 only with a reader
 *       rules[]   code, severity (note, warning, error), count, record and message (of the
 *                 first place; record from 1, absent for the trace as a whole)
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

/* Adds the rows of a batch. Its facts (batch->info) must stay until the summary was reported.
 * Lack of memory is told when the report is rendered. */
POLY_API void poly_summary_update(struct poly_summary *summary, const struct poly_batch *batch);

/* Adds the rows that from, another summary, has seen to into; from is unchanged. The result is
 * as if into had been updated with them. */
POLY_API void poly_summary_merge(struct poly_summary *into, const struct poly_summary *from);

/*
 * Writes the summary into the open section of a report, with what reader knows of the file
 * (format, evidence, compression, findings); reader may be NULL: then the facts are those of
 * the batch added last.
 */
POLY_API void poly_summary_report(const struct poly_summary *summary,
	const struct poly_reader *reader, struct poly_report *report);

/*
 * Writes the key figures alone into the open section of a report: records (rows), instructions,
 * accesses, accessed (bytes, as far as sizes are known); what is 0 is absent, but records.
 */
POLY_API void poly_summary_figures(
	const struct poly_summary *summary, struct poly_report *report);

/* Frees a summary. Accepts NULL. */
POLY_API void poly_summary_free(struct poly_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
