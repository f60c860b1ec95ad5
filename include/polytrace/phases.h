/* SPDX-License-Identifier: MIT */
/*
 * Phases of a program as files for simulators, after poly_stats (polytrace/stats.h) has run the
 * analysis "phases"; and the boundaries of their intervals in a trace.
 *
 * The files are those of SimPoint 3 (G. Hamerly, E. Perelman, J. Lau, B. Calder, SimPoint 3.0:
 * Faster and More Flexible Program Phase Analysis, JILP 7, 2005).
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

/* Kinds of files. Lines end in a line feed; intervals and phases are numbered from 0. */
enum poly_phases_file {
	/*
	 * One line per interval: "T", and ":BLOCK:COUNT " for each basic block that was
	 * executed. Blocks are numbered from 1 in order of first appearance; COUNT is the
	 * number of instructions executed in the block. Requires the option phases.vectors=1.
	 */
	POLY_PHASES_VECTORS,
	POLY_PHASES_SIMPOINTS, /* one line per phase: "INTERVAL PHASE", the representative */
	POLY_PHASES_WEIGHTS,   /* one line per phase: "WEIGHT PHASE"; the weights sum to 1 */
};

/*
 * Writes a file of the analysis to sink. POLY_ERR_USAGE: the analysis or its vectors were not
 * requested. POLY_ERR_MEMORY: out of memory, or the vectors have more than the maximum of
 * 4194304 counts. POLY_ERR_IO: the sink's write failed; its errno is in error->sys_errno.
 */
POLY_API enum poly_status poly_phases_write(const struct poly_stats *stats,
	enum poly_phases_file file, const struct poly_sink *sink, struct poly_error *error);

/*
 * Whether a row (below batch->rows) is an instruction that intervals count: a row of kind
 * instruction that is not synthetic, and not a further micro-operation (uop_index is 1 or
 * absent). Interval N of length L has the instructions N * L to (N + 1) * L - 1, counted from
 * 0. Reads the columns kind, uop_index and synthetic.
 */
POLY_API bool poly_phases_counts(const struct poly_batch *batch, size_t row);

#ifdef __cplusplus
}
#endif

#endif
