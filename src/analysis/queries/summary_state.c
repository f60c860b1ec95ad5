/* SPDX-License-Identifier: MIT */
/* State of summaries: the counts and names of batches and traces. */
#include "analysis/queries/summary.h"

#include "analysis/facts/archive.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum poly_status
summary_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct summary *summary = state;
	(void)setup, (void)error;
	summary->pc = summary->time = VALUE_RANGE_EMPTY;
	access_stats_init(&summary->accesses);
	for (size_t i = 0; i < CONTEXT_COUNT; i++)
		distinct_set_init(&summary->contexts[i]);
	return POLY_OK;
}

void
summary_fini(void *state)
{
	struct summary *summary = state;
	for (size_t i = 0; i < CONTEXT_COUNT; i++)
		distinct_set_fini(&summary->contexts[i]);
	intern_free(&summary->names);
	mem_free(summary->clock);
}

void
summary_transfer(void *state, struct archive *archive)
{
	struct summary *summary = state;
	char *clock = archive_text(archive, summary->clock);
	if (archive_loads(archive))
		summary->clock = clock;
	ARCHIVE_ARRAY(archive, summary->columns.words);
	ARCHIVE_UP_TO(archive, summary->digits, 16);
	archive_intern(archive, &summary->names);
	for (size_t i = 0; i < SUMMARY_NAMES_MAX && i < summary->names.count; i++) {
		ARCHIVE(archive, summary->by_name[i].records);
		ARCHIVE(archive, summary->by_name[i].value);
	}
	ARCHIVE(archive, summary->rows);
	archive_histogram(archive, &summary->kinds);
	ARCHIVE(archive, summary->synthetic);
	ARCHIVE(archive, summary->later);
	ARCHIVE(archive, summary->uops);
	ARCHIVE(archive, summary->raw);
	archive_access_stats(archive, &summary->accesses);
	ARCHIVE(archive, summary->pc.low);
	ARCHIVE(archive, summary->pc.high);
	ARCHIVE(archive, summary->time.low);
	ARCHIVE(archive, summary->time.high);
	for (size_t i = 0; i < CONTEXT_COUNT; i++)
		archive_distinct(archive, &summary->contexts[i]);
}

void
summary_begin(void *state, const struct poly_trace_info *info)
{
	struct summary *summary = state;
	summary->columns = poly_columns_union(summary->columns, info->columns);
	summary->digits = (info->address_bits + 3) / 4;
	memset(summary->name_of, 0, sizeof summary->name_of);
}

/* Copies the unit of time, unless there is one; false: out of memory. */
static bool
copy_clock(struct summary *summary, const char *clock)
{
	if (!summary->clock && clock)
		summary->clock = mem_string(clock);
	return summary->clock || !clock;
}

/* Adds records of a name, whose value is new unless the name is known; returns the number of
 * the name, INTERN_FAILED: out of memory. */
static uint32_t
count_name(struct summary *summary, const char *name, unsigned value, uint64_t records)
{
	uint32_t number = intern_add(&summary->names, name, strlen(name));
	if (number == INTERN_FAILED)
		return number;
	if (number >= SUMMARY_NAMES_MAX)
		number = SUMMARY_NAMES_MAX - 1;
	if (!summary->by_name[number].records)
		summary->by_name[number].value = (uint8_t)value;
	summary->by_name[number].records += records;
	return number;
}

bool
summary_count_names(struct summary *summary, const struct poly_trace_info *info)
{
	uint64_t *counts = summary->records.counts;
	for (unsigned i = 0; i < 256; i++) {
		char number[16];
		const char *name = i < info->record_count ? info->records[i] : NULL;
		if (counts[i] && !summary->name_of[i]) {
			snprintf(number, sizeof number, "%u", i);
			summary->name_of[i] =
				count_name(summary, name ? name : number, i, 0) + 1;
			if (!summary->name_of[i])
				return false;
		}
		if (counts[i])
			summary->by_name[summary->name_of[i] - 1].records += counts[i];
		counts[i] = 0;
	}
	return copy_clock(summary, info->clock);
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
update_special(struct summary *summary, const struct poly_batch *b)
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

bool
totals_update(void *state, const struct analysis_rows *rows)
{
	struct summary *summary = state;
	const struct poly_batch *batch = rows->batch;
	summary->rows += batch->rows;
	byte_histogram_add_column(&summary->kinds, batch, POLY_COLUMN_kind, batch->kind);
	update_special(summary, batch);
	access_stats_update(&summary->accesses, batch);
	return true;
}

bool
summary_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct summary *sum = into;
	const struct summary *summary = from;
	bool good = true;
	(void)numbers;
	sum->columns = poly_columns_union(sum->columns, summary->columns);
	sum->rows += summary->rows;
	for (size_t i = 0; i < 256; i++)
		sum->kinds.counts[i] += summary->kinds.counts[i];
	sum->synthetic += summary->synthetic;
	sum->later += summary->later;
	sum->uops += summary->uops;
	sum->raw += summary->raw;
	access_stats_merge(&sum->accesses, &summary->accesses);
	value_range_merge(&sum->pc, &summary->pc);
	value_range_merge(&sum->time, &summary->time);
	for (size_t i = 0; i < CONTEXT_COUNT; i++) {
		distinct_set_merge(&sum->contexts[i], &summary->contexts[i]);
		good = good && !sum->contexts[i].failed;
	}
	for (uint32_t i = 0; good && i < summary->names.count && i < SUMMARY_NAMES_MAX; i++)
		good = count_name(sum, intern_text(&summary->names, i),
			       summary->by_name[i].value,
			       summary->by_name[i].records) != INTERN_FAILED;
	return good && copy_clock(sum, summary->clock);
}
