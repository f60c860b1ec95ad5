/* SPDX-License-Identifier: MIT */
/*
 * Numbers (lines, pages) as dense ones of 32 bits, from 0 in the order of first appearance.
 * Memory: at most 64 bytes a number held (while the table grows 96).
 */
#ifndef SIM_DENSE_INDEX_H
#define SIM_DENSE_INDEX_H

#include "polytrace/status.h"

#include <stddef.h>
#include <stdint.h>

#define DENSE_INDEX_MAX (UINT32_C(1) << 29)

struct dense_index_slot {
	uint64_t number;
	uint32_t id; /* + 1; 0 where nothing is */
};

struct dense_index {
	struct dense_index_slot *slots;
	size_t mask;	/* slots - 1 */
	unsigned shift; /* of a hash */
	uint32_t count; /* numbers held: the next new one */
	uint32_t most;	/* numbers that may be held */
};

/* An empty table of at most most numbers (up to DENSE_INDEX_MAX). POLY_ERR_MEMORY. */
enum poly_status dense_index_init(
	struct dense_index *index, uint32_t most, struct poly_error *error);
void dense_index_fini(struct dense_index *index);

/*
 * The dense number of each of count numbers into ids; those that are index->count or more as it
 * was before are new. POLY_ERR_LIMIT where there are more than most, POLY_ERR_MEMORY.
 */
enum poly_status dense_index_find(struct dense_index *index, const uint64_t *numbers,
	size_t count, uint32_t *ids, struct poly_error *error);

#endif
