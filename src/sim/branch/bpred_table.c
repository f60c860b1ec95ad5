/* SPDX-License-Identifier: MIT */
/* Predictors of one table of counters: by address, by history, by both. */
#include "sim/branch/bpred_family.h"

#include <string.h>

struct table {
	unsigned shift;
	bool mask_first;
	uint64_t mask, outcomes; /* masks of the index and of the history */
	uint64_t past;
	uint8_t counters[];
};

/* log2 of the counters of gshare: a history that is not truncated to the index extends it. */
static unsigned
gshare_log2(const struct bpred_config *config)
{
	bool longer = config->mask_first && config->history > config->entries_log2;
	return longer ? config->history : config->entries_log2;
}

static unsigned
counters_log2(const struct bpred_config *config)
{
	if (config->kind == BPRED_GAG)
		return config->history;
	return config->kind == BPRED_GSHARE ? gshare_log2(config) : config->entries_log2;
}

static enum poly_status
check_bimodal(const struct bpred_config *config, struct poly_error *error)
{
	return bpred_range(
		"log2 of the entries", config->entries_log2, 0, BPRED_LOG2_MAX, error);
}

static enum poly_status
check_gshare(const struct bpred_config *config, struct poly_error *error)
{
	enum poly_status status = check_bimodal(config, error);
	unsigned max = config->mask_first ? BPRED_LOG2_MAX : BPRED_HISTORY_MAX;
	return status ? status : bpred_range("history", config->history, 0, max, error);
}

static enum poly_status
check_gag(const struct bpred_config *config, struct poly_error *error)
{
	return bpred_range("history", config->history, 0, BPRED_LOG2_MAX, error);
}

static uint64_t
bits(const struct bpred_config *config)
{
	bool has_history = config->kind != BPRED_BIMODAL;
	return ((uint64_t)2 << counters_log2(config)) + (has_history ? config->history : 0);
}

static size_t
size(const struct bpred_config *config)
{
	return sizeof(struct table) + ((size_t)1 << counters_log2(config));
}

static void
reset(void *state, const struct bpred_config *config)
{
	struct table *table = state;
	unsigned log2 = counters_log2(config);
	table->shift = config->pc_shift;
	table->mask_first = config->mask_first;
	table->mask = bpred_mask(config->kind == BPRED_GSHARE ? config->entries_log2 : log2);
	table->outcomes = bpred_mask(config->history);
	memset(table->counters, (int)config->initial, (size_t)1 << log2);
}

static inline uint8_t
step(uint8_t *counter, uint8_t taken)
{
	uint8_t before = *counter;
	*counter = bpred_next(before, taken);
	return before >> 1;
}

static void
run_bimodal(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	struct table *table = state;
	const uint64_t mask = table->mask;
	const unsigned shift = table->shift;
	for (size_t i = 0; i < batch->n; i++)
		predicted[i] =
			step(&table->counters[batch->pc[i] >> shift & mask], batch->taken[i]);
}

static void
run_gshare(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	struct table *table = state;
	const uint64_t outcomes = table->outcomes;
	/* One of the two masks is all ones. */
	const uint64_t before = table->mask_first ? table->mask : UINT64_MAX;
	const uint64_t after = table->mask_first ? UINT64_MAX : table->mask;
	const unsigned shift = table->shift;
	uint64_t past = table->past;
	for (size_t i = 0; i < batch->n; i++) {
		uint64_t index = ((batch->pc[i] >> shift & before) ^ (past & outcomes)) & after;
		predicted[i] = step(&table->counters[index], batch->taken[i]);
		past = past << 1 | batch->taken[i];
	}
	table->past = past;
}

static void
run_gag(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	struct table *table = state;
	uint64_t past = table->past;
	for (size_t i = 0; i < batch->n; i++) {
		predicted[i] = step(&table->counters[past & table->mask], batch->taken[i]);
		past = past << 1 | batch->taken[i];
	}
	table->past = past;
}

const struct bpred_family bpred_bimodal = {.name = "bimodal",
	.check = check_bimodal,
	.bits = bits,
	.size = size,
	.reset = reset,
	.run = run_bimodal};
const struct bpred_family bpred_gshare = {.name = "gshare",
	.check = check_gshare,
	.bits = bits,
	.size = size,
	.reset = reset,
	.run = run_gshare};
const struct bpred_family bpred_gag = {.name = "gag",
	.check = check_gag,
	.bits = bits,
	.size = size,
	.reset = reset,
	.run = run_gag};
