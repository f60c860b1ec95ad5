/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks: instructions that a context executes one behind the other. A block ends with an
 * instruction that has a branch (the column branch, or an operation that jumps), and where the
 * next instruction does not stand behind it. A block is known by the address of its first one.
 *
 * They are told in fragments. Of records that were counted, what a chain of rows is made of is
 * found once, however often it was executed.
 *
 * spec: Aho, Sethi, Ullman, Compilers, 9.4, of what was executed.
 */
#ifndef ANALYSIS_BASIC_BLOCKS_H
#define ANALYSIS_BASIC_BLOCKS_H

#include "analysis/analysis.h"

/* Columns that blocks are found by; SHARES_OPS and SHARES_CONTEXTS besides. */
#define BASIC_BLOCK_COLUMNS                                                         \
	(POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(branch) | \
		POLY_HAS(uop_index) | POLY_HAS(synthetic))

/*
 * Where the size of an instruction is not known, the next one stands behind it within these
 * bytes: the longest encoding of x86 (Intel SDM 2, 2.3.11) and one more.
 */
#define BASIC_BLOCK_REACH 16

/* Rows of which fragments are made at once, where they are not kept. */
#define BASIC_BLOCK_PORTION 256

/* The last instruction of a context. */
struct basic_block_cursor {
	uint64_t pc;
	uint32_t size; /* bytes; 0: not known */
	bool is_open;  /* there was one, and it does not end its block */
};

/* Instructions of a context that stand one behind the other: a block, or some of one. */
struct block_fragment {
	uint64_t pc;			/* of the first one; not known unless has_pc */
	struct basic_block_cursor last; /* the last one */
	uint64_t fallthrough;		/* address after the last one, if has_fallthrough */
	uint32_t count;			/* 0: further micro-operations of the one before */
	uint32_t site;			/* of the first one; OP_NONE: not known */
	uint16_t context;
	uint8_t flow;		      /* of the last one: bits of enum op_flow */
	uint8_t later_flow;	      /* of its further micro-operations */
	bool has_pc, has_fallthrough; /* instructions without an address are in no block */
};

/* Takes a fragment; begins: a block does with it. False: it failed, and so does who called. */
typedef bool (*block_fragment_fn)(
	void *user, const struct block_fragment *fragment, bool begins);

/* What fragments are made of, of a row; kept of rows that stand for several records. */
struct basic_block_row {
	uint64_t pc, fallthrough;
	uint32_t size, site;
	uint16_t context;
	uint8_t flow, bits;
};

/* Where the fragments of a chain are. */
struct basic_block_chain {
	uint32_t first, count; /* first: plus 1; 0: they are not kept */
};

/* Zeroed is ready; basic_blocks_fini gives the memory back. */
struct basic_blocks {
	struct basic_block_cursor cursors[ANALYSIS_CONTEXTS_MAX];
	struct block_fragment portion[BASIC_BLOCK_PORTION];
	struct basic_block_row *rows; /* of the stretch whose records are being counted */
	uint32_t row_count, row_capacity;
	struct basic_block_chain *chains;
	uint32_t chain_capacity;
	struct block_fragment *fragments;
	uint32_t fragment_count, fragment_capacity;
};

/*
 * Whether a row is an instruction that was executed: not one that the tracer put there, and of
 * several micro-operations the first.
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

/* A trace begins, or rows were left out: the next instruction of each context begins a block.
 */
void basic_blocks_begin(struct basic_blocks *blocks);

/* Hands the fragments of rows to take. False: take failed. */
bool basic_blocks_update(struct basic_blocks *blocks, const struct analysis_rows *rows,
	block_fragment_fn take, void *user);

/*
 * The same of records that were counted (weight): they are handed on, in their order, with the
 * last batch of a stretch. False: take failed, or there is no memory.
 */
bool basic_blocks_update_weighted(struct basic_blocks *blocks, const struct analysis_rows *rows,
	block_fragment_fn take, void *user);

/* Gives the memory back. */
void basic_blocks_fini(struct basic_blocks *blocks);

#endif
