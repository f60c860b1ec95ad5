/* SPDX-License-Identifier: MIT */
/*
 * Phases of a program as files for simulators, after the analysis "phases" was run by
 * poly_stats (polytrace/stats.h), and where their intervals begin and end in a trace.
 *
 * The files are those of SimPoint 3 (G. Hamerly, E. Perelman, J. Lau, B. Calder, SimPoint 3.0:
 * Faster and More Flexible Program Phase Analysis, JILP 7, 2005), which simulators read.
 *
 * A handle of poly_stats is used by one thread at a time; poly_phases_counts by any.
 */
#ifndef POLYTRACE_PHASES_H
#define POLYTRACE_PHASES_H

#include "polytrace/stats.h"
#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The files of phases. Lines end in a line feed; intervals and phases are numbered from 0. */
enum poly_phases_file {
	/*
	 * A line an interval: "T", and ":BLOCK:COUNT " for each basic block that was executed
	 * in it, where blocks are numbered from 1 in the order of first appearance and COUNT is
	 * the instructions executed in the block. Needs the option phases.vectors=1.
	 */
	POLY_PHASES_VECTORS,
	POLY_PHASES_SIMPOINTS, /* a line a phase: "INTERVAL PHASE", the representative one */
	POLY_PHASES_WEIGHTS,   /* a line a phase: "WEIGHT PHASE"; weights add up to 1 */
};

/*
 * Writes a file of what the analysis found into sink. POLY_ERR_USAGE: the analysis was not
 * asked for, or its vectors were not; the message says so. POLY_ERR_MEMORY: memory ran out, or
 * the vectors have more counts than are kept (4194304). POLY_ERR_IO: the sink's write failed;
 * its errno is in error->sys_errno.
 */
POLY_API enum poly_status poly_phases_write(const struct poly_stats *stats,
	enum poly_phases_file file, const struct poly_sink *sink, struct poly_error *error);

/*
 * Whether a row (below batch->rows) is one of the instructions by which intervals are measured:
 * rows of kind instruction, but of several micro-operations only the first (uop is 1 or
 * absent), and none that is synthetic. Interval N of length L is made of the instructions from
 * number N * L on, counted from 0 in the order of the trace, and ends before number
 * (N + 1) * L. Looks at the columns kind, uop and synthetic.
 */
POLY_API bool poly_phases_counts(const struct poly_batch *batch, size_t row);

#ifdef __cplusplus
}
#endif

#endif
