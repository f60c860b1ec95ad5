/* SPDX-License-Identifier: MIT */
#include "isa/arm_condition.h"

#define ALWAYS 14

/* Returns whether the flags satisfy a condition of 4 bits. */
static bool
passes(unsigned condition, uint32_t cpsr)
{
	const bool n = cpsr >> 31 & 1, z = cpsr >> 30 & 1, c = cpsr >> 29 & 1,
		   v = cpsr >> 28 & 1;
	bool result = true;
	switch (condition >> 1) {
	case 0: result = z; break;
	case 1: result = c; break;
	case 2: result = n; break;
	case 3: result = v; break;
	case 4: result = c && !z; break;
	case 5: result = n == v; break;
	case 6: result = n == v && !z; break;
	default: return true;
	}
	return result != (condition & 1);
}

/* Returns the condition of a Thumb instruction outside of IT blocks: only branches have one. */
static unsigned
branch_condition(uint64_t opcode, unsigned size)
{
	unsigned condition = ALWAYS;
	if (size == 2 && opcode >> 12 == 0xd)
		condition = opcode >> 8 & 15;
	else if (size == 4 && (opcode & 0xf800d000) == 0xf0008000)
		condition = opcode >> 22 & 15;
	return condition < ALWAYS ? condition : ALWAYS;
}

bool
arm_condition_passes(uint64_t opcode, unsigned size, bool is_thumb, uint32_t cpsr)
{
	if (!is_thumb)
		return passes(opcode >> 28 & 15, cpsr);
	const unsigned state = (cpsr >> 25 & 3) | (cpsr >> 8 & 0xfc);
	return passes(state & 15 ? state >> 4 : branch_condition(opcode, size), cpsr);
}
