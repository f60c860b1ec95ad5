/* SPDX-License-Identifier: MIT */
/* Families of instruction sets whose descriptions are derived from the library's, corrected. */
#ifndef ISA_CAPSTONE_SETS_H
#define ISA_CAPSTONE_SETS_H

#include "isa/capstone.h"

/* A family. Functions get a cleared description, or one with length and mnemonic alone. */
struct capstone_family {
	capstone_numbering *numbering;		     /* NULL: no registers */
	const char *(*register_name)(unsigned number); /* NULL: no registers */
	/* Describes instructions that the library does not know. NULL: there are none. */
	bool (*describe_own)(const struct isa_encoding *encoding,
		struct isa_instruction *instruction);
	/* Writes the text of such an instruction, with describe_own. */
	bool (*print_own)(const struct isa_encoding *encoding, char *text, size_t size);
	/* Describes an instruction as the library decoded it at pc 0. */
	void (*describe)(enum capstone_mode mode, const struct capstone_instruction *decoded,
		const uint8_t *encoding, struct isa_instruction *instruction);
	uint8_t word; /* bytes of every encoding; 0: they differ */
};

extern const struct capstone_family capstone_x86, capstone_aarch64, capstone_arm, capstone_mips,
	capstone_sparc, capstone_s390, capstone_m68k;

/* Adds a register to a set; ISA_NO_REGISTER: none. */
static inline void
registers_add(struct isa_registers *registers, unsigned number)
{
	if (number < ISA_REGISTERS_MAX)
		registers->bits[number / 64] |= (uint64_t)1 << number % 64;
}

/* Removes a register from a set. */
static inline void
registers_remove(struct isa_registers *registers, unsigned number)
{
	registers->bits[number / 64] &= ~((uint64_t)1 << number % 64);
}

/* Adds all registers of another set. */
static inline void
registers_join(struct isa_registers *registers, const struct isa_registers *others)
{
	registers->bits[0] |= others->bits[0];
	registers->bits[1] |= others->bits[1];
}

#endif
