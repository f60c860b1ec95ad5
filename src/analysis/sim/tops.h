/* SPDX-License-Identifier: MIT */
/*
 * What costs most: weights (misses, cycles) of uses by number, which are addresses of
 * instructions or of regions.
 */
#ifndef ANALYSIS_SIM_TOPS_H
#define ANALYSIS_SIM_TOPS_H

#include "analysis/sim/uses.h"
#include "sim/dense.h"

/* Different numbers: 120 bytes each. */
#define TOPS_MOST ((uint32_t)1 << 20)

struct top {
	uint64_t number, uses, weight;
};

struct tops {
	unsigned shift; /* low bits of numbers that are left out */
	struct dense dense;
	struct top *list; /* by dense number */
	uint32_t capacity;
	bool full; /* further numbers are not told of */
	uint32_t ids[USES_MOST];
	uint64_t numbers[USES_MOST];
};

/* By instruction and by region. */
struct tops_pair {
	uint64_t most; /* of each; 0: neither is told of */
	struct tops pcs, regions;
};

/* Regions are of so many bytes as an option says: POLY_ERR_USAGE where that is no power of two.
 * POLY_ERR_MEMORY. */
enum poly_status tops_pair_init(struct tops_pair *pair, uint64_t most, const char *option,
	uint64_t bytes, struct poly_error *error);
void tops_pair_fini(struct tops_pair *pair);

/* Adds uses to both; false: no memory. */
bool tops_pair_add(struct tops_pair *pair, const struct uses *uses, const uint32_t *weights);

/* Both tables, whose titles end in how ("that miss most"), where they are told of. */
void tops_pair_report(
	const struct tops_pair *pair, const char *weight, struct poly_report *report);

#endif
