/* SPDX-License-Identifier: MIT */
/*
 * Estimates of policy opt for traces with more lines than fit in memory: eight small caches are
 * simulated, each with a sample of the sets, or, if there are few sets, with a sample of the
 * lines and proportionally fewer ways.
 *
 * sources: C. A. Waldspurger et al., "Cache Modeling and Optimization using Miniature
 * Simulations", USENIX ATC 2017; R. E. Kessler, M. D. Hill, D. A. Wood, "A Comparison of
 * Trace-Sampling Techniques for Multi-Megabyte Caches", IEEE Transactions on Computers 43 (6),
 * 1994 (sets).
 */
#ifndef ANALYSIS_SIM_OPT_SAMPLES_H
#define ANALYSIS_SIM_OPT_SAMPLES_H

#include "analysis/sim/access_log.h"

#define OPT_SAMPLES_LOG2 3
#define OPT_SAMPLES (1 << OPT_SAMPLES_LOG2)

/* log2 of the minimum number of sets whose sets are sampled, eight per sample; lines of caches
 * with fewer sets are sampled. */
#define OPT_SAMPLES_SETS_LOG2 6

/* Minimum of ways of a sample of lines. */
#define OPT_SAMPLES_WAYS 8

struct opt_estimate {
	bool is_valid;			 /* false: samples of this cache would be too small */
	struct cache_counts counts;	 /* accesses are exact */
	uint64_t misses_min, misses_max; /* of the eight samples */
};

/* Estimates the counts of a cache; only its sets, ways and line_size are used.
 * POLY_ERR_IO, POLY_ERR_MEMORY. */
enum poly_status opt_samples_run(struct access_log *log, const struct cache_config *config,
	struct opt_estimate *estimate, struct poly_error *error);

#endif
