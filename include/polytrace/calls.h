/* SPDX-License-Identifier: MIT */
/*
 * Calls: who called whom, how often, and how many instructions were executed there.
 *
 * An instruction that calls, and is not followed by the one behind it, begins a call, which
 * ends when the instruction behind the call (behind its delay slot, where the instruction set
 * has one) is reached by an instruction that returns. Every thread (processor, where the trace
 * has no threads) has a stack of its own. What does not match is counted: a return to a caller
 * further out, or to a place of a function that was called before, ends all calls in between
 * (longjmp, exceptions); a return from the first function of a thread, whose call was before
 * the trace, begins another first function; any other return is a jump.
 *
 * With symbols a jump to the beginning of another function is a call that returns with the
 * function that jumps (a tail call), and functions are known by their names. Without them they
 * are known by the address that was called.
 *
 * Which instructions call is known by opcode for the instruction sets powerpc, arm, thumb,
 * aarch64, mips, sparc and x86, else by mnemonic or text, where the trace has them.
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

/* Calls within calls that are told apart; deeper ones count as part of the last. */
#define POLY_CALLS_DEPTH 1024

/* Most calls that can be kept one by one. */
#define POLY_CALLS_MOST 4194304

/* How calls are counted. Initialise with POLY_CALLS_OPTIONS_INIT. */
struct poly_calls_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	const struct poly_symbols *symbols; /* held until the calls are freed; NULL: none */
	bool keeps_each;		    /* each call is kept, which POLY_CALLS_LIST needs */
	/* What is called and never returns counts as part of its caller; keeps each call. */
	bool merges_unreturned;
};

/* Initial values: no symbols, calls are summed up. */
#define POLY_CALLS_OPTIONS_INIT                                       \
	{                                                             \
		sizeof(struct poly_calls_options), NULL, false, false \
	}

/* On POLY_OK *calls belongs to the caller. POLY_ERR_USAGE: options of size 0.
 * POLY_ERR_MEMORY. */
POLY_API enum poly_status poly_calls_new(const struct poly_calls_options *options,
	struct poly_calls **calls, struct poly_error *error);

/* Columns that are looked at in any trace: ask a reader for these. */
POLY_API poly_columns poly_calls_columns(void);

/*
 * Gets to know the trace; its information must stay until the calls are freed. *columns gets
 * those that are looked at in it, for poly_reader_project. POLY_ERR_USAGE: nothing in the trace
 * tells which instructions call: it has no pc, or neither text nor opcodes of an instruction
 * set that is known.
 */
POLY_API enum poly_status poly_calls_bind(struct poly_calls *calls,
	const struct poly_trace_info *info, poly_columns *columns, struct poly_error *error);

/*
 * Adds the rows of a batch of the bound trace. POLY_ERR_LIMIT: more calls than can be kept, or
 * more than 65536 threads. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_calls_update(
	struct poly_calls *calls, const struct poly_batch *batch, struct poly_error *error);

/* To be called once behind the last batch, before what follows. POLY_ERR_MEMORY. */
POLY_API enum poly_status poly_calls_finish(struct poly_calls *calls, struct poly_error *error);

/* What is reported. */
enum poly_calls_style {
	POLY_CALLS_TREE,    /* functions by the calls that led to them */
	POLY_CALLS_PROFILE, /* functions */
	POLY_CALLS_LIST,    /* each call, in the order in which they began */
};

/*
 * Writes a table and a section "calls" of totals into the open section of a report. Tables:
 *
 *     tree[]      depth (from 0), function (name or address), entry (address), calls, self
 *                 (instructions executed in it), total (with those of what it calls)
 *     functions[] function, entry, calls, self, total (each instruction once, however often the
 *                 function stands among those that led to it), nested (once for each time),
 *                 in descending order of total
 *     list[]      depth, function, call_record, call_pc (what called), record, entry (its first
 *                 instruction), last_record, last_pc (its last one), back_record, back_pc
 *                 (where the caller goes on; absent where it has not returned), self, total,
 *                 and with a clock time and last_time
 *
 * With is_text names stand two blanks further right for every level, instead of the depth.
 */
POLY_API void poly_calls_report(const struct poly_calls *calls, enum poly_calls_style style,
	bool is_text, struct poly_report *report);

/*
 * Writes a line for every stack in which instructions were executed, outermost function first,
 * as tools for flame graphs read them: "main;work;step 120". In names ';' and blanks become
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
