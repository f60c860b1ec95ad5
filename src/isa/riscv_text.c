/* SPDX-License-Identifier: MIT */
/* RISC-V: text of encodings, as objdump of binutils 2.40 prints them. */
#include "isa/riscv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

const char *
riscv_register_name(unsigned number)
{
	/* RISC-V ABIs specification: register convention. */
	static const char *const names[RISCV_REGISTER_COUNT] = {"zero", "ra", "sp", "gp", "tp",
		"t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
		"s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5",
		"t6", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1",
		"fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4",
		"fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
		"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
		"v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
		"v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "fflags", "frm"};
	return number < RISCV_REGISTER_COUNT ? names[number] : NULL;
}

/* Copies the i-th of the words that blanks separate. */
static void
copy_word(const char *words, unsigned i, char *word, size_t size)
{
	size_t n = strcspn(words, " ");
	for (; i && words[n]; i--) {
		words += n + 1;
		n = strcspn(words, " ");
	}
	snprintf(word, size, "%.*s", (int)n, words);
}

void
riscv_csr_name(unsigned number, char *name, size_t size)
{
	/* Name patterns: # is the register's number in its range, from first. */
	static const struct {
		uint16_t from, count, first;
		const char *names; /* count words, or a pattern */
	} ranges[] = {
#define CSR(from, count, first, names) {from, count, first, names},
#include "isa/riscv_csr.def"
#undef CSR
	};
	for (size_t i = 0; i < COUNT(ranges); i++) {
		const unsigned index = number - ranges[i].from;
		if (number < ranges[i].from || index >= ranges[i].count)
			continue;
		const size_t n = strcspn(ranges[i].names, "#");
		if (ranges[i].names[n])
			snprintf(name, size, "%.*s%u%s", (int)n, ranges[i].names,
				ranges[i].first + index, ranges[i].names + n + 1);
		else
			copy_word(ranges[i].names, index, name, size);
		return;
	}
	snprintf(name, size, "0x%x", number);
}

/* A text under construction; what exceeds the room is dropped. */
struct text {
	char *bytes;
	size_t used, size;
};

static void
append(struct text *text, const char *word)
{
	for (; *word && text->used + 1 < text->size; word++)
		text->bytes[text->used++] = *word;
	text->bytes[text->used] = 0;
}

static void
append_number(struct text *text, const char *format, uint64_t number)
{
	char digits[24];
	snprintf(digits, sizeof digits, format, number);
	append(text, digits);
}

/* Appends the operations that a fence orders: "rw". */
static void
append_fence(struct text *text, int64_t set)
{
	static const char *const sets[16] = {"unknown", "w", "r", "rw", "o", "ow", "or", "orw",
		"i", "iw", "ir", "irw", "io", "iow", "ior", "iorw"};
	append(text, sets[set & 15]);
}

/* Appends the rounding mode, unless it is that of frm; the comma before it goes with it. */
static void
append_rounding(struct text *text, int64_t mode)
{
	static const char *const modes[8] = {
		"rne", "rtz", "rdn", "rup", "rmm", "unknown", "unknown", NULL};
	if (modes[mode & 7])
		append(text, modes[mode & 7]);
	else if (text->used)
		text->bytes[--text->used] = 0;
}

/* Appends the vector type of vsetvli: element width, register grouping, tail and mask policy.
 */
static void
append_vtype(struct text *text, int64_t vtype)
{
	static const char *const groups[8] = {
		"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
	/* RISC-V V 1.0, 6.1: vlmul, vsew, vta, vma. */
	const unsigned group = vtype & 7, width = vtype >> 3 & 7;
	if (vtype >> 8 || !groups[group] || width > 3) {
		append_number(text, "%" PRId64, (uint64_t)vtype);
		return;
	}
	append_number(text, "e%" PRIu64, UINT64_C(8) << width);
	append(text, ",");
	append(text, groups[group]);
	append(text, vtype & 0x40 ? ",ta" : ",tu");
	append(text, vtype & 0x80 ? ",ma" : ",mu");
}

/* Where a text belongs. */
struct printed_encoding {
	uint32_t opcode;
	enum riscv_width width;
	uint64_t pc;
};

static void
append_target(struct text *text, const struct printed_encoding *encoding, int64_t distance)
{
	uint64_t target = encoding->pc + (uint64_t)distance;
	if (encoding->width == RISCV_32)
		target = (uint32_t)target;
	append_number(text, "0x%" PRIx64, target);
}

static void
append_operand(struct text *text, const struct printed_encoding *encoding, char letter)
{
	static const char *const orders[4] = {"", ".rl", ".aq", ".aqrl"};
	const uint32_t opcode = encoding->opcode;
	const int64_t number = riscv_immediate(opcode, letter);
	const char literal[2] = {letter, 0};
	unsigned direction;
	const int reg = riscv_register_of(opcode, letter, &direction);
	char csr[24];
	const char *name = reg >= 0 ? riscv_register_name((unsigned)reg) : NULL;
	if (name) {
		append(text, name);
		return;
	}
	switch (letter) {
	case 'A': append(text, orders[number & 3]); break;
	case 'E':
		riscv_csr_name((unsigned)number, csr, sizeof csr);
		append(text, csr);
		break;
	case '8': append(text, number ? "" : ",v0.t"); break;
	case '%':
	case '&': append_vtype(text, number); break;
	case '#':
		if (number)
			append_number(text, "seg%" PRIu64, (uint64_t)number + 1);
		break;
	case '~':
	case '^': break;
	case 'P':
	case 'Q': append_fence(text, number); break;
	case 'm': append_rounding(text, number); break;
	case 'p':
	case 'a':
	case 'b':
	case 'J': append_target(text, encoding, number); break;
	case 'u':
	case 'U': append_number(text, "0x%" PRIx64, (uint64_t)number & 0xfffff); break;
	case '>':
	case '<':
	case '!': append_number(text, "0x%" PRIx64, (uint64_t)number); break;
	case ',':
	case '(':
	case ')': append(text, literal); break;
	default: append_number(text, "%" PRId64, (uint64_t)number); break;
	}
}

bool
riscv_text(uint32_t opcode, enum riscv_width width, uint64_t pc, char *text, size_t size)
{
	const struct riscv_row *row = riscv_find(opcode, width, true);
	const struct printed_encoding encoding = {opcode, width, pc};
	struct text output = {text, 0, size};
	if (!row)
		return false;
	const char *letter = row->text;
	for (; *letter && *letter != ' '; letter++) {
		const char literal[2] = {*letter, 0};
		if (*letter == 'A' || *letter == '#')
			append_operand(&output, &encoding, *letter);
		else
			append(&output, literal);
	}
	for (letter += *letter == ' '; *letter && *letter != ' '; letter++) {
		if (letter[-1] == ' ')
			append(&output, " ");
		append_operand(&output, &encoding, *letter);
	}
	return true;
}
