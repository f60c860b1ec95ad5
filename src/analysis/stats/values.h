/* SPDX-License-Identifier: MIT */
/* What the analysis values counts. */
#ifndef ANALYSIS_STATS_VALUES_H
#define ANALYSIS_STATS_VALUES_H

#include "analysis/analysis.h"
#include "polytrace/powerpc.h"

#include "analysis/adaptive_bins.h"

/* Most registers of a PowerPC state that can change: r, f, v; cr xer lr ctr fpscr vscr. */
#define STATE_REGISTERS (3 * 32 + 6)

/* Registers of a PowerPC state whose values are looked at: r0 to r31, lr, ctr. */
#define STATE_NAMED 34

/* How values are to be foretold by those before them in the same place. */
struct foretold {
	uint64_t count;
	uint64_t same;	  /* the last one again */
	uint64_t strided; /* as far from the last one as that from the one before, not 0 */
	uint64_t zero;
};

/* A register of a context, or a load of one. */
struct slot {
	uint64_t last, stride;
	bool is_known, has_stride;
	struct foretold counts;
};

/* The last state of a context. */
struct last_state {
	bool is_known;
	struct poly_powerpc_state state;
};

struct values {
	uint32_t top;
	struct intern names;		/* of registers, of all traces */
	struct map numbers;		/* of the trace's names: theirs here */
	struct adaptive_bins registers; /* by number of the name and context */
	struct adaptive_bins loads;	/* by number of the site and context */
	struct foretold all, loaded;
	uint64_t widths[65]; /* bits of a value that are not copies of its sign */
	bool is_full;	     /* records of the trace hold a PowerPC state */
	struct last_state *last[ANALYSIS_CONTEXTS_MAX];
	uint64_t changed[STATE_REGISTERS + 1]; /* records by registers that changed */
	uint64_t beyond; /* values of registers and loads beyond the tables */
};

void values_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
