/* SPDX-License-Identifier: MIT */
/*
 * Who wrote that: the last record before another one that wrote a register or an address, and
 * the next one behind it that reads it.
 *
 * Registers are written by the records of registers of a trace or, where its instructions are
 * PowerPC, by the instructions, which also read them. Addresses are accessed by whatever record
 * has an access, an address and a size (1 byte, where that is not known).
 */
#ifndef POLYTRACE_DEFUSE_H
#define POLYTRACE_DEFUSE_H

#include "polytrace/report.h"
#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_defuse;

/* What is asked. Initialise with POLY_DEFUSE_OPTIONS_INIT. */
struct poly_defuse_options {
	size_t size;	  /* of this struct in bytes; set by the macro, and not 0 */
	const char *reg;  /* name of a register, capitals or not; NULL: the address counts */
	uint64_t address; /* in bytes */
	/* The first reader behind record is asked for; else the last writer before it. */
	bool is_reader;
	uint64_t record; /* number of a record, from 1 */
};

/* Initial values: the last writer of address 0 in the whole trace. */
#define POLY_DEFUSE_OPTIONS_INIT                                               \
	{                                                                      \
		sizeof(struct poly_defuse_options), NULL, 0, false, UINT64_MAX \
	}

/* Columns that are looked at: ask a reader for these. */
POLY_API poly_columns poly_defuse_columns(void);

/*
 * A new question to a trace; info must stay until it is freed. On POLY_OK *who belongs to the
 * caller. POLY_ERR_USAGE: options of size 0; the trace does not tell that: it has no accesses,
 * or neither records of registers nor PowerPC instructions, or no such register is known.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_defuse_new(const struct poly_defuse_options *options,
	const struct poly_trace_info *info, struct poly_defuse **who, struct poly_error *error);

/*
 * Looks at the rows of a batch. False: the answer is known, or memory could not be had: no more
 * need be shown.
 */
POLY_API bool poly_defuse_update(struct poly_defuse *who, const struct poly_batch *batch);

/* True where memory could not be had: there is no answer. */
POLY_API bool poly_defuse_failed(const struct poly_defuse *who);

/* True where there is one that did it. */
POLY_API bool poly_defuse_found(const struct poly_defuse *who);

/*
 * Writes a section "answer" into the open section of a report, empty where nobody did it:
 * record, time, context, reg, access, address, size and value as far as the record has them;
 * instruction (record of the last instruction of that context up to it), pc, opcode and text of
 * that.
 */
POLY_API void poly_defuse_report(const struct poly_defuse *who, struct poly_report *report);

/* Frees a question. Accepts NULL. */
POLY_API void poly_defuse_free(struct poly_defuse *who);

#ifdef __cplusplus
}
#endif

#endif
