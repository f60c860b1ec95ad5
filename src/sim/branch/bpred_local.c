/* SPDX-License-Identifier: MIT */
/* Predictors with one history per branch, or per group of aliased branches: PAg and PAp. */
#include "sim/branch/bpred_family.h"

#include <string.h>

struct local {
	unsigned shift, own; /* PAp: shift of the history's number in the index; PAg: 0 */
	bool is_own;
	uint32_t places, outcomes; /* masks */
	uint8_t *counters;	   /* after the histories, in the same block */
	uint32_t past[];
};

static unsigned
counters_log2(const struct bpred_config *config)
{
	return config->history + (config->kind == BPRED_PAP ? config->local_log2 : 0);
}

static enum poly_status
check(const struct bpred_config *config, struct poly_error *error)
{
	enum poly_status status = bpred_range(
		"log2 of the histories", config->local_log2, 0, BPRED_LOG2_MAX, error);
	unsigned max = BPRED_LOG2_MAX - (config->kind == BPRED_PAP ? config->local_log2 : 0);
	return status ? status : bpred_range("history", config->history, 0, max, error);
}

static uint64_t
bits(const struct bpred_config *config)
{
	return ((uint64_t)2 << counters_log2(config)) +
	       ((uint64_t)config->history << config->local_log2);
}

static size_t
size(const struct bpred_config *config)
{
	return sizeof(struct local) + (sizeof(uint32_t) << config->local_log2) +
	       ((size_t)1 << counters_log2(config));
}

static void
reset(void *state, const struct bpred_config *config)
{
	struct local *local = state;
	size_t histories = (size_t)1 << config->local_log2;
	local->shift = config->pc_shift;
	local->is_own = config->kind == BPRED_PAP;
	local->own = config->history;
	local->places = (uint32_t)bpred_mask(config->local_log2);
	local->outcomes = (uint32_t)bpred_mask(config->history);
	local->counters = (uint8_t *)(local->past + histories);
	memset(local->counters, (int)config->initial, (size_t)1 << counters_log2(config));
}

static void
run(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	struct local *local = state;
	const uint32_t own = local->is_own ? UINT32_MAX : 0;
	for (size_t i = 0; i < batch->n; i++) {
		uint32_t place = (uint32_t)(batch->pc[i] >> local->shift) & local->places;
		uint32_t past = local->past[place];
		uint8_t *counter = &local->counters[(place & own) << local->own | past];
		predicted[i] = *counter >> 1;
		*counter = bpred_next(*counter, batch->taken[i]);
		local->past[place] = (past << 1 | batch->taken[i]) & local->outcomes;
	}
}

const struct bpred_family bpred_pag = {
	.name = "pag", .check = check, .bits = bits, .size = size, .reset = reset, .run = run};
const struct bpred_family bpred_pap = {
	.name = "pap", .check = check, .bits = bits, .size = size, .reset = reset, .run = run};
