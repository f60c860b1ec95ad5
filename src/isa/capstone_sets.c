/* SPDX-License-Identifier: MIT */
/* The instruction sets of the disassembly library. */
#include "isa/capstone_sets.h"

#include "base/err.h"
#include "isa/set.h"

#include <stdio.h>
#include <string.h>

enum { DELAY = 4 };

static const struct capstone_family *
family_of(const struct isa_set *set)
{
	static const struct capstone_family *const families[] = {
		[CAPSTONE_X86] = &capstone_x86,
		[CAPSTONE_X86_16] = &capstone_x86,
		[CAPSTONE_X86_64] = &capstone_x86,
		[CAPSTONE_ARM] = &capstone_arm,
		[CAPSTONE_THUMB] = &capstone_arm,
		[CAPSTONE_THUMB_M] = &capstone_arm,
		[CAPSTONE_AARCH64] = &capstone_aarch64,
		[CAPSTONE_MIPS32] = &capstone_mips,
		[CAPSTONE_MIPS64] = &capstone_mips,
		[CAPSTONE_SPARC] = &capstone_sparc,
		[CAPSTONE_SPARC64] = &capstone_sparc,
		[CAPSTONE_S390X] = &capstone_s390,
		[CAPSTONE_M68K] = &capstone_m68k,
	};
	return families[set->variant];
}

static enum poly_status
open_set(const struct isa_set *set, void **state, struct poly_error *error)
{
	struct capstone *capstone;
	const enum poly_status status =
		capstone_open(set->variant, family_of(set)->numbering, &capstone, error);
	*state = capstone;
	return status;
}

static void
close_set(void *state)
{
	capstone_close(state);
}

/* Takes the mnemonic over without prefixes such as "lock". */
static void
take_mnemonic(struct isa_instruction *instruction, const char *mnemonic)
{
	const char *last = strrchr(mnemonic, ' ');
	isa_set_mnemonic(instruction, last ? last + 1 : mnemonic);
}

static bool
describe_set(const struct isa_set *set, void *state, const uint8_t *encoding, size_t n,
	struct isa_instruction *instruction)
{
	const struct capstone_family *family = family_of(set);
	const struct isa_encoding block = {.bytes = encoding, .size = n};
	if (n < family->word)
		return false;
	instruction->length = family->word;
	if (family->describe_own && family->describe_own(&block, instruction))
		return true;
	const struct capstone_instruction *decoded = capstone_decode(state, &block);
	if (!decoded || !decoded->length || decoded->length > n)
		return false;
	instruction->length = decoded->length;
	take_mnemonic(instruction, decoded->mnemonic);
	family->describe(set->variant, decoded, encoding, instruction);
	return true;
}

static bool
print_set(const struct isa_set *set, void *state, const struct isa_encoding *encoding,
	char *text, size_t size)
{
	const struct capstone_family *family = family_of(set);
	if (family->print_own && family->print_own(encoding, text, size))
		return true;
	const struct capstone_instruction *decoded = capstone_decode(state, encoding);
	if (!decoded || decoded->length != encoding->size)
		return false;
	snprintf(text, size, "%s%s%s", decoded->mnemonic, *decoded->operands ? " " : "",
		decoded->operands);
	return true;
}

static const char *
register_name(const struct isa_set *set, unsigned number)
{
	const struct capstone_family *family = family_of(set);
	return family->register_name ? family->register_name(number) : NULL;
}

/* Adds the register that a name is, or is a part of. */
static void
add_named(const struct isa_set *set, const char *name, struct isa_registers *registers)
{
	const struct capstone_family *family = family_of(set);
	if (!family->numbering || !*name)
		return;
	const unsigned number = family->numbering(name);
	if (number != ISA_NO_REGISTER)
		registers_add(registers, number & ~CAPSTONE_PART);
}

#define SET(set_name, mode)                                                                \
	.name = set_name, .variant = mode, .is_available = capstone_is_available,          \
	.open = open_set, .close = close_set, .describe = describe_set, .text = print_set, \
	.register_name = register_name, .add_named = add_named

const struct isa_set *
isa_capstone_at(size_t i)
{
	static const struct isa_set sets[] = {
		{SET("x86", CAPSTONE_X86), .address_bits = 32, .length_max = 15,
			.stack_register = 4},
		{SET("x86-16", CAPSTONE_X86_16), .address_bits = 32, .length_max = 15,
			.stack_register = 4},
		{SET("x86-64", CAPSTONE_X86_64), .length_max = 15, .stack_register = 4},
		{SET("arm", CAPSTONE_ARM), .stack_register = 13, .link_register = 14},
		{SET("thumb", CAPSTONE_THUMB), .stack_register = 13, .link_register = 14},
		{SET("thumb-m", CAPSTONE_THUMB_M), .stack_register = 13, .link_register = 14},
		{SET("aarch64", CAPSTONE_AARCH64), .stack_register = 31, .link_register = 30},
		{SET("mips32", CAPSTONE_MIPS32), .delay = DELAY, .stack_register = 29,
			.link_register = 31},
		{SET("mips32el", CAPSTONE_MIPS32), .delay = DELAY, .stack_register = 29,
			.link_register = 31},
		{SET("mips64", CAPSTONE_MIPS64), .delay = DELAY, .stack_register = 29,
			.link_register = 31},
		{SET("mips64el", CAPSTONE_MIPS64), .delay = DELAY, .stack_register = 29,
			.link_register = 31},
		{SET("sparc", CAPSTONE_SPARC), .delay = DELAY, .slack = DELAY},
		{SET("sparc64", CAPSTONE_SPARC64), .delay = DELAY, .slack = DELAY},
		{SET("s390x", CAPSTONE_S390X), .length_max = 6},
		{SET("m68k", CAPSTONE_M68K), .length_max = 22},
	};
	return i < sizeof sets / sizeof *sets ? &sets[i] : NULL;
}
