/* SPDX-License-Identifier: MIT */
/* Pipelines as they are written for a course: a board that counts down, a buffer that is
 * searched.
 */
#ifndef BENCH_BASELINE_PIPELINE_H
#define BENCH_BASELINE_PIPELINE_H

#include <stddef.h>
#include <stdint.h>

/* A record of the trace, as its parser leaves it: -1 is no register, 49 the flags. */
struct baseline_uop {
	int src1, src2, dest;
	char flags, branch, ldst;
};

/* Cycles of an in-order scoreboard; loads have a latency, a taken branch ends its cycle. */
uint64_t baseline_inorder(
	const struct baseline_uop *uops, size_t n, int width, int load_latency);

/* Cycles of an out-of-order core without rules for memory and with enough registers. */
uint64_t baseline_ooo(
	const struct baseline_uop *uops, size_t n, int width, int size, int load_latency);

#endif
