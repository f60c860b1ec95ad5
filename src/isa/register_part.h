/* SPDX-License-Identifier: MIT */
/* Registers that are a part of another one: cr3 of cr, w5 of x5, ah of rax. Pure functions. */
#ifndef ISA_REGISTER_PART_H
#define ISA_REGISTER_PART_H

#include <stdbool.h>
#include <stdint.h>

/* Bits shift to shift + bits - 1 of the whole register; a whole one has 64. */
struct register_part {
	uint8_t shift, bits;
	bool clears; /* a write clears the bits above it */
};

/* Returns the part that a name of an instruction set is, in any case; isa NULL: a whole one. */
struct register_part register_part_of(const char *isa, const char *name);

/*
 * Converts the value of one part, just written, to that of another one of the same register;
 * false: it does not determine it. What clears the bits above: Arm architecture, B1.2.1; Intel SDM
 * volume 1, 3.4.1.1.
 */
bool register_part_get(
	const struct register_part *written, const struct register_part *wanted, uint64_t *value);

#endif
