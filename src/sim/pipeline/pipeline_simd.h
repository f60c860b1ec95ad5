/* SPDX-License-Identifier: MIT */
/*
 * Up to 16 in-order pipelines at once, over the same micro-ops: each is a lane of vectors.
 * The cycles equal those of sim/pipeline/pipeline.h; there is not a CPI stack.
 */
#ifndef SIM_PIPELINE_SIMD_H
#define SIM_PIPELINE_SIMD_H

#include "sim/pipeline/pipeline.h"

enum { PIPELINE_LANES = 16 };

/* The vector instructions used. */
enum pipeline_way {
	PIPELINE_BEST,	/* the widest available */
	PIPELINE_PLAIN, /* none */
	PIPELINE_SSE2,
	PIPELINE_AVX2,
	PIPELINE_AVX512,
};

struct pipeline_simd;

/*
 * Creates count pipelines, 1 to PIPELINE_LANES, before their first cycle. NULL with
 * POLY_ERR_USAGE for an invalid configuration, POLY_ERR_UNSUPPORTED if the processor lacks the
 * requested vector instructions, or POLY_ERR_MEMORY.
 */
struct pipeline_simd *pipeline_simd_new(const struct pipeline_inorder_config *configs,
	size_t count, enum pipeline_way way, struct poly_error *error);

/* Runs n more micro-ops. */
void pipeline_simd_run(struct pipeline_simd *lanes, const struct pipeline_op *ops, size_t n);

/* Returns the cycles of a lane, as pipeline_inorder_result. */
uint64_t pipeline_simd_cycles(const struct pipeline_simd *lanes, size_t lane);

/* Accepts NULL. */
void pipeline_simd_free(struct pipeline_simd *lanes);

#endif
