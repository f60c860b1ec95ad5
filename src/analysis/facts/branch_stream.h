/* SPDX-License-Identifier: MIT */
/*
 * Executed branches and their outcomes: from the column branch or, in traces without it, from
 * the address of the next instruction of the same context.
 */
#ifndef ANALYSIS_BRANCH_STREAM_H
#define ANALYSIS_BRANCH_STREAM_H

#include "analysis/core/analysis.h"

/* Columns that branches are found by, with SHARES_OPS, SHARES_SITES and SHARES_CONTEXTS. */
#define BRANCH_STREAM_COLUMNS                                                              \
	kind, pc, opcode_size, branch, target, fallthrough, next_pc, uop_index, synthetic, \
		executed

/* The kind of a branch: the first that holds. */
enum branch_kind {
	BRANCH_KIND_RETURN,
	BRANCH_KIND_CALL,
	BRANCH_KIND_CONDITIONAL,
	BRANCH_KIND_INDIRECT,
	BRANCH_KIND_DIRECT,
	BRANCH_KIND_COUNT
};

struct executed_branch {
	uint64_t pc;
	uint64_t fallthrough;	/* address after the instruction and its delay slot */
	uint64_t target;	/* address of the next instruction if taken */
	uint64_t static_target; /* branch_static_target, whether or not it is taken */
	uint32_t op, site;
	uint16_t context;
	uint8_t flow; /* of op */
	bool taken;
	bool has_fallthrough, has_target; /* these are known */
};

/* The branch of a context whose outcome is not known yet. */
struct pending_branch {
	struct executed_branch branch;
	uint8_t rows; /* instructions until the one at its destination; 0: no branch pends */
};

/*
 * The target of a branch as far as a processor knows it before execution: the trace's target,
 * or the displacement in the encoding. BRANCH_TARGET_UNKNOWN, above every address: not known.
 */
#define BRANCH_TARGET_UNKNOWN UINT64_MAX
uint64_t branch_static_target(const struct analysis_rows *rows, size_t row);

/* Zeroed is ready. 130 KiB. */
struct branch_stream {
	bool derives_outcomes; /* the trace has no column branch */
	bool is_unstated; /* the trace does not state its columns: until a row has an outcome */
	bool has_outcomes; /* some row has a value in the column branch */
	struct pending_branch pending[ANALYSIS_CONTEXTS_MAX];
	/* The first instructions of a context, which resolve branches of earlier rows. */
	uint64_t first[ANALYSIS_CONTEXTS_MAX][2];
	uint8_t first_count[ANALYSIS_CONTEXTS_MAX];
	struct executed_branch *list; /* branches of the last update */
	size_t count;
};

/* Allocates the list; false: out of memory. */
bool branch_stream_init(struct branch_stream *stream);

/* Begins a trace: drops pending branches. */
void branch_stream_begin_trace(
	struct branch_stream *stream, const struct poly_trace_info *info);

/* Drops pending branches, because rows were skipped. */
void branch_stream_drop_pending(struct branch_stream *stream);

/*
 * Sets list and count to the branches that rows resolve, in order. A branch without an outcome
 * in its row is resolved by the next instruction of its context.
 */
void branch_stream_update(struct branch_stream *stream, const struct analysis_rows *rows);

/*
 * Appends from, which saw later rows: resolves the pending branches of into with the first
 * instructions of from.
 */
void branch_stream_append(struct branch_stream *into, const struct branch_stream *from,
	const struct analysis_numbers *numbers);

/* Saves or loads what a merge needs. */
void branch_stream_transfer(struct branch_stream *stream, struct archive *archive);

/* Columns that count_batch_instructions reads. */
#define INSTRUCTION_COUNT_COLUMNS kind, uop_index, synthetic

/* Counts the instructions of a batch: of a macro-operation, the first micro-operation. */
uint64_t count_batch_instructions(const struct poly_batch *batch);

/* Returns the rows of a word that count as instructions: not synthetic, and of the
 * micro-operations of an instruction the first. */
uint64_t instruction_rows(const struct poly_batch *batch, size_t word);

/* Adds the instructions of each of the first contexts to counts. */
void count_context_instructions(
	const struct analysis_rows *rows, uint64_t *counts, size_t contexts);

/* Reports that the trace's column branch has no values, and the consequence. */
void branch_stream_report_note(const char *consequence, struct poly_report *report);

/* Returns the kind of a branch operation. */
enum branch_kind branch_kind_of(const struct static_op *op);

/* The name of a kind, static. */
const char *branch_kind_name(enum branch_kind kind);

/* Frees the list. */
void branch_stream_fini(struct branch_stream *stream);

#endif
