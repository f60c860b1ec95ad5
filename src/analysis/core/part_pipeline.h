/* SPDX-License-Identifier: MIT */
/*
 * Runs one analysis by parts (struct analysis_parts): rows are copied, parts of them are
 * digested concurrently, and the state advances over the parts before them at the same time,
 * while the caller reads on.
 */
#ifndef ANALYSIS_PART_PIPELINE_H
#define ANALYSIS_PART_PIPELINE_H

#include "analysis/core/analysis.h"

struct part_pipeline;

/* Creates a pipeline for a team of a number of threads, which includes the caller; the team
 * executes only its tasks. NULL: out of memory. */
struct part_pipeline *part_pipeline_new(const struct analysis *analysis, void *state,
	struct thread_pool *team, unsigned threads);

/* Adds rows; false: out of memory, now or before. */
bool part_pipeline_add(struct part_pipeline *pipeline, const struct analysis_rows *rows);

/* Advances the state over parts that were digested elsewhere, of the next rows; false: out of
 * memory, now or before. */
bool part_pipeline_advance(struct part_pipeline *pipeline, void *const *parts, size_t count);

/* Waits until the state has all rows; false: out of memory, now or before. */
bool part_pipeline_drain(struct part_pipeline *pipeline);

/* Waits for the tasks, and frees the pipeline. Accepts NULL. */
void part_pipeline_free(struct part_pipeline *pipeline);

#endif
