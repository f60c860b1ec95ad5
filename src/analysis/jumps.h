/* SPDX-License-Identifier: MIT */
/*
 * Branches that were executed, and which way they went: by the column branch, or, in traces
 * that have none, by where the next instruction of the same party stands.
 */
#ifndef ANALYSIS_JUMPS_H
#define ANALYSIS_JUMPS_H

#include "analysis/analysis.h"

/* Columns that branches are found by; SHARES_OPS, SHARES_SITES and SHARES_PARTIES besides. */
#define JUMPS_COLUMNS                                                               \
	(POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(branch) | \
		POLY_HAS(target) | POLY_HAS(fallthrough) | POLY_HAS(next_pc) |      \
		POLY_HAS(uop_index) | POLY_HAS(synthetic) | POLY_HAS(executed))

/* What a branch is, the first that holds; for counting. */
enum jump_kind {
	JUMP_RETURN,
	JUMP_CALL,
	JUMP_CONDITIONAL,
	JUMP_INDIRECT,
	JUMP_DIRECT,
	JUMP_KINDS
};

/* A branch that was executed. */
struct jump {
	uint64_t pc;
	uint64_t behind; /* address of the instruction behind it, and behind its delay slot */
	uint64_t target; /* where it goes if it is taken */
	uint64_t aim;	 /* the same as jumps_aim says it, who does not know whether it is */
	uint32_t op, site;
	uint16_t party;
	uint8_t flow; /* of op */
	bool taken;
	bool has_behind, has_target; /* these are known */
};

/* Rows of instructions of a party that a branch waits for. */
struct jumps_waiting {
	struct jump jump;
	uint8_t rows; /* instructions up to the one where it went; 0: no branch waits */
};

/*
 * Where a branch goes if it is taken, by what a processor knows before: the trace's target, or
 * how far the encoding reaches. JUMPS_NOWHERE: not known, and behind every address.
 */
#define JUMPS_NOWHERE UINT64_MAX
uint64_t jumps_aim(const struct analysis_rows *rows, size_t row);

/* Zeroed is ready. 130 KiB. */
struct jumps {
	bool derives; /* the trace has no column branch */
	bool is_told; /* some row has a value there */
	struct jumps_waiting waiting[ANALYSIS_PARTIES];
	/* The first instructions of a party, which what stands before them may wait for. */
	uint64_t first[ANALYSIS_PARTIES][2];
	uint8_t firsts[ANALYSIS_PARTIES];
	struct jump *list; /* branches found last */
	size_t count;
};

/* Allocates what is needed; false: no memory. */
bool jumps_init(struct jumps *jumps);

/* A trace begins: no branch waits any more. */
void jumps_begin(struct jumps *jumps, const struct poly_trace_info *info);

/* Rows were left out: what waited is not found. */
void jumps_forget(struct jumps *jumps);

/*
 * Finds the branches that rows tell of, in their order, as list and count. A branch whose way
 * is not in its row is found where its party goes on.
 */
void jumps_find(struct jumps *jumps, const struct analysis_rows *rows);

/*
 * Goes on where from, which saw the rows behind, has ended: finds the branches of into that
 * waited for from's first instructions.
 */
void jumps_join(
	struct jumps *into, const struct jumps *from, const struct analysis_numbers *numbers);

/* Columns that instructions are counted by. */
#define JUMPS_INSTRUCTIONS_COLUMNS (POLY_HAS(kind) | POLY_HAS(uop_index) | POLY_HAS(synthetic))

/* The instructions of a batch, of several micro-operations the first. */
uint64_t jumps_instructions(const struct poly_batch *batch);

/* Adds to counts the instructions of each of the first parties. */
void jumps_instructions_by_party(
	const struct analysis_rows *rows, uint64_t *counts, size_t parties);

/* Says that no row has a value in the column branch, which the trace has, and what follows. */
void jumps_note(const char *follows, struct poly_report *report);

/* What a branch of an operation is. */
enum jump_kind jump_kind(const struct op *op);

/* The name of a kind, static. */
const char *jump_kind_name(enum jump_kind kind);

/* Gives the memory back. */
void jumps_fini(struct jumps *jumps);

#endif
