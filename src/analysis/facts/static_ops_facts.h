/* SPDX-License-Identifier: MIT */
/* Properties of an operation: from its encoding, from the names and columns of a
 * micro-operation, from text. */
#ifndef ANALYSIS_STATIC_OPS_FACTS_H
#define ANALYSIS_STATIC_OPS_FACTS_H

#include "analysis/facts/static_ops.h"
#include "isa/isa.h"
#include "isa/mnemonic.h"

/* Sets the properties of a described instruction, except its mnemonic. */
void static_op_from_isa(struct static_op *op, const struct isa_instruction *instruction);

/* Returns the class of mixes, which do not distinguish the operations of the integer unit. */
enum op_class static_op_class(enum isa_class cls);

/*
 * Sets the properties of n bytes of text, a mnemonic with or without operands. encoding: of
 * op->size bytes, 0 if unknown. word gets the mnemonic, or "": in lower case, without a width
 * suffix (.w, .n), and without the condition of ARM instructions other than branches.
 * op->mnemonic is unchanged.
 */
void static_op_from_text(struct static_op *op, const char *text, size_t n, uint64_t encoding,
	char word[MNEMONIC_SIZE]);

/*
 * Parses the displacement in bytes of a direct branch at pc from its last operand:
 * "bne #0x29e02", "cbz x0,0x8064", "b {pc}-0x10", "b 8064 <loop>". False: no such operand.
 */
bool static_op_reach_of_text(const char *text, size_t n, uint64_t pc, int64_t *reach);

/* Adds the properties from a row's columns access, branch, flags and registers. */
void static_op_from_columns(struct static_op *op, const struct poly_batch *batch, size_t row);

#endif
