/* SPDX-License-Identifier: MIT */
/* The state of the analysis of branches, shared by its counting and its report. */
#ifndef ANALYSIS_STATS_BRANCHES_H
#define ANALYSIS_STATS_BRANCHES_H

#include "analysis/facts/counters.h"
#include "analysis/facts/branch_stream.h"

/* Max. number of pairs of an indirect branch and a target; others are counted as untracked. */
#define BRANCHES_TARGETS_MAX ((uint32_t)1 << 20)

#define BRANCHES_BITS 67

/* A static branch. */
struct branch_site {
	uint64_t executed, taken;
	uint64_t transitions; /* executions whose direction differs from the previous one */
	uint32_t op;
	bool first, last; /* whether its first and its last execution were taken */
};

struct branch_profile {
	struct branch_stream stream;
	uint64_t instructions, branches, taken;
	struct branch_site *sites; /* by site */
	uint32_t site_capacity;
	uint64_t untracked_branches; /* without a site */
	uint64_t pc_bits[BRANCHES_BITS], fallthrough_bits[BRANCHES_BITS];
	struct pair_index targets;     /* pairs of the site and target of an indirect branch */
	struct counters target_counts; /* by number of that pair */
	uint64_t untracked_targets;    /* executions whose target exceeds the table */
	uint64_t top;
};

void branches_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
