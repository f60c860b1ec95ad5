/* SPDX-License-Identifier: MIT */
/*
 * The best that a cache can do: what is used the furthest ahead is replaced (of several that
 * are never used again, the first way). Needs the next uses of a trace (sim/next_use.h).
 *
 * source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM
 * Systems Journal 5 (2), 1966.
 *
 * It is write-back and write-allocate. Memory: 24 bytes a line, fully associative 64.
 */
#ifndef SIM_BELADY_H
#define SIM_BELADY_H

#include "sim/cache.h"

struct belady;

/* An empty cache; of the configuration sets, ways and line_size are looked at. POLY_ERR_USAGE
 * as cache_check, POLY_ERR_MEMORY. */
enum poly_status belady_new(
	const struct cache_config *config, struct belady **belady, struct poly_error *error);
void belady_free(struct belady *belady);

/* Makes all accesses of a batch, whose next uses are given; as cache_run. */
size_t belady_run(struct belady *belady, const struct cache_batch *batch, const uint64_t *next,
	uint32_t *missed);

/* What was counted. */
void belady_count(const struct belady *belady, struct cache_counts *counts);

#endif
