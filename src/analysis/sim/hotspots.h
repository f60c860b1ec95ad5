/* SPDX-License-Identifier: MIT */
/*
 * What costs most: weights (misses, cycles) of uses by number, which are addresses of
 * instructions or of regions.
 */
#ifndef ANALYSIS_SIM_HOTSPOTS_H
#define ANALYSIS_SIM_HOTSPOTS_H

#include "analysis/sim/mem_refs.h"
#include "sim/dense_index.h"

/* Different numbers: 120 bytes each. */
#define HOTSPOTS_MAX ((uint32_t)1 << 20)

struct hotspot {
	uint64_t number, uses, weight;
};

struct hotspots {
	unsigned shift; /* low bits of numbers that are left out */
	struct dense_index dense;
	struct hotspot *list; /* by dense number */
	uint32_t capacity;
	bool full; /* further numbers are not told of */
	uint32_t ids[MEM_REFS_MAX];
	uint64_t numbers[MEM_REFS_MAX];
};

/* By instruction and by region. */
struct hotspots_pair {
	uint64_t most; /* of each; 0: neither is told of */
	struct hotspots pcs, regions;
};

/* Regions are of so many bytes as an option says: POLY_ERR_USAGE where that is no power of two.
 * POLY_ERR_MEMORY. */
enum poly_status hotspots_pair_init(struct hotspots_pair *pair, uint64_t most,
	const char *option, uint64_t bytes, struct poly_error *error);
void hotspots_pair_fini(struct hotspots_pair *pair);

/* Adds uses to both; false: no memory. */
bool hotspots_pair_add(
	struct hotspots_pair *pair, const struct mem_refs *uses, const uint32_t *weights);

/* Both tables, whose titles end in how ("that miss most"), where they are told of. */
void hotspots_pair_report(
	const struct hotspots_pair *pair, const char *weight, struct poly_report *report);

#endif
