/* SPDX-License-Identifier: MIT */
/* Calls and returns by opcode. Operators: masks of the architectures' encoding tables. */
#include "isa/flow.h"

#include <stdbool.h>
#include <string.h>

static enum flow
powerpc(uint64_t opcode, unsigned size)
{
	const uint32_t primary = opcode >> 26 & 63, extended = opcode >> 1 & 0x3ff;
	const bool by_register =
		primary == 19 && (extended == 16 || extended == 528 || extended == 560);
	if (size != 4 || (primary != 16 && primary != 18 && !by_register))
		return FLOW_OTHER;
	if (opcode & 1)
		return FLOW_CALL;
	return by_register && extended == 16 ? FLOW_RETURN : FLOW_OTHER;
}

static enum flow
aarch64(uint64_t opcode, unsigned size)
{
	(void)size;
	/* BL, BLR, and BLR with authentication. */
	if ((opcode & 0xfc000000) == 0x94000000 || (opcode & 0xfffffc1f) == 0xd63f0000 ||
		(opcode & 0xfefff800) == 0xd63f0800)
		return FLOW_CALL;
	if ((opcode & 0xfffffc1f) == 0xd65f0000 || (opcode & 0xfffffbff) == 0xd65f0bff)
		return FLOW_RETURN;
	return FLOW_OTHER;
}

static enum flow
thumb(uint64_t opcode, unsigned size)
{
	if (size == 2) {
		/* BLX register; the second half of a BL or BLX that the trace splits. */
		if ((opcode & 0xff87) == 0x4780 || (opcode & 0xf800) == 0xf800 ||
			(opcode & 0xf801) == 0xe800)
			return FLOW_CALL;
		/* BX LR, MOV PC LR, POP {.., PC} */
		return opcode == 0x4770 || opcode == 0x46f7 || (opcode & 0xff00) == 0xbd00
			       ? FLOW_RETURN
			       : FLOW_OTHER;
	}
	if ((opcode & 0xf800d000) == 0xf000d000 || (opcode & 0xf800d001) == 0xf000c000)
		return FLOW_CALL;
	/* POP.W {.., PC}, LDR PC from the stack */
	return (opcode & 0xffff8000) == 0xe8bd8000 || opcode == 0xf85dfb04 ? FLOW_RETURN
									   : FLOW_OTHER;
}

static enum flow
arm(uint64_t opcode, unsigned size)
{
	if (size == 2)
		return thumb(opcode, size);
	if ((opcode & 0xfe000000) == 0xfa000000)
		return FLOW_CALL;
	if (opcode >> 28 == 15)
		return FLOW_OTHER;
	/* BL, BLX register */
	if ((opcode & 0x0f000000) == 0x0b000000 || (opcode & 0x0ffffff0) == 0x012fff30)
		return FLOW_CALL;
	/* BX LR, MOV PC LR, LDM {.., PC}, LDR PC from the stack */
	return (opcode & 0x0fffffff) == 0x012fff1e || (opcode & 0x0fffffff) == 0x01a0f00e ||
			       (opcode & 0x0e108000) == 0x08108000 ||
			       (opcode & 0x0fffffff) == 0x049df004
		       ? FLOW_RETURN
		       : FLOW_OTHER;
}

static enum flow
mips(uint64_t opcode, unsigned size)
{
	const uint32_t primary = opcode >> 26 & 63, rs = opcode >> 21 & 31,
		       rt = opcode >> 16 & 31, rd = opcode >> 11 & 31, function = opcode & 63;
	if (size != 4)
		return FLOW_OTHER;
	/* JAL, JALX, and BLTZAL to BGEZALL */
	if (primary == 3 || primary == 29 || (primary == 1 && rt >= 16 && rt <= 19))
		return FLOW_CALL;
	if (primary != 0 || (function != 8 && function != 9))
		return FLOW_OTHER;
	if (function == 9 && rd != 0)
		return FLOW_CALL;
	return rs == 31 ? FLOW_RETURN : FLOW_OTHER;
}

static enum flow
sparc(uint64_t opcode, unsigned size)
{
	const uint32_t rd = opcode >> 25 & 31, op3 = opcode >> 19 & 63, rs1 = opcode >> 14 & 31;
	if (size == 4 && opcode >> 30 == 1)
		return FLOW_CALL;
	if (size != 4 || opcode >> 30 != 2 || op3 != 0x38)
		return FLOW_OTHER;
	if (rd == 15)
		return FLOW_CALL;
	return rd == 0 && (rs1 == 15 || rs1 == 31) ? FLOW_RETURN : FLOW_OTHER;
}

static bool
is_prefix(unsigned byte, bool has_rex)
{
	static const uint8_t prefixes[] = {
		0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};
	return memchr(prefixes, (int)byte, sizeof prefixes) ||
	       (has_rex && (byte & 0xf0) == 0x40);
}

/* The opcode holds the bytes in memory order, the first one uppermost. */
static enum flow
x86(uint64_t opcode, unsigned size, bool has_rex)
{
	unsigned at = size;
	while (at > 1 && is_prefix(opcode >> 8 * (at - 1) & 0xff, has_rex))
		at--;
	const unsigned byte = at ? opcode >> 8 * (at - 1) & 0xff : 0;
	const unsigned modrm = at > 1 ? opcode >> 8 * (at - 2) & 0xff : 0;
	const unsigned operation = modrm >> 3 & 7;
	if (byte == 0xe8 || (byte == 0x9a && !has_rex) ||
		(byte == 0xff && (operation == 2 || operation == 3)))
		return FLOW_CALL;
	return byte == 0xc3 || byte == 0xc2 || byte == 0xcb || byte == 0xca ? FLOW_RETURN
									    : FLOW_OTHER;
}

static enum flow
x86_32(uint64_t opcode, unsigned size)
{
	return x86(opcode, size, false);
}

static enum flow
x86_64(uint64_t opcode, unsigned size)
{
	return x86(opcode, size, true);
}

const struct flow_set *
flow_find(const char *name)
{
	static const struct flow_set sets[] = {
		{"powerpc", powerpc, 0, 0},
		{"aarch64", aarch64, 0, 0},
		{"arm", arm, 0, 0},
		{"thumb", thumb, 0, 0},
		{"thumb-m", thumb, 0, 0},
		{"mips32", mips, 4, 0},
		{"mips32el", mips, 4, 0},
		{"mips64", mips, 4, 0},
		{"mips64el", mips, 4, 0},
		{"sparc", sparc, 4, 4},
		{"sparc64", sparc, 4, 4},
		{"x86", x86_32, 0, 0},
		{"x86-16", x86_32, 0, 0},
		{"x86-64", x86_64, 0, 0},
	};
	for (size_t i = 0; name && i < sizeof sets / sizeof *sets; i++) {
		if (strcmp(sets[i].name, name) == 0)
			return &sets[i];
	}
	return NULL;
}
