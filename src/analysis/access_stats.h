/* SPDX-License-Identifier: MIT */
/* What was accessed: how often, how many bytes, and between which addresses. */
#ifndef ANALYSIS_ACCESS_STATS_H
#define ANALYSIS_ACCESS_STATS_H

#include "analysis/column_stats.h"

/* Room for every access, and for indexing by three bits. */
#define ACCESS_STATS_SLOTS 8

/* Rows with access and address, by access. */
struct access_stats {
	uint64_t counts[ACCESS_STATS_SLOTS];
	uint64_t bytes[ACCESS_STATS_SLOTS];  /* sums of size, where it is present */
	unsigned sized;			     /* a bit for each that had a size */
	uint64_t low[ACCESS_STATS_SLOTS];    /* lowest address */
	uint64_t extent[ACCESS_STATS_SLOTS]; /* highest address - low + 1, modulo 2^64 */
	struct value_range
		ranges[ACCESS_STATS_SLOTS]; /* of addresses; what the two above stand for */
};

/* No access. */
void access_stats_init(struct access_stats *accesses);

/* Adds the rows of a batch. */
void access_stats_update(struct access_stats *accesses, const struct poly_batch *batch);

/* The same by plain C, the reference. */
void access_stats_update_plain(struct access_stats *accesses, const struct poly_batch *batch);

/* Adds what others counted. */
void access_stats_merge(struct access_stats *into, const struct access_stats *from);

#endif
