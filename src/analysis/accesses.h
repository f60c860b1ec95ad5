/* SPDX-License-Identifier: MIT */
/* What was accessed: how often, how many bytes, and between which addresses. */
#ifndef ANALYSIS_ACCESSES_H
#define ANALYSIS_ACCESSES_H

#include "analysis/tally.h"

/* Room for every access, and for indexing by three bits. */
#define ACCESSES_ROOM 8

/* Rows with access and address, by access. */
struct accesses {
	uint64_t counts[ACCESSES_ROOM];
	uint64_t bytes[ACCESSES_ROOM];	    /* sums of size, where it is present */
	unsigned sized;			    /* a bit for each that had a size */
	uint64_t low[ACCESSES_ROOM];	    /* lowest address */
	uint64_t extent[ACCESSES_ROOM];	    /* highest address - low + 1, modulo 2^64 */
	struct range ranges[ACCESSES_ROOM]; /* of addresses; what the two above stand for */
};

/* No access. */
void accesses_init(struct accesses *accesses);

/* Adds the rows of a batch. */
void accesses_update(struct accesses *accesses, const struct poly_batch *batch);

/* The same by plain C, the reference. */
void accesses_update_plain(struct accesses *accesses, const struct poly_batch *batch);

/* Adds what others counted. */
void accesses_merge(struct accesses *into, const struct accesses *from);

#endif
