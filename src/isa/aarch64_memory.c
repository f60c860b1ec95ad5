/* SPDX-License-Identifier: MIT */
/*
 * AArch64 loads and stores by their encoding. Capstone 4.0.2 states no sizes, and stores as
 * reads or as reads and writes.
 *
 * spec: Arm ARM C4.1, "Loads and Stores".
 */
#include "isa/aarch64.h"

#include "base/bits.h"

/* Returns a field of n bits. */
static unsigned
field(uint32_t opcode, unsigned low, unsigned n)
{
	return opcode >> low & ((1u << n) - 1);
}

static bool
is_set(uint32_t opcode, unsigned bit)
{
	return opcode >> bit & 1;
}

static uint8_t
direction_of(bool is_load)
{
	return is_load ? ISA_READS : ISA_WRITES;
}

/* Exclusive and ordered: size, o2, L, o1. */
static bool
exclusive(uint32_t opcode, struct isa_access *access)
{
	const unsigned size = 1u << field(opcode, 30, 2);
	const bool is_pair = is_set(opcode, 21);
	access->direction = direction_of(is_set(opcode, 22));
	access->size = is_pair ? 2 * size : size;
	return true;
}

/* Literals: opc, V; the address is relative to the pc. */
static bool
literal(uint32_t opcode, struct isa_access *access)
{
	const unsigned opc = field(opcode, 30, 2);
	const bool is_vector = is_set(opcode, 26);
	if (opc == 3)
		return false;
	access->base = AARCH64_PC;
	access->direction = ISA_READS;
	access->size = is_vector ? 4u << opc : opc == 1 ? 8 : 4;
	access->displacement = sign_extend(field(opcode, 5, 19), 19) * 4;
	return true;
}

/* Pairs: opc, V, the index mode, L, imm7. */
static bool
pair(uint32_t opcode, struct isa_access *access)
{
	const unsigned opc = field(opcode, 30, 2), mode = field(opcode, 23, 2);
	const bool is_vector = is_set(opcode, 26);
	const unsigned size = is_vector ? 4u << opc : opc == 2 ? 8 : 4;
	access->direction = direction_of(is_set(opcode, 22));
	access->size = 2 * size;
	if (mode != 1)
		access->displacement = sign_extend(field(opcode, 15, 7), 7) * (int64_t)size;
	return true;
}

/* A register as offset: its option states how it is extended. */
static void
register_offset(uint32_t opcode, struct isa_access *access)
{
	const unsigned option = field(opcode, 13, 3), number = field(opcode, 16, 5);
	const bool is_whole = (option & 3) == 3, is_zero = number == 31;
	access->index = is_zero ? ISA_NO_REGISTER : (uint8_t)number;
	/* The lower half of a register is not its number. */
	if (!is_zero)
		access->scale = !is_whole ? 0 : is_set(opcode, 12) ? (uint8_t)access->size : 1;
}

/* Single registers: size, V, opc, and the addressing mode. */
static bool
single(uint32_t opcode, struct isa_access *access)
{
	const unsigned size = field(opcode, 30, 2), opc = field(opcode, 22, 2),
		       mode = field(opcode, 10, 2);
	const bool is_vector = is_set(opcode, 26);
	if (!is_vector && size == 3 && opc == 2)
		return false; /* PRFM */
	const unsigned shift = is_vector ? (opc & 2) << 1 | size : size;
	access->size = 1u << shift;
	access->direction = direction_of(is_vector ? opc & 1 : opc != 0);
	if (is_set(opcode, 24))
		access->displacement = (int64_t)field(opcode, 10, 12) << shift;
	else if (is_set(opcode, 21) && mode == 2)
		register_offset(opcode, access);
	else if (is_set(opcode, 21))
		return false;
	else if (mode != 1)
		access->displacement = sign_extend(field(opcode, 12, 9), 9);
	return true;
}

/* Structures of vectors: all lanes of one to four registers, or one lane of each. */
static bool
structures(uint32_t opcode, struct isa_access *access)
{
	static const uint8_t counts[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
	access->direction = direction_of(is_set(opcode, 22));
	if (!is_set(opcode, 24)) {
		access->size = counts[field(opcode, 12, 4)] * (is_set(opcode, 30) ? 16u : 8u);
		return access->size != 0;
	}
	const unsigned lane = field(opcode, 14, 2), size = field(opcode, 10, 2);
	const unsigned count = (field(opcode, 13, 1) << 1 | field(opcode, 21, 1)) + 1;
	const unsigned bytes = lane == 3   ? 1u << size
			       : lane == 2 ? (size & 1 ? 8u : 4u)
					   : 1u << lane;
	access->size = count * bytes;
	return true;
}

bool
aarch64_access(uint32_t opcode, struct isa_access *access)
{
	*access = (struct isa_access){
		.base = (uint8_t)field(opcode, 5, 5), .index = ISA_NO_REGISTER, .scale = 1};
	switch (field(opcode, 27, 3)) {
	case 1:
		if (is_set(opcode, 25))
			return false;
		return is_set(opcode, 26) ? structures(opcode, access)
					  : !is_set(opcode, 24) && exclusive(opcode, access);
	case 3:
		if (is_set(opcode, 25))
			return false;
		if (!is_set(opcode, 24))
			return literal(opcode, access);
		/* LDAPUR and STLUR; tags are not data. */
		return !is_set(opcode, 21) && field(opcode, 10, 2) == 0 && !is_set(opcode, 26) &&
		       single(opcode & ~(1u << 24), access);
	case 5: return !is_set(opcode, 25) && pair(opcode, access);
	case 7: return !is_set(opcode, 25) && single(opcode, access);
	default: return false;
	}
}
