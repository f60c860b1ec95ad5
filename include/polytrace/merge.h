/* SPDX-License-Identifier: MIT */
/*
 * Merging the traces of several threads or processors into one.
 *
 * By synchronisation: the traces of threads, one each, whose records of waits and signals carry
 * counts, as those of amber do. They are read twice. The first reading learns the events:
 *
 *     poly_merge_new(&options, &merge, &error);
 *     for each trace: poly_merge_add(merge, thread, name, &error);
 *     for each trace i, batch by batch: poly_merge_learn(merge, i, batch, &error);
 *     poly_merge_settle(merge, &error);
 *
 * The second one, by readers that are opened anew, gives the records in an order that fits:
 *
 *     for each trace i: poly_merge_attach(merge, i, reader);
 *     poly_merge_start(merge, &error);
 *     while ((status = poly_merge_next(merge, &batch, &error)) == POLY_OK) ...
 *
 * By time nothing is learnt, settle is left out, and each trace is read once.
 *
 * How the order is found: reference amber 7.1. A signal's count is an ordinal of its address; a
 * wait's count tells how many signals of its address were there when it was done. So every
 * signal comes behind the one before it, a wait behind the signals that it counts and, softly,
 * before the next one; sections under a mutex do not overlap where that can be had. Memory
 * grows with threads and with the records of synchronisation, not with instructions.
 *
 * A merge is used by one thread at a time.
 */
#ifndef POLYTRACE_MERGE_H
#define POLYTRACE_MERGE_H

#include "polytrace/reader.h"
#include "polytrace/report.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_merge;

/* What the order is made of. */
enum poly_merge_by {
	POLY_MERGE_BY_SYNC, /* the columns sync, address and value */
	POLY_MERGE_BY_TIME, /* the column time; of equal times the trace added first */
};

/* Which count of its address a signal carries (reference amber 3/9). */
enum poly_merge_numbering {
	POLY_MERGE_NUMBERING_AUTO, /* as most addresses show; undecided: after */
	POLY_MERGE_AFTER,	   /* that after it: the first signal has 1 */
	POLY_MERGE_BEFORE,	   /* that before it: the first signal has 0 */
};

/* Which count a wait carries (reference amber 3/10). */
enum poly_merge_wait {
	POLY_MERGE_WAIT_COMPLETION,  /* signals so far when it was done */
	POLY_MERGE_WAIT_LOWER_BOUND, /* signals so far when it began: there may be more */
};

/* How to merge. Initialise with POLY_MERGE_OPTIONS_INIT. */
struct poly_merge_options {
	size_t size;	       /* of this struct in bytes; set by the macro, and not 0 */
	enum poly_merge_by by; /* what the order is made of */
	enum poly_merge_numbering numbering; /* of signals */
	enum poly_merge_wait wait;	     /* what the count of a wait says */
	uint64_t quantum; /* records after which another thread has its turn; 0: when it can't
			     go on */
	bool force;	  /* goes on where the records contradict each other, with a note */
	bool analyse;	  /* keeps what poly_merge_report tells of locks and races */
};

/* Initial values: by synchronisation, numbering found out, each thread as far as it can go. */
#define POLY_MERGE_OPTIONS_INIT                                                                \
	{                                                                                      \
		sizeof(struct poly_merge_options), POLY_MERGE_BY_SYNC,                         \
			POLY_MERGE_NUMBERING_AUTO, POLY_MERGE_WAIT_COMPLETION, 0, false, false \
	}

/*
 * A merge without traces. options may be NULL for the initial values. On POLY_OK *merge belongs
 * to the caller; on failure it is NULL. POLY_ERR_USAGE: options of size 0. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_new(const struct poly_merge_options *options,
	struct poly_merge **merge, struct poly_error *error);

/*
 * Adds the trace of a thread: its number, which the column thread gets, and a name for messages
 * and facts, which is copied. Traces are known by their number from 0 in the order of adding;
 * in that order threads have their turns. POLY_ERR_USAGE: the number is there already.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_add(
	struct poly_merge *merge, uint64_t thread, const char *name, struct poly_error *error);

/* The columns that the first reading looks at. */
POLY_API poly_columns poly_merge_columns(const struct poly_merge *merge);

/*
 * Learns the next rows of a trace: all of them, in their order. A row with a value in sync,
 * address and value is an event. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_read_events(struct poly_merge *merge, size_t trace,
	const struct poly_batch *batch, struct poly_error *error);

/*
 * Ends the learning: finds out numbering and what each address is, and looks for counts that
 * can't be, which become notes. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_resolve(
	struct poly_merge *merge, struct poly_error *error);

/*
 * The i-th thing from 0 that is wrong with the counts of the traces or had to be relaxed for an
 * order, as a sentence; NULL after the last one. The first 100 are kept, all are counted in
 * *count, which may be NULL. Notes are added by settle and by what gives the order; each is
 * held until the merge is freed.
 */
POLY_API const char *poly_merge_note_at(
	const struct poly_merge *merge, size_t i, uint64_t *count);

/* Records of one thread that stand together in the order. */
struct poly_merge_run {
	size_t trace;	  /* its number from 0 */
	uint64_t first;	  /* number of the first record in its trace, from 1 */
	uint64_t records; /* how many, at least 1 */
	const char *why;  /* why it could go on; held until the next call */
};

/*
 * The next run of the order, which is that of the records that poly_merge_next gives. POLY_END
 * after the last one. POLY_ERR_FORMAT: the records contradict each other, whatever is relaxed;
 * the message has the cycle, and the order up to there has been given. POLY_ERR_USAGE: the
 * merge is by time, or not settled. POLY_ERR_MEMORY. Not to be called from poly_merge_start on.
 */
POLY_API enum poly_status poly_merge_next_run(
	struct poly_merge *merge, struct poly_merge_run *run, struct poly_error *error);

/* Begins the order again, as poly_merge_start does too. Notes of the order are taken back. */
POLY_API void poly_merge_rewind(struct poly_merge *merge);

/* Says which reader, not read yet, gives a trace's rows. It stays the caller's. */
POLY_API void poly_merge_set_reader(
	struct poly_merge *merge, size_t trace, struct poly_reader *reader);

/*
 * Prepares the second reading, or by time the only one: every trace has its reader.
 * POLY_ERR_USAGE: one has none, or by time, one has no times, or their clocks differ.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_merge_start(struct poly_merge *merge, struct poly_error *error);

/*
 * The facts of the merged trace, from poly_merge_start on until the merge is freed: those that
 * all traces share, and as "merge.thread.N" the name of the trace of thread N. The column
 * thread is the thread's number; by time only in traces that have neither threads nor
 * processors of their own. Sites are not kept, and raw bytes only where all traces have them of
 * one format.
 */
POLY_API const struct poly_trace_info *poly_merge_info(const struct poly_merge *merge);

/*
 * The next rows in the merged order, at least one. They belong to the merge and hold until its
 * next call. POLY_END after the last one. POLY_ERR_FORMAT: as poly_merge_next_run, or a trace
 * is not the one that was learnt. Failures of the readers, whose trace poly_merge_failed tells.
 * POLY_ERR_LIMIT: more names than a trace can have. POLY_ERR_MEMORY. All are sticky.
 */
POLY_API enum poly_status poly_merge_next(
	struct poly_merge *merge, const struct poly_batch **batch, struct poly_error *error);

/* The trace whose reader failed in poly_merge_next; SIZE_MAX: none did. */
POLY_API size_t poly_merge_failed(const struct poly_merge *merge);

/*
 * Reports a settled merge: sections "merge", "locks" and so on, and with the option analyse,
 * when poly_merge_next has come to its end, what the order tells of locks and races; see
 * polytrace-merge(1).
 */
POLY_API void poly_merge_report(const struct poly_merge *merge, struct poly_report *report);

/* Gives everything back but the readers. Accepts NULL. */
POLY_API void poly_merge_free(struct poly_merge *merge);

#ifdef __cplusplus
}
#endif

#endif
