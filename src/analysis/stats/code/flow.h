/* SPDX-License-Identifier: MIT */
/* The state of the analysis flow. */
#ifndef ANALYSIS_STATS_FLOW_H
#define ANALYSIS_STATS_FLOW_H

#include "analysis/core/analysis.h"

#include "analysis/facts/pair_index.h"
#include "analysis/facts/part_log.h"

/* Max. number of unique discontinuities. */
#define BREAKS_MAX ((uint32_t)1 << 16)

/* The mode of an instruction that does not state it. */
#define NO_MODE UINT32_MAX

/* The kinds of transitions between instructions. */
enum flow_transition { SEQUENTIAL, BRANCHED, JUMPED, BROKEN, UNKNOWN, TRANSITIONS };

/* The reasons of a discontinuity; the first that holds applies. */
enum reason {
	REASON_SYNTHETIC, /* synthetic records in between */
	REASON_EVENT,	  /* an interrupt or another event in between */
	REASON_GAP,	  /* a record of kind "other" in between */
	REASON_SYNC,	  /* a synchronization operation in between */
	REASON_MODE,	  /* the processor's mode changed */
	REASON_SYSTEM,	  /* the last instruction is a system instruction */
	REASON_REPEAT,	  /* the same instruction is repeated */
	REASON_BRANCH,	  /* the record of the branch states another target */
	REASON_NONE,
	REASONS
};

/* The last instruction of a context. */
struct last_instruction {
	uint64_t pc, fallthrough, expected;
	uint64_t run;	    /* sequential instructions up to this one; 0: none */
	uint64_t run_start; /* the address of the first one */
	uint32_t mode;	    /* hash of its name, whose number other readers need not assign */
	bool has_fallthrough;
	bool has_expected; /* its record states the next address */
	bool jumps;	   /* any address may follow */
	bool is_delayed;   /* its delay slot follows, then any address */
	bool annuls;	   /* the delay slot is skipped if it falls through */
	bool is_system;
	uint8_t between; /* reasons since then; bits */
};

/* What a row states of the control flow. */
struct flow_row {
	uint64_t position; /* row of the run, from 1 */
	uint64_t pc, fallthrough, expected;
	uint32_t mode;
	uint8_t reasons;     /* bits; of a row between instructions */
	bool is_instruction; /* with a pc; otherwise the row is between instructions */
	bool is_later;	     /* a micro-operation that is not the first one */
	bool has_fallthrough, has_expected;
	bool has_branch, is_taken;
	bool is_delayed, jumps, annuls; /* by its operation */
	bool is_system;
};

/* Maximum number of stored rows of a context, and that of whole instructions among them. */
enum { BORDER_ROWS = 64, BORDER_INSTRUCTIONS = 2 };

/*
 * The first rows of a context in a part of a trace, which depend on the instruction before
 * them: up to the second instruction. They are not counted before the part is merged or
 * finished. The run of sequential instructions that is open after them is its first one.
 */
struct flow_border {
	struct flow_row rows[BORDER_ROWS];
	unsigned count, instructions;
	uint64_t run;	/* length of the first run up to the last one of these rows */
	uint64_t more;	/* its further length, if it has ended */
	uint64_t ended; /* position of its end; 0: it is open */
};

/* A discontinuity between two addresses. */
struct flow_break {
	uint64_t expected, count;
	uint64_t first; /* position of the first one, whose reason and expected address these
			   are */
	bool has_expected;
	uint8_t reason;
};

/* Runs of sequential instructions. */
struct sequential_runs {
	uint64_t lengths[65]; /* by bits of their length */
	uint64_t count, sum, max, longest_start;
	uint64_t longest_end; /* position of the row that ended the first one of length max */
};

/* Modes by the low bits of the number of their name. */
#define MODE_CACHE 16

struct flow_state {
	bool has_targets; /* the trace has the targets of branches */
	bool is_empty;	  /* no context has a last instruction */
	bool failed;	  /* out of memory */
	bool is_too_long; /* a border has too many rows */
	uint64_t rows;	  /* of all traces */
	struct last_instruction last[ANALYSIS_CONTEXTS_MAX];
	struct flow_border *borders[ANALYSIS_CONTEXTS_MAX]; /* of a part; or NULL */
	struct part_log log;				    /* without events */
	uint64_t transitions[TRANSITIONS];
	uint64_t reasons[REASONS];
	struct sequential_runs runs;
	struct pair_index break_pairs; /* pc and next pc */
	struct flow_break *breaks;     /* by index of the pair */
	uint32_t capacity;
	uint64_t untracked; /* discontinuities that exceed the table */
	struct {
		uint32_t name; /* plus 1; 0: none */
		uint32_t mode;
	} modes[MODE_CACHE];
	uint64_t top;
};

/* Saves or loads a state. */
void flow_transfer(void *state, struct archive *archive);

#endif
