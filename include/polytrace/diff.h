/* SPDX-License-Identifier: MIT */
/*
 * Compares two traces, of any formats, instruction by instruction.
 *
 *     struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
 *     const struct poly_diff_side sides[2] = {
 *         {poly_reader_source(a), 0}, {poly_reader_source(b), 0}};
 *     poly_diff_new(&options, sides, &diff, &error);
 *     ... project the readers to poly_diff_columns(diff, 0) and (diff, 1) ...
 *     while ((status = poly_diff_next(diff, &difference, &error)) == POLY_OK) ...
 *     poly_diff_free(diff);
 *
 * An instruction's record and the accesses, register writes and synchronisations that belong to
 * it form a step. A record belongs to the instruction before it, unless its time differs from
 * that instruction's and equals that of the next one, to which it then belongs. Steps are
 * aligned on pc and opcode, and their records are compared as sets. If neither trace has
 * instructions, every access, register, synchronisation and event is a step.
 *
 * Memory is bounded by the options resync, window and context. One thread at a time
 * uses a comparison.
 */
#ifndef POLYTRACE_DIFF_H
#define POLYTRACE_DIFF_H

#include "polytrace/source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_diff;

/* Causes of a difference. */
enum poly_diff_cause {
	POLY_DIFF_OPCODE,   /* another opcode at the same pc */
	POLY_DIFF_FIELD,    /* a column of the instruction differs, which is the subject */
	POLY_DIFF_BRANCH,   /* a branch took another direction */
	POLY_DIFF_REGISTER, /* the same value is written to another register */
	POLY_DIFF_VALUE,    /* another value of a register or of memory */
	POLY_DIFF_ADDRESS,  /* an access at another address */
	POLY_DIFF_SIZE,	    /* an access of another size */
	POLY_DIFF_ACCESS,   /* an access of another direction */
	POLY_DIFF_MISSING_RECORD, /* a record of the instruction that only the first has */
	POLY_DIFF_EXTRA_RECORD,	  /* a record of the instruction that only the second has */
	POLY_DIFF_REORDERED,	  /* the same record belongs to another instruction */
	POLY_DIFF_PC,		  /* one instruction is at another pc */
	POLY_DIFF_MISSING_INSTRUCTION, /* one instruction that only the first has */
	POLY_DIFF_EXTRA_INSTRUCTION,   /* one instruction that only the second has */
	POLY_DIFF_INSERTED,   /* a run of instructions, as of a handler, that only one has */
	POLY_DIFF_PATH,	      /* different instructions; the traces may realign after them */
	POLY_DIFF_TAIL,	      /* one trace ends earlier */
	POLY_DIFF_CAUSE_COUNT /* number of causes */
};

/* Returns the name of a cause: "missing-record". Static; NULL out of range. */
POLY_API const char *poly_diff_cause_name(enum poly_diff_cause cause);

/* Maximum of the option window, in instructions. */
#define POLY_DIFF_WINDOW_MAX 1024

/* Maximum of the option resync, in instructions. */
#define POLY_DIFF_RESYNC_MAX 262144

/* Maximum of the option context, in steps. */
#define POLY_DIFF_CONTEXT_MAX 1024

/*
 * Options of a comparison. Initialise with POLY_DIFF_OPTIONS_INIT, then change fields. Lists
 * are NULL-terminated arrays of texts, each with one or more words separated by commas; or
 * NULL. They are not used after poly_diff_new.
 */
struct poly_diff_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	/*
	 * What is not compared: names of columns; "reg:NAME" a register and its parts, in
	 * records, as effects in FULL traces, and by its number in src1, src2 and dest;
	 * "registers" all of them, "csrs" those for control and status, "counters" what
	 * instructions that read a time or performance counter write (both of RISC-V);
	 * "memory", "sync" all such records; "read", "write" and the other words of the column
	 * access; "LO..HI" accesses that begin at these addresses; "tail" that one trace ends
	 * earlier.
	 */
	const char *const *ignore;
	/* Columns of instructions that are compared besides the default ones: "cpu", "mode". */
	const char *const *also;
	/*
	 * Aliases of registers, "x10=a0", or a set of them: "arm", "mips", "riscv". Names are
	 * compared without regard to case.
	 */
	const char *const *aliases;
	/*
	 * Differences that are tolerated:
	 * "redundant-writes": a register is written, in one trace only, with the value that it
	 * already has.
	 * "repeated-writes": only the last of several writes of a register by an instruction is
	 * compared.
	 * "repeated-reads": a read that equals an earlier one of the same instruction, or the
	 * record before it, in address, size and value, is not compared.
	 * "split-accesses": the same bytes are accessed by other numbers or sizes of accesses.
	 * "unknown-values": a value that one record lacks, or unknown digits of one.
	 * "skipped": instructions of either trace that were not executed.
	 */
	const char *const *tolerate;
	/* Number of consecutive instructions, from 1, any of which a record may belong to. */
	unsigned window;
	/* Lookahead in instructions, from 0, to realign the traces. */
	unsigned resync;
	unsigned context; /* steps of context before and after a difference, from 0 */
	bool ordered;	  /* compare the order of an instruction's records, too */
	bool each_cpu;	  /* compare the instructions of each processor separately */
};

/* Initial values: all common columns, and a lookahead of 4096 instructions. */
#define POLY_DIFF_OPTIONS_INIT                                                         \
	{                                                                              \
		.size = sizeof(struct poly_diff_options), .window = 1, .resync = 4096, \
		.context = 3                                                           \
	}

/* One of the two traces. */
struct poly_diff_side {
	struct poly_source source; /* its rows, valid until poly_diff_free */
	uint64_t skip;		   /* number of initial instructions to skip */
};

/*
 * Prepares a comparison. options may be NULL for the initial values. On POLY_OK *diff belongs
 * to the caller; on failure it is NULL. POLY_ERR_USAGE: a word of the options is unknown
 * or malformed; a number is out of range; options of size 0; one trace has instructions and the
 * other none; their instruction sets differ. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_diff_new(const struct poly_diff_options *options,
	const struct poly_diff_side sides[2], struct poly_diff **diff,
	struct poly_error *error);

/* Returns the columns that are read in the batches of side 0 or 1. */
POLY_API poly_columns poly_diff_columns(const struct poly_diff *diff, unsigned side);

/* Returns the columns that are compared: those that both traces can have and are not ignored.
 */
POLY_API poly_columns poly_diff_compared(const struct poly_diff *diff);

/*
 * Returns the columns that side 0 or 1 can have, that would be compared, and that the other
 * side lacks.
 */
POLY_API poly_columns poly_diff_uncompared(const struct poly_diff *diff, unsigned side);

/* A difference. Element 0 of each pair is of the first trace, element 1 of the second. */
struct poly_difference {
	enum poly_diff_cause cause; /* cause of the difference */
	/* Subject: "register r1", "read of 4 bytes at 0x1000", "pc"; never NULL. */
	const char *subject;
	const char *values[2];	 /* of each trace; NULL: none */
	uint64_t instruction[2]; /* its number from 1; 0: that trace has ended */
	uint64_t record[2];	 /* number of its record from 1; 0: that trace has ended */
	/* Matching instructions since the place of poly_diff_is_first. */
	uint64_t matching;
	/* Instructions that only this trace has; 0 of a tail that was not counted. */
	uint64_t run[2];
	bool ends;    /* the comparison ends here: the traces do not realign */
	bool has_cpu; /* the processors are compared separately */
	uint32_t cpu; /* the processor, if has_cpu */
};

/*
 * Gets the next difference, in order, valid until the next call. POLY_END after the last one:
 * all instructions are compared, unless a difference has `ends` set. Failures of the
 * sources follow the differences found before them. POLY_ERR_LIMIT: with each_cpu a processor
 * is too far ahead in one trace. POLY_ERR_MEMORY. Failures are sticky.
 */
POLY_API enum poly_status poly_diff_next(struct poly_diff *diff,
	const struct poly_difference **difference, struct poly_error *error);

/*
 * True if the last difference is the first one, with each_cpu that of its processor: its
 * matching instructions count from the first compared one; else from the previous difference,
 * with each_cpu that of the processor.
 */
POLY_API bool poly_diff_is_first(const struct poly_diff *diff);

/* A step of one trace in the context of a difference. */
struct poly_diff_step {
	uint64_t instruction; /* its number from 1; 0: none */
	uint64_t record;      /* number of its record from 1 */
	const char *text;     /* pc, opcode, disassembly, records; never NULL */
};

/* Steps of both traces, side by side. */
struct poly_diff_line {
	char mark; /* ' ' the same, '|' different, '<' only in the first, '>' in the second */
	bool here; /* the difference is in this line */
	uint64_t skipped;		/* following steps of a long run that are not listed */
	struct poly_diff_step steps[2]; /* of both traces */
};

/*
 * Gets the i-th line, from 0, of the context of the last difference; false after the last one.
 * Valid until the next call.
 */
POLY_API bool poly_diff_line_at(struct poly_diff *diff, size_t i, struct poly_diff_line *line);

/* Counts of a comparison. */
struct poly_diff_counts {
	uint64_t pairs;				/* pairs of instructions compared */
	uint64_t instructions[2];		/* instructions read of each trace */
	uint64_t causes[POLY_DIFF_CAUSE_COUNT]; /* differences delivered */
};

/* Gets the counts so far. */
POLY_API void poly_diff_count(const struct poly_diff *diff, struct poly_diff_counts *counts);

/* Frees a comparison. Accepts NULL. */
POLY_API void poly_diff_free(struct poly_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
