/* SPDX-License-Identifier: MIT */
/* Text of instructions that a trace does not hold itself, kept for every static instruction. */
#ifndef CLI_DISASSEMBLY_H
#define CLI_DISASSEMBLY_H

#include "polytrace/polytrace.h"

/* Most bytes of a remark. */
#define DISASSEMBLY_REMARK 100

struct disassembly;

/*
 * For the instruction set of a trace; NULL where there is nothing to disassemble, or no library
 * for it (which is told, with the input's name).
 */
struct disassembly *disassembly_new(const struct poly_trace_info *info, const char *name);

/* The instruction of a row, until the next call; NULL where the row has none. */
const char *disassembly_text(
	struct disassembly *disassembly, const struct poly_batch *batch, size_t row);

/*
 * Writes what is to be remarked on a row of a PowerPC trace (the stream of a dst, instructions
 * that the tracer put there, escapes without a value), at most DISASSEMBLY_REMARK bytes;
 * returns the length.
 */
size_t disassembly_remark(const struct disassembly *disassembly, const struct poly_batch *batch,
	size_t row, char *text);

/* Frees it. Accepts NULL. */
void disassembly_free(struct disassembly *disassembly);

#endif
