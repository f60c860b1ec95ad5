/* SPDX-License-Identifier: MIT */
/*
 * Call graph: callers and callees, the number of calls, and the instructions executed in each.
 *
 * A call begins when a call instruction is not followed by the next instruction in memory. It
 * ends when a return instruction reaches the return address (after the delay slot, if the
 * instruction set has one). Every thread (CPU, if the trace has no threads) has its own stack.
 * Irregular control flow is counted: a return to an outer caller, or into a function that is on
 * the stack, unwinds all frames in between (longjmp, exceptions); a return from the first
 * function of a thread, whose caller is not in the trace, begins another first function; any
 * other return is a jump.
 *
 * With symbols, a jump to the beginning of another function is a tail call, which returns with
 * the jumping function, and functions have names. Without symbols, the called address
 * identifies a function.
 *
 * The opcode identifies call instructions for the instruction sets powerpc, arm, thumb,
 * aarch64, mips, sparc and x86, otherwise the mnemonic or text, if the trace has either.
 */
#ifndef POLYTRACE_CALLS_H
#define POLYTRACE_CALLS_H

#include "polytrace/report.h"
#include "polytrace/symbols.h"
#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_calls;

/* Maximum depth of nested calls; instructions of deeper ones count as part of the last frame.
 */
#define POLY_CALLS_DEPTH 1024

/* Maximum number of calls that can be stored one by one. */
#define POLY_CALLS_MAX 4194304

/* Options of the call graph. Initialize with POLY_CALLS_OPTIONS_INIT. */
struct poly_calls_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	const struct poly_symbols *symbols; /* valid until the calls are freed; NULL: none */
	bool keeps_each; /* each call is stored, as POLY_CALLS_LIST requires */
	/* Calls that never return count as part of their callers; implies keeps_each. */
	bool merges_unreturned;
};

/* Initial values: no symbols, calls are aggregated. */
#define POLY_CALLS_OPTIONS_INIT                                       \
	{                                                             \
		sizeof(struct poly_calls_options), NULL, false, false \
	}

/* Creates an empty call graph; on POLY_OK the caller owns *calls. POLY_ERR_USAGE: options of
 * size 0. POLY_ERR_MEMORY. */
POLY_API enum poly_status poly_calls_new(const struct poly_calls_options *options,
	struct poly_calls **calls, struct poly_error *error);

/* Returns the columns that any trace needs; request them from the reader. */
POLY_API poly_columns poly_calls_columns(void);

/*
 * Binds the trace, whose info must stay valid until the calls are freed. *columns gets the
 * columns to read, for poly_reader_project. POLY_ERR_USAGE: call instructions cannot be
 * identified: the trace has no pc, or neither text nor opcodes of a supported instruction set.
 */
POLY_API enum poly_status poly_calls_bind(struct poly_calls *calls,
	const struct poly_trace_info *info, poly_columns *columns, struct poly_error *error);

/*
 * Adds the rows of a batch of the bound trace. POLY_ERR_LIMIT: more than POLY_CALLS_MAX stored
 * calls, or more than 65536 threads. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_calls_update(
	struct poly_calls *calls, const struct poly_batch *batch, struct poly_error *error);

/* Ends the trace; to be called once after the last batch. POLY_ERR_MEMORY. */
POLY_API enum poly_status poly_calls_finish(struct poly_calls *calls, struct poly_error *error);

/* Styles of reports. */
enum poly_calls_style {
	POLY_CALLS_TREE,    /* functions by call path */
	POLY_CALLS_PROFILE, /* functions */
	POLY_CALLS_LIST,    /* each call, in order of its start */
};

/*
 * Writes a table and a section "totals" into the open section of a report. Tables:
 *
 *     call_tree[] depth (from 0), function (name or address), entry_pc, calls,
 *                 self_instructions (executed in the function), total_instructions (with those
 *                 of its callees)
 *     functions[] function, entry_pc, calls, self_instructions, total_instructions (each
 *                 instruction once, also for recursive functions), total_with_recursion (once
 *                 per frame of the function), in descending order of total_instructions
 *     call_list[] depth, function, call_record, call_pc (of the call instruction),
 *                 entry_record, entry_pc (of the callee's first instruction), last_record,
 *                 last_pc (of its last one), return_record, return_pc (of the next instruction
 *                 of the caller; absent without return), self_instructions,
 *                 total_instructions, and with a clock start_time and end_time
 *
 * With is_text, function names are indented by two blanks per level instead of the depth.
 */
POLY_API void poly_calls_report(const struct poly_calls *calls, enum poly_calls_style style,
	bool is_text, struct poly_report *report);

/*
 * Writes one line per stack in which instructions were executed, outermost function first, in
 * the folded format of flame-graph tools: "main;work;step 120". In names ';' and blanks become
 * '_'. POLY_ERR_IO, with the errno value that the sink's write returned. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_calls_fold(
	const struct poly_calls *calls, const struct poly_sink *sink, struct poly_error *error);

/* Frees calls. Accepts NULL. */
POLY_API void poly_calls_free(struct poly_calls *calls);

#ifdef __cplusplus
}
#endif

#endif
