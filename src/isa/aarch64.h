/* SPDX-License-Identifier: MIT */
/* AArch64: loads and stores, and instructions that Capstone 4 lacks, by their encoding. Pure
 * functions; any thread. */
#ifndef ISA_AARCH64_H
#define ISA_AARCH64_H

#include "isa/capstone_sets.h"

enum aarch64_register {
	AARCH64_LINK = 30,
	AARCH64_SP = 31,
	AARCH64_NZCV,
	AARCH64_FPCR,
	AARCH64_FPSR,
	AARCH64_SYSTEM, /* all other system registers */
	AARCH64_PC,
	AARCH64_VECTOR,
	AARCH64_REGISTER_COUNT = AARCH64_VECTOR + 32
};

/* Describes the access of a load or store; false: the instruction is neither. Prefetches
 * have no access. */
bool aarch64_access(uint32_t opcode, struct isa_access *access);

/* Describes an atomic operation of FEAT_LSE, an acquiring load of FEAT_LRCPC, or a branch of
 * FEAT_PAuth; false: another instruction. */
bool aarch64_describe_own(
	const struct isa_encoding *encoding, struct isa_instruction *instruction);

/* Writes the text of such an instruction; false: another instruction. */
bool aarch64_print_own(const struct isa_encoding *encoding, char *text, size_t size);

#endif
