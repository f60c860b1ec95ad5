/* SPDX-License-Identifier: MIT */
/*
 * Def-use query: the last writer of a register or address before a record, or the next reader
 * after one.
 *
 * Register records write registers. In PowerPC traces without them, instructions do; they also
 * read registers. Any record with an access and an address accesses memory, of the given size
 * or else 1 byte.
 */
#ifndef POLYTRACE_DEFUSE_H
#define POLYTRACE_DEFUSE_H

#include "polytrace/report.h"
#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_defuse;

/* A query. Initialize with POLY_DEFUSE_OPTIONS_INIT. */
struct poly_defuse_options {
	size_t size;	  /* of this struct in bytes; set by the macro, and not 0 */
	const char *reg;  /* name of a register, in any case; NULL: query the address */
	uint64_t address; /* in bytes */
	/* Find the first reader after record; else the last writer before record. */
	bool is_reader;
	uint64_t record; /* number of a record, from 1 */
};

/* Initial values: the last writer of address 0 in the whole trace. */
#define POLY_DEFUSE_OPTIONS_INIT                                               \
	{                                                                      \
		sizeof(struct poly_defuse_options), NULL, 0, false, UINT64_MAX \
	}

/* Returns the columns that a query needs; request them from the reader. */
POLY_API poly_columns poly_defuse_columns(void);

/*
 * Creates a query; info must stay valid until the query is freed. On POLY_OK the caller owns
 * *defuse. POLY_ERR_USAGE: options of size 0; or the trace cannot answer: no accesses, neither
 * register records nor PowerPC instructions, or an unknown register. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_defuse_new(const struct poly_defuse_options *options,
	const struct poly_trace_info *info, struct poly_defuse **defuse,
	struct poly_error *error);

/*
 * Reads the rows of a batch. False: the query is complete, or out of memory; no further batch
 * is needed.
 */
POLY_API bool poly_defuse_update(struct poly_defuse *defuse, const struct poly_batch *batch);

/* Whether memory ran out, so that the answer is unknown. */
POLY_API bool poly_defuse_failed(const struct poly_defuse *defuse);

/* Whether an access was found. */
POLY_API bool poly_defuse_found(const struct poly_defuse *defuse);

/*
 * Writes a section "answer" into the open section of a report, empty without an answer: record,
 * time, context, register, access, address, size and value, if present; instruction_record (of
 * the last instruction of that context up to the record), and its pc, opcode and text.
 */
POLY_API void poly_defuse_report(const struct poly_defuse *defuse, struct poly_report *report);

/* Frees a query. Accepts NULL. */
POLY_API void poly_defuse_free(struct poly_defuse *defuse);

#ifdef __cplusplus
}
#endif

#endif
