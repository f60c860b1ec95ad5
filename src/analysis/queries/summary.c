/* SPDX-License-Identifier: MIT */
/* Summarizes the columns of each batch. */
#include "analysis/queries/summary.h"

static bool
summary_update(void *state, const struct analysis_rows *rows)
{
	struct summary *summary = state;
	const struct poly_batch *batch = rows->batch;
	struct distinct_set *contexts = summary->contexts;
	totals_update(summary, rows);
	byte_histogram_add_column(&summary->records, batch, POLY_COLUMN_record, batch->record);
	value_range_add_column(&summary->pc, batch, POLY_COLUMN_pc, batch->pc);
	value_range_add_column(&summary->time, batch, POLY_COLUMN_time, batch->time);
	distinct_set_add_column32(&contexts[CONTEXT_CPU], batch, POLY_COLUMN_cpu, batch->cpu);
	distinct_set_add_column(
		&contexts[CONTEXT_PROCESS], batch, POLY_COLUMN_process, batch->process);
	distinct_set_add_column(
		&contexts[CONTEXT_THREAD], batch, POLY_COLUMN_thread, batch->thread);
	return !contexts[CONTEXT_CPU].failed && !contexts[CONTEXT_PROCESS].failed &&
	       !contexts[CONTEXT_THREAD].failed && summary_count_names(summary, batch->info);
}

static const struct poly_option no_options[] = {{0}};

const struct analysis analysis_summary = {
	.info = {.name = "summary",
		.title = "Summary",
		.summary = "records by kind and name, accesses, address and time ranges, "
			   "execution contexts",
		.wants = POLY_COLUMNS_INIT(
			TOTALS_COLUMNS, raw, record, time, cpu, process, thread, pc),
		.kind = POLY_ANALYSIS_QUERY,
		.options = no_options},
	.is_cheap = true,
	.state_size = sizeof(struct summary),
	.init = summary_init,
	.begin = summary_begin,
	.update = summary_update,
	.merge = summary_merge,
	.transfer = summary_transfer,
	.report = summary_report,
	.fini = summary_fini,
};
