/* SPDX-License-Identifier: MIT */
/* Summaries of inputs. */
#include "cli/print/summary.h"

#include "cli/files/command_input.h"
#include "cli/print/diagnostics.h"

struct poly_stats *
summary_new(const struct input_options *input, bool with_totals)
{
	const char *const names[] = {"summary", with_totals ? "totals" : NULL, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	options.analyses = names;
	options.threads = (unsigned)input->threads.value;
	if (poly_stats_new(&options, &stats, NULL) != POLY_OK)
		diag_no_memory();
	return stats;
}

void
summary_finish(struct poly_stats *stats)
{
	if (poly_stats_finish(stats, NULL) < 0)
		diag_no_memory();
}

static void
report_facts(struct poly_report *report, const char *key, const struct poly_fact *facts,
	size_t count)
{
	poly_report_table(report, key);
	poly_report_column(report, "key", false);
	poly_report_column(report, "value", false);
	for (size_t i = 0; i < count; i++) {
		poly_report_cell_text(report, facts[i].key);
		poly_report_cell_text(report, facts[i].value);
	}
	poly_report_end(report);
}

static void
report_trace(const struct poly_reader *reader, struct poly_report *report)
{
	static const char *const orders[] = {NULL, "big", "little"};
	static const char *const spaces[] = {NULL, "virtual", "physical"};
	const struct poly_trace_info *info = poly_reader_info(reader);
	const unsigned digits = (info->address_bits + 3) / 4;
	poly_report_section(report, "trace");
	poly_report_text(report, "format", info->format);
	poly_report_text(report, "description", poly_reader_format(reader)->title);
	poly_report_text(report, "detected_by", poly_reader_evidence(reader));
	poly_report_text(report, "compression", poly_reader_compression(reader));
	poly_report_text(report, "isa", info->isa);
	poly_report_text(report, "byte_order", orders[info->byte_order]);
	if (info->address_bits)
		poly_report_count(report, "address_bits", info->address_bits);
	else
		poly_report_text(report, "address_bits", NULL);
	poly_report_text(report, "address_space", spaces[info->addresses]);
	poly_report_text(report, "clock", info->clock);
	poly_report_text(report, "producer", info->producer);
	if (info->has_first_pc)
		poly_report_address(report, "first_pc", info->first_pc, digits);
	else
		poly_report_text(report, "first_pc", NULL);
	report_facts(report, "metadata", info->facts, info->fact_count);
	if (info->label_count)
		report_facts(report, "labels", info->labels, info->label_count);
	poly_report_end(report);
}

/* Reports a number of bytes; NULL: it depends on how far threads have read ahead. */
static void
report_bytes(struct poly_report *report, const char *key, const uint64_t *bytes)
{
	if (bytes)
		poly_report_count(report, key, *bytes);
	else
		poly_report_text(report, key, NULL);
}

static void
report_input(const struct command_input *input, struct poly_report *report)
{
	const bool complete = input_is_complete(input);
	struct poly_reader_counts counts;
	poly_reader_count(input->reader, &counts);
	poly_report_section(report, "input");
	report_bytes(report, "file_size", counts.input_total ? &counts.input_total : NULL);
	report_bytes(report, "bytes_read", complete ? &counts.input_bytes : NULL);
	report_bytes(
		report, "decompressed_size", input->bounded ? NULL : &counts.content_bytes);
	poly_report_count(report, "bytes_skipped", counts.skipped_bytes);
	poly_report_count(report, "skipped_regions", counts.skipped_places);
	poly_report_end(report);
}

/* Reports the first finding of each rule. */
static void
report_rules(const struct poly_reader *reader, struct poly_report *report)
{
	struct poly_finding finding;
	poly_report_table(report, "findings_by_rule");
	poly_report_column(report, "rule", false);
	poly_report_column(report, "severity", false);
	poly_report_column(report, "occurrences", true);
	poly_report_column(report, "first_record", true);
	poly_report_column(report, "first_finding", false);
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (finding_is_repeated(reader, i, finding.rule))
			continue;
		poly_report_cell_text(report, finding.rule->code);
		poly_report_cell_text(report, severity_name(finding.rule->severity));
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
report_diagnostics(const struct poly_reader *reader, struct poly_report *report)
{
	uint64_t counts[POLY_ERROR + 1] = {0};
	struct poly_finding finding;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (!finding_is_repeated(reader, i, finding.rule))
			counts[finding.rule->severity] += finding.count;
	}
	poly_report_section(report, "diagnostics");
	poly_report_count(report, "errors", counts[POLY_ERROR]);
	poly_report_count(report, "warnings", counts[POLY_WARNING]);
	poly_report_count(report, "notes", counts[POLY_NOTE]);
	report_rules(reader, report);
	poly_report_end(report);
}

void
report_summary(const struct poly_stats *stats, const struct command_input *input,
	struct poly_report *report)
{
	const struct poly_reader *reader = input->reader;
	report_trace(reader, report);
	report_input(input, report);
	poly_stats_report(stats, "summary", report);
	report_diagnostics(reader, report);
}
