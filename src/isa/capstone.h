/* SPDX-License-Identifier: MIT */
/* The disassembly library, for the sets that have a table of their own. One thread at a time
 * per handle. */
#ifndef ISA_CAPSTONE_H
#define ISA_CAPSTONE_H

#include "isa/isa.h"

struct capstone;

/* The text of an instruction, valid until the next call with the handle. */
struct capstone_text {
	const char *mnemonic, *operands;
};

/* Opens the library for PowerPC. On POLY_OK *capstone belongs to the caller, who closes it.
 * POLY_ERR_UNSUPPORTED: this build lacks the library. POLY_ERR_MEMORY. */
enum poly_status capstone_open_powerpc(struct capstone **capstone, struct poly_error *error);

/* Prints the instruction of exactly these bytes; false: the library knows none. */
bool capstone_print(struct capstone *capstone, const struct isa_encoding *encoding,
	struct capstone_text *text);

/* Frees a handle. Accepts NULL. */
void capstone_close(struct capstone *capstone);

#endif
