/* SPDX-License-Identifier: MIT */
/*
 * Disassembly by Capstone for all instruction sets that have a name here. Its text of PowerPC
 * is put right: decimal numbers with their sign, and the table's own text where Capstone 4
 * knows an instruction wrongly or not at all.
 */
#include "isa/disasm.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "isa/powerpc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 256, ENCODING_MAX = 32 };

/* An instruction set; encodings are passed to the library big end first, as in traces.
 */
struct isa_mode {
	const char *name;
	int arch;
	unsigned mode;
};

#ifdef POLY_WITH_CAPSTONE
#include <capstone/capstone.h>

#define SET(name, arch, mode)                          \
	{                                              \
		name, CS_ARCH_##arch, (unsigned)(mode) \
	}
#else
#define SET(name, arch, mode) \
	{                     \
		name, 0, 0    \
	}
#endif

static const struct isa_mode sets[] = {
	SET("powerpc", PPC, CS_MODE_64 | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("x86", X86, CS_MODE_32),
	SET("x86-16", X86, CS_MODE_16),
	SET("x86-64", X86, CS_MODE_64),
	SET("arm", ARM, (unsigned)CS_MODE_ARM | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("thumb", ARM, (unsigned)CS_MODE_THUMB | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("thumb-m", ARM,
		(unsigned)CS_MODE_THUMB | CS_MODE_MCLASS | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("aarch64", ARM64, CS_MODE_BIG_ENDIAN),
	SET("mips32", MIPS, CS_MODE_32 | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("mips32el", MIPS, CS_MODE_32 | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("mips64", MIPS, CS_MODE_64 | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("mips64el", MIPS, CS_MODE_64 | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("sparc", SPARC, CS_MODE_BIG_ENDIAN),
	SET("sparc64", SPARC, (unsigned)CS_MODE_V9 | (unsigned)CS_MODE_BIG_ENDIAN),
	SET("s390x", SYSZ, CS_MODE_BIG_ENDIAN),
	SET("m68k", M68K, (unsigned)CS_MODE_BIG_ENDIAN | (unsigned)CS_MODE_M68K_040),
};

enum { SET_COUNT = sizeof sets / sizeof *sets };

const char *
poly_isa_at(size_t i)
{
	return i < SET_COUNT ? sets[i].name : NULL;
}

#ifdef POLY_WITH_CAPSTONE
struct poly_disasm {
	char text[TEXT_SIZE];
	bool powerpc;
	csh library;
	cs_insn *instruction; /* reused for every text */
};

static enum poly_status
open_library(struct poly_disasm *disasm, const struct isa_mode *set, struct poly_error *error)
{
	cs_err refusal = cs_open((cs_arch)set->arch, (cs_mode)set->mode, &disasm->library);
	if (refusal == CS_ERR_MEM)
		return err_memory(error);
	if (refusal != CS_ERR_OK)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"disassembly of '%s' is refused by libcapstone: %s", set->name,
			cs_strerror(refusal));
	disasm->instruction = cs_malloc(disasm->library);
	return disasm->instruction ? POLY_OK : err_memory(error);
}

static void
close_library(struct poly_disasm *disasm)
{
	if (disasm->instruction)
		cs_free(disasm->instruction, 1);
	if (disasm->library)
		cs_close(&disasm->library);
}

/*
 * Copies operands with numbers in decimal: Capstone prints those above 9 in hexadecimal, and
 * signed immediates as if they had no sign.
 */
static void
copy_operands(char *dst, size_t size, const char *from, bool has_signed)
{
	size_t used = 0;
	while (*from && used + 24 < size) {
		if (from[0] != '0' || from[1] != 'x') {
			dst[used++] = *from++;
			continue;
		}
		size_t digits = strspn(from + 2, "0123456789abcdef");
		uint64_t value = 0;
		num_parse_hex(from + 2, digits, &value);
		from += 2 + digits;
		if (has_signed && value <= 0xffff)
			value = (uint64_t)sign_extend(value, 16);
		if (value >> 63) {
			dst[used++] = '-';
			value = 0 - value;
		}
		used += num_decimal(dst + used, value);
	}
	dst[used] = '\0';
}

/* Disassembles one instruction of exactly n bytes; NULL if the library knows none. */
static const cs_insn *
find_instruction(struct poly_disasm *disasm, const uint8_t *encoding, size_t n, uint64_t pc)
{
	cs_insn *found = disasm->instruction;
	return cs_disasm_iter(disasm->library, &encoding, &n, &pc, found) && n == 0 ? found
										    : NULL;
}

/* Writes the library's text in this project's style; false if it knows none. */
static bool
powerpc_library_text(struct poly_disasm *disasm, uint32_t opcode, uint64_t pc)
{
	uint8_t bytes[4];
	store_be32(bytes, opcode);
	const cs_insn *found = find_instruction(disasm, bytes, sizeof bytes, pc);
	if (!found)
		return false;
	char operands[TEXT_SIZE - sizeof found->mnemonic - 1];
	bool has_signed = strchr(powerpc_find(opcode)->operands, 'i') != NULL;
	copy_operands(operands, sizeof operands, found->op_str, has_signed);
	snprintf(disasm->text, TEXT_SIZE, "%s%s%s", found->mnemonic, *operands ? " " : "",
		operands);
	return true;
}

/* Writes the library's own text; false if it knows none. */
static bool
library_text(struct poly_disasm *disasm, const uint8_t *encoding, size_t n, uint64_t pc)
{
	const cs_insn *found = find_instruction(disasm, encoding, n, pc);
	if (found)
		snprintf(disasm->text, TEXT_SIZE, "%s%s%s", found->mnemonic,
			*found->op_str ? " " : "", found->op_str);
	return found != NULL;
}
#else
/* Without the library no disassembler can be opened. */
struct poly_disasm {
	char text[TEXT_SIZE];
	bool powerpc;
};

static enum poly_status
open_library(struct poly_disasm *disasm, const struct isa_mode *set, struct poly_error *error)
{
	(void)disasm, (void)set;
	return err_missing(error, "disassembly", "libcapstone-dev");
}

static void
close_library(struct poly_disasm *disasm)
{
	(void)disasm;
}

static bool
powerpc_library_text(struct poly_disasm *disasm, uint32_t opcode, uint64_t pc)
{
	(void)disasm, (void)opcode, (void)pc;
	return false;
}

static bool
library_text(struct poly_disasm *disasm, const uint8_t *encoding, size_t n, uint64_t pc)
{
	(void)disasm, (void)encoding, (void)n, (void)pc;
	return false;
}
#endif

static const struct isa_mode *
find_set(const char *name)
{
	for (size_t i = 0; i < SET_COUNT; i++) {
		if (strcmp(sets[i].name, name) == 0)
			return &sets[i];
	}
	return NULL;
}

static enum poly_status
refuse_set(const char *name, struct poly_error *error)
{
	char names[200];
	size_t used = 0;
	for (size_t i = 0; i < SET_COUNT; i++)
		used += (size_t)snprintf(
			names + used, sizeof names - used, "%s%s", i ? ", " : "", sets[i].name);
	return err_usage(
		error, "unknown instruction set '%s' (expected one of %s)", name, names);
}

const char *
isa_find(const char *name, struct poly_error *error)
{
	const struct isa_mode *set = find_set(name);
	if (!set)
		refuse_set(name, error);
	return set ? set->name : NULL;
}

enum poly_status
poly_disasm_open(const char *isa, struct poly_disasm **disasm, struct poly_error *error)
{
	*disasm = NULL;
	const struct isa_mode *set = find_set(isa);
	if (!set)
		return refuse_set(isa, error);
	struct poly_disasm *opened = mem_new(1, sizeof *opened);
	if (!opened)
		return err_memory(error);
	opened->powerpc = strcmp(isa, "powerpc") == 0;
	enum poly_status status = open_library(opened, set, error);
	if (status != POLY_OK)
		poly_disasm_close(opened);
	else
		*disasm = opened;
	return status;
}

const char *
poly_disasm_bytes(struct poly_disasm *disasm, uint64_t pc, const void *encoding, size_t size)
{
	char digits[2 * ENCODING_MAX + 1];
	size_t n = size < ENCODING_MAX ? size : ENCODING_MAX;
	if (disasm->powerpc && size == 4)
		return poly_disasm_text(disasm, pc, load_be32(encoding), 4);
	if (!disasm->powerpc && library_text(disasm, encoding, size, pc))
		return disasm->text;
	num_hex_bytes(digits, encoding, n);
	digits[2 * n] = 0;
	snprintf(disasm->text, TEXT_SIZE, ".long 0x%s", digits);
	return disasm->text;
}

const char *
poly_disasm_text(struct poly_disasm *disasm, uint64_t pc, uint64_t opcode, unsigned opcode_size)
{
	uint32_t word = (uint32_t)opcode;
	uint8_t bytes[8];
	if (!disasm->powerpc && opcode_size <= sizeof bytes) {
		for (unsigned i = opcode_size; i-- > 0; opcode >>= 8)
			bytes[i] = (uint8_t)opcode;
		return poly_disasm_bytes(disasm, pc, bytes, opcode_size);
	}
	bool is_known = opcode_size == 4 && disasm->powerpc &&
			(powerpc_text(word, pc, true, disasm->text, TEXT_SIZE) ||
				powerpc_library_text(disasm, word, pc) ||
				powerpc_text(word, pc, false, disasm->text, TEXT_SIZE));
	int digits = opcode_size < 8 ? 2 * (int)opcode_size : 16;
	if (!is_known)
		snprintf(disasm->text, TEXT_SIZE, ".long 0x%0*" PRIx64, digits, opcode);
	return disasm->text;
}

void
poly_disasm_close(struct poly_disasm *disasm)
{
	if (!disasm)
		return;
	close_library(disasm);
	mem_free(disasm);
}
