/* SPDX-License-Identifier: MIT */
/* The simulation of coherent caches: its state, shared by its files. */
#ifndef ANALYSIS_SIM_SHARING_H
#define ANALYSIS_SIM_SHARING_H

#include "analysis/sim/line_refs.h"

#include "sim/cache/coherence.h"
#include "sim/memory/dense_index.h"

/* Memory of a line, with that of a sharing site; the limit of memory determines the maximum of
 * either. */
#define SHARING_LINE_MEMORY 720

/* Maximum number of lines and of sharing sites, whose keys have 24 bits. */
#define SHARING_LINES_MAX ((uint32_t)1 << 24)

/* Accesses per step. */
#define SHARING_STEP 4096

/* An instruction of a context with sharing misses on a line, or that invalidated copies of it.
 */
struct sharing_site {
	uint64_t line; /* its first address */
	uint64_t pc;
	uint64_t true_misses, false_misses; /* sharing misses */
	uint64_t invalidated;		    /* copies of the line that its stores invalidated */
	uint32_t first, last;		    /* bytes of the line that these accesses touch */
	uint16_t context;
};

/* Zero-initialise, except the two tables. */
struct sharing_sites {
	struct dense_index lines, pcs;
	struct map numbers; /* by line, pc and context */
	struct sharing_site *list;
	uint32_t count, capacity, max;
	bool full; /* further ones are not recorded */
};

/* Accesses, each within one line. */
struct sharing_step {
	uint64_t addresses[SHARING_STEP], pcs[SHARING_STEP];
	uint32_t sizes[SHARING_STEP], threads[SHARING_STEP];
	uint8_t kinds[SHARING_STEP], outcomes[SHARING_STEP], invalidated[SHARING_STEP];
	size_t count;
};

struct sharing_simulation {
	const struct contexts *contexts;
	uint64_t top;
	struct coherence_config config;
	struct coherence *coherence;
	bool performs_operations;
	bool full;				  /* the number of lines exceeded the limit */
	uint64_t untracked;			  /* accesses of contexts beyond the limit */
	uint64_t instructions[COHERENCE_THREADS]; /* counted */
	uint64_t all_instructions;		  /* those of further contexts, too */
	struct sharing_sites sites;
	struct mem_refs refs;
	struct line_refs lines;
	struct sharing_step step;
};

/* Creates an empty table of at most max sites. POLY_ERR_MEMORY. */
enum poly_status sharing_sites_init(
	struct sharing_sites *sites, uint32_t max, struct poly_error *error);
void sharing_sites_fini(struct sharing_sites *sites);

/* Counts the sharing misses and invalidations of a step; false: out of memory. */
bool sharing_sites_add(
	struct sharing_sites *sites, const struct sharing_step *step, uint32_t line_size);

/* Returns which limit left references uncounted; NULL: all are counted. */
const char *sharing_limit(const void *state);

/* Reports the results. */
void sharing_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
