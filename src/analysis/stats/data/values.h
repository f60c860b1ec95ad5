/* SPDX-License-Identifier: MIT */
/* The state of the analysis values. */
#ifndef ANALYSIS_STATS_VALUES_H
#define ANALYSIS_STATS_VALUES_H

#include "analysis/core/analysis.h"
#include "polytrace/powerpc.h"

#include "analysis/facts/adaptive_bins.h"

/* Number of registers of a PowerPC state: r, f, v; cr xer lr ctr fpscr vscr. */
#define STATE_REGISTERS (3 * 32 + 6)

/* Number of registers of a PowerPC state whose values are examined: r0 to r31, lr, ctr. */
#define STATE_NAMED 34

/* How well the previous values of a register or load predict the next one. */
struct value_locality {
	uint64_t count;
	uint64_t same;	  /* equal to the last one */
	uint64_t strided; /* with the last stride, which is not 0 */
	uint64_t zero;
};

/* A register or a load of a context. */
struct value_slot {
	uint64_t last, stride;
	/* Of the first trace, compared with the values of the rows before it: the first value,
	 * and the stride from it to the second one. */
	uint64_t first, first_stride;
	uint8_t first_size; /* of the first value in bytes */
	uint8_t firsts;	    /* how many of the two there are */
	bool is_known, has_stride;
	struct value_locality counts;
};

/* The first and the last state of a context. */
struct context_states {
	bool has_first, has_last;
	struct poly_powerpc_state first, last;
};

struct value_profile {
	uint32_t top;
	struct intern names;			 /* of the registers of all traces */
	struct map numbers;			 /* the trace's name ids to those in names */
	struct adaptive_bins registers;		 /* by id of the name and context */
	struct adaptive_bins loads;		 /* by index of the site and context */
	struct value_locality all, loaded, open; /* open: loads with SITE_OPEN */
	uint64_t widths[65];			 /* values by significant bits, with the sign */
	bool is_full;				 /* records of the trace hold a PowerPC state */
	struct context_states *states[ANALYSIS_CONTEXTS_MAX];
	uint64_t changed[STATE_REGISTERS + 1]; /* records by number of changed registers */
	uint64_t untracked; /* values of registers and loads that exceed the tables */
};

void values_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
