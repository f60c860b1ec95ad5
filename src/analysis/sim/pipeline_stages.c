/* SPDX-License-Identifier: MIT */
/* When some instructions went through the stages, for logs and diagrams. */
#include "analysis/sim/pipeline.h"

#include "analysis/analysis_instance.h"
#include "base/err.h"
#include "base/mem.h"
#include "polytrace/stages.h"
#include "sim/kanata.h"
#include "sim/pipeline_svg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a label, with its end. */
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
		stages->seen = stages->kept = 0;
}

struct pipeline_times *
pipeline_stages_room(struct pipeline_stages *stages)
{
	return stages && stages->kept < stages->count ? stages->room : NULL;
}

void
pipeline_stages_keep(struct pipeline_stages *stages, size_t n)
{
	for (size_t i = 0; i < n && stages->kept < stages->count; i++) {
		if (++stages->seen < stages->from)
			continue;
		stages->times[stages->kept] = stages->room[i];
		stages->names[stages->kept++] = stages->called[i];
	}
}

/* What an instruction is called: "0x0043c96a J JMP_IMM". */
static void
write_label(const struct static_ops *ops, const struct pipeline_name *called, char label[LABEL])
{
	const struct static_op *op = static_op_at(ops, called->operation);
	const char *mnemonic = op->mnemonic ? op->mnemonic : "";
	const char *micro_op = op->micro_op ? op->micro_op : "";
	snprintf(label, LABEL, "0x%08" PRIx64 "%s%.25s%s%.25s", called->pc,
		*mnemonic ? " " : "", mnemonic, *micro_op ? " " : "", micro_op);
}

/* The text of a file, behind what out has. */
static enum poly_status
append(const struct pipeline_stages *stages, const struct static_ops *ops,
	enum poly_stages_form form, struct buf *out, struct poly_error *error)
{
	enum poly_status status = POLY_ERR_MEMORY;
	const char **labels = mem_new(stages->kept + 1, sizeof *labels);
	char(*texts)[LABEL] = mem_new(stages->kept + 1, sizeof *texts);
	const struct pipeline_slice slice = {stages->times, labels, stages->kept, stages->from};
	for (size_t i = 0; labels && texts && i < stages->kept; i++) {
		write_label(ops, &stages->names[i], texts[i]);
		labels[i] = texts[i];
	}
	if (!labels || !texts)
		err_memory(error);
	else if (form == POLY_STAGES_KONATA)
		status = kanata_append(&slice, out, error);
	else
		status = pipeline_svg_append(&slice, out, error);
	mem_free(labels);
	mem_free(texts);
	return status;
}

/* The state of a run; NULL where it was not asked for. */
static const struct pipeline_analysis *
find_state(const struct poly_stats *stats)
{
	for (size_t i = 0; i < stats->count; i++) {
		if (stats->instances[i].analysis == &analysis_pipeline)
			return stats->instances[i].state;
	}
	return NULL;
}

enum poly_status
poly_stages_write(const struct poly_stats *stats, enum poly_stages_form form,
	const struct poly_sink *sink, struct poly_error *error)
{
	const struct pipeline_analysis *it = find_state(stats);
	struct buf out = {0};
	if (!it)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the simulation 'pipeline' was not asked for");
	if (!it->stages)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"no stages were kept: pipeline.count=100");
	enum poly_status status = append(it->stages, &stats->ops, form, &out, error);
	if (status == POLY_OK) {
		errno = sink->write(sink->user, buf_text(&out), out.size);
		if (errno)
			status = err_system(error, POLY_NO_OFFSET, "cannot be written");
	}
	buf_free(&out);
	return status;
}
