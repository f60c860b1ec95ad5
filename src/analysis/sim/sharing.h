/* SPDX-License-Identifier: MIT */
/* The simulation of coherent caches: its state, and what parts of it share. */
#ifndef ANALYSIS_SIM_SHARING_H
#define ANALYSIS_SIM_SHARING_H

#include "analysis/sim/mem_refs.h"

#include "sim/coherence.h"
#include "sim/dense_index.h"

/* Different lines that are told apart: 600 bytes each. */
#define SHARING_LINES_MOST ((uint32_t)1 << 19)

/* Places that are told of: 120 bytes each. */
#define SHARING_PLACES_MOST ((uint32_t)1 << 19)

/* Accesses that are simulated at a time. */
#define SHARING_STEP 4096

/* An instruction of a context that lost a line to others, or took it from them. */
struct sharing_place {
	uint64_t line; /* its first address */
	uint64_t pc;
	uint64_t true_misses, false_misses; /* because of others */
	uint64_t taken;			    /* caches that its stores took the line from */
	uint32_t first, last;		    /* bytes of the line, those of all such accesses */
	uint16_t context;
};

/* Zero-initialise, but for the two tables. */
struct sharing_places {
	struct dense_index lines, pcs;
	struct map numbers; /* by line, pc and context */
	struct sharing_place *list;
	uint32_t count, capacity;
	bool full; /* some are not among them */
};

/* Accesses, each within a line. */
struct sharing_step {
	uint64_t addresses[SHARING_STEP], pcs[SHARING_STEP];
	uint32_t sizes[SHARING_STEP], threads[SHARING_STEP];
	uint8_t kinds[SHARING_STEP], outcomes[SHARING_STEP], taken[SHARING_STEP];
	size_t count;
};

struct sharing {
	const struct contexts *contexts;
	uint64_t top;
	struct coherence_config config;
	struct coherence *coherence;
	bool full;	   /* there are more lines than can be told apart */
	uint64_t left_out; /* accesses of contexts that have no cache */
	uint64_t instructions[COHERENCE_THREADS]; /* that count */
	struct sharing_places places;
	struct mem_refs uses;
	struct sharing_step step;
};

/* POLY_ERR_MEMORY. */
enum poly_status sharing_places_init(struct sharing_places *places, struct poly_error *error);
void sharing_places_fini(struct sharing_places *places);

/* Counts what accesses of a step lost and took; false: no memory. */
bool sharing_places_add(
	struct sharing_places *places, const struct sharing_step *step, uint32_t line_size);

/* Writes the answer. */
void sharing_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
