/* SPDX-License-Identifier: MIT */
/*
 * Registers of PowerPC: which an encoding reads and writes, from the operands of the table; the
 * stream that a dst describes.
 *
 * spec: Apple amber traces 4.5; PowerPC architecture for the rest.
 */
#include "isa/powerpc.h"

#include "base/bits.h"

#include <string.h>

/* Both sets of an encoding, under construction. */
struct register_use {
	uint32_t opcode;
	struct isa_registers *reads, *writes;
};

static void
read_one(struct register_use *use, unsigned number)
{
	bit_set(use->reads->bits, number);
}

static void
write_one(struct register_use *use, unsigned number)
{
	bit_set(use->writes->bits, number);
}

static unsigned
field(const struct register_use *use, unsigned shift)
{
	return use->opcode >> shift & 31;
}

/* Vector-scalar registers: the lower half are floating-point registers, the upper vectors. */
static unsigned
vector_scalar(unsigned number)
{
	return number < 32 ? POWERPC_FPR + number : POWERPC_VR + number - 32;
}

/* The condition fields of a mask with cr0 in its highest bit of eight. */
static void
use_fields(struct isa_registers *registers, uint32_t mask)
{
	for (unsigned i = 0; i < 8; i++)
		if (mask >> (7 - i) & 1)
			bit_set(registers->bits, POWERPC_CR + i);
}

/* POWERPC_REGISTER_COUNT for special registers that are not in a set. */
static unsigned
special_register(const struct register_use *use)
{
	switch (field(use, 16) | field(use, 11) << 5) {
	case 0: return POWERPC_MQ;
	case 1: return POWERPC_XER;
	case 8: return POWERPC_LR;
	case 9: return POWERPC_CTR;
	case 256: return POWERPC_VRSAVE;
	default: return POWERPC_REGISTER_COUNT;
	}
}

static void
use_special(struct register_use *use, struct isa_registers *registers)
{
	unsigned number = special_register(use);
	if (number < POWERPC_REGISTER_COUNT)
		bit_set(registers->bits, number);
}

static void
read_base(struct register_use *use)
{
	if (field(use, 16))
		read_one(use, POWERPC_GPR + field(use, 16));
}

static void
update_base(struct register_use *use)
{
	read_one(use, POWERPC_GPR + field(use, 16));
	write_one(use, POWERPC_GPR + field(use, 16));
}

/* The pair of lxvp and stxvp. */
static void
use_pair(struct register_use *use, struct isa_registers *registers)
{
	unsigned first = (field(use, 21) & 30) | (field(use, 21) & 1) << 5;
	bit_set(registers->bits, vector_scalar(first));
	bit_set(registers->bits, vector_scalar(first + 1));
}

/* Adds the register of a letter before the blank of powerpc.def. */
static void
use_operand(struct register_use *use, char letter)
{
	unsigned t = field(use, 21), a = field(use, 16), b = field(use, 11);
	switch (letter) {
	case 'T': write_one(use, POWERPC_GPR + t); break;
	case 'S': read_one(use, POWERPC_GPR + t); break;
	case 'A': write_one(use, POWERPC_GPR + a); break;
	case 'a': read_one(use, POWERPC_GPR + a); break;
	case '0':
	case 'd': read_base(use); break;
	case 'u':
	case 'D': update_base(use); break;
	case 'b': read_one(use, POWERPC_GPR + b); break;
	case 'F': write_one(use, POWERPC_FPR + t); break;
	case 'f': read_one(use, POWERPC_FPR + t); break;
	case 'g': read_one(use, POWERPC_FPR + a); break;
	case 'h': read_one(use, POWERPC_FPR + b); break;
	case 'c': read_one(use, POWERPC_FPR + field(use, 6)); break;
	case 'V': write_one(use, POWERPC_VR + t); break;
	case 'v': read_one(use, POWERPC_VR + t); break;
	case 'w': read_one(use, POWERPC_VR + a); break;
	case 'x': read_one(use, POWERPC_VR + b); break;
	case 'y': read_one(use, POWERPC_VR + field(use, 6)); break;
	case 'G': write_one(use, vector_scalar(t | (use->opcode & 1) << 5)); break;
	case 'J': read_one(use, vector_scalar(t | (use->opcode & 1) << 5)); break;
	case '8': write_one(use, vector_scalar(t | (use->opcode & 8) << 2)); break;
	case '7': read_one(use, vector_scalar(t | (use->opcode & 8) << 2)); break;
	case 'W': use_pair(use, use->writes); break;
	case 'Z': use_pair(use, use->reads); break;
	case 'K':
	case 'Q': write_one(use, POWERPC_CR + t / 4); break;
	case 'k':
	case 'q': read_one(use, POWERPC_CR + a / 4); break;
	case 'p': read_one(use, POWERPC_CR + b / 4); break;
	case 'M': use_fields(use->writes, use->opcode >> 12 & 255); break;
	case 'R': use_special(use, use->writes); break;
	case 'r': use_special(use, use->reads); break;
	default: break;
	}
}

/* count registers from rT on, r0 following r31. */
static void
use_run(struct register_use *use, struct isa_registers *registers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		bit_set(registers->bits, POWERPC_GPR + (field(use, 21) + i) % 32);
}

static void
use_condition(struct register_use *use)
{
	unsigned bo = field(use, 21);
	if (!(bo & 16))
		read_one(use, POWERPC_CR + field(use, 16) / 4);
	if (!(bo & 4)) {
		read_one(use, POWERPC_CTR);
		write_one(use, POWERPC_CTR);
	}
}

static unsigned
string_registers(const struct register_use *use)
{
	unsigned bytes = field(use, 11);
	return bytes ? (bytes + 3) / 4 : 8;
}

/* cr1 takes over four bits of FPSCR. */
static void
record_float(struct register_use *use)
{
	if (use->opcode & 1) {
		read_one(use, POWERPC_FPSCR);
		write_one(use, POWERPC_CR + 1);
	}
}

static void
write_if(struct register_use *use, uint32_t bit, unsigned number)
{
	if (use->opcode & bit)
		write_one(use, number);
}

/* Adds the registers of a letter after the blank. */
static void
use_effect(struct register_use *use, char letter)
{
	unsigned next = (field(use, 21) + 1) % 32;
	bool is_one_field = use->opcode & 0x100000;
	switch (letter) {
	case '.': write_if(use, 1, POWERPC_CR); break;
	case ':': record_float(use); break;
	case ';': write_if(use, 0x400, POWERPC_CR + 6); break;
	case '#': write_one(use, POWERPC_CR); break;
	case 'O': write_if(use, 0x400, POWERPC_XER); break;
	case 'X': write_one(use, POWERPC_XER); break;
	case 'x': read_one(use, POWERPC_XER); break;
	case 'P': write_one(use, POWERPC_FPSCR); break;
	case 'p': read_one(use, POWERPC_FPSCR); break;
	case 'Y': write_one(use, POWERPC_VSCR); break;
	case 'y': read_one(use, POWERPC_VSCR); break;
	case 'Q': write_one(use, POWERPC_MQ); break;
	case 'q': read_one(use, POWERPC_MQ); break;
	case 'L': write_if(use, 1, POWERPC_LR); break;
	case 'l': read_one(use, POWERPC_LR); break;
	case 'c': read_one(use, POWERPC_CTR); break;
	case 'M': write_one(use, POWERPC_MSR); break;
	case 'm': read_one(use, POWERPC_MSR); break;
	case 'C': use_fields(use->reads, is_one_field ? use->opcode >> 12 : 255); break;
	case 'B': use_condition(use); break;
	case 'D': use_run(use, use->writes, 32 - field(use, 21)); break;
	case 'd': use_run(use, use->reads, 32 - field(use, 21)); break;
	case 'N': use_run(use, use->writes, string_registers(use)); break;
	case 'n': use_run(use, use->reads, string_registers(use)); break;
	case '2': write_one(use, POWERPC_GPR + next); break;
	case '3': read_one(use, POWERPC_GPR + next); break;
	case '4': write_one(use, POWERPC_FPR + next); break;
	case '5': read_one(use, POWERPC_FPR + next); break;
	default: break;
	}
}

bool
powerpc_registers(uint32_t opcode, struct isa_registers *reads, struct isa_registers *writes)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	struct register_use use = {opcode, reads, writes};
	memset(reads, 0, sizeof *reads);
	memset(writes, 0, sizeof *writes);
	const char *letter = found->operands;
	for (; *letter && *letter != ' '; letter++)
		use_operand(&use, *letter);
	for (; *letter; letter++)
		use_effect(&use, *letter);
	return found->mnemonic != NULL;
}

struct poly_powerpc_stream
poly_powerpc_stream_decode(uint32_t rb)
{
	struct poly_powerpc_stream stream = {
		.block_size = rb >> 24 & 31,
		.block_count = rb >> 16 & 255,
		.stride = (int)sign_extend(rb & 0xffff, 16),
	};
	if (stream.block_size == 0)
		stream.block_size = 32;
	if (stream.block_count == 0)
		stream.block_count = 256;
	if (stream.stride == 0)
		stream.stride = 32768;
	return stream;
}

bool
poly_powerpc_stream_of(
	const struct poly_batch *batch, size_t row, struct poly_powerpc_stream *stream)
{
	/* Apple amber traces 4.2 */
	enum { DST = 342, DSTST = 374 };
	if (!poly_present(batch, POLY_COLUMN_opcode, row) ||
		!poly_present(batch, POLY_COLUMN_value, row))
		return false;
	const uint64_t opcode = batch->opcode[row], minor = opcode >> 1 & 0x3ff;
	if (opcode >> 26 != 31 || (minor != DST && minor != DSTST))
		return false;
	*stream = poly_powerpc_stream_decode((uint32_t)batch->value[row]);
	return true;
}
