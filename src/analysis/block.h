/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks: instructions that a party executes one behind the other. A block ends with an
 * instruction that has a branch (the column branch, or an operation that jumps), and where the
 * next instruction does not stand behind it. A block is known by the address of its first one.
 *
 * spec: Aho, Sethi, Ullman, Compilers, 9.4, of what was executed.
 */
#ifndef ANALYSIS_BLOCK_H
#define ANALYSIS_BLOCK_H

#include "analysis/analysis.h"

/* Columns that blocks are found by; SHARES_OPS and SHARES_PARTIES besides. */
#define BLOCK_COLUMNS                                                               \
	(POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(branch) | \
		POLY_HAS(uop) | POLY_HAS(synthetic))

/*
 * Where the size of an instruction is not known, the next one stands behind it within these
 * bytes: the longest encoding of x86 (Intel SDM 2, 2.3.11) and one more.
 */
#define BLOCK_REACH 16

/* The last instruction of a party. */
struct block_cursor {
	uint64_t pc;
	uint32_t size; /* bytes; 0: not known */
	bool is_open;  /* there was one, and it does not end its block */
};

/* Zeroed is ready. */
struct blocks {
	struct block_cursor cursors[ANALYSIS_PARTIES];
};

/* Bitmaps of the rows of a batch. */
struct block_marks {
	uint64_t instructions[POLY_BATCH_ROWS / 64]; /* is one, by its first row */
	uint64_t begins[POLY_BATCH_ROWS / 64];	     /* is the first one of a block */
};

/*
 * Whether a row is an instruction that was executed: not one that the tracer put there, and of
 * several micro-operations the first.
 */
static inline bool
block_is_instruction(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_kind, row) &&
	       batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       !(poly_present(batch, POLY_COLUMN_uop, row) && batch->uop[row] > 1) &&
	       !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]);
}

/* A trace begins, or rows were left out: the next instruction of each party begins a block. */
void blocks_begin(struct blocks *blocks);

/* Marks the rows of a batch. An instruction without an address is in no block. */
void blocks_mark(
	struct blocks *blocks, const struct analysis_rows *rows, struct block_marks *marks);

#endif
