/* SPDX-License-Identifier: MIT */
/*
 * Numbers (lines, pages) as dense ones of 32 bits, from 0 in the order of first appearance.
 * Memory: at most 64 bytes a number held (while the table grows 96).
 */
#ifndef SIM_DENSE_H
#define SIM_DENSE_H

#include "polytrace/status.h"

#include <stddef.h>
#include <stdint.h>

#define DENSE_MOST (UINT32_C(1) << 29)

struct dense_slot {
	uint64_t number;
	uint32_t id; /* + 1; 0 where nothing is */
};

struct dense {
	struct dense_slot *slots;
	size_t mask;	/* slots - 1 */
	unsigned shift; /* of a hash */
	uint32_t count; /* numbers held: the next new one */
	uint32_t most;	/* numbers that may be held */
};

/* An empty table of at most most numbers (up to DENSE_MOST). POLY_ERR_MEMORY. */
enum poly_status dense_init(struct dense *dense, uint32_t most, struct poly_error *error);
void dense_fini(struct dense *dense);

/*
 * The dense number of each of count numbers into ids; those that are dense->count or more as it
 * was before are new. POLY_ERR_LIMIT where there are more than most, POLY_ERR_MEMORY.
 */
enum poly_status dense_find(struct dense *dense, const uint64_t *numbers, size_t count,
	uint32_t *ids, struct poly_error *error);

#endif
