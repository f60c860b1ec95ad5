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
#define HELD_MOST 64

/* Pairs of locks that are kept. */
#define ORDERS_MOST 65536

/* Granules of 8 bytes of memory whose last accesses are remembered, and accesses of each. */
#define GRANULES ((size_t)1 << 16)
#define GRANULE_CELLS 4

/* Pairs of instructions that are kept as races. */
#define RACES_MOST 1000

/* What became of a mutex or condition variable. */
struct usage {
	uint64_t signals, broadcasts, waits, tries;
	uint64_t waited, waited_records;  /* waits that had to wait, and for how many records */
	uint64_t sections, held, longest; /* sections that ended, and instructions in them */
	uint64_t longest_thread, longest_record; /* where the longest began */
	uint64_t *clock; /* of the last signals: one number a thread; NULL: none */
	uint32_t owner;	 /* thread, or SYNC_NONE */
};

/* A mutex that a thread holds. */
struct held {
	uint32_t mutex;
	uint64_t record, instruction; /* where it was acquired */
};

/* What is known of a thread so far. */
struct progress {
	size_t events;
	uint64_t *clock; /* one number a thread */
	struct held held[HELD_MOST];
	size_t held_count;
};

/* A mutex was acquired under another one. */
struct order {
	uint32_t first, second; /* objects */
	uint64_t count;
	uint64_t thread, record; /* where that was first: number of the thread, and record */
	bool several;		 /* threads did so */
};

/* An access that is remembered. */
struct cell {
	uint64_t epoch; /* the thread's own number in its clock then */
	uint64_t pc, record;
	uint32_t thread;
	uint8_t bytes; /* of the granule; 0: no access */
	bool writes, atomic;
};

struct granule {
	uint64_t number; /* address / 8 */
	struct cell cells[GRANULE_CELLS];
};

/* Accesses of two instructions to common bytes that nothing orders. */
struct race {
	uint64_t address; /* of the first such */
	struct cell sides[2];
	uint64_t count;
};

struct analysis {
	const struct sync *sync;
	struct usage *usages;	     /* by object */
	struct progress *progresses; /* by thread */
	struct map order_numbers;
	struct order *orders;
	size_t order_count, order_capacity;
	struct granule *granules;
	uint64_t forgotten; /* accesses */
	struct map race_numbers;
	struct race *races;
	size_t race_count;
	uint64_t races_found, races_left_out, held_left_out, orders_left_out;
	bool powerpc; /* opcodes are */
};

/* An access to memory. */
struct access {
	uint64_t address, pc, record;
	uint32_t size, thread;
	bool writes, atomic;
};

/* An empty analysis of settled events; NULL: no memory. */
struct analysis *analysis_new(const struct sync *sync);

/* Takes the next count rows of a thread, from row from of the batch on. POLY_ERR_MEMORY. */
enum poly_status analysis_rows(struct analysis *analysis, size_t thread,
	const struct poly_batch *batch, const size_t range[2], struct poly_error *error);

/* Takes the next event of a thread. False: no memory. */
bool analysis_event(struct analysis *analysis, size_t thread);

/* Takes an access. False: no memory. */
bool analysis_access(struct analysis *analysis, const struct access *access);

/* Adds what it found to a report. */
void analysis_report(const struct analysis *analysis, struct poly_report *report);

/* Adds the table of cycles in the order of locks. */
void deadlock_report(const struct analysis *analysis, struct poly_report *report);

/* Gives everything back. Accepts NULL. */
void analysis_free(struct analysis *analysis);

#endif
