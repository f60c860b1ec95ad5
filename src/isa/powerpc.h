/* SPDX-License-Identifier: MIT */
/*
 * The PowerPC table: TT6 class, access and size, branch behaviour, registers read and written
 * of each instruction. powerpc.def is the library's only source for PowerPC encodings. Pure
 * functions; any thread.
 *
 * spec: TT6 trace format (classes), Apple amber traces 2.4, 4.2, 4.3; PowerPC architecture for
 * the rest.
 */
#ifndef ISA_POWERPC_H
#define ISA_POWERPC_H

#include "polytrace/batch.h"
#include "polytrace/powerpc.h"

#include "isa/isa.h"

/* Class of an opcode in a TT6 or TT6E stream: the words that follow it. */
enum powerpc_class {
	POWERPC_COMPUTE,  /* none */
	POWERPC_MEMORY,	  /* data address, in TT6 and TT6E */
	POWERPC_CACHE,	  /* data address in TT6E only; compute in TT6 */
	POWERPC_FLOW,	  /* address of the next instruction */
	POWERPC_EXTENDED, /* data address, third word */
	POWERPC_ESCAPE,	  /* primary opcode 0: an escape record, not an instruction */
};

/* Properties of an instruction that do not depend on its operands. */
struct powerpc_instruction {
	const char *mnemonic; /* "lwzu"; without Rc, OE, LK and AA if they vary */
	const char *operands; /* operands printed, read and written: powerpc.def; never NULL */
	uint8_t cls;	      /* enum powerpc_class */
	int8_t access;	      /* enum poly_access; -1: touches no memory */
	uint8_t size;	/* bytes accessed; 0: none, or variable (multiple, string, line) */
	uint8_t unit;	/* enum powerpc_unit */
	uint16_t flags; /* bits POWERPC_... below */
};

/* Execution unit; for instruction mixes (Apple amber traces 6.2). */
enum powerpc_unit {
	POWERPC_INTEGER,
	POWERPC_FLOAT,
	POWERPC_VECTOR,
	POWERPC_LOAD,
	POWERPC_STORE,
	POWERPC_BRANCH,
	POWERPC_CACHE_UNIT,
	POWERPC_SYSTEM,
	POWERPC_UNIT_COUNT
};

#define POWERPC_UPDATE 1u    /* writes the effective address back to rA */
#define POWERPC_INDEXED 2u   /* address is (rA|0) + rB */
#define POWERPC_NO_OFFSET 4u /* address is (rA|0): lswi, stswi, dst, dstst */
#define POWERPC_DS_FORM 8u   /* displacement with its two lowest bits cleared (58, 62) */
#define POWERPC_OUTSIDE \
	16u /* accesses memory, but is in neither TT6 table (amber 2.4 b to e) */
#define POWERPC_ALIGNED                                                                        \
	32u		      /* AltiVec: the effective address is aligned to size (amber 4.8) \
			       */
#define POWERPC_BY_LINE 64u   /* size is that of a cache line */
#define POWERPC_MULTIPLE 128u /* accesses every register from rT to r31 */
#define POWERPC_STRING 256u   /* size is in NB, or in XER if indexed */
#define POWERPC_DQ_FORM 512u  /* displacement with its four lowest bits cleared */

/*
 * The instruction of an encoding, by primary and extended opcode (opcode >> 26,
 * (opcode >> 1) & 0x3ff), low bits of 58 and 62 included. Never NULL: an unknown encoding
 * yields an entry with mnemonic NULL and class compute.
 */
const struct powerpc_instruction *powerpc_find(uint32_t opcode);

/* Returns the i-th line of the table from 0; NULL after the last one. */
const struct powerpc_instruction *powerpc_at(size_t i);

/* Returns only the class, from a small table, for decoding loops. */
enum powerpc_class powerpc_class(uint32_t opcode);

/*
 * The same, to be inlined in decoding loops: classes[base[primary] + (minor & mask[primary])],
 * the whole 2.3 KB. Built at compile time from powerpc.def.
 */
struct powerpc_classes {
	uint16_t base[64], mask[64];
	uint8_t classes[2112];
};
extern const struct powerpc_classes powerpc_classes;

static inline unsigned
powerpc_class_fast(uint32_t opcode)
{
	uint32_t primary = opcode >> 26;
	return powerpc_classes.classes[powerpc_classes.base[primary] +
				       (opcode >> 1 & powerpc_classes.mask[primary])];
}

/*
 * Bytes accessed by an opcode: fixed sizes, 4 * (32 - rT) for multiples, NB for immediate
 * strings, third & 0x7f for indexed strings, line for line operations; 0 where it accesses none
 * or the size is not a number of bytes (dst). third: XER for lswx and stswx, else ignored.
 */
uint32_t powerpc_size(uint32_t opcode, uint32_t third, uint32_t line);

/* The lowest bits of addresses that an encoding ignores: the accesses of AltiVec are aligned.
 */
static inline uint32_t
powerpc_ignored_bits(const struct powerpc_instruction *found)
{
	return found->flags & POWERPC_ALIGNED ? found->size - 1u : 0;
}

/* The displacement of the D, DS and DQ forms; 0: none. */
int64_t powerpc_displacement(uint32_t opcode);

/*
 * The text of an encoding by the table alone, without simplified mnemonics but those of
 * branches, traps, condition bits and special registers: "lwz r3, 8(r1)". Branch targets wrap
 * at 32 bits where pc is below 2^32. Returns its length, as snprintf does; 0 where the encoding
 * is not known, or where must is set and the table does not insist on its own text.
 */
size_t powerpc_text(uint32_t opcode, uint64_t pc, bool must, char *text, size_t size);

/* The target of a branch. */
struct powerpc_branch {
	bool is_branch;	 /* b, bc, bclr, bcctr and their forms; false for sc, rfi, rfid */
	bool has_target; /* target is known from the encoding (b, bc) */
	bool always;	 /* taken whatever the conditions */
	bool link;	 /* sets LR */
	uint32_t target; /* address modulo 2^32 */
};

/* Decodes the target from the opcode of a flow instruction at pc. */
struct powerpc_branch powerpc_branch(uint32_t opcode, uint32_t pc);

/*
 * The effective address of a load, store or cache operation from the state before it (amber 4.3
 * and 4.8: AltiVec aligned), modulo 2^32 unless wide. False where the opcode computes none.
 */
bool powerpc_address(
	uint32_t opcode, const struct poly_powerpc_state *state, bool wide, uint64_t *address);

/* Registers by number: r0 to r31, f0 to f31, v0 to v31, then the special ones. */
enum powerpc_register {
	POWERPC_GPR = 0,
	POWERPC_FPR = 32,
	POWERPC_VR = 64,
	POWERPC_CR = 96, /* cr0 to cr7: 96 to 103 */
	POWERPC_XER = 104,
	POWERPC_LR,
	POWERPC_CTR,
	POWERPC_MSR,
	POWERPC_FPSCR,
	POWERPC_VSCR,
	POWERPC_VRSAVE,
	POWERPC_MQ,
	POWERPC_REGISTER_COUNT
};

/*
 * Registers that an encoding reads and writes; false if the encoding is unknown. Omitted:
 * the copy of XER's SO into condition fields, the three bits of a field beside the one that a
 * condition bit instruction writes, and all registers but rT of lswx, lscbx and stswx, whose
 * number is in XER.
 */
bool powerpc_registers(
	uint32_t opcode, struct isa_registers *reads, struct isa_registers *writes);

#endif
