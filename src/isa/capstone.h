/* SPDX-License-Identifier: MIT */
/* The disassembly library, for the files of instruction sets: only capstone.c knows its headers.
 * One thread at a time per handle. */
#ifndef ISA_CAPSTONE_H
#define ISA_CAPSTONE_H

#include "isa/isa.h"

/* Modes of the library. */
enum capstone_mode {
	CAPSTONE_PPC,
	CAPSTONE_X86,
	CAPSTONE_X86_16,
	CAPSTONE_X86_64,
	CAPSTONE_ARM,
	CAPSTONE_THUMB,
	CAPSTONE_THUMB_M,
	CAPSTONE_AARCH64,
	CAPSTONE_MIPS32,
	CAPSTONE_MIPS64,
	CAPSTONE_SPARC,
	CAPSTONE_SPARC64,
	CAPSTONE_S390X,
	CAPSTONE_M68K,
};

/* Groups of instructions; bits. */
enum capstone_group {
	CAPSTONE_JUMPS = 1,
	CAPSTONE_CALLS = 2,
	CAPSTONE_RETURNS = 4,
	CAPSTONE_RELATIVE = 8,	/* a branch with a target relative to the pc */
	CAPSTONE_FPU = 16,	/* x87 */
	CAPSTONE_VECTOR = 32,	/* MMX, SSE, AVX */
	CAPSTONE_PRIVILEGED = 64,
};

enum capstone_kind { CAPSTONE_OTHER, CAPSTONE_REGISTER, CAPSTONE_IMMEDIATE, CAPSTONE_MEMORY };

/* An operand. Registers have the numbers of the set, ISA_NO_REGISTER: none. */
struct capstone_operand {
	uint8_t kind;	/* enum capstone_kind */
	uint8_t access; /* bits of enum isa_direction, as the library states them; often wrong */
	uint8_t size;	/* bytes; x86 only */
	uint8_t number; /* register, or base of an address */
	uint8_t index;
	uint8_t segment;    /* x86 only */
	uint8_t scale;	    /* of the index; 0: negated, or shifted to the right */
	bool is_partial;    /* the register is a part of its number */
	const char *name;   /* of the register or of the base, static; NULL: none */
	int64_t value;	    /* immediate, displacement */
};

/* ARM lists up to 16 registers and a base. */
#define CAPSTONE_OPERANDS_MAX 20

/* A decoded instruction, valid until the next call with the handle. */
struct capstone_instruction {
	const char *mnemonic, *operands; /* text */
	uint8_t length;			 /* bytes */
	uint8_t groups;			 /* bits of enum capstone_group */
	uint8_t operand_count;
	bool is_conditional; /* predicated (ARM) */
	bool writes_base;    /* the address is written back to its base (ARM, AArch64) */
	struct capstone_operand operand[CAPSTONE_OPERANDS_MAX];
	struct isa_registers reads, writes, writes_part; /* implicit registers */
};

/* Returns the number of a register of a set by the library's name for it, with CAPSTONE_PART if
 * the name is of its lower part and a write preserves the rest; ISA_NO_REGISTER: none that counts. */
typedef unsigned capstone_numbering(const char *name);
#define CAPSTONE_PART 0x80u

struct capstone;

/* Returns whether this build has the library. */
bool capstone_is_available(void);

/* Opens the library. numbering: NULL if the set has no registers. On POLY_OK *capstone belongs
 * to the caller, who closes it. POLY_ERR_UNSUPPORTED: this build lacks the library.
 * POLY_ERR_MEMORY. */
enum poly_status capstone_open(enum capstone_mode mode, capstone_numbering *numbering,
	struct capstone **capstone, struct poly_error *error);

/* Decodes the instruction at the beginning of a block; NULL: the library knows none. */
const struct capstone_instruction *capstone_decode(
	struct capstone *capstone, const struct isa_encoding *encoding);

/* Frees a handle. Accepts NULL. */
void capstone_close(struct capstone *capstone);

#endif
