/* SPDX-License-Identifier: MIT */
/*
 * The state of a program at a record: registers and memory, reconstructed from all records
 * up to that one. Register records set registers, and records of FULL traces set all of them.
 * Accesses with data set memory, reads as well as writes. A write without data makes its bytes
 * unknown.
 */
#ifndef POLYTRACE_STATE_H
#define POLYTRACE_STATE_H

#include "polytrace/report.h"
#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_state;

/* Maximum number of 16-byte blocks of memory. */
#define POLY_STATE_BLOCKS 4194304

/* Options of a state. Initialize with POLY_STATE_OPTIONS_INIT. */
struct poly_state_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	uint64_t at; /* number of the last record to include, from 1 */
	/*
	 * Byte order of values in memory; NONE: big-endian for PowerPC, SPARC, 68000, S/390
	 * and big-endian MIPS, else little-endian.
	 */
	enum poly_byte_order byte_order;
};

/* Initial values: at the end of the trace. */
#define POLY_STATE_OPTIONS_INIT                                                     \
	{                                                                           \
		sizeof(struct poly_state_options), UINT64_MAX, POLY_BYTE_ORDER_NONE \
	}

/* Returns the columns that a state needs; request them from the reader. */
POLY_API poly_columns poly_state_columns(void);

/*
 * Creates an unknown state of a trace; info must stay valid until the state is freed. On
 * POLY_OK the caller owns *state. POLY_ERR_USAGE: options of size 0. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_state_new(const struct poly_state_options *options,
	const struct poly_trace_info *info, struct poly_state **state,
	struct poly_error *error);

/*
 * Applies the rows of a batch. POLY_END: the last record to include was reached.
 * POLY_ERR_LIMIT: more than POLY_STATE_BLOCKS blocks of memory. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_state_update(
	struct poly_state *state, const struct poly_batch *batch, struct poly_error *error);

/*
 * Writes into the open section of a report:
 *
 *     state:      record (the last one), instruction_record and pc (of the last instruction),
 *                 time
 *     registers[] context (thread or CPU; absent if the trace has none), register,
 *                 value (hexadecimal), record (that set it)
 *     memory[]    address (a multiple of 16), bytes (16 of two digits, ".." if unknown), record
 *                 (that last set one of them)
 *
 * Registers are sorted by context and name, memory by address.
 */
POLY_API void poly_state_report(const struct poly_state *state, struct poly_report *report);

/* Frees a state. Accepts NULL. */
POLY_API void poly_state_free(struct poly_state *state);

#ifdef __cplusplus
}
#endif

#endif
