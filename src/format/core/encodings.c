/* SPDX-License-Identifier: MIT */
/*
 * Encodings of instructions by their address in the program's ELF file.
 *
 * spec: the lengths of encodings: Arm ARM (ARMv7-A/R) A6.1; RISC-V unprivileged specification
 * 1.5; z/Architecture Principles of Operation, "Instruction formats".
 */
#include "format/core/encodings.h"

#include "isa/isa.h"
#include "symbol/symbols.h"

#include <string.h>

static bool
is_x86(const struct encodings *encodings)
{
	return strncmp(encodings->isa, "x86", 3) == 0;
}

bool
encodings_open(struct encodings *encodings, const struct poly_symbols *symbols)
{
	if (!symbols || !symbols->isa || !symbols->section_count)
		return false;
	*encodings = (struct encodings){.symbols = symbols, .isa = symbols->isa};
	return !is_x86(encodings) ||
	       isa_open(encodings->isa, &encodings->decoder, NULL) == POLY_OK;
}

/* Returns bytes of a unit of code as a number. */
static uint64_t
load(const struct encodings *encodings, const uint8_t *bytes, unsigned size)
{
	/* The code of AArch64 is always little endian. */
	const bool is_big =
		encodings->symbols->big_endian && strcmp(encodings->isa, "aarch64") != 0;
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[is_big ? i : size - 1 - i];
	return value;
}

/* Returns the length of an encoding, of whose bytes n are there; 0: not an instruction. *unit:
 * bytes of the numbers that it consists of. */
static unsigned
length_of(const struct encodings *encodings, const uint8_t *bytes, size_t n, bool thumb,
	unsigned *unit)
{
	struct isa_instruction instruction;
	const unsigned half = n < 2 ? 0 : (unsigned)load(encodings, bytes, 2);
	*unit = 1;
	if (is_x86(encodings)) {
		isa_describe(encodings->decoder, bytes, n, &instruction);
		return instruction.length;
	}
	if (strcmp(encodings->isa, "s390x") == 0)
		return half >> 14 == 0 ? 2 : half >> 14 == 3 ? 6 : 4;
	if (strcmp(encodings->isa, "arm") == 0 && thumb) {
		*unit = 2;
		return half >> 11 < 0x1d ? 2 : 4;
	}
	*unit = strncmp(encodings->isa, "riscv", 5) == 0 && (half & 3) != 3 ? 2 : 4;
	return *unit;
}

bool
encodings_find(struct encodings *encodings, uint64_t pc, bool thumb, struct encoding *found)
{
	enum { OPCODE_MAX = 8 };
	unsigned unit;
	size_t n = 0;
	const uint8_t *bytes = encodings ? symbols_code(encodings->symbols, pc, &n) : NULL;
	const unsigned size = bytes ? length_of(encodings, bytes, n, thumb, &unit) : 0;
	if (!size || size > n)
		return false;
	*found = (struct encoding){.bytes = bytes, .size = size};
	for (unsigned i = 0; i < size && i < OPCODE_MAX; i += unit)
		found->opcode = found->opcode << (8 * unit) | load(encodings, bytes + i, unit);
	return true;
}

void
encodings_close(struct encodings *encodings)
{
	isa_close(encodings->decoder);
}
