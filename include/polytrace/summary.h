/* SPDX-License-Identifier: MIT */
/*
 * Summary of a trace: format, records by kind, instructions, address ranges, time range,
 * execution contexts, diagnostics. Printed by `polytrace info`.
 *
 * Its keys are stable. Sections end in a colon, tables in [] with the keys of their columns.
 * Unknown and inapplicable values are absent (null in JSON), but a count of something that the
 * format supports is 0.
 *
 *     trace:      format, description, detected_by (the evidence for the format), compression,
 *                 isa, byte_order (big, little), address_bits, address_space (virtual,
 *                 physical), clock, producer, first_pc
 *       metadata[]  key, value: further facts, in order of appearance
 *     input:      file_size (bytes), bytes_read, decompressed_size (bytes), bytes_skipped and
 *                 skipped_regions (after corrupt data); only with a reader
 *     records:    total_records (rows), instructions (neither synthetic nor a further
 *                 micro-operation of one), micro_operations (rows with the column uop_index),
 *                 synthetic_instructions (added by the tracer), unrecognized_records (rows of
 *                 kind other with raw bytes)
 *       records_by_kind[]  kind, records: the kinds that occur, in order of enum poly_kind
 *       records_by_name[]  name, records: by the format's names, in the format's order
 *     accesses[]  access, records (rows with access and address), bytes (sum of size; absent
 *                 if no size is known), lowest_address, highest_address: the kinds of access
 *                 that occur, in order of enum poly_access
 *     instruction_addresses:  lowest_address, highest_address
 *     time:       start_time, end_time (the earliest and the latest), duration, time_unit
 *     contexts:   cpus, processes, threads: numbers of distinct ones; 65537 stands for any
 *                 number above 65536
 *     diagnostics:  errors, warnings, notes: violations of rules of that severity; only with a
 *                 reader
 *       findings_by_rule[]  rule, severity (note, warning, error), occurrences, first_record
 *                 (from 1; absent for the trace as a whole), first_finding (message)
 */
#ifndef POLYTRACE_SUMMARY_H
#define POLYTRACE_SUMMARY_H

#include "polytrace/reader.h"
#include "polytrace/report.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_summary;

/* Returns the columns that a summary needs; request them from the reader. */
POLY_API poly_columns poly_summary_columns(void);

/* Creates an empty summary; NULL: out of memory. One thread at a time. */
POLY_API struct poly_summary *poly_summary_new(void);

/* Adds the rows of a batch. batch->info must stay valid until the summary is reported.
 * Rendering the report fails if memory ran out. */
POLY_API void poly_summary_update(struct poly_summary *summary, const struct poly_batch *batch);

/* Adds the rows of another summary, which is unchanged, as if into had been updated with them.
 */
POLY_API void poly_summary_merge(struct poly_summary *into, const struct poly_summary *from);

/*
 * Writes the summary into the open section of a report. reader describes the file (format,
 * evidence, compression, findings); NULL: without a file, the facts are those of the last
 * batch.
 */
POLY_API void poly_summary_report(const struct poly_summary *summary,
	const struct poly_reader *reader, struct poly_report *report);

/*
 * Writes only the key figures into the open section of a report: records (rows), instructions,
 * accesses, bytes_accessed (of known sizes). Zero values except records are absent.
 */
POLY_API void poly_summary_figures(
	const struct poly_summary *summary, struct poly_report *report);

/* Frees a summary. Accepts NULL. */
POLY_API void poly_summary_free(struct poly_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
