/* SPDX-License-Identifier: MIT */
#include "effects/powerpc_data.h"

#include "isa/powerpc.h"
#include "isa/powerpc_state.h"

#include <string.h>

/* Minor opcodes of primary 31 that reverse the bytes, and that store the lower word of a
 * floating-point register; those of stwcx. and stdcx. */
enum {
	STWCX = 150,
	STDCX = 214,
	LDBRX = 532,
	LWBRX = 534,
	STDBRX = 660,
	STWBRX = 662,
	LHBRX = 790,
	LFIWAX = 855,
	LFIWZX = 887,
	STHBRX = 918,
	STFIWX = 983,
};

/* Returns the minor opcode of primary 31; else 1024. */
static unsigned
minor_of(uint32_t opcode)
{
	return opcode >> 26 == 31 ? opcode >> 1 & 0x3ff : 1024;
}

bool
powerpc_is_conditional(uint32_t opcode)
{
	const unsigned minor = minor_of(opcode);
	return minor == STWCX || minor == STDCX;
}

static bool
is_reversed(uint32_t opcode)
{
	switch (minor_of(opcode)) {
	case LDBRX:
	case LWBRX:
	case STDBRX:
	case STWBRX:
	case LHBRX:
	case STHBRX: return true;
	default: return false;
	}
}

/* Stores the lower n bytes of a number, most significant first. */
static void
store_number(uint8_t *data, uint64_t value, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		data[i] = (uint8_t)(value >> 8 * (n - 1 - i));
}

/* Converts to single format as stores do (PowerPC architecture, "Floating-Point Store
 * Instructions"): the inverse of the conversion of loads. */
static uint32_t
single_of(uint64_t value)
{
	const unsigned exponent = value >> 52 & 0x7ff;
	const uint32_t sign = (uint32_t)(value >> 63) << 31;
	if (exponent > 896 || (value << 1) == 0)
		return (uint32_t)(value >> 62) << 30 | (uint32_t)(value >> 29 & 0x3fffffff);
	if (exponent < 874)
		return sign;
	const uint64_t fraction = (value & 0xfffffffffffff) | (uint64_t)1 << 52;
	return sign | (uint32_t)(fraction >> (29 + 897 - exponent));
}

/* Gets the data of registers from rT on, four bytes of each. */
static void
run_data(uint32_t opcode, const struct poly_powerpc_state *state, uint32_t size, uint8_t *data)
{
	unsigned number = opcode >> 21 & 31;
	uint8_t word[4];
	for (uint32_t done = 0; done < size; done += 4) {
		store_number(word, state->gpr[number], 4);
		memcpy(data + done, word, size - done < 4 ? size - done : 4);
		number = (number + 1) % 32;
	}
}

static bool
general_data(
	uint32_t opcode, const struct poly_powerpc_state *state, uint32_t size, uint8_t *data)
{
	const unsigned number = opcode >> 21 & 31;
	if (size > 8) {
		store_number(data, state->gpr[number], 8);
		store_number(data + 8, state->gpr[(number + 1) % 32], 8);
		return size == 16;
	}
	store_number(data, state->gpr[number], size);
	for (uint32_t i = 0; is_reversed(opcode) && i < size / 2; i++) {
		const uint8_t byte = data[i];
		data[i] = data[size - 1 - i];
		data[size - 1 - i] = byte;
	}
	return true;
}

static bool
float_data(
	uint32_t opcode, const struct poly_powerpc_state *state, uint32_t size, uint8_t *data)
{
	const unsigned number = opcode >> 21 & 31, minor = minor_of(opcode);
	const uint64_t value = state->fpr[number];
	if (size == 8)
		store_number(data, value, 8);
	else if (minor == STFIWX || minor == LFIWAX || minor == LFIWZX)
		store_number(data, value, 4);
	else
		store_number(data, single_of(value), 4);
	return size == 4 || size == 8;
}

bool
powerpc_data(uint32_t opcode, const struct poly_powerpc_state *state, uint64_t address,
	uint32_t size, uint8_t data[POWERPC_DATA_MAX])
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	const unsigned number = opcode >> 21 & 31;
	if (size == 0 || size > POWERPC_DATA_MAX)
		return false;
	if (found->flags & (POWERPC_MULTIPLE | POWERPC_STRING)) {
		run_data(opcode, state, size, data);
		return true;
	}
	if (size != found->size)
		return false;
	switch (found->operands[strspn(found->operands, "=")]) {
	case 'T':
	case 'S': return general_data(opcode, state, size, data);
	case 'F':
	case 'f': return float_data(opcode, state, size, data);
	case 'V':
	case 'v':
		if (size > 16 || address % size || !powerpc_vector_is_live(state, number))
			return false;
		memcpy(data, state->vr[number] + address % 16, size);
		return true;
	default: return false;
	}
}
