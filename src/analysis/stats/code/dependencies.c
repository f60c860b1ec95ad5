/* SPDX-License-Identifier: MIT */
/*
 * Dependencies: distances from the definition of a value in a register or in memory to its use,
 * by context.
 *
 * Bounded: WORDS_MAX stored words of 8 bytes; bytes that exceed the table are counted as such,
 * and their loads as independent.
 */
#include "analysis/stats/code/dependencies.h"

#include "analysis/facts/archive.h"
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

static void
transfer_event(struct archive *archive, void *item)
{
	struct dependent_event *event = item;
	struct dependent_load *load = &event->load;
	ARCHIVE(archive, load->bytes.address);
	ARCHIVE(archive, load->bytes.size);
	archive_context(archive, &load->bytes.context);
	ARCHIVE(archive, load->bytes.counts);
	ARCHIVE(archive, load->now);
	ARCHIVE(archive, load->mask);
	ARCHIVE(archive, load->last);
	ARCHIVE(archive, load->has_stack);
	ARCHIVE_UP_TO(archive, event->kind, DEPENDENT_ACCESS);
	ARCHIVE_UP_TO(archive, event->reg, REGISTERS - 1);
	ARCHIVE(archive, event->is_store);
}

static void
transfer_word(struct archive *archive, void *item)
{
	struct stored_word *word = item;
	ARCHIVE_ARRAY(archive, word->stores);
}

static void
transfer_context(struct archive *archive, struct dependencies *dependencies, uint16_t number)
{
	bool is_used = dependencies->contexts[number] != NULL;
	ARCHIVE(archive, is_used);
	struct register_context *context =
		is_used ? dependencies_context(dependencies, number) : NULL;
	archive_allocate(archive, context || !is_used);
	if (!context)
		return;
	ARCHIVE(archive, context->instructions);
	ARCHIVE(archive, context->stores);
	ARCHIVE(archive, context->has_stack);
	for (size_t i = 0; i < REGISTERS; i++) {
		struct register_value *value = &context->registers[i];
		ARCHIVE(archive, value->written);
		ARCHIVE(archive, value->reads);
		ARCHIVE(archive, value->is_loaded);
	}
}

static void
dependencies_transfer(void *state, struct archive *archive)
{
	struct dependencies *dependencies = state;
	ARCHIVE(archive, dependencies->stack_register);
	for (uint16_t i = 0; i < archive->contexts; i++)
		transfer_context(archive, dependencies, i);
	archive_bins(archive, &dependencies->stored, archive->contexts, transfer_word);
	ARCHIVE(archive, dependencies->instructions);
	ARCHIVE(archive, dependencies->undecoded);
	ARCHIVE(archive, dependencies->reads);
	ARCHIVE(archive, dependencies->unwritten);
	ARCHIVE(archive, dependencies->writes);
	ARCHIVE(archive, dependencies->overwritten);
	ARCHIVE_ARRAY(archive, dependencies->read_distances);
	ARCHIVE_ARRAY(archive, dependencies->use_distances);
	ARCHIVE_ARRAY(archive, dependencies->reuse);
	ARCHIVE_ARRAY(archive, dependencies->loads);
	ARCHIVE_ARRAY(archive, dependencies->near);
	ARCHIVE_ARRAY(archive, dependencies->load_distances);
	ARCHIVE(archive, dependencies->stores);
	ARCHIVE(archive, dependencies->untracked_bytes);
	ARCHIVE(archive, dependencies->truncated);
	ARCHIVE(archive, dependencies->stack_stores);
	ARCHIVE(archive, dependencies->reloaded);
	ARCHIVE(archive, dependencies->reloads);
	archive_log(archive, &dependencies->log, transfer_event);
	ARCHIVE(archive, dependencies->is_too_long);
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
	.transfer = dependencies_transfer,
	.part_grows = true,
	.is_too_long = dependencies_is_too_long,
	.finish = dependencies_finish,
	.report = dependencies_report,
	.fini = dependencies_fini,
};
