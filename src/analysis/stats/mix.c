/* SPDX-License-Identifier: MIT */
/* What is executed: instructions by class, mnemonic, unit and size. */
#include "analysis/analysis.h"

struct mix {
	uint64_t sizes[256]; /* instructions by bytes; 0: not known */
};

static bool
mix_update(void *state, const struct analysis_rows *rows)
{
	struct mix *mix = state;
	const struct poly_batch *batch = rows->batch;
	for (size_t row = 0; row < batch->rows; row++) {
		if (poly_present(batch, POLY_COLUMN_kind, row) &&
			batch->kind[row] == POLY_KIND_INSTRUCTION)
			mix->sizes[poly_present(batch, POLY_COLUMN_opcode_size, row)
					   ? batch->opcode_size[row]
					   : 0]++;
	}
	return true;
}

static bool
mix_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct mix *to = into;
	const struct mix *more = from;
	(void)numbers;
	for (size_t i = 0; i < 256; i++)
		to->sizes[i] += more->sizes[i];
	return true;
}

static void
mix_report(const void *state, const struct ops *ops, struct poly_report *report)
{
	const struct mix *mix = state;
	uint64_t total = 0;
	(void)ops;
	for (size_t i = 0; i < 256; i++)
		total += mix->sizes[i];
	poly_report_count(report, "instructions", "Instructions", total, NULL);
	poly_report_table(report, "sizes", "Sizes of instructions");
	poly_report_column(report, "bytes", "Bytes", true);
	poly_report_column(report, "count", "Count", true);
	for (size_t i = 1; i < 256; i++) {
		if (!mix->sizes[i])
			continue;
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, mix->sizes[i]);
	}
	poly_report_end(report);
}

static const struct poly_option options[] = {{0}};

const struct analysis analysis_mix = {
	.info = {.name = "mix",
		.title = "Instruction mix",
		.summary = "what is executed: instructions by class, mnemonic, unit and size",
		.needs = POLY_HAS(kind),
		.wants = POLY_HAS(opcode_size),
		.is_default = true,
		.options = options},
	.state_size = sizeof(struct mix),
	.update = mix_update,
	.merge = mix_merge,
	.report = mix_report,
};
