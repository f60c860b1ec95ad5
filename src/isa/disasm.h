/* SPDX-License-Identifier: MIT */
/* Instruction sets by name. */
#ifndef ISA_DISASM_H
#define ISA_DISASM_H

#include "polytrace/disasm.h"

/* The name of an instruction set, static; NULL, and an error that lists them, for any other. */
const char *isa_find(const char *name, struct poly_error *error);

#endif
