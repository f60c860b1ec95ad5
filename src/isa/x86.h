/* SPDX-License-Identifier: MIT */
/* Registers of x86. Those of 8 to 32 bits, and of all vector lengths, have the number of the
 * whole register. Pure functions; any thread. */
#ifndef ISA_X86_H
#define ISA_X86_H

#include "isa/capstone_sets.h"

enum x86_register {
	X86_RAX,
	X86_RCX,
	X86_RDX,
	X86_RBX,
	X86_RSP,
	X86_RBP,
	X86_RSI,
	X86_RDI,
	X86_R11 = 11,
	X86_FLAGS = 16,
	X86_RIP, /* as a base: the address of the next instruction */
	X86_MXCSR,
	X86_STATUS,	/* of x87: condition codes and the top of the stack */
	X86_ROUNDING,	/* of x87: the control word */
	X86_CONTROL,	/* all control, debug and model-specific registers */
	X86_SEGMENT,	/* by number: ES, CS, SS, DS, FS, GS */
	X86_MASK = X86_SEGMENT + 6,
	X86_X87 = X86_MASK + 8, /* relative to the top of the stack; MMX */
	X86_VECTOR = X86_X87 + 8,
	X86_REGISTER_COUNT = X86_VECTOR + 32
};

/* Returns the number of a register by the library's name; see capstone_numbering. */
unsigned x86_register_number(const char *name);

/* Returns the name of a number, static; NULL: no such register. */
const char *x86_register_name(unsigned number);

#endif
