/* SPDX-License-Identifier: MIT */
/* Accumulates a summary from the columns of each batch. */
#include "analysis/queries/summary.h"

#include "base/mem.h"

#include <string.h>

poly_columns
poly_summary_columns(void)
{
	return POLY_COLUMNS(kind, record, time, cpu, process, thread, pc, access, address, size,
		uop_index, synthetic, raw);
}

struct poly_summary *
poly_summary_new(void)
{
	struct poly_summary *summary = mem_new(1, sizeof *summary);
	if (!summary)
		return NULL;
	summary->pc = summary->time = VALUE_RANGE_EMPTY;
	access_stats_init(&summary->accesses);
	for (size_t i = 0; i < CONTEXT_COUNT; i++)
		distinct_set_init(&summary->contexts[i]);
	return summary;
}

void
poly_summary_free(struct poly_summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < CONTEXT_COUNT; i++)
		distinct_set_fini(&summary->contexts[i]);
	mem_free(summary);
}

/* Returns the rows of a word whose column is present and equal to value. */
static uint64_t
rows_equal(const struct poly_batch *batch, enum poly_column column, const uint8_t *values,
	size_t word, uint8_t value)
{
	size_t n = batch->rows - 64 * word;
	uint64_t rows = values ? row_bits_present(batch, column, word) : 0;
	return rows ? rows & row_bits_equal(values + 64 * word, n < 64 ? n : 64, value) : 0;
}

/* Counts synthetic, unrecognized and micro-operation rows. */
static void
update_special(struct poly_summary *summary, const struct poly_batch *b)
{
	size_t words = b->synthetic || b->uop_index || b->raw ? row_bits_words(b) : 0;
	for (size_t w = 0; w < words; w++) {
		uint64_t synthetic = row_bits_present(b, POLY_COLUMN_synthetic, w);
		uint64_t uop = row_bits_present(b, POLY_COLUMN_uop_index, w);
		uint64_t raw = row_bits_present(b, POLY_COLUMN_raw, w);
		summary->uops += (uint64_t)__builtin_popcountll(uop);
		if (raw)
			raw &= rows_equal(b, POLY_COLUMN_kind, b->kind, w, POLY_KIND_OTHER);
		summary->raw += (uint64_t)__builtin_popcountll(raw);
		if (!(synthetic | uop))
			continue;
		uint64_t instructions =
			rows_equal(b, POLY_COLUMN_kind, b->kind, w, POLY_KIND_INSTRUCTION);
		synthetic &= instructions &
			     ~rows_equal(b, POLY_COLUMN_synthetic, b->synthetic, w, 0);
		uop &= instructions & ~synthetic &
		       ~rows_equal(b, POLY_COLUMN_uop_index, b->uop_index, w, 0) &
		       ~rows_equal(b, POLY_COLUMN_uop_index, b->uop_index, w, 1);
		summary->synthetic += (uint64_t)__builtin_popcountll(synthetic);
		summary->later += (uint64_t)__builtin_popcountll(uop);
	}
}

void
poly_summary_update(struct poly_summary *summary, const struct poly_batch *batch)
{
	summary->info = batch->info;
	summary->rows += batch->rows;
	byte_histogram_add_column(&summary->kinds, batch, POLY_COLUMN_kind, batch->kind);
	byte_histogram_add_column(&summary->records, batch, POLY_COLUMN_record, batch->record);
	update_special(summary, batch);
	access_stats_update(&summary->accesses, batch);
	value_range_add_column(&summary->pc, batch, POLY_COLUMN_pc, batch->pc);
	value_range_add_column(&summary->time, batch, POLY_COLUMN_time, batch->time);
	struct distinct_set *contexts = summary->contexts;
	distinct_set_add_column32(&contexts[CONTEXT_CPU], batch, POLY_COLUMN_cpu, batch->cpu);
	distinct_set_add_column(
		&contexts[CONTEXT_PROCESS], batch, POLY_COLUMN_process, batch->process);
	distinct_set_add_column(
		&contexts[CONTEXT_THREAD], batch, POLY_COLUMN_thread, batch->thread);
}

void
poly_summary_merge(struct poly_summary *into, const struct poly_summary *from)
{
	if (from->info)
		into->info = from->info;
	into->rows += from->rows;
	for (size_t i = 0; i < 256; i++) {
		into->kinds.counts[i] += from->kinds.counts[i];
		into->records.counts[i] += from->records.counts[i];
	}
	into->synthetic += from->synthetic;
	into->later += from->later;
	into->uops += from->uops;
	into->raw += from->raw;
	access_stats_merge(&into->accesses, &from->accesses);
	value_range_merge(&into->pc, &from->pc);
	value_range_merge(&into->time, &from->time);
	for (size_t i = 0; i < CONTEXT_COUNT; i++)
		distinct_set_merge(&into->contexts[i], &from->contexts[i]);
}
