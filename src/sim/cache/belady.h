/* SPDX-License-Identifier: MIT */
/*
 * Belady's optimal replacement: evicts the line used furthest in the future (of several that
 * are never used again, the first way). Needs the next uses of a trace (sim/cache/next_use.h).
 *
 * source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM
 * Systems Journal 5 (2), 1966.
 *
 * It is write-back and write-allocate. Memory: 24 bytes per line, fully associative 64.
 */
#ifndef SIM_BELADY_H
#define SIM_BELADY_H

#include "sim/cache/cache.h"

struct belady;

/* Creates an empty cache; of the configuration only sets, ways and line_size are used.
 * POLY_ERR_USAGE as cache_check, POLY_ERR_MEMORY. */
enum poly_status belady_new(
	const struct cache_config *config, struct belady **belady, struct poly_error *error);
void belady_free(struct belady *belady);

/* Performs all accesses of a batch with their next uses; as cache_run. */
size_t belady_run(struct belady *belady, const struct cache_batch *batch, const uint64_t *next,
	uint32_t *missed);

/* Copies the counts. */
void belady_count(const struct belady *belady, struct cache_counts *counts);

#endif
