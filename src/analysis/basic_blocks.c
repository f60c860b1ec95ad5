/* SPDX-License-Identifier: MIT */
/* Finding basic blocks. */
#include "analysis/basic_blocks.h"

#include "analysis/counters.h"
#include "base/mem.h"
#include "model/chain_graph.h"

#include <string.h>

/* What a row is; bits of struct basic_block_row. */
enum { ROW_INSTRUCTION = 1, ROW_HAS_PC = 2, ROW_HAS_FALLTHROUGH = 4, ROW_ENDS = 8 };

/* Most fragments that are kept of a stretch; those of further chains are made at each
 * execution.
 */
#define FRAGMENTS_MAX ((uint32_t)1 << 20)

void
basic_blocks_begin(struct basic_blocks *blocks)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		blocks->cursors[i].is_open = false;
	blocks->row_count = 0;
}

/* Whether the instruction at pc stands behind the last one. */
static inline bool
goes_on(const struct basic_block_cursor *last, uint64_t pc)
{
	const uint64_t distance = pc - last->pc;
	return last->is_open &&
	       (last->size ? distance == last->size : distance <= BASIC_BLOCK_REACH);
}

/* Looks up what a row says of blocks. */
static inline struct basic_block_row
take_row(const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const bool has_uop = poly_present(batch, POLY_COLUMN_uop_index, row);
	const uint32_t op = rows->op ? rows->op[row] : OP_NONE;
	const unsigned flow = op != OP_NONE ? rows->ops->list[op].flow : 0;
	const bool ends = poly_present(batch, POLY_COLUMN_branch, row) || flow & OP_JUMPS;
	struct basic_block_row it = {
		.context = rows->context ? rows->context[row] : rows->sole_context};
	it.flow = (uint8_t)flow;
	if (!row_is_instruction(batch, row)) {
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
		it.bits |= ROW_HAS_FALLTHROUGH;
		it.size = batch->opcode_size[row];
		it.fallthrough = it.pc + it.size;
	}
	if (poly_present(batch, POLY_COLUMN_fallthrough, row)) {
		it.bits |= ROW_HAS_FALLTHROUGH;
		it.fallthrough = batch->fallthrough[row];
	}
	return it;
}

/* Whether a row goes on with a fragment. */
static inline bool
extends(const struct block_fragment *fragment, const struct basic_block_row *row)
{
	if (fragment->context != row->context)
		return false;
	if (!(row->bits & ROW_INSTRUCTION))
		return true;
	if (!(row->bits & ROW_HAS_PC) || !fragment->has_pc)
		return fragment->count && !(row->bits & ROW_HAS_PC) && !fragment->has_pc;
	return goes_on(&fragment->last, row->pc);
}

/* Adds a row to n fragments; how many these are now. */
static inline uint32_t
add_row(struct block_fragment *list, uint32_t n, const struct basic_block_row *row)
{
	const bool ends = row->bits & ROW_ENDS, has_pc = row->bits & ROW_HAS_PC;
	if (!row->bits && !row->flow)
		return n;
	if (!n || !extends(&list[n - 1], row))
		list[n++] = (struct block_fragment){.pc = row->pc,
			.last.is_open = true,
			.site = row->site,
			.context = row->context,
			.has_pc = has_pc};
	struct block_fragment *fragment = &list[n - 1];
	if (!(row->bits & ROW_INSTRUCTION)) {
		fragment->later_flow |= row->flow;
		fragment->last.is_open &= !ends;
		return n;
	}
	fragment->count++;
	fragment->last = (struct basic_block_cursor){row->pc, row->size, has_pc && !ends};
	fragment->fallthrough = row->fallthrough;
	fragment->has_fallthrough = row->bits & ROW_HAS_FALLTHROUGH;
	fragment->flow = row->flow;
	fragment->later_flow = 0;
	return n;
}

/* Hands fragments on, each as the one behind what its context did before. */
static inline bool
give_fragments(struct basic_blocks *it, const struct block_fragment *list, uint32_t n,
	block_fragment_fn take, void *user)
{
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++) {
		const struct block_fragment *fragment = &list[i];
		struct basic_block_cursor *last = &it->cursors[fragment->context];
		const bool begins = fragment->has_pc && !goes_on(last, fragment->pc);
		if (fragment->count)
			*last = fragment->last;
		else
			last->is_open &= fragment->last.is_open;
		ok = take(user, fragment, begins);
	}
	return ok;
}

bool
basic_blocks_update(struct basic_blocks *it, const struct analysis_rows *rows,
	block_fragment_fn take, void *user)
{
	bool ok = true;
	size_t row = 0;
	while (row < rows->batch->rows && ok) {
		const size_t left = rows->batch->rows - row;
		const size_t end =
			row + (left < BASIC_BLOCK_PORTION ? left : BASIC_BLOCK_PORTION);
		uint32_t n = 0;
		for (; row < end; row++) {
			const struct basic_block_row fact = take_row(rows, row);
			n = add_row(it->portion, n, &fact);
		}
		ok = give_fragments(it, it->portion, n, take, user);
	}
	return ok;
}

/* Makes fragments of so many records of a chain from *row on; how many. */
static uint32_t
walk_chain(const struct basic_blocks *it, const struct poly_chain_graph *order, uint32_t *row,
	uint32_t records, struct block_fragment *list)
{
	uint32_t n = 0;
	for (; records; records--, *row = order->next[*row])
		n = add_row(list, n, &it->rows[*row]);
	return n;
}

/* Keeps the fragments of a chain, unless there are too many. False: no memory. */
static bool
keep_chain(struct basic_blocks *it, const struct poly_chain_graph *order, uint32_t chain)
{
	const uint32_t length = order->length[chain];
	uint32_t row = order->first[chain];
	if (length > FRAGMENTS_MAX - it->fragment_count)
		return true;
	void *list = it->fragments;
	const bool ok = counters_grow_array(&list, &it->fragment_capacity,
		(size_t)it->fragment_count + length, sizeof *it->fragments);
	it->fragments = list;
	if (!ok)
		return false;
	const uint32_t n =
		walk_chain(it, order, &row, length, it->fragments + it->fragment_count);
	it->chains[chain] = (struct basic_block_chain){it->fragment_count + 1, n};
	it->fragment_count += n;
	return true;
}

/* Hands the fragments of a chain's first records on without keeping them. */
static bool
give_part(struct basic_blocks *it, const struct poly_chain_graph *order, const uint32_t part[2],
	block_fragment_fn take, void *user)
{
	uint32_t row = order->first[part[0]], left = part[1];
	bool ok = true;
	while (left && ok) {
		const uint32_t records =
			left < BASIC_BLOCK_PORTION ? left : BASIC_BLOCK_PORTION;
		const uint32_t n = walk_chain(it, order, &row, records, it->portion);
		ok = give_fragments(it, it->portion, n, take, user);
		left -= records;
	}
	return ok;
}

/* Hands on the fragments of all records of a stretch. */
static bool
give_stretch(struct basic_blocks *it, const struct poly_chain_graph *order,
	block_fragment_fn take, void *user)
{
	struct chain_walk walk = {order, 0, order->records};
	uint32_t part[2]; /* a chain, and records of it */
	void *list = it->chains;
	bool ok = counters_grow_array(
		&list, &it->chain_capacity, order->chains, sizeof *it->chains);
	it->chains = list;
	if (!ok)
		return false;
	memset(it->chains, 0, order->chains * sizeof *it->chains);
	it->fragment_count = 0;
	while (ok && chain_next(&walk, &part[0], &part[1])) {
		const struct basic_block_chain *chain = &it->chains[part[0]];
		const bool whole = part[1] == order->length[part[0]];
		if (whole && !chain->first)
			ok = keep_chain(it, order, part[0]);
		if (ok && whole && chain->first)
			ok = give_fragments(it, it->fragments + (chain->first - 1),
				chain->count, take, user);
		else if (ok)
			ok = give_part(it, order, part, take, user);
	}
	it->row_count = 0;
	return ok;
}

bool
basic_blocks_update_weighted(struct basic_blocks *it, const struct analysis_rows *rows,
	block_fragment_fn take, void *user)
{
	const struct poly_batch *batch = rows->batch;
	void *list = it->rows;
	const bool ok = counters_grow_array(
		&list, &it->row_capacity, it->row_count + batch->rows, sizeof *it->rows);
	it->rows = list;
	if (!ok)
		return false;
	for (size_t row = 0; row < batch->rows; row++)
		it->rows[it->row_count++] = take_row(rows, row);
	return !batch->order || give_stretch(it, batch->order, take, user);
}

void
basic_blocks_fini(struct basic_blocks *it)
{
	mem_free(it->rows);
	mem_free(it->chains);
	mem_free(it->fragments);
}
