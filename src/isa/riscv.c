/* SPDX-License-Identifier: MIT */
/* RISC-V: finds encodings in the table, and extracts their fields. */
#include "isa/riscv.h"

#include "base/bits.h"

#include <string.h>

enum { RV32 = RISCV_32, RV64 = RISCV_64, BOTH = RISCV_32 | RISCV_64 };

/* Direction and size of an access, in the order of struct riscv_row. */
#define NONE 0, 0
#define R0 ISA_READS, 0
#define R1 ISA_READS, 1
#define R2 ISA_READS, 2
#define R4 ISA_READS, 4
#define R8 ISA_READS, 8
#define W0 ISA_WRITES, 0
#define W1 ISA_WRITES, 1
#define W2 ISA_WRITES, 2
#define W4 ISA_WRITES, 4
#define W8 ISA_WRITES, 8
#define RW4 ISA_READS | ISA_WRITES, 4
#define RW8 ISA_READS | ISA_WRITES, 8

#define OP(mnemonic, widths, mask, match, cls, access, text) \
	{mnemonic, mask, match, widths, ISA_##cls, access, text},
#define ALIAS(widths, mask, match, text) {NULL, mask, match, widths, ISA_UNKNOWN, NONE, text},

static const struct riscv_row compressed[] = {
#define COMPRESSED
#include "isa/riscv.def"
#undef COMPRESSED
};

static const struct riscv_row base[] = {
#define BASE
#include "isa/riscv.def"
#undef BASE
};

static const struct riscv_row vector[] = {
#define VECTOR
#include "isa/riscv.def"
#undef VECTOR
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

unsigned
riscv_length(uint32_t word)
{
	/* RISC-V Unprivileged ISA 1.5. */
	if ((word & 3) != 3)
		return 2;
	if ((word & 0x1c) != 0x1c)
		return 4;
	if ((word & 0x3f) == 0x1f)
		return 6;
	return (word & 0x7f) == 0x3f ? 8 : 0;
}

bool
riscv_is_vector(uint32_t opcode)
{
	const uint32_t major = opcode & 0x7f, width = riscv_field(opcode, 12, 3);
	return major == 0x57 ||
	       ((major == 0x07 || major == 0x27) && (width == 0 || width >= 5));
}

const struct riscv_row *
riscv_at(size_t i)
{
	if (i < COUNT(compressed))
		return &compressed[i];
	i -= COUNT(compressed);
	if (i < COUNT(base))
		return &base[i];
	i -= COUNT(base);
	return i < COUNT(vector) ? &vector[i] : NULL;
}

struct riscv_section {
	const struct riscv_row *rows;
	size_t count;
};

/* Returns the lines among which an encoding is. */
static struct riscv_section
section_of(uint32_t opcode)
{
	if ((opcode & 3) != 3)
		return (struct riscv_section){compressed, COUNT(compressed)};
	if (riscv_is_vector(opcode))
		return (struct riscv_section){vector, COUNT(vector)};
	return (struct riscv_section){base, COUNT(base)};
}

/* Whether the operands of a compressed encoding are reserved: RISC-V Unprivileged ISA 16.8. */
static bool
is_reserved(uint32_t opcode, const struct riscv_row *row)
{
	const char *name = row->mnemonic;
	if (!name || name[0] != 'c' || name[1] != '.')
		return false;
	if (strcmp(name, "c.addi4spn") == 0)
		return !riscv_immediate(opcode, '4');
	if (strcmp(name, "c.addi16sp") == 0)
		return !riscv_immediate(opcode, '6');
	if (strcmp(name, "c.lui") == 0)
		return !riscv_immediate(opcode, 'i');
	if (strcmp(name, "c.lwsp") == 0 || strcmp(name, "c.ldsp") == 0 ||
		strcmp(name, "c.addiw") == 0 || strcmp(name, "c.jr") == 0)
		return !riscv_field(opcode, 7, 5);
	return false;
}

/* Whether an alias is a special case of a line, and matches. */
static bool
is_alias(uint32_t opcode, const struct riscv_row *row, const struct riscv_row *alias)
{
	const bool is_case = (row->mask & ~alias->mask) == 0;
	const bool has_same_sources = riscv_field(opcode, 15, 5) == riscv_field(opcode, 20, 5);
	const bool has_same_target = riscv_field(opcode, 15, 5) == riscv_field(opcode, 7, 5);
	return !alias->mnemonic && is_case && (has_same_sources || !strchr(alias->text, '~')) &&
	       (has_same_target || !strchr(alias->text, '^'));
}

/* Returns the first line from row on that matches; NULL: none does. */
static const struct riscv_row *
next_match(const struct riscv_section *section, const struct riscv_row *row, uint32_t opcode,
	enum riscv_width width)
{
	for (; row < section->rows + section->count; row++) {
		if ((opcode & row->mask) == row->match && row->widths & width)
			return row;
	}
	return NULL;
}

const struct riscv_row *
riscv_find(uint32_t opcode, enum riscv_width width, bool alias)
{
	const struct riscv_section section = section_of(opcode);
	const struct riscv_row *row = next_match(&section, section.rows, opcode, width);
	while (row && !row->mnemonic)
		row = next_match(&section, row + 1, opcode, width);
	if (!row || is_reserved(opcode, row))
		return NULL;
	const struct riscv_row *other = alias ? section.rows : row;
	while ((other = next_match(&section, other, opcode, width)) != NULL && other != row &&
		!is_alias(opcode, row, other))
		other++;
	return other;
}

/* A run of bits of an encoding, and where it begins in the number. */
struct bit_run {
	uint8_t low, bits, to;
};

#define RUNS_MAX 8

struct number_format {
	char letter;
	uint8_t sign_bits; /* of the number; 0: unsigned */
	struct bit_run runs[RUNS_MAX];
};

int64_t
riscv_immediate(uint32_t opcode, char letter)
{
	/* RISC-V Unprivileged ISA 2.3 and 16.2. */
	static const struct number_format formats[] = {
		{'j', 12, {{20, 12, 0}}},
		{'o', 12, {{20, 12, 0}}},
		{'q', 12, {{25, 7, 5}, {7, 5, 0}}},
		{'u', 0, {{12, 20, 0}}},
		{'Z', 0, {{15, 5, 0}}},
		{'>', 0, {{20, 6, 0}}},
		{'<', 0, {{20, 5, 0}}},
		{'E', 0, {{20, 12, 0}}},
		{'P', 0, {{24, 4, 0}}},
		{'Q', 0, {{20, 4, 0}}},
		{'m', 0, {{12, 3, 0}}},
		{'A', 0, {{25, 2, 0}}},
		{'5', 5, {{15, 5, 0}}},
		{'8', 0, {{25, 1, 0}}},
		{'%', 0, {{20, 11, 0}}},
		{'&', 0, {{20, 10, 0}}},
		{'#', 0, {{29, 3, 0}}},
		{'p', 13, {{31, 1, 12}, {7, 1, 11}, {25, 6, 5}, {8, 4, 1}}},
		{'a', 21, {{31, 1, 20}, {12, 8, 12}, {20, 1, 11}, {21, 10, 1}}},
		{'i', 6, {{12, 1, 5}, {2, 5, 0}}},
		{'U', 6, {{12, 1, 5}, {2, 5, 0}}},
		{'!', 0, {{12, 1, 5}, {2, 5, 0}}},
		{'4', 0, {{11, 2, 4}, {7, 4, 6}, {6, 1, 2}, {5, 1, 3}}},
		{'6', 10, {{12, 1, 9}, {6, 1, 4}, {5, 1, 6}, {3, 2, 7}, {2, 1, 5}}},
		{'w', 0, {{10, 3, 3}, {6, 1, 2}, {5, 1, 6}}},
		{'l', 0, {{10, 3, 3}, {5, 2, 6}}},
		{'W', 0, {{12, 1, 5}, {4, 3, 2}, {2, 2, 6}}},
		{'L', 0, {{12, 1, 5}, {5, 2, 3}, {2, 3, 6}}},
		{'M', 0, {{9, 4, 2}, {7, 2, 6}}},
		{'N', 0, {{10, 3, 3}, {7, 3, 6}}},
		{'b', 9, {{12, 1, 8}, {10, 2, 3}, {5, 2, 6}, {3, 2, 1}, {2, 1, 5}}},
		{'J', 12,
			{{12, 1, 11}, {11, 1, 4}, {9, 2, 8}, {8, 1, 10}, {7, 1, 6}, {6, 1, 7},
				{3, 3, 1}, {2, 1, 5}}},
	};
	const struct number_format *format = NULL;
	uint64_t value = 0;
	for (size_t i = 0; i < COUNT(formats) && !format; i++)
		format = formats[i].letter == letter ? &formats[i] : NULL;
	if (!format)
		return 0;
	for (size_t i = 0; i < RUNS_MAX && format->runs[i].bits; i++)
		value |=
			(uint64_t)riscv_field(opcode, format->runs[i].low, format->runs[i].bits)
			<< format->runs[i].to;
	return format->sign_bits ? sign_extend(value, format->sign_bits) : (int64_t)value;
}

int
riscv_register_of(uint32_t opcode, char letter, unsigned *direction)
{
	/* Register fields: full ones have 5 bits, those of compressed encodings 3, from x8 on.
	 */
	static const struct {
		char letter;
		uint8_t direction;
		struct {
			uint8_t low, bits, first;
		} field;
	} letters[] = {
		{'d', ISA_WRITES, {7, 5, RISCV_X}},
		{'s', ISA_READS, {15, 5, RISCV_X}},
		{'t', ISA_READS, {20, 5, RISCV_X}},
		{'x', ISA_READS | ISA_WRITES, {7, 5, RISCV_X}},
		{'y', ISA_READS, {7, 5, RISCV_X}},
		{'v', ISA_READS, {2, 5, RISCV_X}},
		{'e', ISA_WRITES, {2, 3, RISCV_X + 8}},
		{'f', ISA_READS, {2, 3, RISCV_X + 8}},
		{'g', ISA_READS, {7, 3, RISCV_X + 8}},
		{'h', ISA_READS | ISA_WRITES, {7, 3, RISCV_X + 8}},
		{'k', ISA_READS, {0, 0, RISCV_X + 2}},
		{'K', ISA_READS | ISA_WRITES, {0, 0, RISCV_X + 2}},
		{'D', ISA_WRITES, {7, 5, RISCV_F}},
		{'S', ISA_READS, {15, 5, RISCV_F}},
		{'T', ISA_READS, {20, 5, RISCV_F}},
		{'R', ISA_READS, {27, 5, RISCV_F}},
		{'V', ISA_READS, {2, 5, RISCV_F}},
		{'0', ISA_WRITES, {7, 5, RISCV_V}},
		{'2', ISA_READS, {20, 5, RISCV_V}},
		{'3', ISA_READS, {15, 5, RISCV_V}},
		{'9', ISA_READS, {0, 0, RISCV_V}},
		{'F', ISA_WRITES, {2, 3, RISCV_F + 8}},
		{'G', ISA_READS, {2, 3, RISCV_F + 8}},
	};
	for (size_t i = 0; i < COUNT(letters); i++) {
		if (letters[i].letter != letter)
			continue;
		*direction = letters[i].direction;
		return (int)(letters[i].field.first +
			     riscv_field(opcode, letters[i].field.low, letters[i].field.bits));
	}
	return -1;
}
