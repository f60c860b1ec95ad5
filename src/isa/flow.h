/* SPDX-License-Identifier: MIT */
/*
 * Classifies calls and returns: by opcode for the instruction sets of this table, by text for
 * all others. Pure functions; any thread.
 *
 * spec: Power ISA I 2.4; Arm ARM (A32, T32 and A64 branches); MIPS32 volume II; SPARC V9 A.3;
 * Intel SDM volume 2 (CALL, RET).
 */
#ifndef ISA_FLOW_H
#define ISA_FLOW_H

#include <stddef.h>
#include <stdint.h>

/* Kinds of instructions that do not continue sequentially. */
enum flow {
	FLOW_OTHER,  /* a jump, an interrupted instruction, or any other */
	FLOW_CALL,   /* calls: stores a return address */
	FLOW_RETURN, /* returns to the caller */
};

/* An instruction set. */
struct flow_set {
	const char *name;				       /* as poly_isa_at names it */
	enum flow (*classify)(uint64_t opcode, unsigned size); /* size: in bytes, 1 to 8 */
	unsigned delay; /* bytes of the branch delay slot */
	unsigned slack; /* bytes after the return address to which a call may return, too */
};

/* Returns the instruction set of a name; NULL: unknown. */
const struct flow_set *flow_find(const char *name);

/* Classifies n bytes of text, a mnemonic with or without operands, of any instruction set. */
enum flow flow_of_text(const char *text, size_t n);

#endif
