/* SPDX-License-Identifier: MIT */
/*
 * Disassembly by Capstone, whose text of PowerPC is put right here: decimal numbers with their
 * sign, and the table's own text where Capstone 4 knows an instruction wrongly or not at all.
 */
#include "polytrace/disasm.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "isa/powerpc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 256 };

#ifdef POLY_WITH_CAPSTONE
#include <capstone/capstone.h>

struct poly_disasm {
	char text[TEXT_SIZE];
	csh library;
	cs_insn *instruction; /* reused for every text */
};

static enum poly_status
open_library(struct poly_disasm *disasm, struct poly_error *error)
{
	cs_mode mode = (cs_mode)((unsigned)CS_MODE_64 | (unsigned)CS_MODE_BIG_ENDIAN);
	cs_err refusal = cs_open(CS_ARCH_PPC, mode, &disasm->library);
	if (refusal == CS_ERR_MEM)
		return err_memory(error);
	if (refusal != CS_ERR_OK)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"disassembly of 'powerpc' is refused by libcapstone: %s",
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
copy_operands(char *to, size_t size, const char *from, bool has_signed)
{
	size_t used = 0;
	while (*from && used + 24 < size) {
		if (from[0] != '0' || from[1] != 'x') {
			to[used++] = *from++;
			continue;
		}
		size_t digits = strspn(from + 2, "0123456789abcdef");
		uint64_t value = 0;
		num_parse_hex(from + 2, digits, &value);
		from += 2 + digits;
		if (has_signed && value <= 0xffff)
			value = (uint64_t)sign_extend(value, 16);
		if (value >> 63) {
			to[used++] = '-';
			value = 0 - value;
		}
		used += num_decimal(to + used, value);
	}
	to[used] = '\0';
}

/* Writes the library's text in this project's style; false where it knows none. */
static bool
library_text(struct poly_disasm *disasm, uint32_t opcode, uint64_t pc)
{
	uint8_t bytes[4];
	store_be32(bytes, opcode);
	const uint8_t *code = bytes;
	size_t left = sizeof bytes;
	cs_insn *found = disasm->instruction;
	if (!cs_disasm_iter(disasm->library, &code, &left, &pc, found))
		return false;
	char operands[TEXT_SIZE - sizeof found->mnemonic - 1];
	bool has_signed = strchr(powerpc_find(opcode)->operands, 'i') != NULL;
	copy_operands(operands, sizeof operands, found->op_str, has_signed);
	snprintf(disasm->text, TEXT_SIZE, "%s%s%s", found->mnemonic, *operands ? " " : "",
		operands);
	return true;
}
#else
/* Without the library none is ever opened. */
struct poly_disasm {
	char text[TEXT_SIZE];
};

static enum poly_status
open_library(struct poly_disasm *disasm, struct poly_error *error)
{
	(void)disasm;
	return err_missing(error, "disassembly", "libcapstone-dev");
}

static void
close_library(struct poly_disasm *disasm)
{
	(void)disasm;
}

static bool
library_text(struct poly_disasm *disasm, uint32_t opcode, uint64_t pc)
{
	(void)disasm, (void)opcode, (void)pc;
	return false;
}
#endif

enum poly_status
poly_disasm_open(const char *isa, struct poly_disasm **disasm, struct poly_error *error)
{
	*disasm = NULL;
	if (strcmp(isa, "powerpc") != 0)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"instruction set '%s' cannot be disassembled, expected 'powerpc'", isa);
	struct poly_disasm *opened = mem_new(1, sizeof *opened);
	if (!opened)
		return err_memory(error);
	enum poly_status status = open_library(opened, error);
	if (status != POLY_OK)
		poly_disasm_close(opened);
	else
		*disasm = opened;
	return status;
}

const char *
poly_disasm_text(struct poly_disasm *disasm, uint64_t pc, uint64_t opcode, unsigned opcode_size)
{
	uint32_t word = (uint32_t)opcode;
	bool is_known = opcode_size == 4 &&
			(powerpc_text(word, pc, true, disasm->text, TEXT_SIZE) ||
				library_text(disasm, word, pc) ||
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
