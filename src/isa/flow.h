/* SPDX-License-Identifier: MIT */
/*
 * Which instructions call and which return: by opcode for the instruction sets that are known
 * here, by text for all others. Pure functions; any thread.
 *
 * spec: Power ISA I 2.4; Arm ARM (A32, T32 and A64 branches); MIPS32 volume II; SPARC V9 A.3;
 * Intel SDM volume 2 (CALL, RET).
 */
#ifndef ISA_FLOW_H
#define ISA_FLOW_H

#include <stddef.h>
#include <stdint.h>

/* What an instruction does where it does not go on behind itself. */
enum flow {
	FLOW_OTHER,  /* jumps, is interrupted, or takes part in no call */
	FLOW_CALL,   /* calls: leaves the address to go on at */
	FLOW_RETURN, /* goes on where it was called */
};

/* An instruction set. */
struct flow_set {
	const char *name;				       /* as poly_isa_at names it */
	enum flow (*classify)(uint64_t opcode, unsigned size); /* size: in bytes, 1 to 8 */
	unsigned delay; /* bytes of the instruction behind a branch that is executed with it */
	unsigned slack; /* bytes behind the usual place where a call may go on too */
};

/* The instruction set of a name; NULL where it is not known here. */
const struct flow_set *flow_find(const char *name);

/* What n bytes of text, a mnemonic with or without operands, of any instruction set say. */
enum flow flow_of_text(const char *text, size_t n);

#endif
