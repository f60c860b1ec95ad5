/* SPDX-License-Identifier: MIT */
/*
 * Two predictors and a chooser table. Both always learn; the chooser moves only if they
 * disagree, towards the one that was right.
 *
 * spec: CIS 501, homework 3
 */
#include "sim/branch/bpred_family.h"

#include <string.h>

struct tournament {
	unsigned shift;
	bool mask_first;
	uint64_t bimodal_mask, gshare_mask, chooser_mask, outcomes;
	uint64_t past;
	uint8_t *bimodal, *gshare; /* after the choosers, in the same block */
	uint8_t chooser[];
};

static unsigned
gshare_log2(const struct bpred_config *config)
{
	bool longer = config->mask_first && config->history > config->entries_log2;
	return longer ? config->history : config->entries_log2;
}

static enum poly_status
check(const struct bpred_config *config, struct poly_error *error)
{
	unsigned max = config->mask_first ? BPRED_LOG2_MAX : BPRED_HISTORY_MAX;
	enum poly_status status = bpred_range(
		"log2 of the gshare entries", config->entries_log2, 0, BPRED_LOG2_MAX, error);
	if (!status)
		status = bpred_range("log2 of the bimodal entries", config->bimodal_log2, 0,
			BPRED_LOG2_MAX, error);
	if (!status)
		status = bpred_range("log2 of the choosing entries", config->chooser_log2, 0,
			BPRED_LOG2_MAX, error);
	return status ? status : bpred_range("history", config->history, 0, max, error);
}

static uint64_t
bits(const struct bpred_config *config)
{
	return ((uint64_t)2 << gshare_log2(config)) + ((uint64_t)2 << config->bimodal_log2) +
	       ((uint64_t)2 << config->chooser_log2) + config->history;
}

static size_t
size(const struct bpred_config *config)
{
	return sizeof(struct tournament) + ((size_t)1 << gshare_log2(config)) +
	       ((size_t)1 << config->bimodal_log2) + ((size_t)1 << config->chooser_log2);
}

static void
reset(void *state, const struct bpred_config *config)
{
	struct tournament *all = state;
	size_t bimodal = (size_t)1 << config->bimodal_log2;
	all->shift = config->pc_shift;
	all->mask_first = config->mask_first;
	all->bimodal_mask = bpred_mask(config->bimodal_log2);
	all->gshare_mask = bpred_mask(config->entries_log2);
	all->chooser_mask = bpred_mask(config->chooser_log2);
	all->outcomes = bpred_mask(config->history);
	all->bimodal = all->chooser + ((size_t)1 << config->chooser_log2);
	all->gshare = all->bimodal + bimodal;
	memset(all->bimodal, (int)config->initial, bimodal);
	memset(all->gshare, (int)config->initial, (size_t)1 << gshare_log2(config));
}

static void
run(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	struct tournament *all = state;
	const uint64_t before = all->mask_first ? all->gshare_mask : UINT64_MAX;
	const uint64_t after = all->mask_first ? UINT64_MAX : all->gshare_mask;
	for (size_t i = 0; i < batch->n; i++) {
		uint64_t pc = batch->pc[i] >> all->shift;
		uint8_t taken = batch->taken[i];
		uint8_t *chooser = &all->chooser[pc & all->chooser_mask];
		uint8_t *bimodal = &all->bimodal[pc & all->bimodal_mask];
		uint8_t *gshare =
			&all->gshare[((pc & before) ^ (all->past & all->outcomes)) & after];
		uint8_t one = *bimodal >> 1, other = *gshare >> 1;
		predicted[i] = *chooser >> 1 ? other : one;
		*bimodal = bpred_next(*bimodal, taken);
		*gshare = bpred_next(*gshare, taken);
		*chooser = one == other ? *chooser : bpred_next(*chooser, other == taken);
		all->past = all->past << 1 | taken;
	}
}

const struct bpred_family bpred_tournament = {.name = "tournament",
	.check = check,
	.bits = bits,
	.size = size,
	.reset = reset,
	.run = run};
