/* SPDX-License-Identifier: MIT */
/*
 * Operations: what instructions are, whatever their address. Two instructions with the same
 * encoding (or, where a trace has none, the same names, registers and use of condition codes)
 * are one operation, whose facts are worked out once; and sites: static instructions, of which
 * each has an operation.
 *
 * spec: reference amber 6.2 (units of PowerPC), cis501 2.3 and 7.1.1 (micro-operations);
 * of other instruction sets by the text of the disassembly.
 */
#ifndef ANALYSIS_OPS_H
#define ANALYSIS_OPS_H

#include "polytrace/trace.h"

#include "base/intern.h"
#include "base/map.h"

/* No operation, no site. */
#define OP_NONE UINT32_MAX

/* Most operations and sites that are told apart; rows of further ones have OP_NONE. */
#define OPS_MOST ((uint32_t)1 << 20)
#define SITES_MOST ((uint32_t)1 << 22)

/* What executes it. */
enum op_class {
	OP_UNKNOWN,
	OP_INTEGER,
	OP_FLOAT,
	OP_VECTOR,
	OP_LOAD,
	OP_STORE,
	OP_BRANCH,
	OP_CACHE, /* cache operations and prefetches */
	OP_SYSTEM,
	OP_CLASS_COUNT
};

/* How it goes on elsewhere; bits. 0: it does not. */
enum op_flow {
	OP_JUMPS = 1,	    /* it is a branch */
	OP_CONDITIONAL = 2, /* it may fall through */
	OP_INDIRECT = 4,    /* its target is not in its encoding */
	OP_CALLS = 8,
	OP_RETURNS = 16,
};

/* A set of registers, by the numbers of the instruction set (powerpc.h, or the trace's). */
struct op_registers {
	uint64_t bits[2];
};

/* The condition codes of a micro-operation, as a register (reference cis501 2.3). */
#define OP_FLAGS_REGISTER 49

struct op {
	const char *mnemonic; /* of the instruction or macro-operation; NULL: not known */
	const char *micro_op; /* NULL: it is none */
	uint8_t class;	      /* enum op_class */
	uint8_t flow;	      /* bits of enum op_flow */
	uint8_t size;	      /* of the encoding in bytes; 0: not known */
	bool has_registers;   /* reads and writes are known */
	struct op_registers reads, writes;
};

struct op_site {
	uint64_t pc;
	uint32_t op;  /* OP_NONE: not known */
	uint8_t size; /* of the encoding in bytes; 0: not known */
};

struct ops {
	struct op *list; /* by number */
	uint32_t count, capacity;
	struct op_site *sites; /* by number */
	uint32_t site_count, site_capacity;
	struct intern names; /* mnemonics of all traces */
	uint64_t unnumbered; /* rows of operations or sites beyond the most */
	struct map found;    /* operations by key */
};

/*
 * A trace begins: numbers of its names and sites mean other things than those of the last one.
 * Its names must stay until the next one begins.
 */
void ops_begin(struct ops *ops, const struct poly_trace_info *info);

/* The columns of a trace that are looked at for SHARES_OPS and SHARES_SITES, as they are asked.
 */
poly_columns ops_columns(const struct poly_trace_info *info, unsigned shares);

/*
 * Finds the operation and the site of each row of a batch; an array that is NULL is not filled.
 * False: memory could not be had.
 */
bool ops_fill(struct ops *ops, const struct poly_batch *batch, uint32_t *op, uint32_t *site);

/* Gives the memory back. */
void ops_fini(struct ops *ops);

#endif
