/* SPDX-License-Identifier: MIT */
/*
 * The disassembler as a program, for the comparison with objdump: reads pc and opcode in
 * hexadecimal, one pair a line; writes the table's mnemonic, the disassembler's text and the
 * table's own text.
 */
#include "isa/powerpc.h"
#include "polytrace/disasm.h"

#include <inttypes.h>
#include <stdio.h>

int
main(void)
{
	struct poly_disasm *disasm;
	struct poly_error error;
	if (poly_disasm_open("powerpc", &disasm, &error) != POLY_OK) {
		fprintf(stderr, "%s\n", error.message);
		return 77;
	}
	uint32_t pc, opcode;
	while (scanf("%" SCNx32 " %" SCNx32, &pc, &opcode) == 2) {
		const char *mnemonic = powerpc_find(opcode)->mnemonic;
		char own[256] = "";
		powerpc_text(opcode, pc, false, own, sizeof own);
		printf("%s\t%s\t%s\n", mnemonic ? mnemonic : "",
			poly_disasm_text(disasm, pc, opcode, 4), own);
	}
	poly_disasm_close(disasm);
	return 0;
}
