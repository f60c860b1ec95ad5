/* SPDX-License-Identifier: MIT */
/*
 * Private caches of several threads that are kept coherent by MESI: a line is modified or
 * exclusive in one cache, or shared by some. A store invalidates it in all others. Evictions
 * are visible to the directory.
 *
 * A miss is cold if the thread never had the line, and a replacement miss if the line was
 * evicted since. Otherwise a store of another thread invalidated it: true sharing if another
 * thread has since stored to a word of this access, else false sharing. A miss of a line that a
 * cache operation invalidated is a replacement miss.
 *
 * source: J. Torrellas, M. S. Lam, J. L. Hennessy, "False sharing and spatial locality in
 * multiprocessor caches", IEEE Transactions on Computers 43 (6), 1994.
 *
 * Memory: that of the caches and sim/memory/dense_index.h, and 64 bytes plus 16 per thread for
 * each line of the trace.
 */
#ifndef SIM_COHERENCE_H
#define SIM_COHERENCE_H

#include "sim/cache/cache.h"

#define COHERENCE_THREADS 64
#define COHERENCE_WORDS 64 /* of a line */

enum coherence_outcome {
	COHERENCE_HIT,
	COHERENCE_UPGRADE, /* a store to a line that others may share */
	COHERENCE_COLD,	   /* this and the following are misses */
	COHERENCE_REPLACED,
	COHERENCE_TRUE,
	COHERENCE_FALSE,
	COHERENCE_OUTCOMES
};

struct coherence_config {
	uint32_t threads; /* 1 to COHERENCE_THREADS */
	/* Of each thread: write-back, write-allocate, with valid bits. */
	struct cache_config cache;
	uint32_t word_size; /* bytes, a power of two; a line has at most COHERENCE_WORDS */
	uint32_t lines;	    /* maximum of distinct lines */
};

/* Accesses in order, each within a line; the caller owns all arrays. */
struct coherence_batch {
	const uint64_t *addresses;
	const uint8_t *kinds; /* enum cache_kind; only stores differ */
	const uint32_t *sizes;
	const uint32_t *threads; /* below those of the configuration */
	size_t count;
	uint8_t *taken; /* NULL, or gets the number of caches that each store invalidated */
};

/* Counts of one thread. */
struct coherence_counts {
	uint64_t outcomes[COHERENCE_OUTCOMES];
	uint64_t invalidations; /* lines invalidated by stores of other threads */
	uint64_t supplied;	/* modified lines supplied to a missing thread */
	uint64_t written_back;	/* modified lines evicted */
};

/* Counts of one line. */
struct coherence_line {
	uint64_t address; /* its first */
	uint64_t true_misses, false_misses;
	uint64_t invalidations;
	uint64_t threads; /* threads that had it: bit t for thread t */
};

struct coherence;

/* Creates empty caches. POLY_ERR_USAGE with a message for an invalid configuration,
 * POLY_ERR_MEMORY. */
enum poly_status coherence_new(const struct coherence_config *config,
	struct coherence **coherence, struct poly_error *error);
void coherence_free(struct coherence *coherence);

/* Performs all accesses of a batch; outcomes is NULL or gets enum coherence_outcome of each.
 * POLY_ERR_LIMIT beyond the maximum of lines, POLY_ERR_MEMORY. */
enum poly_status coherence_run(struct coherence *coherence, const struct coherence_batch *batch,
	uint8_t *outcomes, struct poly_error *error);

/* Performs a cache operation on the line of an address, in the caches of all threads. Not
 * CACHE_CODE and CACHE_PREFETCH. */
void coherence_operate(
	struct coherence *coherence, enum cache_operation operation, uint64_t address);

/* Switches counting, which is initially on. For warm-up. */
void coherence_counting(struct coherence *coherence, bool counting);

/* Returns the counts of a thread; valid until coherence_free. */
const struct coherence_counts *coherence_counts(
	const struct coherence *coherence, uint32_t thread);

/* Returns the counts of *count lines, in the order of their first use; valid until the next
 * run. */
const struct coherence_line *coherence_lines(const struct coherence *coherence, size_t *count);

#endif
