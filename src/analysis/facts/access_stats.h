/* SPDX-License-Identifier: MIT */
/* Access statistics: accesses, bytes and address range per kind of access. */
#ifndef ANALYSIS_ACCESS_STATS_H
#define ANALYSIS_ACCESS_STATS_H

#include "polytrace/report.h"

#include "analysis/facts/column_stats.h"

/* Slots per kind of access: a power of two, for an index of three bits. */
#define ACCESS_STATS_SLOTS 8

/* Statistics of the rows with access and address, by kind of access. */
struct access_stats {
	uint64_t counts[ACCESS_STATS_SLOTS];
	uint64_t bytes[ACCESS_STATS_SLOTS];  /* sums of the sizes that are present */
	unsigned sized;			     /* bitmap of the kinds with a size */
	uint64_t low[ACCESS_STATS_SLOTS];    /* lowest address */
	uint64_t extent[ACCESS_STATS_SLOTS]; /* highest address - low + 1, modulo 2^64 */
	struct value_range
		ranges[ACCESS_STATS_SLOTS]; /* of addresses: the range of low and extent */
};

/* Initializes empty statistics. */
void access_stats_init(struct access_stats *stats);

/* Adds the rows of a batch. */
void access_stats_update(struct access_stats *stats, const struct poly_batch *batch);

/* Reference implementation in plain C. */
void access_stats_update_plain(struct access_stats *stats, const struct poly_batch *batch);

/* Adds the statistics of from. */
void access_stats_merge(struct access_stats *into, const struct access_stats *from);

/*
 * Maximum number of bytes of an access that count in analyses of what accesses touch, and in
 * simulators in which an access is one in each of its lines.
 */
#define ACCESS_BYTES_MAX 4096

/* Reports the number of longer accesses, unless it is 0. */
void report_truncated_accesses(struct poly_report *report, uint64_t count);

#endif
