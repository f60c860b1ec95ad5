/* SPDX-License-Identifier: MIT */
/* Finding basic blocks. */
#include "analysis/block.h"

#include "analysis/grow.h"
#include "base/mem.h"
#include "model/chain_graph.h"

#include <string.h>

/* What a row is; bits of struct block_row. */
enum { ROW_INSTRUCTION = 1, ROW_HAS_PC = 2, ROW_HAS_BEHIND = 4, ROW_ENDS = 8 };

/* Most pieces that are kept of a stretch; those of further chains are made at each execution.
 */
#define PIECES_MOST ((uint32_t)1 << 20)

void
blocks_begin(struct blocks *blocks)
{
	for (size_t i = 0; i < ANALYSIS_PARTIES; i++)
		blocks->cursors[i].is_open = false;
	blocks->row_count = 0;
}

/* Whether the instruction at pc stands behind the last one. */
static inline bool
goes_on(const struct block_cursor *last, uint64_t pc)
{
	const uint64_t distance = pc - last->pc;
	return last->is_open && (last->size ? distance == last->size : distance <= BLOCK_REACH);
}

/* Looks up what a row says of blocks. */
static inline struct block_row
take_row(const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const bool has_uop = poly_present(batch, POLY_COLUMN_uop_index, row);
	const uint32_t op = rows->op ? rows->op[row] : OP_NONE;
	const unsigned flow = op != OP_NONE ? rows->ops->list[op].flow : 0;
	const bool ends = poly_present(batch, POLY_COLUMN_branch, row) || flow & OP_JUMPS;
	struct block_row it = {.party = rows->party ? rows->party[row] : rows->only};
	it.flow = (uint8_t)flow;
	if (!block_is_instruction(batch, row)) {
		it.flow = has_uop && batch->uop_index[row] > 1 ? it.flow : 0;
		it.bits = has_uop && ends ? ROW_ENDS : 0;
		return it;
	}
	it.bits = ROW_INSTRUCTION | (ends ? ROW_ENDS : 0);
	it.site = rows->site ? rows->site[row] : OP_NONE;
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return it;
	it.bits |= ROW_HAS_PC;
	it.pc = batch->pc[row];
	if (poly_present(batch, POLY_COLUMN_opcode_size, row)) {
		it.bits |= ROW_HAS_BEHIND;
		it.size = batch->opcode_size[row];
		it.behind = it.pc + it.size;
	}
	if (poly_present(batch, POLY_COLUMN_fallthrough, row)) {
		it.bits |= ROW_HAS_BEHIND;
		it.behind = batch->fallthrough[row];
	}
	return it;
}

/* Whether a row goes on with a piece. */
static inline bool
extends(const struct block_piece *piece, const struct block_row *row)
{
	if (piece->party != row->party)
		return false;
	if (!(row->bits & ROW_INSTRUCTION))
		return true;
	if (!(row->bits & ROW_HAS_PC) || !piece->has_pc)
		return piece->count && !(row->bits & ROW_HAS_PC) && !piece->has_pc;
	return goes_on(&piece->last, row->pc);
}

/* Adds a row to n pieces; how many these are now. */
static inline uint32_t
add_row(struct block_piece *list, uint32_t n, const struct block_row *row)
{
	const bool ends = row->bits & ROW_ENDS, has_pc = row->bits & ROW_HAS_PC;
	if (!row->bits && !row->flow)
		return n;
	if (!n || !extends(&list[n - 1], row))
		list[n++] = (struct block_piece){.pc = row->pc,
			.last.is_open = true,
			.site = row->site,
			.party = row->party,
			.has_pc = has_pc};
	struct block_piece *piece = &list[n - 1];
	if (!(row->bits & ROW_INSTRUCTION)) {
		piece->more |= row->flow;
		piece->last.is_open &= !ends;
		return n;
	}
	piece->count++;
	piece->last = (struct block_cursor){row->pc, row->size, has_pc && !ends};
	piece->behind = row->behind;
	piece->has_behind = row->bits & ROW_HAS_BEHIND;
	piece->flow = row->flow;
	piece->more = 0;
	return n;
}

/* Hands pieces on, each as the one behind what its party did before. */
static inline bool
give_pieces(struct blocks *it, const struct block_piece *list, uint32_t n, block_fn take,
	void *user)
{
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++) {
		const struct block_piece *piece = &list[i];
		struct block_cursor *last = &it->cursors[piece->party];
		const bool begins = piece->has_pc && !goes_on(last, piece->pc);
		if (piece->count)
			*last = piece->last;
		else
			last->is_open &= piece->last.is_open;
		ok = take(user, piece, begins);
	}
	return ok;
}

bool
blocks_update(struct blocks *it, const struct analysis_rows *rows, block_fn take, void *user)
{
	bool ok = true;
	size_t row = 0;
	while (row < rows->batch->rows && ok) {
		const size_t left = rows->batch->rows - row;
		const size_t end = row + (left < BLOCK_PORTION ? left : BLOCK_PORTION);
		uint32_t n = 0;
		for (; row < end; row++) {
			const struct block_row fact = take_row(rows, row);
			n = add_row(it->portion, n, &fact);
		}
		ok = give_pieces(it, it->portion, n, take, user);
	}
	return ok;
}

/* Makes pieces of so many records of a chain from *row on; how many. */
static uint32_t
walk_chain(const struct blocks *it, const struct poly_chain_graph *order, uint32_t *row,
	uint32_t records, struct block_piece *list)
{
	uint32_t n = 0;
	for (; records; records--, *row = order->next[*row])
		n = add_row(list, n, &it->rows[*row]);
	return n;
}

/* Keeps the pieces of a chain, unless there are too many. False: no memory. */
static bool
keep_chain(struct blocks *it, const struct poly_chain_graph *order, uint32_t chain)
{
	const uint32_t length = order->length[chain];
	uint32_t row = order->first[chain];
	if (length > PIECES_MOST - it->piece_count)
		return true;
	void *list = it->pieces;
	const bool ok = grow_array(&list, &it->piece_capacity, (size_t)it->piece_count + length,
		sizeof *it->pieces);
	it->pieces = list;
	if (!ok)
		return false;
	const uint32_t n = walk_chain(it, order, &row, length, it->pieces + it->piece_count);
	it->chains[chain] = (struct block_chain){it->piece_count + 1, n};
	it->piece_count += n;
	return true;
}

/* Hands the pieces of a chain's first records on without keeping them. */
static bool
give_part(struct blocks *it, const struct poly_chain_graph *order, const uint32_t part[2],
	block_fn take, void *user)
{
	uint32_t row = order->first[part[0]], left = part[1];
	bool ok = true;
	while (left && ok) {
		const uint32_t records = left < BLOCK_PORTION ? left : BLOCK_PORTION;
		const uint32_t n = walk_chain(it, order, &row, records, it->portion);
		ok = give_pieces(it, it->portion, n, take, user);
		left -= records;
	}
	return ok;
}

/* Hands on the pieces of all records of a stretch. */
static bool
give_stretch(struct blocks *it, const struct poly_chain_graph *order, block_fn take, void *user)
{
	struct chain_walk walk = {order, 0, order->records};
	uint32_t part[2]; /* a chain, and records of it */
	void *list = it->chains;
	bool ok = grow_array(&list, &it->chain_capacity, order->chains, sizeof *it->chains);
	it->chains = list;
	if (!ok)
		return false;
	memset(it->chains, 0, order->chains * sizeof *it->chains);
	it->piece_count = 0;
	while (ok && chain_next(&walk, &part[0], &part[1])) {
		const struct block_chain *chain = &it->chains[part[0]];
		const bool whole = part[1] == order->length[part[0]];
		if (whole && !chain->first)
			ok = keep_chain(it, order, part[0]);
		if (ok && whole && chain->first)
			ok = give_pieces(
				it, it->pieces + (chain->first - 1), chain->count, take, user);
		else if (ok)
			ok = give_part(it, order, part, take, user);
	}
	it->row_count = 0;
	return ok;
}

bool
blocks_tally(struct blocks *it, const struct analysis_rows *rows, block_fn take, void *user)
{
	const struct poly_batch *batch = rows->batch;
	void *list = it->rows;
	const bool ok = grow_array(
		&list, &it->row_capacity, it->row_count + batch->rows, sizeof *it->rows);
	it->rows = list;
	if (!ok)
		return false;
	for (size_t row = 0; row < batch->rows; row++)
		it->rows[it->row_count++] = take_row(rows, row);
	return !batch->order || give_stretch(it, batch->order, take, user);
}

void
blocks_fini(struct blocks *it)
{
	mem_free(it->rows);
	mem_free(it->chains);
	mem_free(it->pieces);
}
