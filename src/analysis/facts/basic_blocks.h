/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks: instructions that a context executes in sequence. A block ends after a branch
 * (the column branch, or a branch operation), and before an instruction that does not follow
 * the previous one in memory. The address of its first instruction identifies a block.
 *
 * Blocks are reported in fragments. The fragments of a chain of weighted rows are built once,
 * however often it was executed.
 *
 * spec: Aho, Sethi, Ullman, Compilers, 9.4, of what was executed.
 */
#ifndef ANALYSIS_BASIC_BLOCKS_H
#define ANALYSIS_BASIC_BLOCKS_H

#include "analysis/core/analysis.h"
#include "analysis/facts/part_log.h"

/* Columns that blocks are found by, with SHARES_OPS and SHARES_CONTEXTS. */
#define BASIC_BLOCK_COLUMNS kind, pc, opcode_size, branch, uop_index, synthetic

/*
 * Maximum distance in bytes to the next instruction in sequence if the size of an instruction
 * is not known: the longest encoding of x86 (Intel SDM 2, 2.3.11) and one more.
 */
#define BASIC_BLOCK_REACH 16

/* Rows per step if the fragments are not stored. */
#define BASIC_BLOCK_PORTION 256

/* The last instruction of a context. */
struct basic_block_cursor {
	uint64_t pc;
	uint32_t size; /* bytes; 0: not known */
	bool is_open;  /* there is one, and it does not end its block */
};

/* Consecutive instructions of a context: a block or part of one. */
struct block_fragment {
	uint64_t pc;			/* of the first one, if has_pc */
	struct basic_block_cursor last; /* the last one */
	uint64_t fallthrough;		/* address after the last one, if has_fallthrough */
	uint32_t count;			/* 0: further micro-operations of the previous one */
	uint32_t site;			/* of the first one; OP_NONE: not known */
	uint16_t context;
	uint8_t flow;		      /* of the last one: bits of enum isa_flow */
	uint8_t later_flow;	      /* of its further micro-operations */
	bool has_pc, has_fallthrough; /* instructions without an address are in no block */
};

/* Handles a fragment; begins: it begins a block. False: failure, which the caller returns. */
typedef bool (*block_fragment_fn)(
	void *user, const struct block_fragment *fragment, bool begins);

/* The part of a row that fragments are built from; stored for weighted rows. */
struct basic_block_row {
	uint64_t pc, fallthrough;
	uint32_t size, site;
	uint16_t context;
	uint8_t flow, bits;
};

/* The stored fragments of a chain. */
struct basic_block_chain {
	uint32_t first, count; /* first: index + 1; 0: not stored */
};

/* Zeroed is ready; free with basic_blocks_fini. */
struct basic_blocks {
	struct basic_block_cursor cursors[ANALYSIS_CONTEXTS_MAX];
	struct block_fragment portion[BASIC_BLOCK_PORTION];
	struct basic_block_row *rows; /* of the current weighted interval */
	uint32_t row_count, row_capacity;
	struct basic_block_chain *chains;
	uint32_t chain_capacity;
	struct block_fragment *fragments;
	uint32_t fragment_count, fragment_capacity;
	struct part_log log; /* fragments of a part, if logs_parts; they are not passed on */
	bool logs_parts;
};

/*
 * Whether a row is an executed instruction: not synthetic, and the first micro-operation if it
 * has several.
 */
static inline bool
row_is_instruction(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_kind, row) &&
	       batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       !(poly_present(batch, POLY_COLUMN_uop_index, row) &&
		       batch->uop_index[row] > 1) &&
	       !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]);
}

/* Begins a trace, or continues after skipped rows: the next instruction of each context begins
 * a block. */
void basic_blocks_begin(struct basic_blocks *blocks);

/* Passes the fragments of rows to handle. False: handle failed. */
bool basic_blocks_update(struct basic_blocks *blocks, const struct analysis_rows *rows,
	block_fragment_fn handle, void *user);

/*
 * The same for weighted rows: passes the fragments of all records in execution order with the
 * last batch of an interval. False: handle failed, or out of memory.
 */
bool basic_blocks_update_weighted(struct basic_blocks *blocks, const struct analysis_rows *rows,
	block_fragment_fn handle, void *user);

/* Begins a trace. Of a part before it, basic_blocks_pass_log passes the fragments. */
void basic_blocks_begin_trace(struct basic_blocks *blocks);

/* Passes the fragments of a part that nothing precedes: from now on it is not a part. False:
 * handle failed. */
bool basic_blocks_pass_log(struct basic_blocks *blocks, block_fragment_fn handle, void *user);

/*
 * Merges later rows: passes the fragments of a part, and continues after them. If from is not
 * a part, whose rows begin a trace, the user merges what was counted. False: handle failed, or
 * out of memory.
 */
bool basic_blocks_merge(struct basic_blocks *into, const struct basic_blocks *from,
	const struct analysis_numbers *numbers, block_fragment_fn handle, void *user);

/* Saves or loads what a merge needs. */
void basic_blocks_transfer(struct basic_blocks *blocks, struct archive *archive);

/* Frees the memory. */
void basic_blocks_fini(struct basic_blocks *blocks);

#endif
