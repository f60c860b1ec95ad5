/* SPDX-License-Identifier: MIT */
/*
 * The state of a program at a record: registers and memory, as far as the records up to it tell
 * them. Registers are told by records of registers, and all at once by those of FULL traces;
 * memory by records of accesses with their data, reads as well as writes. What is written with
 * unknown data is unknown from then on.
 */
#ifndef POLYTRACE_STATE_H
#define POLYTRACE_STATE_H

#include "polytrace/report.h"
#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_state;

/* Most blocks of 16 bytes of memory that can be known. */
#define POLY_STATE_BLOCKS 4194304

/* How a state is gathered. Initialise with POLY_STATE_OPTIONS_INIT. */
struct poly_state_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	uint64_t at; /* number of the last record that counts, from 1 */
	/*
	 * Order of the bytes of numbers in memory; NONE: big end first for PowerPC, SPARC,
	 * 68000, S/390 and the MIPS of that order, else little end first.
	 */
	enum poly_byte_order byte_order;
};

/* Initial values: at the end of the trace. */
#define POLY_STATE_OPTIONS_INIT                                                     \
	{                                                                           \
		sizeof(struct poly_state_options), UINT64_MAX, POLY_BYTE_ORDER_NONE \
	}

/* Columns that are looked at: ask a reader for these. */
POLY_API poly_columns poly_state_columns(void);

/*
 * A new state of a trace, of which nothing is known; info must stay until it is freed. On
 * POLY_OK *state belongs to the caller. POLY_ERR_USAGE: options of size 0. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_state_new(const struct poly_state_options *options,
	const struct poly_trace_info *info, struct poly_state **state,
	struct poly_error *error);

/*
 * Adds what the rows of a batch tell. POLY_END: the last record that counts has been there.
 * POLY_ERR_LIMIT: more memory than can be known. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_state_update(
	struct poly_state *state, const struct poly_batch *batch, struct poly_error *error);

/*
 * Writes into the open section of a report:
 *
 *     state:      record (the last one), instruction (record of the last instruction), pc, time
 *     registers[] context (thread or processor; absent where the trace has none), register,
 *                 value (hexadecimal), record (which told it)
 *     memory[]    address (a multiple of 16), bytes (16 of two digits, ".." where one is not
 *                 known), record (which told one of them last)
 *
 * Registers are ordered by context and name, memory by address.
 */
POLY_API void poly_state_report(const struct poly_state *state, struct poly_report *report);

/* Frees a state. Accepts NULL. */
POLY_API void poly_state_free(struct poly_state *state);

#ifdef __cplusplus
}
#endif

#endif
