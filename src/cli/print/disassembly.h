/* SPDX-License-Identifier: MIT */
/* Disassembly of instructions without text in the trace, cached per static instruction. */
#ifndef CLI_DISASSEMBLY_H
#define CLI_DISASSEMBLY_H

#include "polytrace/polytrace.h"

/* Maximum bytes of a remark. */
#define DISASSEMBLY_REMARK 100

struct disassembly;

/*
 * Prepares for the instruction set of a trace. NULL: nothing to disassemble, or no library for
 * the instruction set, which is reported with the input's name.
 */
struct disassembly *disassembly_new(const struct poly_trace_info *info, const char *name);

/* Returns the text of a row's instruction, valid until the next call; NULL: no instruction. */
const char *disassembly_text(
	struct disassembly *disassembly, const struct poly_batch *batch, size_t row);

/*
 * Writes the remark on a row of a PowerPC trace (the stream of a dst, instructions that the
 * tracer inserted, escapes without a value), at most DISASSEMBLY_REMARK bytes; returns its
 * length.
 */
size_t disassembly_remark(const struct disassembly *disassembly, const struct poly_batch *batch,
	size_t row, char *text);

/* Frees the cache. Accepts NULL. */
void disassembly_free(struct disassembly *disassembly);

#endif
