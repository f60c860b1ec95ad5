/* SPDX-License-Identifier: MIT */
/*
 * Analyses an order of several threads: happens-before by vector clocks, critical sections,
 * lock order, and data races.
 *
 * spec: Apple amber traces 6 (11), 7.1 (HB edges).
 */
#ifndef CORRELATE_MERGE_ANALYSIS_H
#define CORRELATE_MERGE_ANALYSIS_H

#include "correlate/merge/sync.h"

/* Maximum number of held mutexes of a thread that are tracked. */
#define HELD_MAX 64

/* Maximum number of pairs of locks. */
#define ORDERS_MAX 65536

/* Shadow words, one per 8 bytes of memory, and the last accesses (cells) stored in each. */
#define SHADOW_WORDS ((size_t)1 << 16)
#define SHADOW_CELLS 4

/* Maximum number of races, by pairs of instructions. */
#define RACES_MAX 1000

/* Use of a mutex or condition variable. */
struct object_usage {
	uint64_t signals, broadcasts, waits, tries;
	uint64_t waited,
		waited_records; /* blocked waits, and the records that they waited for */
	uint64_t sections, held, longest; /* complete sections, and instructions in them */
	uint64_t longest_thread, longest_record; /* start of the longest */
	uint64_t *clock; /* vector clock of the last signals, by thread; NULL: none */
	uint32_t owner;	 /* thread, or SYNC_NONE */
};

/* A mutex that a thread holds. */
struct held_lock {
	uint32_t mutex;
	uint64_t record, instruction; /* position of the acquire */
};

/* State of a thread. */
struct thread_progress {
	size_t events;
	uint64_t *clock; /* vector clock, by thread */
	uint64_t
		*known; /* by thread: the record from which on it is in the clock; 0: not yet */
	struct held_lock held[HELD_MAX];
	size_t held_count;
};

/* A mutex acquired while another one was held. */
struct lock_order {
	uint32_t first, second; /* objects */
	uint64_t count;
	uint64_t thread, record; /* first occurrence: number of the thread, and record */
	bool several;		 /* by several threads */
};

/* A stored access. */
struct shadow_cell {
	uint64_t epoch; /* the thread's own clock at the access */
	uint64_t pc, record;
	uint32_t thread;
	uint8_t bytes; /* of the word, as bits; 0: no access */
	bool writes, atomic;
};

struct word {
	uint64_t number; /* address / 8 */
	struct shadow_cell cells[SHADOW_CELLS];
};

/* Unordered accesses of two instructions to common bytes. */
struct race {
	uint64_t address; /* of the first pair */
	bool may_be_creation; /* ordered if the first thread created the other between them */
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
	uint64_t creation_races; /* of races_found, those that a creation may order */
	uint64_t races_found, races_unlisted, held_untracked, orders_dropped;
	bool powerpc; /* opcodes are PowerPC */
};

/* An access to memory. */
struct memory_access {
	uint64_t address, pc, record;
	uint32_t size, thread;
	bool writes, atomic;
};

/* Returns an empty analysis of resolved events; NULL: out of memory. */
struct merge_analysis *analysis_new(const struct sync_state *sync);

/* Analyses the next rows of a thread, range[0] to range[1] - 1 of the batch. POLY_ERR_MEMORY.
 */
enum poly_status analysis_rows(struct merge_analysis *analysis, size_t thread,
	const struct poly_batch *batch, const size_t range[2], struct poly_error *error);

/* Analyses the next event of a thread. False: out of memory. */
bool analysis_event(struct merge_analysis *analysis, size_t thread);

/* True if a thread's past at a stored access included another thread. */
static inline bool
analysis_knows(
	const struct merge_analysis *analysis, const struct shadow_cell *cell, uint32_t thread)
{
	const uint64_t known = analysis->progresses[cell->thread].known[thread];
	return known && cell->record >= known;
}

/* Analyses an access. False: out of memory. */
bool analysis_access(struct merge_analysis *analysis, const struct memory_access *access);

/* Adds the results to a report. */
void analysis_report(const struct merge_analysis *analysis, struct poly_report *report);

/* Adds the table of cycles in the lock order. */
void deadlock_report(const struct merge_analysis *analysis, struct poly_report *report);

/* Frees an analysis. Accepts NULL. */
void analysis_free(struct merge_analysis *analysis);

#endif
