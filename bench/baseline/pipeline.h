/* SPDX-License-Identifier: MIT */
/*
 * Pipelines as in a course's programs: a scoreboard that counts down, a reorder buffer that is
 * searched.
 */
#ifndef BENCH_BASELINE_PIPELINE_H
#define BENCH_BASELINE_PIPELINE_H

#include <stddef.h>
#include <stdint.h>

/* A parsed record of the trace: register -1 means none, 49 the flags. */
struct baseline_uop {
	int src1, src2, dest;
	char flags, branch, ldst;
};

/*
 * Returns the cycles of an in-order scoreboard; loads have a latency, a taken branch ends its
 * cycle.
 */
uint64_t baseline_inorder(
	const struct baseline_uop *uops, size_t n, int width, int load_latency);

/*
 * Returns the cycles of an out-of-order core without memory ordering and with enough registers.
 */
uint64_t baseline_ooo(
	const struct baseline_uop *uops, size_t n, int width, int size, int load_latency);

#endif
