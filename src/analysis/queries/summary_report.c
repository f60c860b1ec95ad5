/* SPDX-License-Identifier: MIT */
/* Reports a summary. polytrace/summary.h documents the keys. */
#include "analysis/queries/summary.h"
#include "report/table.h"

#include "report/terms.h"
#include "report/tree.h"

#include <stdio.h>
#include <string.h>

/* Digits of an address: the width of the trace's addresses, if known. */
static unsigned
address_digits(const struct poly_trace_info *info)
{
	return info ? (info->address_bits + 3) / 4 : 1;
}

static bool
trace_has(const struct poly_trace_info *info, enum poly_column column)
{
	return info && poly_columns_has(info->columns, column);
}

static void
absent(struct poly_report *report, const char *key)
{
	poly_report_text(report, key, NULL);
}

/* Reports a count, or its absence. */
static void
count_if(struct poly_report *report, bool known, const char *key, uint64_t value)
{
	if (known)
		poly_report_count(report, key, value);
	else
		absent(report, key);
}

static void
report_metadata(struct poly_report *report, const struct poly_trace_info *info)
{
	table_open(report, "metadata", "key:text value:text");
	for (size_t i = 0; info && i < info->fact_count; i++) {
		poly_report_cell_text(report, info->facts[i].key);
		poly_report_cell_text(report, info->facts[i].value);
	}
	poly_report_end(report);
}

/* Reports the labels, if the trace has any. */
static void
report_labels(struct poly_report *report, const struct poly_trace_info *info)
{
	if (!info || !info->label_count)
		return;
	table_open(report, "labels", "key:text value:text");
	for (size_t i = 0; i < info->label_count; i++) {
		poly_report_cell_text(report, info->labels[i].key);
		poly_report_cell_text(report, info->labels[i].value);
	}
	poly_report_end(report);
}

static void
report_info(struct poly_report *report, const struct poly_trace_info *info)
{
	static const struct poly_trace_info nothing;
	static const char *const orders[] = {NULL, "big", "little"};
	static const char *const spaces[] = {NULL, "virtual", "physical"};
	const struct poly_trace_info *i = info ? info : &nothing;
	poly_report_text(report, "isa", i->isa);
	poly_report_text(report, "byte_order", orders[i->byte_order]);
	if (i->address_bits)
		poly_report_count(report, "address_bits", i->address_bits);
	else
		absent(report, "address_bits");
	poly_report_text(report, "address_space", spaces[i->addresses]);
	poly_report_text(report, "clock", i->clock);
	poly_report_text(report, "producer", i->producer);
	if (i->has_first_pc)
		poly_report_address(report, "first_pc", i->first_pc, address_digits(i));
	else
		absent(report, "first_pc");
	report_metadata(report, info);
	report_labels(report, info);
}

static void
report_trace(struct poly_report *report, const struct poly_reader *reader,
	const struct poly_trace_info *info)
{
	poly_report_section(report, "trace");
	poly_report_text(report, "format", info ? info->format : NULL);
	poly_report_text(
		report, "description", reader ? poly_reader_format(reader)->title : NULL);
	poly_report_text(report, "detected_by", reader ? poly_reader_evidence(reader) : NULL);
	poly_report_text(
		report, "compression", reader ? poly_reader_compression(reader) : NULL);
	report_info(report, info);
	poly_report_end(report);
}

static void
report_input(struct poly_report *report, const struct poly_reader *reader)
{
	struct poly_reader_counts counts;
	if (!reader)
		return;
	poly_reader_count(reader, &counts);
	poly_report_section(report, "input");
	if (counts.input_total)
		poly_report_count(report, "file_size", counts.input_total);
	else
		absent(report, "file_size");
	poly_report_count(report, "bytes_read", counts.input_bytes);
	poly_report_count(report, "decompressed_size", counts.content_bytes);
	poly_report_count(report, "bytes_skipped", counts.skipped_bytes);
	poly_report_count(report, "skipped_regions", counts.skipped_places);
	poly_report_end(report);
}

/* Reports the values that occur, by name or else by number. */
static void
report_histogram(struct poly_report *report, const struct byte_histogram *histogram,
	const struct poly_trace_info *info, bool kinds)
{
	poly_report_table(report, kinds ? "records_by_kind" : "records_by_name");
	poly_report_column(report, kinds ? "kind" : "name", false);
	poly_report_column(report, "records", true);
	for (unsigned i = 0; i < 256; i++) {
		char number[16];
		const char *name = NULL;
		if (!histogram->counts[i])
			continue;
		if (kinds)
			name = poly_enum_name(POLY_FORM_KIND, i);
		else if (info && i < info->record_count)
			name = info->records[i];
		snprintf(number, sizeof number, "%u", i);
		poly_report_cell_text(report, name ? name : number);
		poly_report_cell_count(report, histogram->counts[i]);
	}
	poly_report_end(report);
}

/* Instructions that are neither synthetic nor a further micro-operation of one. */
static uint64_t
instructions(const struct poly_summary *summary)
{
	return summary->kinds.counts[POLY_KIND_INSTRUCTION] - summary->synthetic -
	       summary->later;
}

static void
report_records(struct poly_report *report, const struct poly_summary *summary,
	const struct poly_trace_info *info)
{
	poly_report_section(report, "records");
	poly_report_count(report, "total_records", summary->rows);
	poly_report_count(report, "instructions", instructions(summary));
	count_if(report, trace_has(info, POLY_COLUMN_uop_index), "uops", summary->uops);
	count_if(report, trace_has(info, POLY_COLUMN_synthetic), "synthetic_instructions",
		summary->synthetic);
	count_if(
		report, trace_has(info, POLY_COLUMN_raw), "unrecognized_records", summary->raw);
	report_histogram(report, &summary->kinds, info, true);
	report_histogram(report, &summary->records, info, false);
	poly_report_end(report);
}

static void
report_accesses(struct poly_report *report, const struct access_stats *stats, unsigned digits)
{
	table_open(
		report, "accesses", "access:text records bytes lowest_address highest_address");
	for (unsigned i = 0; i < POLY_ACCESS_COUNT; i++) {
		if (!stats->counts[i])
			continue;
		poly_report_cell_text(report, poly_enum_name(POLY_FORM_ACCESS, i));
		poly_report_cell_count(report, stats->counts[i]);
		if (stats->sized >> i & 1)
			poly_report_cell_count(report, stats->bytes[i]);
		else
			poly_report_cell_text(report, NULL);
		poly_report_cell_address(report, stats->ranges[i].low, digits);
		poly_report_cell_address(report, stats->ranges[i].high, digits);
	}
	poly_report_end(report);
}

static void
report_addresses(struct poly_report *report, const struct value_range *pc, unsigned digits)
{
	poly_report_section(report, "instruction_addresses");
	if (pc->low > pc->high) {
		absent(report, "lowest_address");
		absent(report, "highest_address");
	} else {
		poly_report_address(report, "lowest_address", pc->low, digits);
		poly_report_address(report, "highest_address", pc->high, digits);
	}
	poly_report_end(report);
}

static void
report_time(struct poly_report *report, const struct value_range *time,
	const struct poly_trace_info *info)
{
	static const char *const keys[] = {KEY("start_time"), KEY("end_time"), KEY("duration")};
	const uint64_t ticks[] = {time->low, time->high, time->high - time->low};
	const char *unit = info && info->clock ? info->clock : "ticks";
	poly_report_section(report, "time");
	for (size_t i = 0; i < 3; i++) {
		if (time->low > time->high)
			absent(report, keys[i]);
		else
			poly_report_count(report, keys[i], ticks[i]);
	}
	poly_report_text(report, "time_unit", time->low > time->high ? NULL : unit);
	poly_report_end(report);
}

static void
report_contexts(struct poly_report *report, const struct distinct_set *contexts)
{
	static const char *const keys[CONTEXT_COUNT] = {
		[CONTEXT_CPU] = KEY("cpus"),
		[CONTEXT_PROCESS] = KEY("processes"),
		[CONTEXT_THREAD] = KEY("threads"),
	};
	poly_report_section(report, "contexts");
	for (size_t i = 0; i < CONTEXT_COUNT; i++) {
		const struct distinct_set *context = &contexts[i];
		if (context->failed)
			tree_fail(report);
		if (!context->overflowed) {
			count_if(report, context->map.count > 0, keys[i], context->map.count);
			continue;
		}
		poly_report_count(report, keys[i], DISTINCT_SET_MAX + 1);
		poly_report_unit(report, "at least");
	}
	poly_report_end(report);
}

/* Gets the i-th finding; false: not the first one of its rule. */
static bool
finding_of_new_rule(const struct poly_reader *reader, size_t i, struct poly_finding *finding)
{
	struct poly_finding earlier;
	if (!poly_reader_finding_at(reader, i, finding))
		return false;
	const struct poly_rule *rule = finding->rule;
	for (size_t j = 0; j < i; j++) {
		if (poly_reader_finding_at(reader, j, &earlier) && earlier.rule == rule)
			return false;
	}
	return poly_reader_finding_at(reader, i, finding);
}

static void
report_rules(struct poly_report *report, const struct poly_reader *reader)
{
	static const char *const severities[] = {"note", "warning", "error"};
	struct poly_finding finding;
	table_open(report, "findings_by_rule",
		"rule:text severity:text occurrences first_record first_finding:text");
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (!finding_of_new_rule(reader, i, &finding))
			continue;
		poly_report_cell_text(report, finding.rule->code);
		poly_report_cell_text(report, severities[finding.rule->severity]);
		poly_report_cell_count(report, finding.count);
		if (finding.record)
			poly_report_cell_count(report, finding.record);
		else
			poly_report_cell_text(report, NULL);
		poly_report_cell_text(report, finding.message);
	}
	poly_report_end(report);
}

static void
report_diagnostics(struct poly_report *report, const struct poly_reader *reader)
{
	uint64_t counts[POLY_ERROR + 1] = {0};
	struct poly_finding finding;
	if (!reader)
		return;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (finding_of_new_rule(reader, i, &finding))
			counts[finding.rule->severity] += finding.count;
	}
	poly_report_section(report, "diagnostics");
	poly_report_count(report, "errors", counts[POLY_ERROR]);
	poly_report_count(report, "warnings", counts[POLY_WARNING]);
	poly_report_count(report, "notes", counts[POLY_NOTE]);
	report_rules(report, reader);
	poly_report_end(report);
}

void
poly_summary_report(const struct poly_summary *summary, const struct poly_reader *reader,
	struct poly_report *report)
{
	const struct poly_trace_info *info = reader ? poly_reader_info(reader) : summary->info;
	unsigned digits = address_digits(info);
	report_trace(report, reader, info);
	report_input(report, reader);
	report_records(report, summary, info);
	report_accesses(report, &summary->accesses, digits);
	report_addresses(report, &summary->pc, digits);
	report_time(report, &summary->time, info);
	report_contexts(report, summary->contexts);
	report_diagnostics(report, reader);
}

void
poly_summary_figures(const struct poly_summary *summary, struct poly_report *report)
{
	uint64_t accesses = 0, bytes = 0;
	for (unsigned i = 0; i < POLY_ACCESS_COUNT; i++) {
		accesses += summary->accesses.counts[i];
		bytes += summary->accesses.sized >> i & 1 ? summary->accesses.bytes[i] : 0;
	}
	poly_report_count(report, "records", summary->rows);
	count_if(report, instructions(summary) > 0, "instructions", instructions(summary));
	count_if(report, accesses > 0, "accesses", accesses);
	if (bytes)
		poly_report_count(report, "bytes_accessed", bytes);
	else
		absent(report, "bytes_accessed");
}
