/* SPDX-License-Identifier: MIT */
/* State shared by the implementations. */
#ifndef SIM_PIPELINE_SIMD_STATE_H
#define SIM_PIPELINE_SIMD_STATE_H

#include "sim/pipeline/pipeline_simd.h"

/* A value per lane: 64 bytes, one cache line. Cycles count from the start of the run. */
struct lane_row {
	int32_t of[PIPELINE_LANES];
};

struct lane_state {
	struct lane_row ready[PIPELINE_REGISTERS + 1];
	struct lane_row latency[PIPELINE_CLASSES];
	struct lane_row after[4]; /* cycles to the next issue, by TAKEN and MISPREDICTED */
	struct lane_row width;
	struct lane_row ordered; /* all ones with an order of writes */
	struct lane_row relaxed; /* all ones for PIPELINE_ORDER_LATENCY */
	struct lane_row now, issued,
		last; /* as in struct pipeline_inorder; last: the last issue */
	bool any_ordered;
};

/* Returns the bits of PIPELINE_TAKEN and PIPELINE_MISPREDICTED as a number. */
static inline unsigned
lane_after(const struct pipeline_op *op)
{
	return (op->flags & (unsigned)(PIPELINE_TAKEN | PIPELINE_MISPREDICTED)) /
	       PIPELINE_TAKEN;
}

static inline int32_t
lane_extra(const struct pipeline_op *op)
{
	return op->extra < PIPELINE_LATENCY_MAX ? op->extra : PIPELINE_LATENCY_MAX;
}

/* Runs few enough micro-ops for cycles to stay below 2 to the 31st. */
typedef void lane_run(struct lane_state *state, const struct pipeline_op *ops, size_t n);

/* Returns the function of an implementation; NULL if the processor or the compiler lacks it. */
lane_run *lane_run_x86(enum pipeline_way way);

#endif
