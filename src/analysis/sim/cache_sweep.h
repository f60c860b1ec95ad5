/* SPDX-License-Identifier: MIT */
/* Caches of a sweep: their state, shared by the files cache*.c. */
#ifndef ANALYSIS_SIM_CACHE_SWEEP_H
#define ANALYSIS_SIM_CACHE_SWEEP_H

#include "analysis/sim/hotspots.h"
#include "analysis/sim/line_sizes.h"
#include "analysis/sim/opt_samples.h"
#include "analysis/sim/sweep.h"
#include "sim/cache/belady.h"
#include "sim/cache/miss_classes.h"

/* log2 of the number of slices of a cache. */
#define CACHE_SLICES_LOG2 3
#define CACHE_SLICES (1 << CACHE_SLICES_LOG2)

/* What cache operations did. */
struct operation_counts {
	uint64_t prefetches;	/* lines filled by prefetches */
	uint64_t allocations;	/* lines allocated without a fill */
	uint64_t writebacks;	/* of dirty lines */
	uint64_t invalidations; /* of lines that were present */
};

/* A cache, and its counts during rows that count. */
struct swept_cache {
	bool is_opt;	     /* its policy */
	struct cache *cache; /* NULL if is_opt */
	struct belady *opt;  /* NULL unless is_opt; both NULL: another process has it */
	struct opt_estimate estimate; /* of one that is opt and was not simulated exactly */
	unsigned shift;		      /* log2 of the line size */
	struct miss_classes *classes; /* NULL: not requested */
	uint32_t *missed;	      /* MEM_REFS_MAX, of the last batch */
	bool failed;		      /* the last update ran out of memory */
	struct cache_counts counts;
	struct operation_counts operations;
	struct miss_class_counts causes;
};

struct cache_simulation {
	enum mem_refs_selection selection;
	bool causes;
	unsigned address_bits; /* the maximum of the traces */
	struct sweep sweep;
	struct swept_cache *caches;
	/* The sets of the only cache, by the highest bits of their numbers: caches of their
	 * own. NULL: not spread. */
	struct swept_cache *slices;
	uint64_t instructions; /* counted */
	bool performs_operations;
	bool has_operations; /* rows that count have cache operations */
	bool finished;	     /* the caches that are opt have simulated the trace exactly */
	struct mem_refs refs;
	struct line_sizes sizes;
	bool counts;			/* of the current update */
	struct hotspots_pair hotspots;	/* of the first cache */
	uint32_t weights[MEM_REFS_MAX]; /* 1: the reference missed */
};

/* Frees the machine of a cache; its counts remain. */
void swept_cache_close(struct swept_cache *swept);

/* Simulates a step of demand accesses in a cache; its next uses are those of one that is opt.
 * False: out of memory. */
bool swept_cache_access(struct cache_simulation *sim, struct swept_cache *swept,
	const struct access_log_step *step);

/* Simulates a step of any kind in a cache that is not opt. False: out of memory. */
bool swept_cache_run(struct cache_simulation *sim, struct swept_cache *swept,
	enum mem_refs_step kind, const struct access_log_step *step);

/* How processes divide the caches. */
extern const struct analysis_machines cache_machines;

/* How the caches are spread over threads: a single one by its sets, others by configuration. */
extern const struct analysis_parts cache_parts;

/* Adds up the counts of slices. */
void cache_parts_sum(struct cache_simulation *sim);

/* Frees the slices. */
void cache_parts_fini(struct cache_simulation *sim);

#endif
