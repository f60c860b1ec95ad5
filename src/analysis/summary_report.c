/* SPDX-License-Identifier: MIT */
/* A summary as a report. The keys are promised in polytrace/summary.h. */
#include "analysis/summary.h"

#include "report/tree.h"

#include <stdio.h>
#include <string.h>

/* Digits of an address: as wide as the trace's addresses, where that is known. */
static unsigned
address_digits(const struct poly_trace_info *info)
{
	return info ? (info->address_bits + 3) / 4 : 1;
}

static bool
trace_has(const struct poly_trace_info *info, enum poly_column column)
{
	return info && (info->columns >> column & 1);
}

static void
absent(struct poly_report *report, const char *key, const char *title)
{
	poly_report_text(report, key, title, NULL);
}

/* A count, where known is true. */
static void
count_if(struct poly_report *report, bool known, const char *key, const char *title,
	uint64_t value)
{
	if (known)
		poly_report_count(report, key, title, value, NULL);
	else
		absent(report, key, title);
}

static void
report_facts(struct poly_report *report, const struct poly_trace_info *info)
{
	poly_report_table(report, "facts", "Further facts");
	poly_report_column(report, "key", "Fact", false);
	poly_report_column(report, "value", "Value", false);
	for (size_t i = 0; info && i < info->fact_count; i++) {
		poly_report_cell_text(report, info->facts[i].key);
		poly_report_cell_text(report, info->facts[i].value);
	}
	poly_report_end(report);
}

/* Most traces have none, and then nothing is said of them. */
static void
report_labels(struct poly_report *report, const struct poly_trace_info *info)
{
	if (!info || !info->label_count)
		return;
	poly_report_table(report, "labels", "Labels");
	poly_report_column(report, "key", "Label", false);
	poly_report_column(report, "value", "Value", false);
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
	poly_report_text(report, "isa", "Instruction set", i->isa);
	poly_report_text(report, "byte_order", "Byte order", orders[i->byte_order]);
	if (i->address_bits)
		poly_report_count(
			report, "address_bits", "Address width", i->address_bits, "bits");
	else
		absent(report, "address_bits", "Address width");
	poly_report_text(report, "addresses", "Addresses", spaces[i->addresses]);
	poly_report_text(report, "clock", "Clock", i->clock);
	poly_report_text(report, "producer", "Producer", i->producer);
	if (i->has_first_pc)
		poly_report_address(
			report, "first_pc", "First PC", i->first_pc, address_digits(i));
	else
		absent(report, "first_pc", "First PC");
	report_facts(report, info);
	report_labels(report, info);
}

static void
report_trace(struct poly_report *report, const struct poly_reader *reader,
	const struct poly_trace_info *info)
{
	poly_report_section(report, "trace", "Trace");
	poly_report_text(report, "format", "Format", info ? info->format : NULL);
	poly_report_text(report, "title", "Description",
		reader ? poly_reader_format(reader)->title : NULL);
	poly_report_text(report, "evidence", "Recognised by",
		reader ? poly_reader_evidence(reader) : NULL);
	poly_report_text(report, "compression", "Compression",
		reader ? poly_reader_compression(reader) : NULL);
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
	poly_report_section(report, "input", "Input");
	if (counts.input_total)
		poly_report_count(
			report, "file_bytes", "Size of the file", counts.input_total, "bytes");
	else
		absent(report, "file_bytes", "Size of the file");
	poly_report_count(report, "read_bytes", "Read", counts.input_bytes, "bytes");
	poly_report_count(
		report, "content_bytes", "Decompressed", counts.content_bytes, "bytes");
	poly_report_count(report, "skipped_bytes", "Skipped", counts.skipped_bytes, "bytes");
	poly_report_count(
		report, "skipped_places", "Damaged places", counts.skipped_places, NULL);
	poly_report_end(report);
}

/* A table of the values of a tally that occur; a value without a name is shown as a number. */
static void
report_tally(struct poly_report *report, const struct tally *tally,
	const struct poly_trace_info *info, bool kinds)
{
	poly_report_table(
		report, kinds ? "kinds" : "names", kinds ? "By kind" : "By the format's name");
	poly_report_column(report, kinds ? "kind" : "name", kinds ? "Kind" : "Name", false);
	poly_report_column(report, "count", "Records", true);
	for (unsigned i = 0; i < 256; i++) {
		char number[16];
		const char *name = NULL;
		if (!tally->counts[i])
			continue;
		if (kinds)
			name = poly_enum_name(POLY_FORM_KIND, i);
		else if (info && i < info->record_count)
			name = info->records[i];
		snprintf(number, sizeof number, "%u", i);
		poly_report_cell_text(report, name ? name : number);
		poly_report_cell_count(report, tally->counts[i]);
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
	poly_report_section(report, "records", "Records");
	poly_report_count(report, "total", "Total", summary->rows, NULL);
	poly_report_count(report, "instructions", "Instructions", instructions(summary), NULL);
	count_if(report, trace_has(info, POLY_COLUMN_uop_index), "micro_operations",
		"Micro-operations", summary->uops);
	count_if(report, trace_has(info, POLY_COLUMN_synthetic), "synthetic",
		"Synthetic instructions", summary->synthetic);
	count_if(report, trace_has(info, POLY_COLUMN_raw), "raw", "Not understood",
		summary->raw);
	report_tally(report, &summary->kinds, info, true);
	report_tally(report, &summary->records, info, false);
	poly_report_end(report);
}

static void
report_accesses(struct poly_report *report, const struct accesses *accesses, unsigned digits)
{
	poly_report_table(report, "accesses", "Accesses");
	poly_report_column(report, "access", "Access", false);
	poly_report_column(report, "count", "Records", true);
	poly_report_column(report, "bytes", "Bytes", true);
	poly_report_column(report, "lowest", "Lowest address", true);
	poly_report_column(report, "highest", "Highest address", true);
	for (unsigned i = 0; i < POLY_ACCESS_COUNT; i++) {
		if (!accesses->counts[i])
			continue;
		poly_report_cell_text(report, poly_enum_name(POLY_FORM_ACCESS, i));
		poly_report_cell_count(report, accesses->counts[i]);
		if (accesses->sized >> i & 1)
			poly_report_cell_count(report, accesses->bytes[i]);
		else
			poly_report_cell_text(report, NULL);
		poly_report_cell_address(report, accesses->ranges[i].low, digits);
		poly_report_cell_address(report, accesses->ranges[i].high, digits);
	}
	poly_report_end(report);
}

static void
report_pc(struct poly_report *report, const struct range *pc, unsigned digits)
{
	poly_report_section(report, "pc", "Instruction addresses");
	if (pc->low > pc->high) {
		absent(report, "lowest", "Lowest");
		absent(report, "highest", "Highest");
	} else {
		poly_report_address(report, "lowest", "Lowest", pc->low, digits);
		poly_report_address(report, "highest", "Highest", pc->high, digits);
	}
	poly_report_end(report);
}

static void
report_time(struct poly_report *report, const struct range *time,
	const struct poly_trace_info *info)
{
	static const struct {
		const char *key, *title;
	} values[] = {{"first", "First"}, {"last", "Last"}, {"span", "Span"}};
	const uint64_t ticks[] = {time->low, time->high, time->high - time->low};
	const char *unit = info && info->clock ? info->clock : "ticks";
	poly_report_section(report, "time", "Time");
	for (size_t i = 0; i < 3; i++) {
		if (time->low > time->high)
			absent(report, values[i].key, values[i].title);
		else
			poly_report_count(
				report, values[i].key, values[i].title, ticks[i], NULL);
	}
	poly_report_text(report, "unit", "Unit", time->low > time->high ? NULL : unit);
	poly_report_end(report);
}

static void
report_parties(struct poly_report *report, const struct distinct *parties)
{
	static const struct {
		const char *key, *title;
	} names[PARTY_COUNT] = {
		[PARTY_CPU] = {"cpus", "Processors"},
		[PARTY_PROCESS] = {"processes", "Processes"},
		[PARTY_THREAD] = {"threads", "Threads"},
	};
	poly_report_section(report, "parties", "Processors, processes and threads");
	for (size_t i = 0; i < PARTY_COUNT; i++) {
		const struct distinct *party = &parties[i];
		if (party->failed)
			tree_fail(report);
		if (party->more)
			poly_report_count(report, names[i].key, names[i].title,
				DISTINCT_MOST + 1, "or more");
		else
			count_if(report, party->map.count > 0, names[i].key, names[i].title,
				party->map.count);
	}
	poly_report_end(report);
}

/* The i-th finding, where it is the first one of its rule. */
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
	poly_report_table(report, "rules", "By rule");
	poly_report_column(report, "code", "Rule", false);
	poly_report_column(report, "severity", "Severity", false);
	poly_report_column(report, "count", "Places", true);
	poly_report_column(report, "record", "First record", true);
	poly_report_column(report, "message", "First finding", false);
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
report_findings(struct poly_report *report, const struct poly_reader *reader)
{
	uint64_t counts[POLY_ERROR + 1] = {0};
	struct poly_finding finding;
	if (!reader)
		return;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (finding_of_new_rule(reader, i, &finding))
			counts[finding.rule->severity] += finding.count;
	}
	poly_report_section(report, "findings", "Noticed while reading");
	poly_report_count(report, "errors", "Errors", counts[POLY_ERROR], NULL);
	poly_report_count(report, "warnings", "Warnings", counts[POLY_WARNING], NULL);
	poly_report_count(report, "notes", "Notes", counts[POLY_NOTE], NULL);
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
	report_pc(report, &summary->pc, digits);
	report_time(report, &summary->time, info);
	report_parties(report, summary->parties);
	report_findings(report, reader);
}

void
poly_summary_figures(const struct poly_summary *summary, struct poly_report *report)
{
	uint64_t accesses = 0, bytes = 0;
	for (unsigned i = 0; i < POLY_ACCESS_COUNT; i++) {
		accesses += summary->accesses.counts[i];
		bytes += summary->accesses.sized >> i & 1 ? summary->accesses.bytes[i] : 0;
	}
	poly_report_count(report, "records", "Records", summary->rows, NULL);
	count_if(report, instructions(summary) > 0, "instructions", "Instructions",
		instructions(summary));
	count_if(report, accesses > 0, "accesses", "Accesses", accesses);
	if (bytes)
		poly_report_count(report, "accessed", "Accessed", bytes, "bytes");
	else
		absent(report, "accessed", "Accessed");
}
