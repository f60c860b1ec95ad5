/* SPDX-License-Identifier: MIT */
/*
 * The link register and the stack pointer of an execution context, as far as a trace records
 * them: by its records of register writes, or by the register states of FULL records.
 */
#ifndef ANALYSIS_CALLS_LINK_H
#define ANALYSIS_CALLS_LINK_H

#include "polytrace/trace.h"

#include "isa/powerpc_state.h"

/* Registers of a context. */
struct calls_link {
	bool has_value, has_stack;
	uint64_t value;	  /* of the link register: a return address */
	uint64_t stack;	  /* of the stack pointer */
	uint64_t written; /* number of the instruction that wrote the link register */
};

/* Entries of the cache of names of registers. */
#define CALLS_LINK_NAMES 256

/* How a trace records the two registers. */
struct calls_link_source {
	const char *isa;    /* static; NULL: not known */
	bool has_registers; /* by records of register writes */
	bool has_states;    /* by FULL records */
	uint64_t mask;	    /* bits of the link register that are of the address */
	struct powerpc_dialect dialect;
	struct {
		uint32_t name; /* plus 1; 0: unused */
		uint8_t role;
	} names[CALLS_LINK_NAMES];
};

/* Begins a trace. */
void calls_link_begin(struct calls_link_source *source, const struct poly_trace_info *info);

/* Returns the columns that the source requires. */
poly_columns calls_link_columns(const struct calls_link_source *source);

/* Applies the record of a register write that belongs to an instruction of this number. */
void calls_link_write(struct calls_link_source *source, struct calls_link *link,
	const struct poly_batch *batch, size_t row, uint64_t instruction);

/* Applies the register state of a FULL record; no effect on any other. */
void calls_link_state(struct calls_link_source *source, struct calls_link *link,
	const struct poly_batch *batch, size_t row);

#endif
