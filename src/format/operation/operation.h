/* SPDX-License-Identifier: MIT */
/*
 * What the instructions of rows do, for writers: by their encodings if the instruction set is
 * known, else by columns and by records that are named after branches. Shared by formats.
 */
#ifndef FORMAT_OPERATION_OPERATION_H
#define FORMAT_OPERATION_OPERATION_H

#include "polytrace/trace.h"

#include "isa/isa.h"

/* The columns that it is derived from. */
#define OPERATION_COLUMNS                                                              \
	kind, record, pc, branch, opcode, opcode_size, payload, fallthrough, mnemonic, \
		uop_name, uop_index, instruction_set, src1, src2, dest, flags, synthetic

struct operation {
	bool is_known;	     /* the registers are */
	uint8_t flow;	     /* bits of enum isa_flow */
	uint8_t target_kind; /* enum isa_target */
	int64_t target;
	struct isa_registers reads, writes;
};

struct operation_cached;

/* The state of a writer; all 0: closed. */
struct operations {
	struct isa_decoder *decoder, *thumb; /* NULL: no such set */
	struct operation_cached *cache;	     /* NULL: no decoder */
	unsigned flags;			     /* number of the flags; ISA_NO_REGISTER: none */
};

/* Returns the instruction set by which a trace's encodings are described; NULL: none. */
const char *operations_isa(const struct poly_trace_info *source);

/* Returns the number of the first of these registers, a list that ends with NULL, that a set
 * has; ISA_NO_REGISTER: it has none, or isa is NULL. */
unsigned operation_register(const char *isa, const char *const *names);

/* Opens the decoders of a trace. POLY_ERR_MEMORY. */
enum poly_status operations_open(struct operations *operations,
	const struct poly_trace_info *source, struct poly_error *error);

/* Frees the decoders. */
void operations_close(struct operations *operations);

/*
 * Adds what a row states of its instruction to *operation, which is 0 for the first row of an
 * instruction: the rows of later micro-operations add their registers.
 */
void operation_add(struct operations *operations, const struct poly_batch *batch, size_t row,
	struct operation *operation);

/* Returns whether the address after the instruction of a row is known; then sets *end. */
bool operation_end(const struct operations *operations, const struct poly_batch *batch,
	size_t row, uint64_t *end);

#endif
