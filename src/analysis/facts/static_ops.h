/* SPDX-License-Identifier: MIT */
/*
 * Static operations and sites. Instructions with the same encoding (or, without encodings, the
 * same names, registers and use of condition codes) are one operation, whose properties are
 * derived once. A site is a static instruction: an operation at an address.
 *
 * spec: Apple amber traces: TT6, TT6E, FULL, 6.2 (units of PowerPC); The Penn CIS 501
 * instruction trace format, 2.3 and 7.1.1 (micro-operations). Encodings are described by their
 * instruction set (isa/isa.h); without one, the text of the disassembly decides.
 */
#ifndef ANALYSIS_STATIC_OPS_H
#define ANALYSIS_STATIC_OPS_H

#include "polytrace/trace.h"

#include "analysis/facts/pair_index.h"
#include "analysis/facts/row_isa.h"
#include "base/intern.h"

struct analysis_numbers;
struct archive;

/* No operation, no site. */
#define OP_NONE UINT32_MAX

/* The site of an access or register row before the first instruction of its context in a run:
 * that of an instruction of the rows before, if the run is merged into theirs. */
#define SITE_OPEN (UINT32_MAX - 1)

/* Maximum numbers of operations and sites; rows of further ones have OP_NONE. */
#define STATIC_OPS_MAX ((uint32_t)1 << 20)
#define STATIC_SITES_MAX ((uint32_t)1 << 22)

/* Class of the functional unit. */
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
	OP_ATOMIC,
	OP_CLASS_COUNT
};

/* Bytes of a delay slot. */
#define OP_DELAY_SLOT 4

/* The register number of a micro-operation's condition codes (The Penn CIS 501 instruction
 * trace format, 2.3). */
#define OP_FLAGS_REGISTER 49

struct static_op {
	const char *mnemonic; /* of the instruction or macro-operation; NULL: not known */
	const char *micro_op; /* NULL: not a micro-operation */
	uint8_t class;	      /* enum op_class */
	uint8_t flow;	      /* bits of enum isa_flow */
	uint8_t size;	      /* of the encoding in bytes; 0: not known */
	bool has_registers;   /* reads and writes are known */
	bool has_reach;	      /* a direct branch, with a relative target */
	int64_t reach;	      /* bytes from its address to its target */
	struct isa_registers reads, writes; /* numbered by the instruction set or the trace */
};

struct static_site {
	uint64_t pc;
	uint32_t op;  /* OP_NONE: not known */
	uint8_t size; /* of the encoding in bytes; 0: not known */
};

/* Maximum number of contexts; further ones count as the last. */
#define STATIC_OPS_CONTEXTS 1024

/* Entries of the cache of recently found operations. */
#define STATIC_OPS_CACHE 4096

/* Key of a row's operation from its columns, with the trace's numbers of names. */
struct static_op_key {
	uint64_t a, b;
};

/* A key of the trace, and its operation. */
struct static_op_cached {
	struct static_op_key key;
	uint32_t op; /* OP_NONE: empty */
};

/* The same for PowerPC, with the opcode as key: half the memory, and the most frequent case. */
struct static_op_coded {
	uint32_t opcode, op;
};

struct static_ops {
	struct static_op *list; /* by number */
	uint32_t count, capacity;
	struct static_site *sites; /* by number */
	uint32_t site_count, site_capacity;
	struct intern names;	      /* mnemonics of all traces */
	struct pair_index key_index;  /* of operations, by number; with indices of names */
	struct pair_index site_index; /* of sites, by number: pc and opcode */
	/* Of the current trace: */
	struct row_isa isa;
	bool is_powerpc;
	bool is_coded; /* PowerPC with opcodes, which identify operations */
	/* Control flow by number of the record, of records that are named after branches. */
	uint8_t record_flow[UINT8_MAX + 1];
	uint32_t *trace_sites; /* number of each site of the trace, plus 1; 0: not seen */
	uint32_t trace_site_capacity;
	/* Site of the last instruction of a context, plus 1; 0: none, SITE_OPEN plus 1: before
	 * the first one. */
	uint32_t last[STATIC_OPS_CONTEXTS];
	bool is_begun;	    /* a trace was begun */
	bool has_forgotten; /* the last instructions were forgotten since */
	struct static_op_cached cache[STATIC_OPS_CACHE];
	struct static_op_coded coded[STATIC_OPS_CACHE];
	struct pair_index trace_keys; /* keys in the trace */
	uint32_t *trace_ops;	      /* operation of each of these keys */
	uint32_t trace_op_capacity;
	uint32_t spare[POLY_BATCH_ROWS]; /* operations, if only sites are requested */
};

/* Output arrays for the rows of a batch, and the contexts of these rows. */
struct static_ops_rows {
	uint32_t *op;	/* NULL: not requested */
	uint32_t *site; /* NULL: not requested */
	const uint16_t
		*context; /* below STATIC_OPS_CONTEXTS; NULL: all rows have sole_context */
	uint16_t sole_context;
};

/*
 * Begins a trace, whose names and sites have their own numbers. Forgets the last instruction of
 * each context, which is not known yet in the first trace.
 */
void static_ops_begin_trace(struct static_ops *ops, const struct poly_trace_info *info);

/* Returns the columns of a trace to read for the requested shares. */
poly_columns static_ops_columns(const struct poly_trace_info *info, unsigned shares);

/*
 * Numbers the operation and the site of each row of a batch. An instruction has an operation,
 * possibly without known properties, unless there are STATIC_OPS_MAX; and a site if it has a
 * pc. An access or register row has the site of its context's last instruction, or SITE_OPEN;
 * but not a weighted row, nor the rows after one until the next instruction of their context.
 * False: out of memory.
 */
bool static_ops_number_rows(struct static_ops *ops, const struct poly_batch *batch,
	const struct static_ops_rows *rows);

/*
 * Adds the operations and sites of another dictionary. op (from->count elements) and site
 * (from->site_count) get their numbers in into, OP_NONE beyond the maximum. False: out of
 * memory.
 */
bool static_ops_merge(
	struct static_ops *into, const struct static_ops *from, uint32_t *op, uint32_t *site);

/* Merges the last instructions of contexts, after static_ops_merge and contexts_merge. */
void static_ops_merge_last(struct static_ops *into, const struct static_ops *from,
	const struct analysis_numbers *numbers);

/* Saves or loads the operations, sites and last instructions of contexts; loading sets their
 * numbers, which states may refer to. After contexts_transfer. */
void static_ops_transfer(struct static_ops *ops, struct archive *archive);

/* Returns an operation; for OP_NONE one without known properties. */
const struct static_op *static_op_at(const struct static_ops *ops, uint32_t op);

/* Returns the instruction set that describes the encoding of an operation, static; NULL: none
 * does, or the operation has no encoding. */
const char *static_op_set(const struct static_ops *ops, uint32_t op);

/* The name of a class in lower case, static. */
const char *op_class_name(enum op_class cls);

/* Frees the memory. */
void static_ops_fini(struct static_ops *ops);

#endif
