/* SPDX-License-Identifier: MIT */
/* Numbers and names of the registers of x86. */
#include "isa/x86.h"

#include <stdlib.h>
#include <string.h>

/* By their number in encodings: Intel SDM volume 2, 2.1.5. */
static const char *const general[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};

const char *
x86_register_name(unsigned number)
{
#define EIGHT(file, a, b, c, d, e, f, g, h) \
	file #a, file #b, file #c, file #d, file #e, file #f, file #g, file #h
	static const char *const names[X86_REGISTER_COUNT - X86_FLAGS] = {"flags", "rip", "mxcsr",
		"fpsw", "fpcw", "control", "es", "cs", "ss", "ds", "fs", "gs",
		EIGHT("k", 0, 1, 2, 3, 4, 5, 6, 7), EIGHT("st", 0, 1, 2, 3, 4, 5, 6, 7),
		EIGHT("zmm", 0, 1, 2, 3, 4, 5, 6, 7),
		EIGHT("zmm", 8, 9, 10, 11, 12, 13, 14, 15),
		EIGHT("zmm", 16, 17, 18, 19, 20, 21, 22, 23),
		EIGHT("zmm", 24, 25, 26, 27, 28, 29, 30, 31)};
#undef EIGHT
	if (number < X86_FLAGS)
		return general[number];
	return number < X86_REGISTER_COUNT ? names[number - X86_FLAGS] : NULL;
}

/* Returns the general register of a name such as "eax", "ax", "al", "r8d", with CAPSTONE_PART
 * for those of 8 and 16 bits. */
static unsigned
general_number(const char *name)
{
	static const char *const low[] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
	static const char *const high[] = {"ah", "ch", "dh", "bh"};
	for (unsigned i = 0; i < 8; i++) {
		if (strcmp(name, low[i]) == 0 || strcmp(name, general[i] + 1) == 0)
			return i | CAPSTONE_PART;
		if (i < 4 && strcmp(name, high[i]) == 0)
			return i | CAPSTONE_PART;
		if ((*name == 'r' || *name == 'e') && strcmp(name + 1, general[i] + 1) == 0)
			return i;
	}
	char *end;
	const unsigned long number = *name == 'r' ? strtoul(name + 1, &end, 10) : 0;
	if (number < 8 || number > 15)
		return ISA_NO_REGISTER;
	return (unsigned)number | (*end == 'b' || *end == 'w' ? CAPSTONE_PART : 0);
}

/* Returns the number of a register of a file such as "xmm". */
static unsigned
file_number(const char *name)
{
	static const struct {
		const char *prefix;
		unsigned first, count;
	} files[] = {{"xmm", X86_VECTOR, 32}, {"ymm", X86_VECTOR, 32}, {"zmm", X86_VECTOR, 32},
		{"mm", X86_X87, 8}, {"st(", X86_X87, 8}, {"fp", X86_X87, 8}, {"k", X86_MASK, 8},
		{"cr", X86_CONTROL, 16}, {"dr", X86_CONTROL, 16}};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const size_t n = strlen(files[i].prefix);
		char *end;
		if (strncmp(name, files[i].prefix, n) != 0 || name[n] < '0' || name[n] > '9')
			continue;
		const unsigned long number = strtoul(name + n, &end, 10);
		if (number >= files[i].count)
			return ISA_NO_REGISTER;
		return files[i].first == X86_CONTROL ? X86_CONTROL
						     : files[i].first + (unsigned)number;
	}
	return ISA_NO_REGISTER;
}

unsigned
x86_register_number(const char *name)
{
	static const struct {
		const char *name;
		unsigned number;
	} others[] = {{"rflags", X86_FLAGS}, {"eflags", X86_FLAGS}, {"flags", X86_FLAGS},
		{"fpsw", X86_STATUS}, {"es", X86_SEGMENT}, {"cs", X86_SEGMENT + 1},
		{"ss", X86_SEGMENT + 2}, {"ds", X86_SEGMENT + 3}, {"fs", X86_SEGMENT + 4},
		{"gs", X86_SEGMENT + 5}, {"rip", X86_RIP}, {"eip", X86_RIP}, {"ip", X86_RIP}};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (strcmp(name, others[i].name) == 0)
			return others[i].number;
	}
	const unsigned number = general_number(name);
	return number == ISA_NO_REGISTER ? file_number(name) : number;
}
