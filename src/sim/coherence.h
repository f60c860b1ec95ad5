/* SPDX-License-Identifier: MIT */
/*
 * Private caches of several threads that are kept coherent by MESI: a line is modified or
 * exclusive in one cache, or shared by some. A store takes it from all others. Lines that leave
 * are known to have left.
 *
 * A miss is cold where the thread never had the line, and a replacement where the line had to
 * make room for another since. Otherwise a store of another thread took it: that is true
 * sharing where another thread has stored to a word of this access since, and else false
 * sharing.
 *
 * source: J. Torrellas, M. S. Lam, J. L. Hennessy, "False sharing and spatial locality in
 * multiprocessor caches", IEEE Transactions on Computers 43 (6), 1994.
 *
 * Memory: as the caches and sim/dense_index.h, and 64 bytes and 16 a thread for each line of
 * the trace.
 */
#ifndef SIM_COHERENCE_H
#define SIM_COHERENCE_H

#include "sim/cache.h"

#define COHERENCE_THREADS 64
#define COHERENCE_WORDS 64 /* of a line */

enum coherence_outcome {
	COHERENCE_HIT,
	COHERENCE_UPGRADE, /* a store to a line that others may share */
	COHERENCE_COLD,	   /* from here on it was a miss */
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
	uint32_t lines;	    /* different ones that may be used */
};

/* Accesses in order, each within a line; all arrays are the caller's. */
struct coherence_batch {
	const uint64_t *addresses;
	const uint8_t *kinds; /* enum cache_kind; only stores differ */
	const uint32_t *sizes;
	const uint32_t *threads; /* below those of the configuration */
	size_t count;
	uint8_t *taken; /* NULL, or gets from how many others each store took its line */
};

/* What was counted of one thread. */
struct coherence_counts {
	uint64_t outcomes[COHERENCE_OUTCOMES];
	uint64_t invalidations; /* lines that a store of another thread took */
	uint64_t supplied;	/* modified lines given to another thread that missed */
	uint64_t written_back;	/* modified lines that were replaced */
};

/* What was counted of one line. */
struct coherence_line {
	uint64_t address; /* its first */
	uint64_t true_misses, false_misses;
	uint64_t invalidations;
	uint64_t threads; /* that had it: bit t of thread t */
};

struct coherence;

/* Empty caches. POLY_ERR_USAGE with a message where a configuration makes no sense,
 * POLY_ERR_MEMORY. */
enum poly_status coherence_new(const struct coherence_config *config,
	struct coherence **coherence, struct poly_error *error);
void coherence_free(struct coherence *coherence);

/* Makes all accesses of a batch; outcomes is NULL or gets enum coherence_outcome of each.
 * POLY_ERR_LIMIT where there are more lines than said, POLY_ERR_MEMORY. */
enum poly_status coherence_run(struct coherence *coherence, const struct coherence_batch *batch,
	uint8_t *outcomes, struct poly_error *error);

/* Whether accesses are counted from now on, as they are at first. For warm-up. */
void coherence_counting(struct coherence *coherence, bool counting);

/* What was counted of a thread; until coherence_free. */
const struct coherence_counts *coherence_counts(
	const struct coherence *coherence, uint32_t thread);

/* What was counted of lines, in the order of their first use; their number is *count. Until the
 * next run. */
const struct coherence_line *coherence_lines(const struct coherence *coherence, size_t *count);

#endif
