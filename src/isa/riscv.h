/* SPDX-License-Identifier: MIT */
/* The RISC-V table and the fields of its encodings. Pure functions; any thread. */
#ifndef ISA_RISCV_H
#define ISA_RISCV_H

#include "isa/isa.h"

/* Register numbers: x0 to x31, f0 to f31, v0 to v31, then those of the floating-point state. */
enum riscv_register {
	RISCV_X = 0,
	RISCV_F = 32,
	RISCV_V = 64,
	RISCV_FFLAGS = 96,
	RISCV_FRM,
	RISCV_REGISTER_COUNT
};

/* A line of the table. */
struct riscv_row {
	const char *mnemonic; /* NULL: a text that objdump prefers */
	uint32_t mask, match;
	uint8_t widths;	   /* bits of enum riscv_width */
	uint8_t cls;	   /* enum isa_class */
	uint8_t direction; /* of its access, bits of enum isa_direction; 0: none */
	uint8_t size;	   /* bytes accessed; 0: depends on the vector state */
	const char *text;  /* see riscv.def */
};

enum riscv_width { RISCV_32 = 1, RISCV_64 = 2 };

/* Returns some bits of an encoding. */
static inline uint32_t
riscv_field(uint32_t opcode, unsigned low, unsigned bits)
{
	return opcode >> low & ((UINT32_C(1) << bits) - 1);
}

/* Returns whether an encoding of 4 bytes is one of vectors; loads and stores by their width. */
bool riscv_is_vector(uint32_t opcode);

/* Returns the bytes of the encoding that begins with a 16-bit word; 0: reserved. */
unsigned riscv_length(uint32_t word);

/* Returns the line of an encoding of 2 or 4 bytes; alias: the one whose text objdump prefers.
 * NULL: not an instruction. */
const struct riscv_row *riscv_find(uint32_t opcode, enum riscv_width width, bool alias);

/* Returns the i-th line of the table from 0; NULL after the last one. */
const struct riscv_row *riscv_at(size_t i);

/* Returns the number that an operand letter of riscv.def denotes. */
int64_t riscv_immediate(uint32_t opcode, char letter);

/* Returns the register of an operand letter; *direction: bits of enum isa_direction. -1: the
 * letter does not denote one. */
int riscv_register_of(uint32_t opcode, char letter, unsigned *direction);

/* Returns the name of a register as assemblers print it; NULL: no such register. */
const char *riscv_register_name(unsigned number);

/* Writes the name of a control and status register, or its number. */
void riscv_csr_name(unsigned number, char *name, size_t size);

/* Writes the text of an encoding at pc as objdump does; false: not an instruction. */
bool riscv_text(uint32_t opcode, enum riscv_width width, uint64_t pc, char *text, size_t size);

#endif
