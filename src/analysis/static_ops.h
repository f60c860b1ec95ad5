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
#ifndef ANALYSIS_STATIC_OPS_H
#define ANALYSIS_STATIC_OPS_H

#include "polytrace/trace.h"

#include "analysis/pair_index.h"
#include "base/intern.h"

/* No operation, no site. */
#define OP_NONE UINT32_MAX

/* Most operations and sites that are told apart; rows of further ones have OP_NONE. */
#define STATIC_OPS_MAX ((uint32_t)1 << 20)
#define STATIC_SITES_MAX ((uint32_t)1 << 22)

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
	OP_DELAYED = 32, /* the instruction behind it is executed first */
	OP_ANNULS = 64,	 /* but not where it falls through: then it goes on behind that */
};

/* Bytes of the instruction behind one that is delayed. */
#define OP_DELAY_SLOT 4

/* A set of registers, by the numbers of the instruction set (powerpc.h, or the trace's). */
struct static_op_registers {
	uint64_t bits[2];
};

/* The condition codes of a micro-operation, as a register (reference cis501 2.3). */
#define OP_FLAGS_REGISTER 49

struct static_op {
	const char *mnemonic; /* of the instruction or macro-operation; NULL: not known */
	const char *micro_op; /* NULL: it is none */
	uint8_t class;	      /* enum op_class */
	uint8_t flow;	      /* bits of enum op_flow */
	uint8_t size;	      /* of the encoding in bytes; 0: not known */
	bool has_registers;   /* reads and writes are known */
	bool has_reach;	      /* a branch whose encoding says where it goes from its address: */
	int64_t reach;	      /* so many bytes on */
	struct static_op_registers reads, writes;
};

struct static_site {
	uint64_t pc;
	uint32_t op;  /* OP_NONE: not known */
	uint8_t size; /* of the encoding in bytes; 0: not known */
};

/* Most contexts whose last instruction is remembered; further ones count as the last. */
#define STATIC_OPS_CONTEXTS 1024

/* Operations of the trace that are found without hashing twice. */
#define STATIC_OPS_CACHE 4096

/* What the columns of a row say of its operation, with the numbers of the trace's names. */
struct static_op_key {
	uint64_t a, b;
};

/* A key of the trace, and its operation. */
struct static_op_cached {
	struct static_op_key key;
	uint32_t op; /* OP_NONE: nothing is held */
};

/* The same of PowerPC, where the opcode is the key: half the memory, and most traces. */
struct op_coded {
	uint32_t opcode, op;
};

struct static_ops {
	struct static_op *list; /* by number */
	uint32_t count, capacity;
	struct static_site *sites; /* by number */
	uint32_t site_count, site_capacity;
	struct intern names;	     /* mnemonics of all traces */
	struct pair_index key_index; /* of operations, by number; with numbers of names above */
	struct pair_index site_index; /* of sites, by number: pc and opcode */
	/* Of the trace that began last: */
	bool is_powerpc;
	bool is_coded;	       /* and it has opcodes, which operations are found by */
	uint32_t *trace_sites; /* number of a site of the trace, plus 1; 0: not seen yet */
	uint32_t trace_site_capacity;
	uint32_t last[STATIC_OPS_CONTEXTS]; /* site of the last instruction of a context, plus 1
					     */
	struct static_op_cached cache[STATIC_OPS_CACHE];
	struct op_coded coded[STATIC_OPS_CACHE];
	struct pair_index trace_keys; /* keys of the trace */
	uint32_t *trace_ops;	      /* operations by their number */
	uint32_t trace_op_capacity;
	uint32_t spare[POLY_BATCH_ROWS]; /* operations that only sites are found by */
};

/* Where the operations and sites of a batch's rows go, and whose rows they are. */
struct static_ops_rows {
	uint32_t *op;		 /* NULL: not asked for */
	uint32_t *site;		 /* NULL: not asked for */
	const uint16_t *context; /* below STATIC_OPS_CONTEXTS; NULL: of sole_context */
	uint16_t sole_context;
};

/*
 * A trace begins: numbers of its names and sites mean other things than those of the last one,
 * and nothing is known of what stands before its first row.
 */
void static_ops_begin_trace(struct static_ops *ops, const struct poly_trace_info *info);

/* The columns of a trace that are looked at for SHARES_OPS and SHARES_SITES, as they are asked.
 */
poly_columns static_ops_columns(const struct poly_trace_info *info, unsigned shares);

/*
 * Finds the operation and the site of each row of a batch. An instruction has an operation,
 * though nothing may be known of it, unless there are STATIC_OPS_MAX; it has a site where it
 * has a pc. An access or a register has that of its context's last instruction, where each
 * record is a row: of those that were counted (weight) none has, nor have those of a later
 * batch that stand before the next instruction of their context. False: memory could not be
 * had.
 */
bool static_ops_number_rows(struct static_ops *ops, const struct poly_batch *batch,
	const struct static_ops_rows *rows);

/*
 * Adds operations and sites of another dictionary; op (from->count elements) and site
 * (from->site_count) get the numbers that they have in into, OP_NONE beyond the most. False:
 * memory could not be had.
 */
bool static_ops_merge(
	struct static_ops *into, const struct static_ops *from, uint32_t *op, uint32_t *site);

/* The facts of an operation; for OP_NONE those of one of which nothing is known. */
const struct static_op *static_op_at(const struct static_ops *ops, uint32_t op);

/* Whether an operation is known by the PowerPC table. */
bool static_ops_is_powerpc(const struct static_ops *ops, uint32_t op);

/* The class of a unit of PowerPC (enum powerpc_unit). */
enum op_class static_op_powerpc_class(unsigned unit);

/* The name of a class in lower case, static. */
const char *op_class_name(enum op_class cls);

/* Gives the memory back. */
void static_ops_fini(struct static_ops *ops);

#endif
