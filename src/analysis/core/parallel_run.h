/* SPDX-License-Identifier: MIT */
/*
 * The rows of a run in blocks that threads analyse, each as a part of the trace, and merge in
 * order. For runs whose analyses can all be merged, from the second block of a trace on.
 */
#ifndef ANALYSIS_PARALLEL_RUN_H
#define ANALYSIS_PARALLEL_RUN_H

#include "analysis/core/analysis_instance.h"
#include "analysis/core/decoder_part.h"

/*
 * Starts the threads; from now on, rows of the current trace are added by parallel_run_update.
 * NULL: out of memory, or no thread could be started.
 */
struct parallel_run *parallel_run_new(struct poly_stats *stats);

/* Adds the rows of a batch, perhaps later. POLY_ERR_MEMORY. */
enum poly_status parallel_run_update(
	struct parallel_run *run, const struct poly_batch *batch, struct poly_error *error);

/* Adds a part that decoders have analysed, which the run owns now. POLY_ERR_MEMORY. */
enum poly_status parallel_run_add(
	struct parallel_run *run, struct decoder_part *part, struct poly_error *error);

/* Waits until all rows are in the results of the run. POLY_ERR_MEMORY. Accepts NULL. */
enum poly_status parallel_run_drain(struct parallel_run *run, struct poly_error *error);

/* Stops the threads; rows since the last call of parallel_run_drain may be lost. Accepts NULL.
 */
void parallel_run_free(struct parallel_run *run);

#endif
