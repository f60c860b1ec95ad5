/* SPDX-License-Identifier: MIT */
/* The results of a part of a trace, which are merged into those of the whole. */
#ifndef ANALYSIS_PART_H
#define ANALYSIS_PART_H

#include "analysis/core/analysis_instance.h"

/* Creates empty results with the options of a run, for one thread. NULL: out of memory. */
struct poly_stats *part_new(const struct poly_stats *whole);

/* Frees the results. Accepts NULL. */
void part_free(struct poly_stats *part);

#endif
