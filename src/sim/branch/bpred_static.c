/* SPDX-License-Identifier: MIT */
/* Static predictors. */
#include "sim/branch/bpred_family.h"

#include <string.h>

static void
run_taken(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	(void)state;
	memset(predicted, 1, batch->n);
}

static void
run_not_taken(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	(void)state;
	memset(predicted, 0, batch->n);
}

/* A branch to itself is backward; without a known target a branch is forward. */
static void
run_btfn(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	if (!batch->target) {
		run_not_taken(state, batch, predicted);
		return;
	}
	for (size_t i = 0; i < batch->n; i++)
		predicted[i] = batch->target[i] <= batch->pc[i];
}

const struct bpred_family bpred_taken = {.name = "taken", .run = run_taken};
const struct bpred_family bpred_not_taken = {.name = "not-taken", .run = run_not_taken};
const struct bpred_family bpred_btfn = {.name = "btfn", .run = run_btfn};
