/* SPDX-License-Identifier: MIT */
/* Disassembly by the instruction sets; what they do not know is printed as data. */
#include "polytrace/disasm.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "isa/isa.h"

#include <inttypes.h>
#include <stdio.h>

enum { DATA_MAX = 32 };

struct poly_disasm {
	struct isa_decoder *decoder;
	char data[sizeof ".long 0x" + 2 * DATA_MAX];
};

enum poly_status
poly_disasm_open(const char *isa, struct poly_disasm **disasm, struct poly_error *error)
{
	struct poly_disasm *opened = mem_new(1, sizeof *opened);
	*disasm = NULL;
	if (!opened)
		return err_memory(error);
	const enum poly_status status = isa_open(isa, &opened->decoder, error);
	if (status != POLY_OK)
		poly_disasm_close(opened);
	else
		*disasm = opened;
	return status;
}

const char *
poly_disasm_bytes(struct poly_disasm *disasm, uint64_t pc, const void *encoding, size_t size)
{
	const char *text = isa_text(disasm->decoder,
		&(struct isa_encoding){.bytes = encoding, .size = size, .pc = pc});
	if (text)
		return text;
	const size_t n = size < DATA_MAX ? size : DATA_MAX;
	const int used = snprintf(disasm->data, sizeof disasm->data, ".long 0x");
	num_hex_bytes(disasm->data + used, encoding, n);
	disasm->data[(size_t)used + 2 * n] = 0;
	return disasm->data;
}

const char *
poly_disasm_text(struct poly_disasm *disasm, uint64_t pc, uint64_t opcode, unsigned opcode_size)
{
	uint8_t bytes[8];
	const unsigned n = opcode_size < sizeof bytes ? opcode_size : (unsigned)sizeof bytes;
	for (unsigned i = n; i-- > 0; opcode >>= 8)
		bytes[i] = (uint8_t)opcode;
	return poly_disasm_bytes(disasm, pc, bytes, n);
}

void
poly_disasm_close(struct poly_disasm *disasm)
{
	if (!disasm)
		return;
	isa_close(disasm->decoder);
	mem_free(disasm);
}
