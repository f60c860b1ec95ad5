/* SPDX-License-Identifier: MIT */
/* Whole rows that are the same in both traces, a column at a time. */
#include "correlate/diff/diff.h"

#include "model/columns.h"

#include <string.h>

/* Most steps that are looked at one by one before whole rows are tried again. */
#define PATIENCE_MOST 1024

/* 64 rows of both batches. */
struct block {
	struct stream *streams[2];
	size_t rows[2]; /* the first one of each */
	size_t count;	/* of rows, at most 64 */
};

/* Up to 64 presence bits from a row on. */
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

/* The rows of a column that differ, of those whose bits are set. */
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
differing_numbers(const struct block *block, enum poly_column column, uint64_t rows)
{
	const size_t size = column_table[column].size;
	const void *data[2];
	for (unsigned side = 0; side < 2; side++)
		data[side] = (const uint8_t *)column_data(block->streams[side]->batch, column) +
			     block->rows[side] * size;
	/* Where all are there they are mostly the same. */
	if (rows == UINT64_MAX && memcmp(data[0], data[1], 64 * size) == 0)
		return 0;
	switch (size) {
	case 1: return differing_uint8_t(data[0], data[1], rows);
	case 2: return differing_uint16_t(data[0], data[1], rows);
	case 4: return differing_uint32_t(data[0], data[1], rows);
	default: return differing_uint64_t(data[0], data[1], rows);
	}
}

/* The same for names, which have numbers of their own in each trace. */
static uint64_t
differing_names(const struct block *block, enum poly_column column, uint64_t present)
{
	const uint32_t *a = column_data(block->streams[0]->batch, column);
	const uint32_t *b = column_data(block->streams[1]->batch, column);
	const bool is_register = column == POLY_COLUMN_reg;
	uint64_t bits = 0;
	for (; present; present &= present - 1) {
		unsigned i = (unsigned)__builtin_ctzll(present);
		uint32_t of_a =
			stream_name(block->streams[0], a[block->rows[0] + i], is_register);
		uint32_t of_b =
			stream_name(block->streams[1], b[block->rows[1] + i], is_register);
		bits |= (uint64_t)(of_a != of_b || of_a == INTERN_FAILED) << i;
	}
	return bits;
}

static uint64_t
differing_bytes(const struct block *block, enum poly_column column, uint64_t present)
{
	uint64_t bits = 0;
	for (; present; present &= present - 1) {
		unsigned i = (unsigned)__builtin_ctzll(present);
		size_t sizes[2];
		const uint8_t *a = poly_batch_bytes(
			block->streams[0]->batch, column, block->rows[0] + i, &sizes[0]);
		const uint8_t *b = poly_batch_bytes(
			block->streams[1]->batch, column, block->rows[1] + i, &sizes[1]);
		bool same = sizes[0] == sizes[1] && (!sizes[0] || memcmp(a, b, sizes[0]) == 0);
		bits |= (uint64_t)!same << i;
	}
	return bits;
}

/* Times may differ by what the open steps' times do: what belongs together is the same. */
static uint64_t
differing_times(const struct block *block, uint64_t delta, uint64_t rows)
{
	const uint64_t *a = block->streams[0]->batch->time + block->rows[0];
	const uint64_t *b = block->streams[1]->batch->time + block->rows[1];
	uint64_t bits = 0;
	for (; rows; rows &= rows - 1) {
		unsigned i = (unsigned)__builtin_ctzll(rows);
		bits |= (uint64_t)(b[i] - a[i] != delta) << i;
	}
	return bits;
}

/* The rows of a block that differ in a column. */
static uint64_t
differing(const struct block *block, enum poly_column column, uint64_t delta)
{
	uint64_t present[2];
	for (unsigned side = 0; side < 2; side++)
		present[side] = bits_from(block->streams[side]->batch->present[column],
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

/* The columns of rows that are compared. */
static poly_columns
row_columns(const struct rules *rules)
{
	poly_columns columns = rules->compared | POLY_HAS(kind) | POLY_HAS(time) |
			       POLY_HAS(pc) | POLY_HAS(access);
	if (rules->compared & POLY_HAS(value))
		columns |= POLY_HAS(payload) | POLY_HAS(raw);
	return columns;
}

/* How many rows of both batches, from where the streams are, are the same. */
static size_t
count_same(struct poly_diff *diff, uint64_t delta)
{
	struct stream *a = &diff->streams[0], *b = &diff->streams[1];
	const poly_columns columns = row_columns(&diff->rules);
	size_t left[2] = {a->batch->rows - a->row, b->batch->rows - b->row};
	size_t most = left[0] < left[1] ? left[0] : left[1];
	for (size_t done = 0; done < most; done += 64) {
		const struct block block = {{a, b}, {a->row + done, b->row + done},
			most - done < 64 ? most - done : 64};
		uint64_t bits = 0;
		for (poly_columns rest = columns; rest; rest &= rest - 1)
			bits |= differing(
				&block, (enum poly_column)__builtin_ctzll(rest), delta);
		if (bits)
			return done + (size_t)__builtin_ctzll(bits);
	}
	return most;
}

/* True where all that was taken so far is the same, up to the step that is still open. */
static bool
is_level(struct poly_diff *diff, struct lane *lane)
{
	struct lane_side *a = &lane->sides[0], *b = &lane->sides[1];
	if (lane->count || diff->count || a->skip || b->skip || a->dropping || b->dropping ||
		a->ring.head != lane->at[0] + 1 || b->ring.head != lane->at[1] + 1)
		return false;
	const struct step *of_a = lane_step(lane, 0, lane->at[0]);
	const struct step *of_b = lane_step(lane, 1, lane->at[1]);
	return of_a->has_time == of_b->has_time && match_exactly(&diff->rules, of_a, of_b) &&
	       match_exactly(&diff->rules, &a->lead, &b->lead) &&
	       (!a->lead.effect_count ||
		       b->lead.time - a->lead.time == of_b->time - of_a->time);
}

/* The row from which steps are made again: the keep-th last one that begins a step. */
static size_t
first_kept(const struct rules *rules, const struct stream *stream, size_t end, size_t keep)
{
	size_t row = end;
	while (row > stream->row && keep) {
		row--;
		keep -= stream_is_head(rules, stream->batch->kind[row]);
	}
	return row;
}

/* Passes over rows of a stream; those near the end become steps. */
static void
pass_rows(struct poly_diff *diff, struct lane *lane, unsigned side, size_t rows)
{
	struct stream *stream = &diff->streams[side];
	struct lane_side *it = &lane->sides[side];
	size_t end = stream->row + rows;
	size_t first = first_kept(&diff->rules, stream, end, diff->rules.context + 2);
	if (first > stream->row) {
		for (size_t row = stream->row; row < first; row++)
			stream->instructions +=
				stream_is_head(&diff->rules, stream->batch->kind[row]);
		it->ring.tail = it->ring.head;
		step_clear(&it->lead);
		stream->row = first;
	}
	while (stream->row < end) {
		if (!stream_take(stream, it)) {
			diff_stop(diff, POLY_ERR_MEMORY);
			return;
		}
	}
}

/* What was passed over is the same: its steps are partners, but for the open ones. */
static void
join_passed(struct poly_diff *diff, struct lane *lane, uint64_t heads)
{
	uint64_t heads_of[2] = {lane_ring(lane, 0)->head, lane_ring(lane, 1)->head};
	uint64_t back = 2;
	lane->at[0] = heads_of[0] - 1;
	lane->at[1] = heads_of[1] - 1;
	while (lane_has(lane, 0, heads_of[0] - back) && lane_has(lane, 1, heads_of[1] - back) &&
		back <= heads + 1) {
		lane_step(lane, 0, heads_of[0] - back)->partner = heads_of[1] - back;
		lane_step(lane, 1, heads_of[1] - back)->partner = heads_of[0] - back;
		back++;
	}
	lane->pairs += heads;
	diff->counts.pairs += heads;
}

/* Steps that begin in rows. */
static uint64_t
count_heads(const struct rules *rules, const struct stream *stream, size_t rows)
{
	uint64_t heads = 0;
	for (size_t row = stream->row; row < stream->row + rows; row++)
		heads += stream_is_head(rules, stream->batch->kind[row]);
	return heads;
}

bool
fast_pass(struct poly_diff *diff, struct lane *lane)
{
	struct stream *a = &diff->streams[0], *b = &diff->streams[1];
	if (diff->rules.each_cpu ||
		diff->rules.tolerate & (TOLERATE_REDUNDANT | TOLERATE_SKIPPED))
		return false;
	if (lane->pause) {
		lane->pause--;
		return false;
	}
	if (!stream_ready(a) || !stream_ready(b) || !is_level(diff, lane))
		return false;
	const struct step *of_a = lane_step(lane, 0, lane->at[0]);
	const struct step *of_b = lane_step(lane, 1, lane->at[1]);
	size_t rows = count_same(diff, of_b->time - of_a->time);
	lane->patience = rows > 16 ? 1 : lane->patience * 2;
	if (lane->patience > PATIENCE_MOST)
		lane->patience = PATIENCE_MOST;
	lane->pause = rows > 16 ? 0 : lane->patience;
	if (!rows)
		return false;
	uint64_t heads = count_heads(&diff->rules, a, rows);
	pass_rows(diff, lane, 0, rows);
	pass_rows(diff, lane, 1, rows);
	join_passed(diff, lane, heads);
	return true;
}
