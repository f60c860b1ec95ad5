/* SPDX-License-Identifier: MIT */
/*
 * What an order of several threads tells: happens-before by vector clocks, sections, the order
 * in which locks are taken, and accesses that nothing orders.
 *
 * spec: reference amber 6 (11), 7.1 (HB edges).
 */
#ifndef CORRELATE_MERGE_ANALYSIS_H
#define CORRELATE_MERGE_ANALYSIS_H

#include "correlate/merge/sync.h"

/* Mutexes that a thread may hold at once; more are not followed. */
#define HELD_MAX 64

/* Pairs of locks that are kept. */
#define ORDERS_MAX 65536

/* Granules of 8 bytes of memory whose last accesses are remembered, and accesses of each. */
#define SHADOW_WORDS ((size_t)1 << 16)
#define SHADOW_CELLS 4

/* Pairs of instructions that are kept as races. */
#define RACES_MAX 1000

/* What became of a mutex or condition variable. */
struct object_usage {
	uint64_t signals, broadcasts, waits, tries;
	uint64_t waited, waited_records;  /* waits that had to wait, and for how many records */
	uint64_t sections, held, longest; /* sections that ended, and instructions in them */
	uint64_t longest_thread, longest_record; /* where the longest began */
	uint64_t *clock; /* of the last signals: one number a thread; NULL: none */
	uint32_t owner;	 /* thread, or SYNC_NONE */
};

/* A mutex that a thread holds. */
struct held_lock {
	uint32_t mutex;
	uint64_t record, instruction; /* where it was acquired */
};

/* What is known of a thread so far. */
struct thread_progress {
	size_t events;
	uint64_t *clock; /* one number a thread */
	struct held_lock held[HELD_MAX];
	size_t held_count;
};

/* A mutex was acquired under another one. */
struct lock_order {
	uint32_t first, second; /* objects */
	uint64_t count;
	uint64_t thread, record; /* where that was first: number of the thread, and record */
	bool several;		 /* threads did so */
};

/* An access that is remembered. */
struct shadow_cell {
	uint64_t epoch; /* the thread's own number in its clock then */
	uint64_t pc, record;
	uint32_t thread;
	uint8_t bytes; /* of the granule; 0: no access */
	bool writes, atomic;
};

struct word {
	uint64_t number; /* address / 8 */
	struct shadow_cell cells[SHADOW_CELLS];
};

/* Accesses of two instructions to common bytes that nothing orders. */
struct race {
	uint64_t address; /* of the first such */
	struct shadow_cell sides[2];
	uint64_t count;
};

struct merge_analysis {
	const struct sync_state *sync;
	struct object_usage *usages;	    /* by object */
	struct thread_progress *progresses; /* by thread */
	struct map order_numbers;
	struct lock_order *orders;
	size_t order_count, order_capacity;
	struct word *shadow_words;
	uint64_t forgotten; /* accesses */
	struct map race_numbers;
	struct race *races;
	size_t race_count;
	uint64_t races_found, races_unlisted, held_untracked, orders_dropped;
	bool powerpc; /* opcodes are */
};

/* An access to memory. */
struct memory_access {
	uint64_t address, pc, record;
	uint32_t size, thread;
	bool writes, atomic;
};

/* An empty analysis of settled events; NULL: no memory. */
struct merge_analysis *analysis_new(const struct sync_state *sync);

/* Takes the next count rows of a thread, from row from of the batch on. POLY_ERR_MEMORY. */
enum poly_status analysis_rows(struct merge_analysis *analysis, size_t thread,
	const struct poly_batch *batch, const size_t range[2], struct poly_error *error);

/* Takes the next event of a thread. False: no memory. */
bool analysis_event(struct merge_analysis *analysis, size_t thread);

/* Takes an access. False: no memory. */
bool analysis_access(struct merge_analysis *analysis, const struct memory_access *access);

/* Adds what it found to a report. */
void analysis_report(const struct merge_analysis *analysis, struct poly_report *report);

/* Adds the table of cycles in the order of locks. */
void deadlock_report(const struct merge_analysis *analysis, struct poly_report *report);

/* Gives everything back. Accepts NULL. */
void analysis_free(struct merge_analysis *analysis);

#endif
