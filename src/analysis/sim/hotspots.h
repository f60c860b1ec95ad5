/* SPDX-License-Identifier: MIT */
/*
 * Hot spots: weights (misses, cycles) of references by address of the instruction or of the
 * region.
 */
#ifndef ANALYSIS_SIM_HOTSPOTS_H
#define ANALYSIS_SIM_HOTSPOTS_H

#include "analysis/sim/mem_refs.h"
#include "sim/memory/dense_index.h"

/* Maximum number of different addresses: 120 bytes each. */
#define HOTSPOTS_MAX ((uint32_t)1 << 20)

struct hotspot {
	uint64_t address, accesses, weight;
};

struct hotspots {
	unsigned shift; /* low bits of addresses that are ignored */
	struct dense_index dense;
	struct hotspot *list; /* by dense number */
	uint32_t capacity;
	bool full; /* further addresses are not counted */
	uint32_t ids[MEM_REFS_MAX];
	uint64_t addresses[MEM_REFS_MAX];
};

/* By instruction and by region. */
struct hotspots_pair {
	uint64_t max; /* rows of each table; 0: no tables */
	struct hotspots pcs, regions;
};

/* Initializes both tables; bytes: the size of a region, the value of an option. POLY_ERR_USAGE
 * if it is not a power of two. POLY_ERR_MEMORY. */
enum poly_status hotspots_pair_init(struct hotspots_pair *pair, uint64_t max,
	const char *option, uint64_t bytes, struct poly_error *error);
void hotspots_pair_fini(struct hotspots_pair *pair);

/* Adds references to both; false: out of memory. */
bool hotspots_pair_add(
	struct hotspots_pair *pair, const struct mem_refs *refs, const uint32_t *weights);

/* Reports both tables unless max is 0; weight: the key of the column of weights. */
void hotspots_pair_report(
	const struct hotspots_pair *pair, const char *weight, struct poly_report *report);

#endif
