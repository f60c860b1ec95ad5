/* SPDX-License-Identifier: MIT */
/*
 * Merges the traces of several threads or processors into one.
 *
 * By synchronisation: per-thread traces whose records of waits and signals carry counts, such
 * as those of amber. They are read twice. The first reading reads the events:
 *
 *     poly_merge_new(&options, &merge, &error);
 *     for each trace: poly_merge_add(merge, thread, name, &error);
 *     for each trace i, batch by batch: poly_merge_read_events(merge, i, batch, &error);
 *     poly_merge_resolve(merge, &error);
 *
 * The second one, from new sources, delivers the records in a consistent order:
 *
 *     for each trace i: poly_merge_set_source(merge, i, &source);
 *     poly_merge_start(merge, &error);
 *     while ((status = poly_merge_next(merge, &batch, &error)) == POLY_OK) ...
 *
 * By time each trace is read only once, without a first reading.
 *
 * Order: Apple amber traces 7.1. A signal's count is an ordinal of its address; a wait's count
 * is the number of signals of its address at its completion. So every signal follows the
 * previous one, a wait follows the signals that it counts and, as a soft constraint, precedes
 * the next one; critical sections of a mutex do not overlap if possible. Memory grows with the
 * threads and the synchronisation records, not with the instructions.
 *
 * One thread at a time uses a merge.
 */
#ifndef POLYTRACE_MERGE_H
#define POLYTRACE_MERGE_H

#include "polytrace/report.h"
#include "polytrace/source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_merge;

/* Keys of the order. */
enum poly_merge_by {
	POLY_MERGE_BY_SYNC, /* the columns sync, address and value */
	POLY_MERGE_BY_TIME, /* the column time; of equal times in the order of adding */
};

/* The count of its address that a signal carries (Apple amber traces 3/9). */
enum poly_merge_numbering {
	POLY_MERGE_NUMBERING_AUTO, /* by the majority of addresses; undecided: after */
	POLY_MERGE_AFTER,	   /* after itself: the first signal has 1 */
	POLY_MERGE_BEFORE,	   /* before itself: the first signal has 0 */
};

/* The count that a wait carries (Apple amber traces 3/10). */
enum poly_merge_wait {
	POLY_MERGE_WAIT_COMPLETION,  /* signals at its completion */
	POLY_MERGE_WAIT_LOWER_BOUND, /* signals at its start: a lower bound */
};

/* Options of a merge. Initialise with POLY_MERGE_OPTIONS_INIT. */
struct poly_merge_options {
	size_t size;	       /* of this struct in bytes; set by the macro, and not 0 */
	enum poly_merge_by by; /* key of the order */
	enum poly_merge_numbering numbering; /* of signals */
	enum poly_merge_wait wait;	     /* count of a wait */
	uint64_t quantum; /* records after which threads switch; 0: only when one blocks */
	bool force;	  /* continue after contradictions between records, with a note */
	bool analyse;	  /* analyse locks and races for poly_merge_report */
};

/* Initial values: by synchronisation, detected numbering, no quantum. */
#define POLY_MERGE_OPTIONS_INIT                                                            \
	{                                                                                  \
		.size = sizeof(struct poly_merge_options), .by = POLY_MERGE_BY_SYNC,       \
		.numbering = POLY_MERGE_NUMBERING_AUTO, .wait = POLY_MERGE_WAIT_COMPLETION \
	}

/*
 * Creates a merge without traces. options may be NULL for the initial values. On POLY_OK *merge
 * belongs to the caller; on failure it is NULL. POLY_ERR_USAGE: options of size 0.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_new(const struct poly_merge_options *options,
	struct poly_merge **merge, struct poly_error *error);

/*
 * Adds the trace of a thread: its number, for the column thread, and a name for messages and
 * facts, which is copied. Traces are numbered from 0 in the order of adding, in which threads
 * take turns. POLY_ERR_USAGE: duplicate thread number. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_add(
	struct poly_merge *merge, uint64_t thread, const char *name, struct poly_error *error);

/* Returns the columns that the first reading needs. */
POLY_API poly_columns poly_merge_columns(const struct poly_merge *merge);

/*
 * Reads the events of the next rows of a trace: all rows, in order. A row with a value in sync,
 * address and value is an event. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_read_events(struct poly_merge *merge, size_t trace,
	const struct poly_batch *batch, struct poly_error *error);

/*
 * Ends the first reading: determines the numbering and the kind of each address, and adds notes
 * on invalid counts. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_resolve(
	struct poly_merge *merge, struct poly_error *error);

/*
 * Returns the i-th note, from 0, on an invalid count or a relaxed constraint; NULL after the
 * last one. The first 100 are stored, *count (which may be NULL) counts all. poly_merge_resolve
 * and the computation of the order add notes; each is valid until the merge is freed.
 */
POLY_API const char *poly_merge_note_at(
	const struct poly_merge *merge, size_t i, uint64_t *count);

/* Consecutive records of one thread in the order. */
struct poly_merge_run {
	size_t trace;	  /* its number from 0 */
	uint64_t first;	  /* number of the first record in its trace, from 1 */
	uint64_t records; /* number, at least 1 */
	const char *why;  /* why the thread could continue; valid until the next call */
};

/*
 * Gets the next run of the order, which is that of the records of poly_merge_next. POLY_END
 * after the last one. POLY_ERR_FORMAT: the records contradict each other even after relaxing;
 * the message has the cycle. POLY_ERR_USAGE: the merge is by time, or not resolved.
 * POLY_ERR_MEMORY. Not to be called after poly_merge_start.
 */
POLY_API enum poly_status poly_merge_next_run(
	struct poly_merge *merge, struct poly_merge_run *run, struct poly_error *error);

/* Restarts the order, as poly_merge_start does, too. Discards the notes of the order. */
POLY_API void poly_merge_rewind(struct poly_merge *merge);

/* Sets the source, not read yet, of a trace's rows, valid until poly_merge_free. */
POLY_API void poly_merge_set_source(
	struct poly_merge *merge, size_t trace, const struct poly_source *source);

/*
 * Prepares the second reading, or by time the only one: every trace must have a source.
 * POLY_ERR_USAGE: a trace has none; the instruction sets differ; by time, one has no times, or
 * the clocks differ. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_start(struct poly_merge *merge, struct poly_error *error);

/*
 * Returns the metadata of the merged trace, valid from poly_merge_start until the merge is
 * freed: those that all traces share, and as fact "merge.thread.N" the name of the trace of
 * thread N. The column thread is the thread's number; by time only in traces with neither
 * threads nor processors of their own. Sites are not preserved, raw bytes only if all traces
 * have those of one format.
 */
POLY_API const struct poly_trace_info *poly_merge_info(const struct poly_merge *merge);

/*
 * Gets the next rows in the merged order, at least one. The merge owns them; they are valid
 * until its next call. POLY_END after the last one. POLY_ERR_FORMAT: as poly_merge_next_run, or
 * a trace differs from the first reading. A source's failure; poly_merge_failed returns its
 * trace. POLY_ERR_LIMIT: more names than a trace can have. POLY_ERR_MEMORY. All are sticky.
 */
POLY_API enum poly_status poly_merge_next(
	struct poly_merge *merge, const struct poly_batch **batch, struct poly_error *error);

/* Returns the trace whose source failed in poly_merge_next; SIZE_MAX: none. */
POLY_API size_t poly_merge_failed(const struct poly_merge *merge);

/*
 * Reports a resolved merge: section "merge" and, with the option analyse, after poly_merge_next
 * has returned POLY_END, the locks and races of the order; see polytrace-merge(1).
 */
POLY_API void poly_merge_report(const struct poly_merge *merge, struct poly_report *report);

/* Frees a merge, but not the sources. Accepts NULL. */
POLY_API void poly_merge_free(struct poly_merge *merge);

#ifdef __cplusplus
}
#endif

#endif
