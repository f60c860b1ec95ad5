/* SPDX-License-Identifier: MIT */
/*
 * Comparing two traces instruction by instruction, whatever their formats.
 *
 *     struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
 *     const struct poly_diff_side sides[2] = {{info_a, next_a, a, 0}, {info_b, next_b, b, 0}};
 *     poly_diff_new(&options, sides, &diff, &error);
 *     ... ask the readers for poly_diff_columns(diff, 0) and (diff, 1) ...
 *     while ((status = poly_diff_next(diff, &difference, &error)) == POLY_OK) ...
 *     poly_diff_free(diff);
 *
 * An instruction's record and the accesses, register writes and synchronisations that belong to
 * it are one step. A record belongs to the instruction before it; but one whose time is not
 * that instruction's, and is that of the next one, belongs to the next one. Steps are aligned
 * on pc and opcode, and their records are compared as sets. Where neither trace has
 * instructions, every access, register, synchronisation and event is a step.
 *
 * Memory is bounded by the options resync, window and context. A comparison is used by one
 * thread at a time.
 */
#ifndef POLYTRACE_DIFF_H
#define POLYTRACE_DIFF_H

#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_diff;

/* In what two traces differ. */
enum poly_diff_cause {
	POLY_DIFF_OPCODE,	  /* another opcode at the same pc */
	POLY_DIFF_FIELD,	  /* another column of the instruction, which is the subject */
	POLY_DIFF_BRANCH,	  /* a branch went the other way */
	POLY_DIFF_REGISTER,	  /* the same value is written to another register */
	POLY_DIFF_VALUE,	  /* another value of a register or of memory */
	POLY_DIFF_ADDRESS,	  /* an access at another address */
	POLY_DIFF_SIZE,		  /* an access of another size */
	POLY_DIFF_ACCESS,	  /* an access of another direction */
	POLY_DIFF_MISSING_RECORD, /* a record of the instruction that only the first has */
	POLY_DIFF_EXTRA_RECORD,	  /* a record of the instruction that only the second has */
	POLY_DIFF_REORDERED,	  /* the same record belongs to another instruction */
	POLY_DIFF_PC,		  /* one instruction is at another pc */
	POLY_DIFF_MISSING_INSTRUCTION, /* one instruction that only the first has */
	POLY_DIFF_EXTRA_INSTRUCTION,   /* one instruction that only the second has */
	POLY_DIFF_INSERTED,   /* a run of instructions, as of a handler, that only one has */
	POLY_DIFF_PATH,	      /* different instructions; what follows may agree again */
	POLY_DIFF_TAIL,	      /* one trace ends earlier */
	POLY_DIFF_CAUSE_COUNT /* how many causes there are */
};

/* The name of a cause: "missing-record". Static; NULL out of range. */
POLY_API const char *poly_diff_cause_name(enum poly_diff_cause cause);

/* Most instructions of the option window. */
#define POLY_DIFF_WINDOW_MAX 1024

/* Most instructions of the option resync. */
#define POLY_DIFF_RESYNC_MAX 262144

/* Most steps of the option context. */
#define POLY_DIFF_CONTEXT_MAX 1024

/*
 * How to compare. Initialise with POLY_DIFF_OPTIONS_INIT, then change fields. Lists are of
 * texts, each of which may hold several words with commas between them, NULL at the end; or
 * NULL. They are not looked at after poly_diff_new.
 */
struct poly_diff_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	/*
	 * What is not compared: names of columns; "reg:NAME" a register; "registers",
	 * "memory", "sync" all such records; "read", "write" and the other words of the
	 * column access; "LO..HI" accesses that begin at these addresses; "tail" that one
	 * trace ends earlier.
	 */
	const char *const *ignore;
	/* Columns of instructions that are compared beside the usual ones: "cpu", "mode". */
	const char *const *also;
	/*
	 * Names of registers that mean the same, "x10=a0", or a set of them: "arm", "mips",
	 * "riscv". Upper and lower case are the same anyway.
	 */
	const char *const *aliases;
	/*
	 * What is no difference:
	 * "redundant-writes": a register is written, in one trace alone, with the value that
	 * it had.
	 * "repeated-writes": of several writes of a register by an instruction the last
	 * counts.
	 * "split-accesses": the same bytes are accessed in other pieces.
	 * "unknown-values": a value that one record lacks, or digits that one does not know.
	 * "skipped": instructions that were not executed, whichever trace has them.
	 */
	const char *const *tolerate;
	/* Instructions, from 1, within which it does not matter to which one a record belongs.
	 */
	unsigned window;
	/* Instructions that are looked ahead, from 0, for where the traces agree again. */
	unsigned resync;
	unsigned context; /* steps before and behind a difference that can be shown, from 0 */
	bool ordered;	  /* the order of an instruction's records counts */
	bool each_cpu;	  /* the instructions of each processor are compared by themselves */
};

/* Initial values: everything that both traces have, and 4096 instructions looked ahead. */
#define POLY_DIFF_OPTIONS_INIT                                                               \
	{                                                                                    \
		sizeof(struct poly_diff_options), NULL, NULL, NULL, NULL, 1, 4096, 3, false, \
			false                                                                \
	}

/* One of the two traces. */
struct poly_diff_side {
	const struct poly_trace_info *info; /* its facts, which stay until poly_diff_free */
	/* The next batch, as poly_reader_next delivers it; it holds until the next call. */
	enum poly_status (*next)(
		void *user, const struct poly_batch **batch, struct poly_error *error);
	void *user;    /* handed to next */
	uint64_t skip; /* instructions left out at the front */
};

/*
 * Prepares a comparison. options may be NULL for the initial values. On POLY_OK *diff belongs
 * to the caller; on failure it is NULL. POLY_ERR_USAGE: a word of the options is not known or
 * not of its form, the message says which; a number is out of range; options of size 0; one
 * trace has instructions and the other none. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_diff_new(const struct poly_diff_options *options,
	const struct poly_diff_side sides[2], struct poly_diff **diff,
	struct poly_error *error);

/* The columns that are looked at in the batches of side 0 or 1. */
POLY_API poly_columns poly_diff_columns(const struct poly_diff *diff, unsigned side);

/* The columns that are compared: those that both traces can have and that are not ignored. */
POLY_API poly_columns poly_diff_compared(const struct poly_diff *diff);

/*
 * The columns that side 0 or 1 can have, that would be compared, and that the other one does
 * not have.
 */
POLY_API poly_columns poly_diff_uncompared(const struct poly_diff *diff, unsigned side);

/* A difference. Of each pair the first is of the first trace. */
struct poly_difference {
	enum poly_diff_cause cause; /* in what the traces differ */
	/* What differs: "register r1", "read of 4 bytes at 0x1000", "pc"; never NULL. */
	const char *subject;
	const char *values[2];	 /* what each has; NULL: nothing, or there is nothing to show */
	uint64_t instruction[2]; /* its number from 1; 0: that trace has ended */
	uint64_t record[2];	 /* number of its record from 1; 0: that trace has ended */
	uint64_t matching;	 /* instructions that agreed since the difference before */
	/* Instructions that only this trace has; 0 of a tail that was not counted. */
	uint64_t run[2];
	bool ends;    /* the comparison ends here: the traces do not agree again */
	bool has_cpu; /* each processor is compared by itself */
	uint32_t cpu; /* the processor, where has_cpu */
};

/*
 * The next difference, in order. It holds until the next call. POLY_END after the last one,
 * with all instructions compared unless one said that the comparison ends there. Failures of
 * the traces' next come behind the differences found before them. POLY_ERR_LIMIT: with each_cpu
 * a processor is too far ahead in one trace. POLY_ERR_MEMORY. Failures are sticky.
 */
POLY_API enum poly_status poly_diff_next(struct poly_diff *diff,
	const struct poly_difference **difference, struct poly_error *error);

/* A step of one trace as it stands beside a difference. */
struct poly_diff_step {
	uint64_t instruction; /* its number from 1; 0: no step stands here */
	uint64_t record;      /* number of its record from 1 */
	const char *text;     /* pc, opcode, what it did, disassembly; never NULL */
};

/* Steps of both traces, side by side. */
struct poly_diff_line {
	char mark; /* ' ' the same, '|' different, '<' only in the first, '>' in the second */
	bool here; /* the difference is in this line */
	uint64_t skipped;		/* steps of a long run that follow and are not shown */
	struct poly_diff_step steps[2]; /* of both traces */
};

/*
 * The i-th line from 0 of what surrounds the difference that poly_diff_next gave last; false
 * after the last one. It holds until the next call.
 */
POLY_API bool poly_diff_line_at(struct poly_diff *diff, size_t i, struct poly_diff_line *line);

/* What has been compared so far. */
struct poly_diff_counts {
	uint64_t pairs;				/* instructions of both that were compared */
	uint64_t instructions[2];		/* instructions of each trace that were read */
	uint64_t causes[POLY_DIFF_CAUSE_COUNT]; /* differences that were given */
};

/* What has been compared so far. */
POLY_API void poly_diff_count(const struct poly_diff *diff, struct poly_diff_counts *counts);

/* Frees a comparison. Accepts NULL. */
POLY_API void poly_diff_free(struct poly_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
