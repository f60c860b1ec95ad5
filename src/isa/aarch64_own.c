/* SPDX-License-Identifier: MIT */
/*
 * AArch64 instructions that Capstone 4.0.2 does not decode.
 *
 * spec: Arm ARM C6.2: LDADD to LDUMIN, SWP, CAS, CASP, LDAPR, RETAA, BRAA, BLRAA.
 */
#include "isa/aarch64.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

enum own_form {
	ACQUIRE,     /* ldapr Rt, [Rn] */
	FETCH,	     /* ldadd Rs, Rt, [Rn] */
	STORE_FETCH, /* stadd Rs, [Rn] */
	COMPARE,     /* cas Rs, Rt, [Rn] */
	COMPARE_PAIR, /* casp Rs, Rs+1, Rt, Rt+1, [Rn] */
	RETURN,	     /* retaa */
	BRANCH,	     /* braaz Rn */
	BRANCH_BY,   /* braa Rn, Rm */
	LINK,
	LINK_BY,
};

struct own_pattern {
	uint32_t mask, match;
	const char *name; /* without suffixes */
	uint8_t form;	  /* enum own_form */
};

/* In this order: an earlier line takes an encoding from a later one. */
static const struct own_pattern patterns[] = {
#define FETCH_LINES(name, bits)                                                             \
	{0x3fa0fc1f, 0x38200000 | (bits) << 12 | 31, "st" name, STORE_FETCH},               \
	{                                                                                   \
		0x3f20fc00, 0x38200000 | (bits) << 12, "ld" name, FETCH                     \
	}
	{0x3ffffc00, 0x38bfc000, "ldapr", ACQUIRE},
	FETCH_LINES("add", 0u),
	FETCH_LINES("clr", 1u),
	FETCH_LINES("eor", 2u),
	FETCH_LINES("set", 3u),
	FETCH_LINES("smax", 4u),
	FETCH_LINES("smin", 5u),
	FETCH_LINES("umax", 6u),
	FETCH_LINES("umin", 7u),
#undef FETCH_LINES
	{0x3f20fc00, 0x38208000, "swp", FETCH},
	{0x3fa07c00, 0x08a07c00, "cas", COMPARE},
	{0xbfa17c01, 0x08207c00, "casp", COMPARE_PAIR}, /* even registers */
	{0xffffffff, 0xd65f0bff, "retaa", RETURN},
	{0xffffffff, 0xd65f0fff, "retab", RETURN},
	{0xfffffc00, 0xd71f0800, "braa", BRANCH_BY},
	{0xfffffc00, 0xd71f0c00, "brab", BRANCH_BY},
	{0xfffffc1f, 0xd61f081f, "braaz", BRANCH},
	{0xfffffc1f, 0xd61f0c1f, "brabz", BRANCH},
	{0xfffffc00, 0xd73f0800, "blraa", LINK_BY},
	{0xfffffc00, 0xd73f0c00, "blrab", LINK_BY},
	{0xfffffc1f, 0xd63f081f, "blraaz", LINK},
	{0xfffffc1f, 0xd63f0c1f, "blrabz", LINK},
};

/* An encoding of a pattern. */
struct own {
	const struct own_pattern *pattern;
	uint32_t opcode;
	unsigned rs, rt, rn;
};

static bool
find(const struct isa_encoding *encoding, struct own *own)
{
	if (encoding->size < 4)
		return false;
	const uint32_t opcode = load_be32(encoding->bytes);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		if ((opcode & patterns[i].mask) != patterns[i].match)
			continue;
		*own = (struct own){.pattern = &patterns[i],
			.opcode = opcode,
			.rs = opcode >> 16 & 31,
			.rt = opcode & 31,
			.rn = opcode >> 5 & 31};
		return true;
	}
	return false;
}

/* Bytes of one register in memory. */
static unsigned
register_size(const struct own *own)
{
	const unsigned size = own->opcode >> 30;
	return own->pattern->form == COMPARE_PAIR ? 4u << (size & 1) : 1u << size;
}

/* Writes the mnemonic: the order "a", "l", then "b" or "h". */
static void
print_mnemonic(const struct own *own, char *text, size_t size)
{
	const uint32_t opcode = own->opcode;
	const bool is_compare =
		own->pattern->form == COMPARE || own->pattern->form == COMPARE_PAIR;
	const bool is_fetch =
		own->pattern->form == FETCH || own->pattern->form == STORE_FETCH;
	const bool acquires = (is_compare && opcode >> 22 & 1) || (is_fetch && opcode >> 23 & 1),
		   releases = (is_compare && opcode >> 15 & 1) || (is_fetch && opcode >> 22 & 1);
	const bool has_size = own->pattern->form <= COMPARE;
	const unsigned bytes = register_size(own);
	snprintf(text, size, "%s%s%s%s", own->pattern->name, acquires ? "a" : "",
		releases ? "l" : "",
		has_size && bytes == 1	 ? "b"
		: has_size && bytes == 2 ? "h"
					 : "");
}

/* Adds a general register, not the zero register. */
static void
add(struct isa_registers *registers, unsigned number)
{
	if (number != 31)
		registers_add(registers, number);
}

static void
describe_memory(const struct own *own, struct isa_instruction *instruction)
{
	const unsigned form = own->pattern->form;
	const bool is_pair = form == COMPARE_PAIR, is_compare = is_pair || form == COMPARE;
	instruction->cls = form == ACQUIRE ? ISA_LOAD : ISA_ATOMIC;
	instruction->access_count = 1;
	instruction->accesses[0] = (struct isa_access){
		.direction = form == ACQUIRE ? ISA_READS : ISA_READS | ISA_WRITES,
		.base = (uint8_t)own->rn,
		.index = ISA_NO_REGISTER,
		.scale = 1,
		.size = register_size(own) * (is_pair ? 2u : 1u),
	};
	registers_add(&instruction->reads, own->rn);
	for (unsigned i = 0; i < (is_pair ? 2u : 1u); i++) {
		if (form != ACQUIRE)
			add(&instruction->reads, own->rs + i);
		add(is_compare ? &instruction->reads : &instruction->writes, own->rt + i);
		if (is_compare)
			add(&instruction->writes, own->rs + i);
	}
}

static void
describe_branch(const struct own *own, struct isa_instruction *instruction)
{
	const unsigned form = own->pattern->form;
	const bool links = form == LINK || form == LINK_BY;
	instruction->cls = ISA_BRANCH;
	instruction->flow = (uint8_t)(ISA_JUMPS | ISA_INDIRECT | (links ? ISA_CALLS : 0) |
				      (form == RETURN ? ISA_RETURNS : 0));
	add(&instruction->reads, form == RETURN ? AARCH64_LINK : own->rn);
	if (form == RETURN)
		registers_add(&instruction->reads, AARCH64_SP);
	if (form == BRANCH_BY || form == LINK_BY)
		registers_add(&instruction->reads, own->rt);
	if (links)
		registers_add(&instruction->writes, AARCH64_LINK);
}

bool
aarch64_describe_own(const struct isa_encoding *encoding, struct isa_instruction *instruction)
{
	struct own own;
	if (!find(encoding, &own))
		return false;
	instruction->length = 4;
	print_mnemonic(&own, instruction->mnemonic, sizeof instruction->mnemonic);
	instruction->has_registers = instruction->has_accesses = true;
	if (own.pattern->form <= COMPARE_PAIR)
		describe_memory(&own, instruction);
	else
		describe_branch(&own, instruction);
	return true;
}

/* Writes a general register; number 31 is the zero register, or sp as a base. */
static void
print_register(char name[8], unsigned number, bool is_wide, bool is_base)
{
	if (number == 31)
		snprintf(name, 8, "%s", is_base ? "sp" : is_wide ? "xzr" : "wzr");
	else
		snprintf(name, 8, "%c%u", is_wide ? 'x' : 'w', number);
}

bool
aarch64_print_own(const struct isa_encoding *encoding, char *text, size_t size)
{
	struct own own;
	char name[24], rs[8], rt[8], rn[8], by[8], second_s[8], second_t[8];
	if (encoding->size != 4 || !find(encoding, &own))
		return false;
	const bool is_wide = register_size(&own) == 8;
	print_mnemonic(&own, name, sizeof name);
	print_register(rs, own.rs, is_wide, false);
	print_register(rt, own.rt, is_wide, false);
	print_register(second_s, own.rs + 1, is_wide, false);
	print_register(second_t, own.rt + 1, is_wide, false);
	print_register(rn, own.rn, true, own.pattern->form <= COMPARE_PAIR);
	print_register(by, own.rt, true, true);
	switch ((enum own_form)own.pattern->form) {
	case ACQUIRE: snprintf(text, size, "%s %s, [%s]", name, rt, rn); break;
	case FETCH:
	case COMPARE: snprintf(text, size, "%s %s, %s, [%s]", name, rs, rt, rn); break;
	case STORE_FETCH: snprintf(text, size, "%s %s, [%s]", name, rs, rn); break;
	case COMPARE_PAIR:
		snprintf(text, size, "%s %s, %s, %s, %s, [%s]", name, rs, second_s, rt, second_t,
			rn);
		break;
	case RETURN: snprintf(text, size, "%s", name); break;
	case BRANCH:
	case LINK: snprintf(text, size, "%s %s", name, rn); break;
	case BRANCH_BY:
	case LINK_BY: snprintf(text, size, "%s %s, %s", name, rn, by); break;
	}
	return true;
}
