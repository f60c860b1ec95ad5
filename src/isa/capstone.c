/* SPDX-License-Identifier: MIT */
/* Instruction sets of the disassembly library. Encodings are passed to it big end first, as in
 * traces. */
#include "isa/capstone.h"

#include "base/err.h"
#include "base/mem.h"
#include "isa/set.h"

#include <stdio.h>

enum { DELAY = 4 };

/* How the library names a set. */
struct library_set {
	int arch;
	unsigned mode;
};

#ifdef POLY_WITH_CAPSTONE
#include <capstone/capstone.h>

#define MODE(arch, mode)                         \
	{                                        \
		CS_ARCH_##arch, (unsigned)(mode) \
	}
#else
#define MODE(arch, mode) \
	{                \
		0, 0     \
	}
#endif

enum {
	PPC,
	X86,
	X86_16,
	X86_64,
	ARM,
	THUMB,
	THUMB_M,
	AARCH64,
	MIPS32,
	MIPS64,
	SPARC,
	SPARC64,
	S390X,
	M68K,
};

static const struct library_set modes[] = {
	[PPC] = MODE(PPC, CS_MODE_64 | (unsigned)CS_MODE_BIG_ENDIAN),
	[X86] = MODE(X86, CS_MODE_32),
	[X86_16] = MODE(X86, CS_MODE_16),
	[X86_64] = MODE(X86, CS_MODE_64),
	[ARM] = MODE(ARM, (unsigned)CS_MODE_ARM | (unsigned)CS_MODE_BIG_ENDIAN),
	[THUMB] = MODE(ARM, (unsigned)CS_MODE_THUMB | (unsigned)CS_MODE_BIG_ENDIAN),
	[THUMB_M] = MODE(
		ARM, (unsigned)CS_MODE_THUMB | CS_MODE_MCLASS | (unsigned)CS_MODE_BIG_ENDIAN),
	[AARCH64] = MODE(ARM64, CS_MODE_BIG_ENDIAN),
	[MIPS32] = MODE(MIPS, CS_MODE_32 | (unsigned)CS_MODE_BIG_ENDIAN),
	[MIPS64] = MODE(MIPS, CS_MODE_64 | (unsigned)CS_MODE_BIG_ENDIAN),
	[SPARC] = MODE(SPARC, CS_MODE_BIG_ENDIAN),
	[SPARC64] = MODE(SPARC, (unsigned)CS_MODE_V9 | (unsigned)CS_MODE_BIG_ENDIAN),
	[S390X] = MODE(SYSZ, CS_MODE_BIG_ENDIAN),
	[M68K] = MODE(M68K, (unsigned)CS_MODE_BIG_ENDIAN | (unsigned)CS_MODE_M68K_040),
};

#ifdef POLY_WITH_CAPSTONE
struct capstone {
	csh library;
	cs_insn *instruction; /* reused for every encoding */
};

static enum poly_status
open_library(struct capstone *opened, const struct library_set *mode, struct poly_error *error)
{
	const cs_err refusal =
		cs_open((cs_arch)mode->arch, (cs_mode)mode->mode, &opened->library);
	if (refusal == CS_ERR_MEM)
		return err_memory(error);
	if (refusal != CS_ERR_OK)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"disassembly is refused by libcapstone: %s", cs_strerror(refusal));
	opened->instruction = cs_malloc(opened->library);
	return opened->instruction ? POLY_OK : err_memory(error);
}

static void
close_library(struct capstone *capstone)
{
	if (capstone->instruction)
		cs_free(capstone->instruction, 1);
	if (capstone->library)
		cs_close(&capstone->library);
}

bool
capstone_print(struct capstone *capstone, const struct isa_encoding *encoding,
	struct capstone_text *text)
{
	const uint8_t *bytes = encoding->bytes;
	size_t n = encoding->size;
	uint64_t pc = encoding->pc;
	cs_insn *found = capstone->instruction;
	if (!cs_disasm_iter(capstone->library, &bytes, &n, &pc, found) || n != 0)
		return false;
	*text = (struct capstone_text){found->mnemonic, found->op_str};
	return true;
}
#else
/* Without the library nothing can be opened. */
struct capstone {
	char unused;
};

static enum poly_status
open_library(struct capstone *opened, const struct library_set *mode, struct poly_error *error)
{
	(void)opened, (void)mode;
	return err_missing(error, "disassembly", "libcapstone-dev");
}

static void
close_library(struct capstone *capstone)
{
	(void)capstone;
}

bool
capstone_print(struct capstone *capstone, const struct isa_encoding *encoding,
	struct capstone_text *text)
{
	(void)capstone, (void)encoding, (void)text;
	return false;
}
#endif

static enum poly_status
open_mode(unsigned mode, struct capstone **capstone, struct poly_error *error)
{
	*capstone = mem_new(1, sizeof **capstone);
	if (!*capstone)
		return err_memory(error);
	const enum poly_status status = open_library(*capstone, &modes[mode], error);
	if (status != POLY_OK) {
		capstone_close(*capstone);
		*capstone = NULL;
	}
	return status;
}

enum poly_status
capstone_open_powerpc(struct capstone **capstone, struct poly_error *error)
{
	return open_mode(PPC, capstone, error);
}

void
capstone_close(struct capstone *capstone)
{
	if (!capstone)
		return;
	close_library(capstone);
	mem_free(capstone);
}

static enum poly_status
open_set(const struct isa_set *set, void **state, struct poly_error *error)
{
	struct capstone *capstone;
	const enum poly_status status = open_mode(set->variant, &capstone, error);
	*state = capstone;
	return status;
}

static void
close_set(void *state)
{
	capstone_close(state);
}

static bool
print_set(const struct isa_set *set, void *state, const struct isa_encoding *encoding,
	char *text, size_t size)
{
	struct capstone_text printed;
	(void)set;
	if (!capstone_print(state, encoding, &printed))
		return false;
	snprintf(text, size, "%s%s%s", printed.mnemonic, *printed.operands ? " " : "",
		printed.operands);
	return true;
}

#define SET(set_name, mode)                                                      \
	.name = set_name, .variant = mode, .open = open_set, .close = close_set, \
	.text = print_set

const struct isa_set *
isa_capstone_at(size_t i)
{
	static const struct isa_set sets[] = {
		{SET("x86", X86), .length_max = 15, .stack_register = 4},
		{SET("x86-16", X86_16), .length_max = 15},
		{SET("x86-64", X86_64), .length_max = 15},
		{SET("arm", ARM), .stack_register = 13},
		{SET("thumb", THUMB)},
		{SET("thumb-m", THUMB_M)},
		{SET("aarch64", AARCH64)},
		{SET("mips32", MIPS32), .delay = DELAY},
		{SET("mips32el", MIPS32), .delay = DELAY},
		{SET("mips64", MIPS64), .delay = DELAY},
		{SET("mips64el", MIPS64), .delay = DELAY},
		{SET("sparc", SPARC), .delay = DELAY, .slack = DELAY},
		{SET("sparc64", SPARC64), .delay = DELAY, .slack = DELAY},
		{SET("s390x", S390X), .length_max = 6},
		{SET("m68k", M68K), .length_max = 22},
	};
	return i < sizeof sets / sizeof *sets ? &sets[i] : NULL;
}
