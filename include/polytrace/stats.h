/* SPDX-License-Identifier: MIT */
/*
 * Analyses: statistics, simulations and queries of any trace in one pass, reported as a section
 * each. Some also have outputs: texts of their own format, such as those of other tools.
 *
 *     poly_stats_new(&options, &stats, &error);
 *     poly_stats_begin(stats, poly_reader_info(reader), &error);
 *     plan.columns = poly_stats_columns(stats);
 *     plan.weights = poly_stats_accepts_weights(stats); // if no record of the trace is
 * excluded poly_reader_plan(reader, &plan, &error); while (poly_reader_next(reader, &batch,
 * &error) == POLY_OK && poly_stats_update(stats, batch, &error) == POLY_OK)
 *             ;
 *     poly_stats_finish(stats, &error);
 *     poly_stats_report(stats, NULL, report);
 *     poly_stats_write(stats, "phases", "weights", &sink, &error);
 *
 * A handle is used by one thread at a time; it may use further threads itself.
 */
#ifndef POLYTRACE_STATS_H
#define POLYTRACE_STATS_H

#include "polytrace/format.h"
#include "polytrace/report.h"
#include "polytrace/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of analyses. All but statistics are requested by name only. */
enum poly_analysis_kind {
	POLY_ANALYSIS_STATISTIC,  /* counts and distributions */
	POLY_ANALYSIS_SIMULATION, /* simulates hardware */
	POLY_ANALYSIS_QUERY,	  /* answers a question that its options pose */
	POLY_ANALYSIS_HOMEWORK,	  /* prints like the program of a course; "COURSE_HOMEWORK" */
};

/* An output of an analysis. */
struct poly_analysis_output {
	const char *name;    /* unique within the analysis */
	const char *summary; /* one sentence: its content and format */
};

/* Description of an analysis. Static and read-only: any thread may read it at any time. */
struct poly_analysis_info {
	const char *name;		   /* identifies the analysis; key of its section */
	const char *title;		   /* heading of its section */
	const char *summary;		   /* one sentence: its results */
	poly_columns needs;		   /* required columns */
	poly_columns wants;		   /* optional columns */
	bool is_default;		   /* requested unless analyses are named */
	enum poly_analysis_kind kind;	   /* statistic, simulation or query */
	const struct poly_option *options; /* never NULL; their names begin with its name */
	const struct poly_analysis_output *outputs; /* NULL name at the end; NULL: none */
};

/* Returns the i-th analysis from 0 in the order of the build's lists, by kind; NULL: out of
 * range. */
POLY_API const struct poly_analysis_info *poly_analysis_at(size_t i);

/* Returns the analysis of a name; NULL: no such analysis. */
POLY_API const struct poly_analysis_info *poly_analysis_find(const char *name);

/*
 * Returns why the results of an analysis of the library depend on the order of all records, so
 * that poly_stats_merge refuses it: a clause for people, static. NULL: it is merged, or no such
 * analysis.
 */
POLY_API const char *poly_analysis_ordered(const char *name);

struct poly_stats;

/*
 * Temporary stores of bytes, for analyses that read a trace twice: the library does not open
 * files itself. Only written ranges are read. Different threads may use different stores at the
 * same time, but each store is used by one thread at a time.
 */
struct poly_stats_stores {
	void *user; /* of open */
	/* Opens a new, empty store; NULL: failure, with errno set. */
	void *(*open)(void *user);
	/* Writes size bytes at offset at; false: failure, with errno set. */
	bool (*put)(void *store, uint64_t at, const void *data, size_t size);
	/* Reads size bytes at offset at; false: failure, with errno set. */
	bool (*get)(void *store, uint64_t at, void *data, size_t size);
	void (*close)(void *store); /* deletes the store and its content */
};

struct poly_analysis_plugin;

/* Requested analyses. Initialize with POLY_STATS_OPTIONS_INIT. */
struct poly_stats_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	/* Names of analyses, NULL at the end; NULL: the default ones that suit the trace. */
	const char *const *analyses;
	/* Options of these analyses as "name=value", NULL at the end; NULL: none. */
	const char *const *options;
	bool all;	  /* with analyses NULL: every statistic that suits the trace */
	uint64_t warmup;  /* initial records that update state but are not counted */
	unsigned threads; /* analysis threads, with the caller's, at most 64; 0: one per CPU, at
			     most 16; the results are the same. They share blocks of rows, the
			     analyses, or the machines of a single one */
	/*
	 * Sampling: after the warm-up, only the last unit records of every period records are
	 * counted; the others only update state. Reports have confidence intervals of the
	 * estimates. period 0: all records are counted.
	 */
	uint64_t unit, period;
	/*
	 * Stores of analyses that read a trace twice, such as policy opt of caches; NULL: these
	 * are refused. 17 bytes per access, and 8 for each further line size. The struct must
	 * stay valid until poly_stats_new returns, user until poly_stats_free.
	 */
	const struct poly_stats_stores *stores;
	/* Names of functions, for queries; valid until poly_stats_free. NULL: none. */
	const struct poly_symbols *symbols;
	/*
	 * Receives the lines of a homework while rows are added, perhaps from another thread;
	 * NULL: only the report has its last lines, the results. The struct must stay valid
	 * until poly_stats_new returns, user until poly_stats_free.
	 */
	const struct poly_sink *sink;
	/*
	 * Analyses of the caller (polytrace/extend.h), NULL at the end, after those of the
	 * library; or NULL. The array must be valid until poly_stats_new returns, the analyses
	 * until poly_stats_free.
	 */
	const struct poly_analysis_plugin *const *plugins;
	/*
	 * Maximum of bytes that each analysis of memory accesses uses for what it records of
	 * lines, at least POLY_STATS_MEMORY_MIN; 0: 1 GiB. Results of traces with more lines
	 * are estimated from samples (poly_stats_limit_at).
	 */
	uint64_t memory;
	/*
	 * Simulations of caches and analyses of memory (footprint, heat, memory, strides,
	 * workingset, cache, levels, mrc, sharing) use the columns real_address and real_pc
	 * instead of address and pc; accesses and instructions without them are not counted,
	 * and the report has their numbers. Traces of physical addresses are used as they are.
	 */
	bool real_addresses;
};

/* The minimum of options.memory. */
#define POLY_STATS_MEMORY_MIN ((uint64_t)128 << 20)

/* Initial values: the default analyses, one thread. */
#define POLY_STATS_OPTIONS_INIT                                         \
	{                                                               \
		.size = sizeof(struct poly_stats_options), .threads = 1 \
	}

/*
 * Creates a handle, which the caller owns; NULL on failure. POLY_ERR_USAGE: unknown analysis or
 * option, an option of an analysis that was not requested, an invalid value, options of size 0,
 * real addresses, but no analysis that uses them,
 * a unit that is 0 or longer than its period, a memory that is too small, required stores are
 * missing, several homeworks have a sink, or invalid options.plugins. POLY_ERR_IO: a store
 * cannot be opened. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_new(const struct poly_stats_options *options,
	struct poly_stats **stats, struct poly_error *error);

/*
 * Begins a trace. Several traces may be added in sequence to a handle, as one population. info
 * and its names must stay valid until the trace's last update. POLY_ERR_USAGE: an analysis that
 * was requested by name does not support the trace; the message names the missing column or
 * states what cannot be identified, such as an instruction set that is not known. Or
 * options.real_addresses is set, and its format has none.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_begin(
	struct poly_stats *stats, const struct poly_trace_info *info, struct poly_error *error);

/*
 * Returns which analyses are not available for the current trace because its instruction set is
 * not known: "instruction set 'xyz' is unknown: mix and branches are not available"; NULL:
 * none. Valid until the next call of poly_stats_begin. The report of all analyses repeats it.
 */
POLY_API const char *poly_stats_diagnostic(const struct poly_stats *stats);

/* Returns the columns that the current trace needs; request them from the reader. */
POLY_API poly_columns poly_stats_columns(const struct poly_stats *stats);

/*
 * Whether all analyses of the current trace accept weighted rows, which stand for several
 * records: then the plan of the reader may accept weights, and the results are the same, only
 * faster.
 */
POLY_API bool poly_stats_accepts_weights(const struct poly_stats *stats);

/*
 * Returns what decoders of the current trace can do for the handle, for the plan of its reader
 * (polytrace/reader.h): they analyse chunks of the trace, and poly_stats_update merges the
 * results, which are the same, only faster. NULL: they cannot, or too little memory. Valid
 * until the next call or poly_stats_free; the reader must be closed before. Not for a handle
 * with rows of the trace.
 */
POLY_API const struct poly_decoder_work *poly_stats_decoder_work(struct poly_stats *stats);

/*
 * Adds the rows of a batch of the current trace. POLY_END: the results are complete, and
 * further rows do not change them. POLY_ERR_USAGE: the batch has weights, and
 * poly_stats_accepts_weights is false. POLY_ERR_LIMIT: more than a query can store; sticky.
 * POLY_ERR_IO: options.sink failed; its errno is in error->sys_errno. POLY_ERR_MEMORY: sticky.
 */
POLY_API enum poly_status poly_stats_update(
	struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error);

/*
 * Adds the results of from, which saw later rows, as if into had been updated with them; from
 * is unchanged, and not finished. Both have the same options. If from began the trace that into
 * began last, with the same info, and only that trace, and its first row is not record 1 (first
 * of its batch is not 0), this row follows the last one of into: what crosses this border, such
 * as an open call or the accesses of an instruction, is continued. Otherwise the traces of from
 * follow those of into. So the rows of a trace can be cut anywhere, also into parts without
 * rows, and adjacent parts be merged in any grouping; traces are merged when their parts are.
 * Afterwards only merging adds rows to into. POLY_ERR_USAGE: different options, a warm-up or
 * sampling, or from continues the trace of into, but has further traces. POLY_ERR_LIMIT: some
 * analyses store events of parts of a trace, such as calls and returns, and from had more of
 * them than they store. POLY_ERR_UNSUPPORTED: an analysis depends on the order of all rows
 * (poly_analysis_ordered), or its records are the differences of register states; the message
 * names the analysis and the reason. After these errors into is unchanged. POLY_ERR_MEMORY:
 * sticky.
 */
POLY_API enum poly_status poly_stats_merge(
	struct poly_stats *into, const struct poly_stats *from, struct poly_error *error);

/*
 * Ends the rows: analyses that read a trace twice do so now; otherwise their results stay
 * empty. No further rows can be added. To be called once. POLY_END: success, but a query found
 * nothing. POLY_ERR_USAGE: options.real_addresses is set, and no record has one. POLY_ERR_IO: a
 * store or the sink failed, now or earlier. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_finish(struct poly_stats *stats, struct poly_error *error);

/*
 * Returns what is estimated or missing in the results because an analysis reached a limit of
 * memory, for people, and its name: the i-th such analysis, from 0. NULL after the last one.
 * Valid until the next call with the handle.
 */
POLY_API const char *poly_stats_limit_at(
	const struct poly_stats *stats, size_t i, const char **analysis);

/*
 * Writes the results of a requested analysis into the open section of a report. analysis NULL:
 * one section per analysis, with its name as key, in the order of the build's lists.
 */
POLY_API void poly_stats_report(
	const struct poly_stats *stats, const char *analysis, struct poly_report *report);

/*
 * Writes an output of an analysis to sink. POLY_ERR_USAGE: the analysis was not requested, has
 * no such output, or lacks an option that the output requires; the message names it.
 * POLY_ERR_LIMIT: the output would be too large. POLY_ERR_MEMORY. POLY_ERR_IO: the sink's write
 * failed; its errno is in error->sys_errno.
 */
POLY_API enum poly_status poly_stats_write(const struct poly_stats *stats, const char *analysis,
	const char *output, const struct poly_sink *sink, struct poly_error *error);

/* Frees a handle. Accepts NULL. */
POLY_API void poly_stats_free(struct poly_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
