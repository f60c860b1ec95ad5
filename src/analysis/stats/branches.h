/* SPDX-License-Identifier: MIT */
/* The state of the analysis of branches, which its counting and its report share. */
#ifndef ANALYSIS_STATS_BRANCHES_H
#define ANALYSIS_STATS_BRANCHES_H

#include "analysis/counters.h"
#include "analysis/branch_stream.h"

/* Most pairs of an indirect branch and a target; further ones are counted as beyond them. */
#define BRANCHES_TARGETS ((uint32_t)1 << 20)

#define BRANCHES_BITS 67

/* A branch of the program. */
struct branch_site {
	uint64_t executed, taken;
	uint64_t transitions; /* times that it went the other way than before */
	uint32_t op;
	bool first, last; /* was taken the first and the last time */
};

struct branches {
	struct branch_stream jumps;
	uint64_t instructions, branches, taken;
	struct branch_site *sites; /* by site */
	uint32_t site_capacity;
	uint64_t unplaced; /* branches without a site */
	uint64_t bits[BRANCHES_BITS], bits_behind[BRANCHES_BITS];
	struct pair_index targets;     /* of indirect branches: site and target */
	struct counters target_counts; /* by number of that pair */
	uint64_t beyond;	       /* indirect branches to targets beyond the most */
	uint64_t top;
};

void branches_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
