/* SPDX-License-Identifier: MIT */
/*
 * Writes the summary that the parsers of the course CIS 501 print: the numbers of
 * micro-operations and of instructions of a trace.
 *
 * spec: Instruction Trace Format (Penn CIS 501), Parser Code
 */
#include "format/core/format.h"

#include <stdio.h>

struct summary_writer {
	unsigned long long micro_ops, macro_ops;
};

static enum poly_status
summary_wopen(struct writing *writing, struct poly_error *error)
{
	static const char text[] = "Processing trace...\n";
	(void)error;
	out_write(writing->out, text, sizeof text - 1);
	return POLY_OK;
}

static enum poly_status
summary_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct summary_writer *writer = writing->state;
	(void)error;
	for (size_t row = 0; row < batch->rows; row++) {
		if (!poly_present(batch, POLY_COLUMN_kind, row) ||
			batch->kind[row] != POLY_KIND_INSTRUCTION)
			continue;
		writer->micro_ops++;
		writer->macro_ops += poly_present(batch, POLY_COLUMN_uop_index, row) &&
				     batch->uop_index[row] == 1;
	}
	return POLY_OK;
}

static enum poly_status
summary_finish(struct writing *writing, struct poly_error *error)
{
	const struct summary_writer *writer = writing->state;
	(void)error;
	char text[200];
	int n = snprintf(text, sizeof text,
		"Processed %llu trace records.\nMicro-ops: %llu\nMacro-ops: %llu\n",
		writer->micro_ops, writer->micro_ops, writer->macro_ops);
	out_write(writing->out, text, (size_t)n);
	return POLY_OK;
}

static const struct poly_option options[] = {{.name = NULL}};
static const struct poly_rule rules[] = {{NULL, POLY_NOTE, NULL, NULL}};

static const struct format cis501_summary = {
	.content = {.users = "Penn CIS 501", .kinds = POLY_KIND_BIT(INSTRUCTION)},
	.info =
		{
			.name = "cis501-summary",
			.family = "cis501-summary",
			.title = "summary of the Penn CIS 501 parsers",
			.extensions = "",
			.spec = "Instruction Trace Format (Penn CIS 501), Parser Code",
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(kind, uop_index),
			.needs = POLY_COLUMNS_INIT(kind, uop_index),
			.options = options,
			.rules = rules,
		},
	.is_text = true,
	.writer_size = sizeof(struct summary_writer),
	.wopen = summary_wopen,
	.write = summary_write,
	.wfinish = summary_finish,
};

const struct format *const formats_cis501_summary[] = {&cis501_summary, NULL};
