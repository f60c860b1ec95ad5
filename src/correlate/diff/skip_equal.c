/* SPDX-License-Identifier: MIT */
/* Skips rows that are equal in both traces, compared column by column. */
#include "correlate/diff/diff.h"

#include "model/columns.h"

#include <string.h>

/* Maximum number of steps compared singly before whole rows are compared again. */
#define PATIENCE_MAX 1024

/* 64 rows of both batches. */
struct row_block {
	struct builder *builders[2];
	size_t rows[2]; /* the first one of each */
	size_t count;	/* number of rows, at most 64 */
};

/* Returns up to 64 presence bits from a row on. */
static uint64_t
bits_from(const uint64_t *map, size_t row, size_t count)
{
	if (!map)
		return 0;
	size_t word = row / 64, shift = row % 64;
	uint64_t bits = map[word] >> shift;
	if (shift && shift + count > 64)
		bits |= map[word + 1] << (64 - shift);
	return count < 64 ? bits & (((uint64_t)1 << count) - 1) : bits;
}

/* Returns the rows of a column that differ, of those whose bits are set. */
#define DIFFERING(type)                                                               \
	static uint64_t differing_##type(const type *a, const type *b, uint64_t rows) \
	{                                                                             \
		uint64_t bits = 0;                                                    \
		for (; rows; rows &= rows - 1) {                                      \
			unsigned i = (unsigned)__builtin_ctzll(rows);                 \
			bits |= (uint64_t)(a[i] != b[i]) << i;                        \
		}                                                                     \
		return bits;                                                          \
	}
DIFFERING(uint8_t)
DIFFERING(uint16_t)
DIFFERING(uint32_t)
DIFFERING(uint64_t)

static uint64_t
differing_numbers(const struct row_block *block, enum poly_column column, uint64_t rows)
{
	const size_t size = column_table[column].size;
	const void *data[2];
	for (unsigned side = 0; side < 2; side++)
		data[side] =
			(const uint8_t *)column_data(block->builders[side]->batch, column) +
			block->rows[side] * size;
	/* If all are present, they are mostly equal. */
	if (rows == UINT64_MAX && memcmp(data[0], data[1], 64 * size) == 0)
		return 0;
	switch (size) {
	case 1: return differing_uint8_t(data[0], data[1], rows);
	case 2: return differing_uint16_t(data[0], data[1], rows);
	case 4: return differing_uint32_t(data[0], data[1], rows);
	default: return differing_uint64_t(data[0], data[1], rows);
	}
}

/* The same for names, whose numbers differ between the traces. */
static uint64_t
differing_names(const struct row_block *block, enum poly_column column, uint64_t present)
{
	const uint32_t *a = column_data(block->builders[0]->batch, column);
	const uint32_t *b = column_data(block->builders[1]->batch, column);
	const bool is_register = column == POLY_COLUMN_reg;
	uint64_t bits = 0;
	for (; present; present &= present - 1) {
		unsigned i = (unsigned)__builtin_ctzll(present);
		uint32_t of_a =
			builder_name(block->builders[0], a[block->rows[0] + i], is_register);
		uint32_t of_b =
			builder_name(block->builders[1], b[block->rows[1] + i], is_register);
		bits |= (uint64_t)(of_a != of_b || of_a == INTERN_FAILED) << i;
	}
	return bits;
}

static uint64_t
differing_bytes(const struct row_block *block, enum poly_column column, uint64_t present)
{
	uint64_t bits = 0;
	for (; present; present &= present - 1) {
		unsigned i = (unsigned)__builtin_ctzll(present);
		size_t sizes[2];
		const uint8_t *a = poly_batch_bytes(
			block->builders[0]->batch, column, block->rows[0] + i, &sizes[0]);
		const uint8_t *b = poly_batch_bytes(
			block->builders[1]->batch, column, block->rows[1] + i, &sizes[1]);
		bool same = sizes[0] == sizes[1] && (!sizes[0] || memcmp(a, b, sizes[0]) == 0);
		bits |= (uint64_t)!same << i;
	}
	return bits;
}

/* Times may differ by the same amount as those of the open steps. */
static uint64_t
differing_times(const struct row_block *block, uint64_t delta, uint64_t rows)
{
	const uint64_t *a = block->builders[0]->batch->time + block->rows[0];
	const uint64_t *b = block->builders[1]->batch->time + block->rows[1];
	uint64_t bits = 0;
	for (; rows; rows &= rows - 1) {
		unsigned i = (unsigned)__builtin_ctzll(rows);
		bits |= (uint64_t)(b[i] - a[i] != delta) << i;
	}
	return bits;
}

/* Returns the rows of a block that differ in a column. */
static uint64_t
differing(const struct row_block *block, enum poly_column column, uint64_t delta)
{
	uint64_t present[2];
	for (unsigned side = 0; side < 2; side++)
		present[side] = bits_from(block->builders[side]->batch->present[column],
			block->rows[side], block->count);
	uint64_t both = present[0] & present[1], bits = present[0] ^ present[1];
	const enum poly_form form = column_table[column].form;
	if (!both)
		return bits;
	if (column == POLY_COLUMN_time)
		bits |= differing_times(block, delta, both);
	else if (form == POLY_FORM_NAME)
		bits |= differing_names(block, column, both);
	else if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
		bits |= differing_bytes(block, column, both);
	else
		bits |= differing_numbers(block, column, both);
	return bits;
}

/* Returns the compared columns of rows. */
static poly_columns
row_columns(const struct diff_rules *rules)
{
	poly_columns columns =
		poly_columns_union(rules->compared, POLY_COLUMNS(kind, time, pc, access));
	if (POLY_HAS(rules->compared, value))
		columns = poly_columns_union(columns, POLY_COLUMNS(payload, raw));
	return columns;
}

/* Returns the number of next rows that are equal in both batches. */
static size_t
count_same(struct poly_diff *diff, uint64_t delta)
{
	struct builder *a = &diff->builders[0], *b = &diff->builders[1];
	const poly_columns columns = row_columns(&diff->rules);
	size_t left[2] = {a->batch->rows - a->row, b->batch->rows - b->row};
	size_t limit = left[0] < left[1] ? left[0] : left[1];
	for (size_t done = 0; done < limit; done += 64) {
		const struct row_block block = {{a, b}, {a->row + done, b->row + done},
			limit - done < 64 ? limit - done : 64};
		uint64_t bits = 0;
		FOR_COLUMNS(column, columns)
		bits |= differing(&block, column, delta);
		if (bits)
			return done + (size_t)__builtin_ctzll(bits);
	}
	return limit;
}

/* True if both sides are equal so far, including the open step. */
static bool
is_in_step(struct poly_diff *diff, struct diff_stream *stream)
{
	struct stream_side *a = &stream->sides[0], *b = &stream->sides[1];
	if (stream->count || diff->count || a->skip || b->skip || a->skipping || b->skipping ||
		a->ring.head != stream->at[0] + 1 || b->ring.head != stream->at[1] + 1)
		return false;
	const struct step *of_a = stream_step(stream, 0, stream->at[0]);
	const struct step *of_b = stream_step(stream, 1, stream->at[1]);
	return of_a->has_time == of_b->has_time && match_exactly(&diff->rules, of_a, of_b) &&
	       match_exactly(&diff->rules, &a->lead, &b->lead) &&
	       (!a->lead.effect_count ||
		       b->lead.time - a->lead.time == of_b->time - of_a->time);
}

/* Returns the row from which steps are rebuilt: the keep-th last one that begins a step. */
static size_t
first_rebuilt(
	const struct diff_rules *rules, const struct builder *builder, size_t end, size_t keep)
{
	size_t row = end;
	while (row > builder->row && keep) {
		row--;
		keep -= builder_is_head(rules, builder->batch->kind[row]);
	}
	return row;
}

/* Skips rows of a stream, but builds the steps near the end. */
static void
skip_rows(struct poly_diff *diff, struct diff_stream *stream, unsigned side, size_t rows)
{
	struct builder *builder = &diff->builders[side];
	struct stream_side *side_stream = &stream->sides[side];
	size_t end = builder->row + rows;
	size_t first = first_rebuilt(&diff->rules, builder, end, diff->rules.context + 2);
	if (first > builder->row) {
		for (size_t row = builder->row; row < first; row++) {
			if (builder_is_head(&diff->rules, builder->batch->kind[row]))
				builder_count_head(builder, row);
		}
		side_stream->ring.tail = side_stream->ring.head;
		step_clear(&side_stream->lead);
		builder->row = first;
	}
	while (builder->row < end) {
		if (!builder_add_row(builder, side_stream)) {
			diff_stop(diff, POLY_ERR_MEMORY);
			return;
		}
	}
}

/* Links the steps of skipped rows as partners, except the open ones. */
static void
join_skipped(struct diff_stream *stream, uint64_t heads)
{
	uint64_t heads_of[2] = {stream_ring(stream, 0)->head, stream_ring(stream, 1)->head};
	uint64_t back = 2;
	stream->at[0] = heads_of[0] - 1;
	stream->at[1] = heads_of[1] - 1;
	while (stream_has(stream, 0, heads_of[0] - back) &&
		stream_has(stream, 1, heads_of[1] - back) && back <= heads + 1) {
		stream_step(stream, 0, heads_of[0] - back)->partner = heads_of[1] - back;
		stream_step(stream, 1, heads_of[1] - back)->partner = heads_of[0] - back;
		back++;
	}
	stream->pairs += heads;
}

/* Returns the number of steps that begin in rows. */
static uint64_t
count_heads(const struct diff_rules *rules, const struct builder *builder, size_t rows)
{
	uint64_t heads = 0;
	for (size_t row = builder->row; row < builder->row + rows; row++)
		heads += builder_is_head(rules, builder->batch->kind[row]);
	return heads;
}

bool
skip_equal_rows(struct poly_diff *diff, struct diff_stream *stream)
{
	struct builder *a = &diff->builders[0], *b = &diff->builders[1];
	if (diff->rules.each_cpu ||
		diff->rules.tolerate &
			(TOLERATE_REDUNDANT | TOLERATE_SKIPPED | TOLERATE_REPEATED_READS))
		return false;
	if (stream->pause) {
		stream->pause--;
		return false;
	}
	if (!builder_has_row(a) || !builder_has_row(b) || !is_in_step(diff, stream))
		return false;
	const struct step *of_a = stream_step(stream, 0, stream->at[0]);
	const struct step *of_b = stream_step(stream, 1, stream->at[1]);
	size_t rows = count_same(diff, of_b->time - of_a->time);
	stream->patience = rows > 16 ? 1 : stream->patience * 2;
	if (stream->patience > PATIENCE_MAX)
		stream->patience = PATIENCE_MAX;
	stream->pause = rows > 16 ? 0 : stream->patience;
	if (!rows)
		return false;
	uint64_t heads = count_heads(&diff->rules, a, rows);
	/* The open step is compared, and the last one stays open. */
	const uint64_t before = a->counted - of_a->is_counted;
	skip_rows(diff, stream, 0, rows);
	skip_rows(diff, stream, 1, rows);
	join_skipped(stream, heads);
	diff->counts.pairs +=
		a->counted - stream_step(stream, 0, stream->at[0])->is_counted - before;
	return true;
}
