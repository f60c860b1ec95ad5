/* SPDX-License-Identifier: MIT */
/* What the file of an instruction set provides to isa.c. */
#ifndef ISA_SET_H
#define ISA_SET_H

#include "isa/isa.h"

#include <string.h>

/* Functions get the set, as one function may serve several sets. */
struct isa_set {
	const char *name;	/* as poly_isa_at lists it */
	unsigned variant;	/* of the functions: width, mode */
	uint8_t address_bits;	/* see isa_address_bits; 0: 64 */
	uint8_t length_max;	/* bytes of the longest encoding; 0: 4 */
	uint8_t stack_register; /* number of the stack pointer; 0: not known */
	uint8_t link_register;	/* number of the link register; 0: none, or not known */
	uint8_t delay;		/* bytes of the branch delay slot */
	uint8_t slack; /* bytes after the return address to which a call may return, too */
	/* Whether this build has the library that the set needs. NULL: it needs none. */
	bool (*is_available)(void);
	/* Opens and closes the state of a decoder. NULL: none is needed. */
	enum poly_status (*open)(
		const struct isa_set *set, void **state, struct poly_error *error);
	void (*close)(void *state);
	/* As isa_describe, of a cleared description. NULL: the set has text alone. */
	bool (*describe)(const struct isa_set *set, void *state, const uint8_t *encoding,
		size_t n, struct isa_instruction *instruction);
	/* Writes the text of an encoding of exactly n bytes; false: not an instruction. */
	bool (*text)(const struct isa_set *set, void *state,
		const struct isa_encoding *encoding, char *text, size_t size);
	/* As isa_cache_operations; NULL: not known. */
	isa_cache_fn *cache_operation;
	/* NULL: the set has no numbers of registers. */
	const char *(*register_name)(const struct isa_set *set, unsigned number);
	uint8_t data_registers; /* those before this number; all others are for control and
				 * status; 0: not distinguished */
	/* As isa_reads_counter. NULL: not known. */
	bool (*reads_counter)(uint64_t opcode);
	/* The registers in words; NULL: no numbers of registers, or no words for them. */
	const char *register_list;
	/* Adds the registers of a name in lower case that register_name does not list. NULL:
	 * there are none. */
	void (*add_named)(
		const struct isa_set *set, const char *name, struct isa_registers *registers);
	/* As isa_mnemonic_at. NULL: the set does not have a table. */
	const char *(*mnemonic_at)(const struct isa_set *set, size_t i, enum isa_class *cls);
};

/* Stores a mnemonic; a longer one than fits is truncated. */
static inline void
isa_set_mnemonic(struct isa_instruction *instruction, const char *mnemonic)
{
	const size_t n = strnlen(mnemonic, sizeof instruction->mnemonic - 1);
	memcpy(instruction->mnemonic, mnemonic, n);
	instruction->mnemonic[n] = 0;
}

/* The sets of each file, by number from 0; NULL after the last one. */
const struct isa_set *isa_powerpc_at(size_t i);
const struct isa_set *isa_capstone_at(size_t i);
const struct isa_set *isa_riscv_at(size_t i);

#endif
