/* SPDX-License-Identifier: MIT */
/* Splits references for several line sizes, and logs them. */
#include "analysis/sim/line_sizes.h"

#include "base/err.h"
#include "base/mem.h"

enum poly_status
line_sizes_add(struct line_sizes *sizes, unsigned shift, struct poly_error *error)
{
	if (sizes->list[shift])
		return POLY_OK;
	struct line_size *size = sizes->list[shift] = mem_new(1, sizeof *size);
	if (!size)
		return err_memory(error);
	line_refs_set(&size->refs, shift, sizes->split);
	return POLY_OK;
}

enum poly_status
line_sizes_log(struct line_sizes *sizes, unsigned shift, const struct poly_stats_stores *stores,
	struct poly_error *error)
{
	struct line_size *size = sizes->list[shift];
	if (size->log)
		return POLY_OK;
	if (sizes->logs++ == LINE_SIZES_LOGS_MAX)
		return err_usage(
			error, "policy 'opt': more than %d line sizes", LINE_SIZES_LOGS_MAX);
	return access_log_new(stores, shift, sizes->memory, &size->log, error);
}

enum poly_status
line_sizes_track(struct line_sizes *sizes, struct poly_error *error)
{
	static const struct line_sample all_lines = {0};
	enum poly_status status = POLY_OK;
	unsigned count = 0;
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS; i++)
		count += sizes->list[i] != NULL;
	sizes->tracked = true;
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS && status == POLY_OK; i++)
		if (sizes->list[i])
			status = line_table_init(&sizes->list[i]->lines, sizes->memory / count,
				&all_lines, error);
	return status;
}

void
line_sizes_remove(struct line_sizes *sizes, unsigned shift)
{
	struct line_size *size = sizes->list[shift];
	if (!size)
		return;
	access_log_free(size->log);
	line_table_fini(&size->lines);
	mem_free(size);
	sizes->list[shift] = NULL;
}

void
line_sizes_fini(struct line_sizes *sizes)
{
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS; i++)
		line_sizes_remove(sizes, i);
}

void
line_sizes_begin(struct line_sizes *sizes, const struct mem_refs *refs)
{
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS; i++)
		if (sizes->list[i])
			line_refs_begin(&sizes->list[i]->refs, refs);
}

/* Finds the first accesses of the current step of a size; shift: log2 of the size. */
static enum poly_status
find_first(struct line_size *size, unsigned shift)
{
	uint64_t lines[64];
	enum poly_status status = POLY_OK;
	for (size_t from = 0; from < size->step->count && status == POLY_OK; from += 64) {
		const size_t rest = size->step->count - from, count = rest < 64 ? rest : 64;
		for (size_t i = 0; i < count; i++)
			lines[i] = size->step->addresses[from + i] >> shift;
		status = line_table_weigh(&size->lines, lines, count, size->first + from);
	}
	size->rate = size->lines.sample.rate;
	return status;
}

enum poly_status
line_sizes_next(struct line_sizes *sizes, bool counts, bool *more)
{
	enum poly_status status = POLY_OK;
	*more = false;
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS && status == POLY_OK; i++) {
		struct line_size *size = sizes->list[i];
		if (!size)
			continue;
		size->step = line_refs_next(&size->refs);
		*more |= size->step != NULL;
		if (!size->step || size->step->step == REFS_OPERATIONS)
			continue;
		if (sizes->tracked && size->lines.entries)
			status = find_first(size, i);
		if (size->log)
			access_log_append(size->log, size->step,
				sizes->tracked ? size->first : NULL, counts);
	}
	return status;
}

enum poly_status
line_sizes_replay(struct line_sizes *sizes, access_log_fn *step_fn, void *user, bool *finished,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	bool complete = true;
	/* The tables of lines would be needed by further references only. */
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS && sizes->logs; i++)
		if (sizes->list[i])
			line_table_fini(&sizes->list[i]->lines);
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS && status == POLY_OK; i++) {
		struct line_size *size = sizes->list[i];
		if (!size || !size->log)
			continue;
		status = access_log_replay(size->log, step_fn, user, &size->finished, error);
		complete &= size->finished;
	}
	*finished = status == POLY_OK && complete;
	return status;
}
