/* SPDX-License-Identifier: MIT */
/*
 * Maps numbers (lines, pages) to dense 32-bit ids, from 0 in the order of first appearance.
 * Memory: at most 64 bytes per number (96 while the table grows).
 */
#ifndef SIM_DENSE_INDEX_H
#define SIM_DENSE_INDEX_H

#include "polytrace/status.h"

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

#define DENSE_INDEX_MAX (UINT32_C(1) << 29)

struct dense_index {
	struct map ids;
	uint32_t count; /* numbers held: the next new id */
	uint32_t max;	/* maximum of numbers held */
};

/* Creates an empty table for at most max numbers (up to DENSE_INDEX_MAX). POLY_ERR_MEMORY. */
enum poly_status dense_index_init(
	struct dense_index *index, uint32_t max, struct poly_error *error);
void dense_index_fini(struct dense_index *index);

/* Removes all numbers, and keeps the memory. */
void dense_index_clear(struct dense_index *index);

/*
 * Stores the id of each of count numbers; ids from the previous index->count on are new.
 * POLY_ERR_LIMIT beyond max numbers, POLY_ERR_MEMORY.
 */
enum poly_status dense_index_find(struct dense_index *index, const uint64_t *numbers,
	size_t count, uint32_t *ids, struct poly_error *error);

/* Replaces each id by ids[id]; numbers for which that is UINT32_MAX are removed. The other new
 * ids are those below count. POLY_ERR_MEMORY. */
enum poly_status dense_index_renumber(struct dense_index *index, const uint32_t *ids,
	uint32_t count, struct poly_error *error);

#endif
