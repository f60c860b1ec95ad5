/* SPDX-License-Identifier: MIT */
/* Records the stages of instructions, for logs and diagrams. */
#include "analysis/sim/pipeline/pipeline.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/pipeline/kanata.h"
#include "sim/pipeline/pipeline_svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a label, including the NUL. */
enum { LABEL = 80 };

struct pipeline_stages *
pipeline_stages_new(uint64_t from, uint64_t count)
{
	struct pipeline_stages *stages = mem_new(1, sizeof *stages);
	if (!stages)
		return NULL;
	stages->from = from;
	stages->count = count;
	stages->times = mem_new((size_t)count, sizeof *stages->times);
	stages->names = mem_new((size_t)count, sizeof *stages->names);
	if (stages->times && stages->names)
		return stages;
	pipeline_stages_free(stages);
	return NULL;
}

void
pipeline_stages_free(struct pipeline_stages *stages)
{
	if (!stages)
		return;
	mem_free(stages->times);
	mem_free(stages->names);
	mem_free(stages);
}

void
pipeline_stages_begin(struct pipeline_stages *stages)
{
	if (stages)
		stages->seen = stages->recorded = 0;
}

struct pipeline_times *
pipeline_stages_buffer(struct pipeline_stages *stages)
{
	return stages && stages->recorded < stages->count ? stages->buffer_times : NULL;
}

void
pipeline_stages_record(struct pipeline_stages *stages, size_t n)
{
	for (size_t i = 0; i < n && stages->recorded < stages->count; i++) {
		if (++stages->seen < stages->from)
			continue;
		stages->times[stages->recorded] = stages->buffer_times[i];
		stages->names[stages->recorded++] = stages->buffer_names[i];
	}
}

/* Formats the label of an instruction: "0x0043c96a J JMP_IMM". */
static void
format_label(const struct static_ops *ops, const struct pipeline_name *buffer_names,
	char label[LABEL])
{
	const struct static_op *op = static_op_at(ops, buffer_names->operation);
	const char *mnemonic = op->mnemonic ? op->mnemonic : "";
	const char *micro_op = op->micro_op ? op->micro_op : "";
	snprintf(label, LABEL, "0x%08" PRIx64 "%s%.25s%s%.25s", buffer_names->pc,
		*mnemonic ? " " : "", mnemonic, *micro_op ? " " : "", micro_op);
}

enum poly_status
pipeline_write(const void *state, size_t output, const struct static_ops *ops,
	struct output_text *text, struct poly_error *error)
{
	const struct pipeline_stages *stages =
		((const struct pipeline_simulation *)state)->stages;
	if (!stages)
		return err_usage(
			error, "stages were not recorded; set option 'pipeline.count'");
	enum poly_status status = POLY_ERR_MEMORY;
	const char **labels = mem_new(stages->recorded + 1, sizeof *labels);
	char(*texts)[LABEL] = mem_new(stages->recorded + 1, sizeof *texts);
	const struct pipeline_slice slice = {
		stages->times, labels, stages->recorded, stages->from};
	for (size_t i = 0; labels && texts && i < stages->recorded; i++) {
		format_label(ops, &stages->names[i], texts[i]);
		labels[i] = texts[i];
	}
	if (!labels || !texts)
		err_memory(error);
	else if (output == PIPELINE_KONATA)
		status = kanata_append(&slice, &text->buffer, error);
	else
		status = pipeline_svg_append(&slice, &text->buffer, error);
	mem_free(labels);
	mem_free(texts);
	return status;
}
