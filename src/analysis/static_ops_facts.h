/* SPDX-License-Identifier: MIT */
/* What is known of an operation: by its encoding, by the names and columns of a
 * micro-operation, by text. */
#ifndef ANALYSIS_STATIC_OPS_FACTS_H
#define ANALYSIS_STATIC_OPS_FACTS_H

#include "analysis/static_ops.h"

/* Longest mnemonic that is kept, in bytes; further ones are cut. */
#define STATIC_OP_WORD 24

/* Facts of a PowerPC encoding. */
void static_op_from_powerpc(struct static_op *op, uint32_t opcode);

/*
 * Facts of n bytes of text, a mnemonic with or without operands. encoding: of op->size bytes,
 * or 0 where it is not known. word gets the mnemonic, "" where there is none: in small letters,
 * without a suffix of its width (.w, .n), and of ARM instructions that are no branches without
 * their condition. op->mnemonic stays as it is.
 */
void static_op_from_text(struct static_op *op, const char *text, size_t n, uint64_t encoding,
	char word[STATIC_OP_WORD]);

/*
 * How far from its address, pc, a direct branch goes, in bytes, as its last operand says:
 * "bne #0x29e02", "cbz x0,0x8064", "b {pc}-0x10", "b 8064 <loop>". False: it does not.
 */
bool static_op_reach_of_text(const char *text, size_t n, uint64_t pc, int64_t *reach);

/* Facts that the columns of a row tell besides; access, branch, flags, registers. */
void static_op_from_columns(struct static_op *op, const struct poly_batch *batch, size_t row);

#endif
