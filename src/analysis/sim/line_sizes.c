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
	return access_log_new(stores, shift, &size->log, error);
}

void
line_sizes_fini(struct line_sizes *sizes)
{
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS; i++) {
		if (sizes->list[i])
			access_log_free(sizes->list[i]->log);
		mem_free(sizes->list[i]);
	}
}

void
line_sizes_begin(struct line_sizes *sizes, const struct mem_refs *refs)
{
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS; i++)
		if (sizes->list[i])
			line_refs_begin(&sizes->list[i]->refs, refs);
}

bool
line_sizes_next(struct line_sizes *sizes, bool counts)
{
	bool found = false;
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS; i++) {
		struct line_size *size = sizes->list[i];
		if (!size)
			continue;
		size->step = line_refs_next(&size->refs);
		found |= size->step != NULL;
		if (size->step && size->log && size->step->step != REFS_OPERATIONS)
			access_log_append(size->log, size->step, counts);
	}
	return found;
}

enum poly_status
line_sizes_replay(struct line_sizes *sizes, access_log_fn *step_fn, void *user, bool *finished,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	bool complete = true;
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
