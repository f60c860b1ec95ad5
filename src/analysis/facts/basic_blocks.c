/* SPDX-License-Identifier: MIT */
/* Finds basic blocks. */
#include "analysis/facts/basic_blocks.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/counters.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/batch_internal.h"
#include "model/chain_graph.h"

#include <string.h>

/* Properties of a row; bits of struct basic_block_row. */
enum { ROW_INSTRUCTION = 1, ROW_HAS_PC = 2, ROW_HAS_FALLTHROUGH = 4, ROW_ENDS = 8 };

/* Maximum number of fragments stored per interval; those of further chains are rebuilt at each
 * execution. */
#define FRAGMENTS_MAX ((uint32_t)1 << 20)

void
basic_blocks_begin(struct basic_blocks *blocks)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		blocks->cursors[i].is_open = false;
	blocks->row_count = 0;
}

void
basic_blocks_begin_trace(struct basic_blocks *blocks)
{
	basic_blocks_begin(blocks);
	part_log_begin(&blocks->log);
	blocks->log.item_size = sizeof(struct block_fragment);
}

/* Whether the instruction at pc follows the last one in sequence. */
static inline bool
is_sequential(const struct basic_block_cursor *last, uint64_t pc)
{
	const uint64_t distance = pc - last->pc;
	return last->is_open &&
	       (last->size ? distance == last->size : distance <= BASIC_BLOCK_REACH);
}

/* Reads the properties of a row. */
static inline struct basic_block_row
read_row(const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const bool has_uop = poly_present(batch, POLY_COLUMN_uop_index, row);
	const uint32_t op = rows->op ? rows->op[row] : OP_NONE;
	const unsigned flow = op != OP_NONE ? rows->ops->list[op].flow : 0;
	const bool ends = poly_present(batch, POLY_COLUMN_branch, row) || flow & ISA_JUMPS;
	struct basic_block_row properties = {
		.context = rows->context ? rows->context[row] : rows->sole_context};
	properties.flow = (uint8_t)flow;
	if (!row_is_instruction(batch, row)) {
		properties.flow = has_uop && batch->uop_index[row] > 1 ? properties.flow : 0;
		properties.bits = has_uop && ends ? ROW_ENDS : 0;
		return properties;
	}
	properties.bits = ROW_INSTRUCTION | (ends ? ROW_ENDS : 0);
	properties.site = rows->site ? rows->site[row] : OP_NONE;
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return properties;
	properties.bits |= ROW_HAS_PC;
	properties.pc = batch->pc[row];
	if (poly_present(batch, POLY_COLUMN_opcode_size, row)) {
		properties.bits |= ROW_HAS_FALLTHROUGH;
		properties.size = batch->opcode_size[row];
		properties.fallthrough = properties.pc + properties.size;
	}
	if (poly_present(batch, POLY_COLUMN_fallthrough, row)) {
		properties.bits |= ROW_HAS_FALLTHROUGH;
		properties.fallthrough = batch->fallthrough[row];
	}
	return properties;
}

/* Whether a row continues a fragment. */
static inline bool
extends(const struct block_fragment *fragment, const struct basic_block_row *row)
{
	if (fragment->context != row->context)
		return false;
	if (!(row->bits & ROW_INSTRUCTION))
		return true;
	if (!(row->bits & ROW_HAS_PC) || !fragment->has_pc)
		return fragment->count && !(row->bits & ROW_HAS_PC) && !fragment->has_pc;
	return is_sequential(&fragment->last, row->pc);
}

/* Adds a row to n fragments, and returns their new number. */
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

/* Stores the fragments of a part. */
static bool
store_fragments(struct basic_blocks *blocks, const struct block_fragment *list, uint32_t n)
{
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++)
		ok = part_log_add(&blocks->log, &list[i]);
	return ok;
}

/* Passes fragments on, each as the continuation of its context. */
static inline bool
pass_fragments(struct basic_blocks *blocks, const struct block_fragment *list, uint32_t n,
	block_fragment_fn handle, void *user)
{
	bool ok = true;
	if (blocks->log.is_part)
		return store_fragments(blocks, list, n);
	for (uint32_t i = 0; i < n && ok; i++) {
		const struct block_fragment *fragment = &list[i];
		struct basic_block_cursor *last = &blocks->cursors[fragment->context];
		const bool begins = fragment->has_pc && !is_sequential(last, fragment->pc);
		if (fragment->count)
			*last = fragment->last;
		else
			last->is_open &= fragment->last.is_open;
		ok = handle(user, fragment, begins);
	}
	return ok;
}

/* Sees the rows of a batch, and ends a part whose log is full. */
static bool
see_rows(struct basic_blocks *blocks, const struct poly_batch *batch, block_fragment_fn handle,
	void *user)
{
	if (!blocks->logs_parts)
		return true;
	part_log_see(&blocks->log, batch);
	return !blocks->log.is_full || basic_blocks_pass_log(blocks, handle, user);
}

bool
basic_blocks_update(struct basic_blocks *blocks, const struct analysis_rows *rows,
	block_fragment_fn handle, void *user)
{
	bool ok = see_rows(blocks, rows->batch, handle, user);
	size_t row = 0;
	while (row < rows->batch->rows && ok) {
		const size_t remaining = rows->batch->rows - row;
		const size_t end =
			row +
			(remaining < BASIC_BLOCK_PORTION ? remaining : BASIC_BLOCK_PORTION);
		uint32_t n = 0;
		for (; row < end; row++) {
			const struct basic_block_row properties = read_row(rows, row);
			n = add_row(blocks->portion, n, &properties);
		}
		ok = pass_fragments(blocks, blocks->portion, n, handle, user);
	}
	return ok;
}

/* Builds the fragments of the given number of records of a chain from *row, and returns their
 * number. */
static uint32_t
build_fragments(const struct basic_blocks *blocks, const struct poly_chain_graph *order,
	uint32_t *row, uint32_t records, struct block_fragment *list)
{
	uint32_t n = 0;
	for (; records; records--, *row = order->next[*row])
		n = add_row(list, n, &blocks->rows[*row]);
	return n;
}

/* Stores the fragments of a chain, unless there are too many. False: out of memory. */
static bool
store_chain(struct basic_blocks *blocks, const struct poly_chain_graph *order, uint32_t chain)
{
	const uint32_t length = order->length[chain];
	uint32_t row = order->first[chain];
	if (length > FRAGMENTS_MAX - blocks->fragment_count)
		return true;
	if (!VEC_RESERVE(blocks->fragments, blocks->fragment_capacity,
		    blocks->fragment_count + length))
		return false;
	const uint32_t n = build_fragments(
		blocks, order, &row, length, blocks->fragments + blocks->fragment_count);
	blocks->chains[chain] = (struct basic_block_chain){blocks->fragment_count + 1, n};
	blocks->fragment_count += n;
	return true;
}

/* Passes on the fragments of a chain's first records without storing them. */
static bool
pass_part(struct basic_blocks *blocks, const struct poly_chain_graph *order,
	const uint32_t part[2], block_fragment_fn handle, void *user)
{
	uint32_t row = order->first[part[0]], remaining = part[1];
	bool ok = true;
	while (remaining && ok) {
		const uint32_t records =
			remaining < BASIC_BLOCK_PORTION ? remaining : BASIC_BLOCK_PORTION;
		const uint32_t n =
			build_fragments(blocks, order, &row, records, blocks->portion);
		ok = pass_fragments(blocks, blocks->portion, n, handle, user);
		remaining -= records;
	}
	return ok;
}

/* Passes on the fragments of all records of an interval. */
static bool
pass_interval(struct basic_blocks *blocks, const struct poly_chain_graph *order,
	block_fragment_fn handle, void *user)
{
	struct chain_walk walk = {order, 0, order->records};
	uint32_t part[2]; /* a chain, and its number of records */
	bool ok = true;
	if (!VEC_RESERVE(blocks->chains, blocks->chain_capacity, order->chains))
		return false;
	memset(blocks->chains, 0, order->chains * sizeof *blocks->chains);
	blocks->fragment_count = 0;
	while (ok && chain_next(&walk, &part[0], &part[1])) {
		const struct basic_block_chain *chain = &blocks->chains[part[0]];
		const bool whole = part[1] == order->length[part[0]];
		if (whole && !chain->first)
			ok = store_chain(blocks, order, part[0]);
		if (ok && whole && chain->first)
			ok = pass_fragments(blocks, blocks->fragments + (chain->first - 1),
				chain->count, handle, user);
		else if (ok)
			ok = pass_part(blocks, order, part, handle, user);
	}
	blocks->row_count = 0;
	return ok;
}

bool
basic_blocks_update_weighted(struct basic_blocks *blocks, const struct analysis_rows *rows,
	block_fragment_fn handle, void *user)
{
	const struct poly_batch *batch = rows->batch;
	if (!see_rows(blocks, batch, handle, user))
		return false;
	if (!VEC_RESERVE(blocks->rows, blocks->row_capacity, blocks->row_count + batch->rows))
		return false;
	for (size_t row = 0; row < batch->rows; row++)
		blocks->rows[blocks->row_count++] = read_row(rows, row);
	return !batch_order(batch) || pass_interval(blocks, batch_order(batch), handle, user);
}

bool
basic_blocks_pass_log(struct basic_blocks *blocks, block_fragment_fn handle, void *user)
{
	struct part_log log = blocks->log;
	bool ok = true;
	blocks->log.items = NULL;
	part_log_end(&blocks->log);
	for (size_t i = 0; i < log.count && ok; i++)
		ok = pass_fragments(blocks, part_log_at(&log, i), 1, handle, user);
	part_log_fini(&log);
	return ok;
}

bool
basic_blocks_merge(struct basic_blocks *into, const struct basic_blocks *from,
	const struct analysis_numbers *numbers, block_fragment_fn handle, void *user)
{
	bool ok = true;
	part_log_merge(&into->log, &from->log, numbers->continues);
	into->log.item_size = sizeof(struct block_fragment);
	for (size_t i = 0; i < from->log.count && ok; i++) {
		struct block_fragment fragment =
			*(const struct block_fragment *)part_log_at(&from->log, i);
		fragment.context = numbers->contexts[fragment.context];
		if (fragment.site != OP_NONE)
			fragment.site = numbers->sites[fragment.site];
		ok = pass_fragments(into, &fragment, 1, handle, user);
	}
	for (size_t i = 0; !from->log.is_part && i < numbers->context_count; i++) {
		if (from->cursors[i].is_open)
			into->cursors[numbers->contexts[i]] = from->cursors[i];
	}
	return ok && (!into->log.is_full || basic_blocks_pass_log(into, handle, user));
}

static void
transfer_cursor(struct archive *archive, struct basic_block_cursor *cursor)
{
	ARCHIVE(archive, cursor->is_open);
	ARCHIVE(archive, cursor->pc);
	ARCHIVE(archive, cursor->size);
}

static void
transfer_fragment(struct archive *archive, void *item)
{
	struct block_fragment *fragment = item;
	ARCHIVE(archive, fragment->pc);
	transfer_cursor(archive, &fragment->last);
	ARCHIVE(archive, fragment->fallthrough);
	ARCHIVE(archive, fragment->count);
	archive_index(archive, &fragment->site, archive->sites);
	archive_context(archive, &fragment->context);
	ARCHIVE(archive, fragment->flow);
	ARCHIVE(archive, fragment->later_flow);
	ARCHIVE(archive, fragment->has_pc);
	ARCHIVE(archive, fragment->has_fallthrough);
}

void
basic_blocks_transfer(struct basic_blocks *blocks, struct archive *archive)
{
	for (size_t i = 0; i < archive->contexts; i++)
		transfer_cursor(archive, &blocks->cursors[i]);
	blocks->log.item_size = sizeof(struct block_fragment);
	archive_log(archive, &blocks->log, transfer_fragment);
}

void
basic_blocks_fini(struct basic_blocks *blocks)
{
	part_log_fini(&blocks->log);
	mem_free(blocks->rows);
	mem_free(blocks->chains);
	mem_free(blocks->fragments);
}
