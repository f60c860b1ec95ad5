/* SPDX-License-Identifier: MIT */
/*
 * Pipelines stepped cycle by cycle, with counts that go down and lists that are searched: slow,
 * and written from the definitions of sim/pipeline/pipeline.h alone.
 */
#ifndef TESTS_PIPELINE_STEPPED_H
#define TESTS_PIPELINE_STEPPED_H

#include "sim/pipeline/pipeline.h"

/* Both run n micro-ops from an empty pipeline; times has room for n. */
void stepped_inorder(const struct pipeline_inorder_config *config,
	const struct pipeline_op *ops, size_t n, struct pipeline_result *result,
	struct pipeline_times *times);
void stepped_ooo(const struct pipeline_ooo_config *config, const struct pipeline_ops *ops,
	struct pipeline_result *result, struct pipeline_times *times);

#endif
