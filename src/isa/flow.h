/* SPDX-License-Identifier: MIT */
/* Classifies calls and returns by text; isa/isa.h describes encodings. Pure functions; any
 * thread. */
#ifndef ISA_FLOW_H
#define ISA_FLOW_H

#include <stddef.h>

/* Kinds of instructions that do not continue sequentially. */
enum flow {
	FLOW_OTHER,  /* a jump, an interrupted instruction, or any other */
	FLOW_CALL,   /* calls: stores a return address */
	FLOW_RETURN, /* returns to the caller */
};

/* Classifies n bytes of text, a mnemonic with or without operands, of any instruction set. */
enum flow flow_of_text(const char *text, size_t n);

/*
 * Returns the control flow of an instruction, bits of enum isa_flow, by the name of its record:
 * "jump", "call" or "return", which "direct_" or "indirect_", and before that "conditional_",
 * "taken_" or "untaken_" may precede. 0: another name. Accepts NULL.
 */
unsigned flow_of_record(const char *name);

#endif
