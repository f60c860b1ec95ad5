/* SPDX-License-Identifier: MIT */
/* Operands of x86 instructions, from the text of their disassembly. */
#ifndef EFFECTS_X86_OPERANDS_H
#define EFFECTS_X86_OPERANDS_H

#include "isa/isa.h"

/* Number of no general register. */
#define X86_NO_REGISTER (-1)

enum x86_operand_kind {
	X86_OPERAND_NONE,
	X86_OPERAND_REGISTER,
	X86_OPERAND_IMMEDIATE,
	X86_OPERAND_MEMORY,
};

struct x86_operand {
	uint8_t kind;	    /* enum x86_operand_kind */
	uint8_t size;	    /* in bytes; 0: not known */
	bool is_rip;	    /* a memory operand relative to the next instruction */
	int8_t number;	    /* of a general register, else X86_NO_REGISTER */
	int8_t base, index; /* of a memory operand: general registers, or X86_NO_REGISTER */
	int64_t value;	    /* of an immediate; of a memory operand its displacement */
};

#define X86_OPERANDS 4

/* An instruction. */
struct x86_instruction {
	struct isa_instruction isa;
	bool has_prefix; /* lock, or a repeat prefix */
	bool repeats;	 /* a repeat prefix: each iteration is an instruction */
	unsigned count;	 /* of operands */
	struct x86_operand operands[X86_OPERANDS];
};

/* Describes an encoding of n bytes; false: not an instruction. */
bool x86_instruction_decode(struct isa_decoder *decoder, const uint8_t *encoding, size_t n,
	struct x86_instruction *instruction);

#endif
