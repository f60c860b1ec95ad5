/* SPDX-License-Identifier: MIT */
/*
 * Reports a summary. Unknown and inapplicable values are absent, but a count of something that
 * the format supports is 0.
 */
#include "analysis/queries/summary.h"
#include "report/table.h"

#include "report/terms.h"

/* Returns the instructions that are neither synthetic nor a further micro-operation of one. */
static uint64_t
instructions(const struct summary *summary)
{
	return summary->kinds.counts[POLY_KIND_INSTRUCTION] - summary->synthetic -
	       summary->later;
}

/* Reports a count, or its absence. */
static void
count_if(struct poly_report *report, bool known, const char *key, uint64_t value)
{
	if (known)
		poly_report_count(report, key, value);
	else
		poly_report_text(report, key, NULL);
}

static void
report_kinds(const struct summary *summary, struct poly_report *report)
{
	table_open(report, "records_by_kind", "kind:text records");
	for (unsigned i = 0; i < POLY_KIND_COUNT; i++) {
		if (!summary->kinds.counts[i])
			continue;
		poly_report_cell_text(report, poly_enum_name(POLY_FORM_KIND, i));
		poly_report_cell_count(report, summary->kinds.counts[i]);
	}
	poly_report_end(report);
}

/* Reports the names of records, by their values. */
static void
report_names(const struct summary *summary, struct poly_report *report)
{
	table_open(report, "records_by_name", "name:text records");
	for (unsigned value = 0; value < 256; value++) {
		for (uint32_t i = 0; i < summary->names.count && i < SUMMARY_NAMES_MAX; i++) {
			if (summary->by_name[i].value != value)
				continue;
			poly_report_cell_text(report, intern_text(&summary->names, i));
			poly_report_cell_count(report, summary->by_name[i].records);
		}
	}
	poly_report_end(report);
}

static void
report_records(const struct summary *summary, struct poly_report *report)
{
	const poly_columns columns = summary->columns;
	poly_report_section(report, "records");
	poly_report_count(report, "total_records", summary->rows);
	poly_report_count(report, "instructions", instructions(summary));
	count_if(report, POLY_HAS(columns, uop_index), "uops", summary->uops);
	count_if(report, POLY_HAS(columns, synthetic), "synthetic_instructions",
		summary->synthetic);
	count_if(report, POLY_HAS(columns, raw), "unrecognized_records", summary->raw);
	report_kinds(summary, report);
	report_names(summary, report);
	poly_report_end(report);
}

static void
report_accesses(const struct access_stats *stats, unsigned digits, struct poly_report *report)
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
report_addresses(const struct value_range *pc, unsigned digits, struct poly_report *report)
{
	poly_report_section(report, "instruction_addresses");
	if (pc->low > pc->high) {
		poly_report_text(report, "lowest_address", NULL);
		poly_report_text(report, "highest_address", NULL);
	} else {
		poly_report_address(report, "lowest_address", pc->low, digits);
		poly_report_address(report, "highest_address", pc->high, digits);
	}
	poly_report_end(report);
}

static void
report_time(const struct value_range *time, const char *clock, struct poly_report *report)
{
	static const char *const keys[] = {KEY("start_time"), KEY("end_time"), KEY("duration")};
	const uint64_t ticks[] = {time->low, time->high, time->high - time->low};
	const bool any = time->low <= time->high;
	poly_report_section(report, "time");
	for (size_t i = 0; i < 3; i++)
		count_if(report, any, keys[i], ticks[i]);
	poly_report_text(report, "time_unit", !any ? NULL : clock ? clock : "ticks");
	poly_report_end(report);
}

static void
report_contexts(const struct distinct_set *contexts, struct poly_report *report)
{
	static const char *const keys[CONTEXT_COUNT] = {
		[CONTEXT_CPU] = KEY("cpus"),
		[CONTEXT_PROCESS] = KEY("processes"),
		[CONTEXT_THREAD] = KEY("threads"),
	};
	poly_report_section(report, "contexts");
	for (size_t i = 0; i < CONTEXT_COUNT; i++) {
		const struct distinct_set *context = &contexts[i];
		if (!context->overflowed) {
			count_if(report, context->map.count > 0, keys[i], context->map.count);
			continue;
		}
		poly_report_count(report, keys[i], DISTINCT_SET_MAX + 1);
		poly_report_unit(report, "at least");
	}
	poly_report_end(report);
}

void
summary_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct summary *summary = state;
	(void)ops;
	report_records(summary, report);
	report_accesses(&summary->accesses, summary->digits, report);
	report_addresses(&summary->pc, summary->digits, report);
	report_time(&summary->time, summary->clock, report);
	report_contexts(summary->contexts, report);
}

void
totals_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct summary *summary = state;
	uint64_t accesses = 0, bytes = 0;
	(void)ops;
	for (unsigned i = 0; i < POLY_ACCESS_COUNT; i++) {
		accesses += summary->accesses.counts[i];
		bytes += summary->accesses.sized >> i & 1 ? summary->accesses.bytes[i] : 0;
	}
	poly_report_count(report, "records", summary->rows);
	count_if(report, instructions(summary) > 0, "instructions", instructions(summary));
	count_if(report, accesses > 0, "accesses", accesses);
	count_if(report, bytes > 0, "bytes_accessed", bytes);
}
