/* SPDX-License-Identifier: MIT */
/* Synchronization: signals and waits by address, blocked acquisitions, hold times. */
#include "analysis/stats/system/sync.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/column_stats.h"
#include "base/mem.h"
#include "base/vec.h"

enum { OPTION_TOP, OPTION_COUNT };
static const char *const count_words[] = {"auto", "after", "before", NULL};

static enum poly_status
sync_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct sync_profile *sync = state;
	(void)error;
	sync->top = setup->values[OPTION_TOP];
	sync->numbering = setup->values[OPTION_COUNT];
	sync->names = setup->contexts;
	sync->log.item_size = sizeof(struct sync_operation);
	return POLY_OK;
}

static void
sync_begin(void *state, const struct poly_trace_info *info)
{
	struct sync_profile *sync = state;
	(void)info;
	sync_clear_history(sync);
	part_log_begin(&sync->log);
}

/* Counts the operation of a row; false: out of memory. */
static bool
count_operation(
	struct sync_profile *sync, const struct poly_batch *batch, size_t row, uint16_t number)
{
	const struct sync_context *context = &sync->contexts[number];
	struct sync_operation event = {.address = batch->address[row],
		.record = poly_batch_number(batch, row),
		.row = sync->rows + row + 1,
		.instructions = context->instructions,
		.last_row = context->last_row,
		.context = number,
		.operation = batch->sync[row],
		.has_value = poly_present(batch, POLY_COLUMN_value, row)};
	if (event.has_value)
		event.value = batch->value[row];
	return sync_count_operation(sync, &event);
}

static bool
is_operation(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_sync, row) &&
	       poly_present(batch, POLY_COLUMN_address, row) &&
	       batch->sync[row] < POLY_SYNC_COUNT;
}

/* Counts a row of any kind; false: out of memory. */
static bool
count_row(
	struct sync_profile *sync, const struct poly_batch *batch, size_t row, uint16_t number)
{
	struct sync_context *context = &sync->contexts[number];
	bool ok = true;
	if (is_operation(batch, row))
		ok = count_operation(sync, batch, row, number);
	else if (poly_present(batch, POLY_COLUMN_kind, row))
		context->instructions += batch->kind[row] == POLY_KIND_INSTRUCTION &&
					 !(poly_present(batch, POLY_COLUMN_synthetic, row) &&
						 batch->synthetic[row]);
	context->last_row = sync->rows + row + 1;
	return ok;
}

/* Counts the rows of a batch of one context without operations. */
static void
count_plain(struct sync_profile *sync, const struct poly_batch *batch, uint16_t number)
{
	struct sync_context *context = &sync->contexts[number];
	for (size_t word = 0; word < row_bits_words(batch); word++) {
		const size_t left = batch->rows - 64 * word;
		const uint64_t rows = row_bits_present(batch, POLY_COLUMN_kind, word);
		if (!rows)
			continue;
		uint64_t instructions =
			rows & row_bits_equal(batch->kind + 64 * word, left < 64 ? left : 64,
				       POLY_KIND_INSTRUCTION);
		if (batch->synthetic)
			instructions &= ~(row_bits_present(batch, POLY_COLUMN_synthetic, word) &
					  row_bits_equal(batch->synthetic + 64 * word,
						  left < 64 ? left : 64, 1));
		context->instructions += (uint64_t)__builtin_popcountll(instructions);
	}
	context->last_row = sync->rows + batch->rows;
}

static bool
has_operations(const struct poly_batch *batch)
{
	for (size_t word = 0; word < row_bits_words(batch); word++) {
		if (row_bits_present(batch, POLY_COLUMN_sync, word))
			return true;
	}
	return false;
}

static bool
sync_update(void *state, const struct analysis_rows *rows)
{
	struct sync_profile *sync = state;
	const struct poly_batch *batch = rows->batch;
	bool ok = true;
	part_log_see(&sync->log, batch);
	if (!rows->counts) {
		sync_clear_history(sync);
		return true;
	}
	if (!rows->context && !has_operations(batch)) {
		if (batch->rows)
			count_plain(sync, batch, rows->sole_context);
	} else {
		for (size_t row = 0; ok && row < batch->rows; row++)
			ok = count_row(sync, batch, row,
				rows->context ? rows->context[row] : rows->sole_context);
	}
	sync->rows += batch->rows;
	if (sync->log.is_full)
		part_log_end(&sync->log);
	return ok;
}

static bool
sync_is_too_long(const void *state)
{
	return ((const struct sync_profile *)state)->log.is_full;
}

static void
sync_fini(void *state)
{
	struct sync_profile *sync = state;
	part_log_fini(&sync->log);
	map_free(&sync->object_numbers);
	map_free(&sync->user_numbers);
	map_free(&sync->pair_numbers);
	mem_free(sync->objects);
	mem_free(sync->users);
	mem_free(sync->pairs);
}

static void
transfer_operation(struct archive *archive, void *item)
{
	struct sync_operation *operation = item;
	ARCHIVE(archive, operation->address);
	ARCHIVE(archive, operation->value);
	ARCHIVE(archive, operation->record);
	ARCHIVE(archive, operation->row);
	ARCHIVE(archive, operation->instructions);
	ARCHIVE(archive, operation->last_row);
	archive_context(archive, &operation->context);
	ARCHIVE_UP_TO(archive, operation->operation, POLY_SYNC_COUNT - 1);
	ARCHIVE(archive, operation->has_value);
}

static void
transfer_context(
	struct archive *archive, struct sync_context *context, const struct sync_profile *sync)
{
	ARCHIVE(archive, context->instructions);
	ARCHIVE(archive, context->last_row);
	ARCHIVE_UP_TO(archive, context->held_count, SYNC_HELD_MAX);
	for (uint32_t i = 0; i < context->held_count; i++) {
		ARCHIVE(archive, context->held[i]);
		archive_require(archive, context->held[i] < sync->object_count);
	}
}

static void
sync_transfer(void *state, struct archive *archive)
{
	struct sync_profile *sync = state;
	ARCHIVE(archive, sync->rows);
	sync_transfer_tables(sync, archive);
	ARCHIVE(archive, sync->after);
	ARCHIVE(archive, sync->before);
	ARCHIVE(archive, sync->backward);
	ARCHIVE(archive, sync->untracked);
	for (size_t i = 0; i < archive->contexts; i++)
		transfer_context(archive, &sync->contexts[i], sync);
	archive_log(archive, &sync->log, transfer_operation);
}

static const struct poly_option options[] = {
	[OPTION_TOP] = {"sync.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1,
		.maximum = SYNC_USERS_MAX, .help = "list the first N entries per table"},
	[OPTION_COUNT] = {"sync.count", POLY_OPTION_CHOICE, .initial = SYNC_COUNT_AUTO,
		.choices = count_words,
		.help = "interpret the count of a signal as the one after or before that "
			"signal",
		.source = "Apple amber traces 3 (9)"},
	{0},
};

/* Most batches of most traces have no operations and are cheap. */
const struct analysis analysis_sync = {
	.info = {.name = "sync",
		.title = "Synchronization",
		.summary = "signals and waits by address, blocked acquisitions, hold times, "
			   "lock-order inversions",
		.needs = POLY_COLUMNS_INIT(sync, address),
		.wants = POLY_COLUMNS_INIT(kind, value, synthetic),
		.is_default = true,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct sync_profile),
	.init = sync_init,
	.begin = sync_begin,
	.update = sync_update,
	.merge = sync_merge,
	.transfer = sync_transfer,
	.is_too_long = sync_is_too_long,
	.report = sync_report,
	.fini = sync_fini,
};
