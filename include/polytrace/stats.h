/* SPDX-License-Identifier: MIT */
/*
 * Analyses: questions asked of any trace in one pass, answered in a report.
 *
 *     poly_stats_new(&options, &stats, &error);
 *     poly_stats_begin(stats, poly_reader_info(reader), &error);
 *     poly_reader_project(reader, poly_stats_columns(stats));
 *     if (poly_stats_accepts_weights(stats)) // and every record of the trace is to be counted
 *             poly_reader_accept_weights(reader);
 *     while (poly_reader_next(reader, &batch, &error) == POLY_OK)
 *             poly_stats_update(stats, batch, &error);
 *     poly_stats_finish(stats, &error);
 *     poly_stats_report(stats, report);
 *
 * A handle is used by one thread at a time; it may use further threads itself.
 */
#ifndef POLYTRACE_STATS_H
#define POLYTRACE_STATS_H

#include "polytrace/format.h"
#include "polytrace/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the library knows of an analysis. Static and read-only: any thread may use it. */
struct poly_analysis_info {
	const char *name;    /* as given to -a, and the key of its section */
	const char *title;   /* of its section */
	const char *summary; /* one sentence: what it tells */
	poly_columns needs;  /* columns without which it can tell nothing of a trace */
	poly_columns wants;  /* columns that it looks at where there are any */
	bool is_default;     /* asked for where nothing is asked by name */
	bool is_simulation;  /* simulates a part of a processor: asked for by name only */
	const struct poly_option *options; /* never NULL; their names begin with its name */
};

/* The i-th analysis from 0 in the order of the build's lists, simulations behind all others;
 * NULL after the last one. */
POLY_API const struct poly_analysis_info *poly_analysis_at(size_t i);

/* The analysis of a name; NULL where there is none. */
POLY_API const struct poly_analysis_info *poly_analysis_find(const char *name);

struct poly_stats;

/*
 * Temporary stores of bytes, for analyses that look at a trace twice: the library opens no file
 * of its own. A store that was never written at a place is not read there. Different stores may
 * be used by different threads at once, one by one thread at a time.
 */
struct poly_stats_stores {
	void *user; /* of open */
	/* A new, empty store; NULL: there is none, and errno says why. */
	void *(*open)(void *user);
	/* Writes size bytes from byte at on; false: errno says why not. */
	bool (*put)(void *store, uint64_t at, const void *data, size_t size);
	/* Reads size bytes from byte at on; false: errno says why not. */
	bool (*get)(void *store, uint64_t at, void *data, size_t size);
	void (*close)(void *store); /* gives the store and what it holds away */
};

/* What is asked. Initialise with POLY_STATS_OPTIONS_INIT. */
struct poly_stats_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	/* Names of analyses, NULL at the end; NULL: the default ones that suit the trace. */
	const char *const *analyses;
	/* Options of these analyses as "name=value", NULL at the end; NULL: none. */
	const char *const *options;
	bool all; /* with analyses NULL: every one that suits the trace, but simulations */
	uint64_t warmup;  /* first records that are not counted, but remembered as what was
			     before those that are */
	unsigned threads; /* that analyse, with the caller's; 0: as many as there are
			     processors, up to 16; the answers do not depend on it. They
			     share out analyses, or the machines of the only one */
	/*
	 * Behind warmup only the last unit records of every period are counted, and the others
	 * are remembered. Reports have intervals of confidence of what is estimated so. period
	 * 0: all are counted.
	 */
	uint64_t unit, period;
	/*
	 * Where analyses that look at a trace twice keep it, as policy opt of caches does;
	 * NULL: they are refused. 17 bytes an access, and 8 for each further size of lines.
	 * What it points at has to stay until poly_stats_new returns, user until
	 * poly_stats_free.
	 */
	const struct poly_stats_stores *stores;
};

/* Initial values: the default analyses, one thread. */
#define POLY_STATS_OPTIONS_INIT                                                        \
	{                                                                              \
		sizeof(struct poly_stats_options), NULL, NULL, false, 0, 1, 0, 0, NULL \
	}

/*
 * On POLY_OK *stats belongs to the caller; on failure it is NULL. POLY_ERR_USAGE: no such
 * analysis or option, an option of one that is not asked for, a value that does not fit,
 * options of size 0, a unit that is 0 or longer than its period, no stores where some are
 * needed; the message says what is wrong. POLY_ERR_IO: a store cannot be opened.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_new(const struct poly_stats_options *options,
	struct poly_stats **stats, struct poly_error *error);

/*
 * A trace begins; one after the other may be added to the same handle, as one population. info
 * and its names must stay until the trace's last update. POLY_ERR_USAGE: an analysis that was
 * asked for by name does not suit the trace; the message says which column it lacks.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_begin(
	struct poly_stats *stats, const struct poly_trace_info *info, struct poly_error *error);

/* The columns that are looked at in the trace that began last: ask a reader for these. */
POLY_API poly_columns poly_stats_columns(const struct poly_stats *stats);

/*
 * True where all that is asked of the trace that began last can be told of records that were
 * counted: then poly_reader_accept_weights may be called, and what is told is the same, only
 * sooner.
 */
POLY_API bool poly_stats_accepts_weights(const struct poly_stats *stats);

/*
 * Adds the rows of a batch of the trace that began last. POLY_ERR_USAGE: the batch has weights,
 * and poly_stats_accepts_weights is false. POLY_ERR_MEMORY: sticky.
 */
POLY_API enum poly_status poly_stats_update(
	struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error);

/*
 * Adds what from has counted of the rows behind those of into, as if into had been updated with
 * them too; from is unchanged. Both were asked the same and begun with the same trace, whose
 * rows they have shared out, or have seen different traces. No further rows can be added to
 * into but by merging. POLY_ERR_USAGE: they were not asked the same, or for a warm-up or
 * units. POLY_ERR_UNSUPPORTED: an analysis depends on the order of all rows; the message says
 * which. POLY_ERR_MEMORY: sticky.
 */
POLY_API enum poly_status poly_stats_merge(
	struct poly_stats *into, const struct poly_stats *from, struct poly_error *error);

/*
 * Says that all rows were added: analyses that look at a trace twice do so now. Without it they
 * leave empty what they would have found. No further rows can be added. POLY_ERR_IO: a store
 * failed, now or before; POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_finish(struct poly_stats *stats, struct poly_error *error);

/*
 * Writes a section an analysis into the open section of a report, each under its name as key,
 * in the order of the build's list.
 */
POLY_API void poly_stats_report(const struct poly_stats *stats, struct poly_report *report);

/* Frees a handle. Accepts NULL. */
POLY_API void poly_stats_free(struct poly_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
