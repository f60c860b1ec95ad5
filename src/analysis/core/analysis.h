/* SPDX-License-Identifier: MIT */
/*
 * Interface of an analysis. Each is one file of src/analysis/stats/ (or sim/, queries/) that
 * exports const struct analysis analysis_NAME, and one word in the build's list.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "polytrace/parts.h"

#include "analysis/facts/static_ops.h"
#include "analysis/facts/contexts.h"
#include "base/buf.h"
#include "base/thread_pool.h"

struct archive;
struct poly_analysis_plugin;

/* Memory of an analysis besides its large tables, with what allocators retain of tables that
 * grew; the rest of the limit is theirs. */
#define ANALYSIS_MEMORY_FIXED ((uint64_t)64 << 20)

/* Arguments of an analysis's init. */
struct analysis_setup {
	const struct poly_analysis_plugin *plugin; /* that of the analysis, or NULL */
	const uint64_t *values;		 /* of the options, in the order of their table */
	const char *const *texts;	 /* of text options; NULL: none; elements may be NULL */
	const bool *given;		 /* by option: set explicitly */
	const struct static_ops *ops;	 /* of all traces; grows */
	const struct contexts *contexts; /* of all traces; grows */
	uint64_t memory;		 /* maximum of bytes, from POLY_STATS_MEMORY_MIN on */
	const struct poly_stats_stores *stores; /* NULL: none */
	const struct poly_symbols *symbols;	/* NULL: none */
	const struct poly_sink *sink;		/* of homeworks; NULL: none */
};

/*
 * A batch, or some of its rows, with the numbers that all analyses share. Arrays have one
 * element per row; those that no analysis requests are NULL.
 */
struct analysis_rows {
	const struct poly_batch *batch;
	bool is_real;	      /* real addresses are in pc and address, virtual ones in real_pc
				 and real_address */
	bool counts;	      /* all rows are counted; false: none are (warm-up) */
	const uint32_t *op;   /* SHARES_OPS: operation of an instruction; else OP_NONE */
	const uint32_t *site; /* SHARES_SITES: static instruction of an instruction, access or
				 register row; OP_NONE: not known */
	const uint16_t *context; /* SHARES_CONTEXTS: dense number; NULL also if all rows have
				    sole_context */
	uint16_t sole_context;	 /* of all rows, if context is NULL */
	const struct static_ops *ops;
	struct thread_pool
		*team; /* for the tasks of an update (thread_pool_for_each); may be NULL */
};

/* Shared numbers that an analysis requests; bits. */
enum analysis_shares {
	SHARES_OPS = 1,	     /* rows->op */
	SHARES_SITES = 2,    /* rows->site, and ops->sites */
	SHARES_CONTEXTS = 4, /* rows->context */
};

/* What an analysis needs to know of instructions. */
enum analysis_knowledge {
	NEEDS_NO_ISA,	    /* nothing */
	NEEDS_FLOW,	    /* control flow, which the column branch has, too */
	NEEDS_INSTRUCTIONS, /* classes or registers */
};

/* Maps the numbers of a run to those of the run that it is merged into. */
struct analysis_numbers {
	const uint32_t *ops;	    /* by operation */
	const uint32_t *sites;	    /* by site */
	const uint16_t *contexts;   /* by context */
	const uint32_t *open_sites; /* by context: that of the last instruction before the
				       border; OP_NONE: none, SITE_OPEN: not known yet */
	uint32_t site_count;	    /* elements of sites */
	uint16_t context_count;	    /* elements of contexts and open_sites */
	/* The first row of from follows the last one of into in the same trace; false: from
	 * begins with another trace. */
	bool continues;
	uint64_t
		row_offset; /* to be added to numbers of rows that from has, see uses_numbers */
};

/* The value of ordered of all simulators. */
#define ORDERED_MACHINE "the state of the simulated machine follows from all preceding records"

/* Two counts and their quotient, for confidence intervals of samples. */
struct analysis_ratio {
	const char *key, *title; /* static */
	uint64_t part, whole;	 /* so far */
};

/* The text of an output on its way to a sink. */
struct output_text {
	struct buf buffer; /* append here */
	const struct poly_sink *sink;
	int sys_errno; /* of the first failed write */
};

/* Writes the buffered text if it is long; to be called between lines. False: a write failed, or
 * out of memory, and further text is in vain. */
bool output_text_flush(struct output_text *text);

/* Maximum number of ratios of an analysis. */
#define ANALYSIS_RATIOS 16

/*
 * How an analysis that runs alone is spread over threads: what can be found in a part of the
 * rows alone, independent of what precedes it, is found in all parts concurrently (digest);
 * then the state advances over the parts in order. The state is the same as after update with
 * all rows.
 */
struct analysis_parts {
	size_t part_size; /* the framework allocates and zeroes parts, and uses them again */
	size_t rows; /* of a part: enough for what a part costs once, few for the processor's
			cache */
	/* Whether the state of init can be spread. */
	bool (*is_possible)(const void *state);
	/* Prepares the state for a number of threads, before the first digest; false: out of
	 * memory, and update is called instead. NULL: it is ready. */
	bool (*open)(void *state, unsigned threads);
	/*
	 * Adds rows to a part, all of whose rows are counted, or none. They have no shared
	 * numbers. Any thread; other threads digest other parts, and the state advances at the
	 * same time. False: out of memory.
	 */
	bool (*digest)(const void *state, void *part, const struct analysis_rows *rows);
	/* Number of parallel tasks of an advance; may depend on the parts that the state has.
	 */
	size_t (*task_count)(const void *state);
	/* Advances what a task owns of the state over parts, in order. False: out of memory. */
	bool (*advance)(void *state, size_t task, void *const *parts, size_t count);
	void (*clear)(void *part); /* removes the rows */
	void (*fini)(void *part);  /* frees the memory of a part, which may be zeroed */
};

/* Machines of a simulation that processes divide among them. */
struct analysis_machines {
	/* Number of machines; constant after init. */
	size_t (*count)(const void *state);
	/* Frees those of other shares, before the first trace. What is reported besides
	 * machines belongs to machine 0. False: out of memory. */
	bool (*select)(void *state, const struct poly_share *share);
	/* Saves the results of the machines of a share, after finish, or loads those of another
	 * share. */
	void (*transfer)(void *state, const struct poly_share *share, struct archive *archive);
};

/* Returns whether a machine belongs to a share. */
static inline bool
share_has(const struct poly_share *share, size_t machine)
{
	return machine % share->count == share->index;
}

struct analysis {
	struct poly_analysis_info info;
	const struct poly_analysis_plugin *plugin; /* of the caller, see plugin.h; or NULL */
	unsigned shares;			   /* bits of enum analysis_shares */
	enum analysis_knowledge needs; /* in traces of encodings, of their instruction set */
	/*
	 * Effects of instructions are records of their own (effects/effects.h), if all
	 * requested analyses have this.
	 */
	bool separates_effects;
	bool uses_real; /* may get real addresses (core/real_addresses.h): is_real of its rows
			 */
	bool needs_warmup; /* update also gets rows that are not counted */
	bool is_cheap;	   /* update takes less time than copying rows */
	bool part_grows;   /* the state of a part of a trace has something of most rows */
	size_t state_size; /* the framework allocates and zeroes the state */
	/* Whether a trace with the needed columns is supported; NULL: always. */
	bool (*suits)(const struct poly_trace_info *info);
	/* Fails if a trace is not supported, with a better message than that of a missing
	 * column. NULL: POLY_OK. */
	enum poly_status (*check)(
		void *state, const struct poly_trace_info *info, struct poly_error *error);
	/* Returns the columns to read of the current trace. NULL: those of info. */
	poly_columns (*columns)(const void *state);
	/* Prepares the zeroed state; NULL: zeroed is ready. */
	enum poly_status (*init)(
		void *state, const struct analysis_setup *setup, struct poly_error *error);
	/* Begins a trace: forgets history, keeps counts. NULL: nothing to do. */
	void (*begin)(void *state, const struct poly_trace_info *info);
	/* Adds rows; false: out of memory, which ends the run. */
	bool (*update)(void *state, const struct analysis_rows *rows);
	/* POLY_END: further rows do not change the results; or an error, from now on: the state
	 * ignores further rows. NULL: POLY_OK. */
	enum poly_status (*status)(const void *state, struct poly_error *error);
	/*
	 * Number of parallel tasks of update when no other analysis runs: machines that are
	 * simulated side by side. Constant after init. NULL: 1.
	 */
	size_t (*task_count)(const void *state);
	bool uses_numbers; /* merge cannot add an offset to the numbers of rows */
	const struct analysis_parts *parts; /* instead, if no other analysis runs; or NULL */
	const struct analysis_machines *machines; /* NULL: processes cannot divide it */
	/*
	 * As update, for weighted rows, each of which stands for several records (weight of the
	 * batch), in the order of their first records. The last batch of an interval has the
	 * order of all records (model/chain_graph.h); then the state equals that of update with
	 * every record. Sites of accesses and registers are not known, and update does not know
	 * those that precede the next instruction. NULL: every record is needed.
	 */
	bool (*update_weighted)(void *state, const struct analysis_rows *rows);
	/*
	 * Adds the counts of from, which saw later rows, as if into had been updated with them.
	 * numbers maps from's numbers to those of into. The state of a run holds what its first
	 * rows need of the rows before them, and its last rows leave for those after them, so
	 * that adjacent parts of a trace can be merged in any grouping; a run of several traces
	 * never continues another one. NULL: the result depends on the order of all rows;
	 * ordered states why. False: out of memory.
	 */
	bool (*merge)(void *into, const void *from, const struct analysis_numbers *numbers);
	/*
	 * Saves the state before finish, or loads it into the state of init, by visiting
	 * everything that merge and report need. NULL: it cannot be saved.
	 */
	void (*transfer)(void *state, struct archive *archive);
	/* Whether the state lost what it needs to continue another one (facts/part_log.h), and
	 * cannot be merged into it. NULL: never. */
	bool (*is_too_long)(const void *state);
	const char *ordered; /* why merge is NULL, for people: a clause; or NULL */
	/* Ends the rows: processes stored rows a second time. POLY_END: found nothing. NULL:
	 * POLY_OK. */
	enum poly_status (*finish)(void *state, struct poly_error *error);
	/* Returns, after finish, what is estimated or missing because a limit was reached, for
	 * people; NULL: nothing. NULL: the analysis has no limit. */
	const char *(*limit)(const void *state);
	/* Fills ratios (up to ANALYSIS_RATIOS), always the same ones, and returns their number.
	 * NULL: none. */
	size_t (*ratios)(const void *state, struct analysis_ratio *ratios);
	/* Writes the result into the open section, also without rows. */
	void (*report)(
		const void *state, const struct static_ops *ops, struct poly_report *report);
	/* Appends an output, an index of info.outputs. NULL: there are none. */
	enum poly_status (*write)(const void *state, size_t output,
		const struct static_ops *ops, struct output_text *text,
		struct poly_error *error);
	/* Frees the state's memory, also after a failed init. NULL: nothing to do. */
	void (*fini)(void *state);
};

/* Returns the i-th analysis of the build's list; NULL: out of range. */
const struct analysis *analysis_at(size_t i);

#endif
