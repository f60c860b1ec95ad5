/* SPDX-License-Identifier: MIT */
/* Disassembly of single instructions. One thread at a time per handle. */
#ifndef POLYTRACE_DISASM_H
#define POLYTRACE_DISASM_H

#include <stddef.h>
#include <stdint.h>

#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_disasm;

/* Returns the name of the i-th instruction set from 0; NULL after the last one. */
POLY_API const char *poly_isa_at(size_t i);

/*
 * Opens a disassembler for an instruction set of poly_isa_at: "powerpc" (32-bit and 64-bit
 * forms with AltiVec), "arm", "riscv64", "x86-64". On POLY_OK *disasm belongs to the caller,
 * who closes it; on failure it is NULL. POLY_ERR_USAGE: no such instruction set; the message
 * lists them. POLY_ERR_UNSUPPORTED: this build has no disassembly library. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_disasm_open(
	const char *isa, struct poly_disasm **disasm, struct poly_error *error);

/*
 * Returns the text of the instruction at pc (a byte address) with an encoding of opcode_size
 * bytes (1 to 8; opcode, big end first, as assemblers list it whatever the byte order of
 * memory): "lwz r3, 8(r1)". For PowerPC numbers are decimal, and branch targets absolute in
 * hexadecimal, modulo 2^32 where pc is below that. An invalid encoding yields ".long 0x...".
 * Never NULL; valid until the next call with the same handle, or its closing.
 */
POLY_API const char *poly_disasm_text(
	struct poly_disasm *disasm, uint64_t pc, uint64_t opcode, unsigned opcode_size);

/*
 * As poly_disasm_text, for an encoding of size bytes (1 or more), big end first; for x86, whose
 * instructions have up to 15 bytes, that is their order in memory.
 */
POLY_API const char *poly_disasm_bytes(
	struct poly_disasm *disasm, uint64_t pc, const void *encoding, size_t size);

/* Frees a disassembler. Accepts NULL. */
POLY_API void poly_disasm_close(struct poly_disasm *disasm);

#ifdef __cplusplus
}
#endif

#endif
