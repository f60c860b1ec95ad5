/* SPDX-License-Identifier: MIT */
/* Disassembly of single instructions. One thread at a time per handle. */
#ifndef POLYTRACE_DISASM_H
#define POLYTRACE_DISASM_H

#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_disasm;

/*
 * Opens a disassembler for an instruction set: "powerpc" (32-bit and 64-bit forms with
 * AltiVec). On POLY_OK *disasm belongs to the caller, who closes it; on failure it is NULL.
 * POLY_ERR_USAGE: no such instruction set. POLY_ERR_UNSUPPORTED: this build has no disassembly
 * library. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_disasm_open(
	const char *isa, struct poly_disasm **disasm, struct poly_error *error);

/*
 * The text of the instruction at pc (in bytes) with an encoding of opcode_size bytes (opcode,
 * big end first): "lwz r3, 8(r1)". Numbers are decimal, branch targets absolute in hexadecimal,
 * modulo 2^32 where pc is below that. An encoding without meaning gives ".long 0x...". Never
 * NULL; valid until the next call with the same handle, or its closing.
 */
POLY_API const char *poly_disasm_text(
	struct poly_disasm *disasm, uint64_t pc, uint64_t opcode, unsigned opcode_size);

/* Frees a disassembler. Accepts NULL. */
POLY_API void poly_disasm_close(struct poly_disasm *disasm);

#ifdef __cplusplus
}
#endif

#endif
