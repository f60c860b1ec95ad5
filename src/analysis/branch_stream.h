/* SPDX-License-Identifier: MIT */
/*
 * Branches that were executed, and which way they went: by the column branch, or, in traces
 * that have none, by where the next instruction of the same context stands.
 */
#ifndef ANALYSIS_BRANCH_STREAM_H
#define ANALYSIS_BRANCH_STREAM_H

#include "analysis/analysis.h"

/* Columns that branches are found by; SHARES_OPS, SHARES_SITES and SHARES_CONTEXTS besides. */
#define BRANCH_STREAM_COLUMNS                                                                  \
	(POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(branch) |            \
		POLY_HAS(target) | POLY_HAS(fallthrough) | POLY_HAS(next_pc) | POLY_HAS(uop) | \
		POLY_HAS(synthetic) | POLY_HAS(executed))

/* What a branch is, the first that holds; for counting. */
enum branch_kind {
	BRANCH_KIND_RETURN,
	BRANCH_KIND_CALL,
	BRANCH_KIND_CONDITIONAL,
	BRANCH_KIND_INDIRECT,
	BRANCH_KIND_DIRECT,
	BRANCH_KIND_COUNT
};

/* A branch that was executed. */
struct executed_branch {
	uint64_t pc;
	uint64_t behind; /* address of the instruction behind it, and behind its delay slot */
	uint64_t target; /* where it goes if it is taken */
	uint64_t aim; /* the same as branch_static_target says it, who does not know whether it
			 is */
	uint32_t op, site;
	uint16_t context;
	uint8_t flow; /* of op */
	bool taken;
	bool has_behind, has_target; /* these are known */
};

/* Rows of instructions of a context that a branch waits for. */
struct pending_branch {
	struct executed_branch jump;
	uint8_t rows; /* instructions up to the one where it went; 0: no branch waits */
};

/*
 * Where a branch goes if it is taken, by what a processor knows before: the trace's target, or
 * how far the encoding reaches. BRANCH_TARGET_UNKNOWN: not known, and behind every address.
 */
#define BRANCH_TARGET_UNKNOWN UINT64_MAX
uint64_t branch_static_target(const struct analysis_rows *rows, size_t row);

/* Zeroed is ready. 130 KiB. */
struct branch_stream {
	bool derives; /* the trace has no column branch */
	bool is_told; /* some row has a value there */
	struct pending_branch waiting[ANALYSIS_CONTEXTS_MAX];
	/* The first instructions of a context, which what stands before them may wait for. */
	uint64_t first[ANALYSIS_CONTEXTS_MAX][2];
	uint8_t firsts[ANALYSIS_CONTEXTS_MAX];
	struct executed_branch *list; /* branches found last */
	size_t count;
};

/* Allocates what is needed; false: no memory. */
bool branch_stream_init(struct branch_stream *jumps);

/* A trace begins: no branch waits any more. */
void branch_stream_begin_trace(struct branch_stream *jumps, const struct poly_trace_info *info);

/* Rows were left out: what waited is not found. */
void branch_stream_drop_pending(struct branch_stream *jumps);

/*
 * Finds the branches that rows tell of, in their order, as list and count. A branch whose way
 * is not in its row is found where its context goes on.
 */
void branch_stream_update(struct branch_stream *jumps, const struct analysis_rows *rows);

/*
 * Goes on where from, which saw the rows behind, has ended: finds the branches of into that
 * waited for from's first instructions.
 */
void branch_stream_append(struct branch_stream *into, const struct branch_stream *from,
	const struct analysis_numbers *numbers);

/* Columns that instructions are counted by. */
#define INSTRUCTION_COUNT_COLUMNS (POLY_HAS(kind) | POLY_HAS(uop) | POLY_HAS(synthetic))

/* The instructions of a batch, of several micro-operations the first. */
uint64_t count_batch_instructions(const struct poly_batch *batch);

/* Adds to counts the instructions of each of the first contexts. */
void count_context_instructions(
	const struct analysis_rows *rows, uint64_t *counts, size_t contexts);

/* Says that no row has a value in the column branch, which the trace has, and what follows. */
void branch_stream_report_note(const char *follows, struct poly_report *report);

/* What a branch of an operation is. */
enum branch_kind branch_kind_of(const struct static_op *op);

/* The name of a kind, static. */
const char *branch_kind_name(enum branch_kind kind);

/* Gives the memory back. */
void branch_stream_fini(struct branch_stream *jumps);

#endif
