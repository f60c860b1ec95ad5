/* SPDX-License-Identifier: MIT */
/*
 * Dependencies: distances from the definition of a value in a register or in memory to its use,
 * by context.
 *
 * Bounded: WORDS_MAX stored words of 8 bytes; bytes that exceed the table are counted as such,
 * and their loads as independent.
 */
#include "analysis/stats/code/dependencies.h"

#include "analysis/facts/column_stats.h"
#include "analysis/facts/branch_stream.h"
#include "base/err.h"
#include "isa/isa.h"

enum { OPTION_WINDOW };

static enum poly_status
dependencies_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct dependencies *dependencies = state;
	(void)error;
	dependencies->window = setup->values[OPTION_WINDOW];
	dependencies_init_stored(dependencies);
	return POLY_OK;
}

static void
dependencies_begin(void *state, const struct poly_trace_info *info)
{
	struct dependencies *dependencies = state;
	dependencies->failed |= !dependencies_count_log(dependencies);
	dependencies->stack_register = isa_stack_register(info->isa);
	dependencies_clear(dependencies);
	part_log_begin(&dependencies->log);
}

static bool
dependencies_update(void *state, const struct analysis_rows *rows)
{
	struct dependencies *dependencies = state;
	part_log_see(&dependencies->log, rows->batch);
	/* Parts have no warm-up. */
	if (!rows->counts && !dependencies_count_log(dependencies))
		return false;
	if (rows->counts)
		dependencies->instructions += count_batch_instructions(rows->batch);
	return dependencies_count_rows(dependencies, rows) && !dependencies->failed &&
	       (!dependencies->log.is_full || dependencies_count_log(dependencies));
}

static enum poly_status
dependencies_finish(void *state, struct poly_error *error)
{
	return dependencies_count_log(state) ? POLY_OK : err_memory(error);
}

static bool
dependencies_is_too_long(const void *state)
{
	const struct dependencies *dependencies = state;
	return dependencies->log.is_full || dependencies->is_too_long;
}

static const struct poly_option options[] = {
	[OPTION_WINDOW] = {"dependencies.window", POLY_OPTION_NUMBER, .initial = 64,
		.maximum = UINT32_MAX,
		.help = "count a load within N instructions after the store of its bytes as "
			"near"},
	{0}};

const struct analysis analysis_dependencies = {
	.info = {.name = "dependencies",
		.title = "Dependencies",
		.summary = "def-use distances in registers, dead writes, store-to-load "
			   "distances and forwarding",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(access, address, size, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs = NEEDS_INSTRUCTIONS,
	.needs_warmup = true,
	.state_size = sizeof(struct dependencies),
	.init = dependencies_init,
	.begin = dependencies_begin,
	.update = dependencies_update,
	.merge = dependencies_merge,
	.is_too_long = dependencies_is_too_long,
	.finish = dependencies_finish,
	.report = dependencies_report,
	.fini = dependencies_fini,
};
