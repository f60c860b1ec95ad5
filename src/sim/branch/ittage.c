/* SPDX-License-Identifier: MIT */
/* A predictor of indirect branch targets, defined in ittage.h. */
#include "sim/branch/ittage.h"

#include "sim/branch/bpred_history.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

enum { CONFIDENCE_MAX = 3 };

struct ittage_entry {
	uint64_t target;
	uint16_t tag;
	uint8_t confidence, use;
};

/* A tagged table's histories. */
struct ittage_folds {
	struct folded index, tag, tag_less;
};

struct ittage {
	struct ittage_config config;
	struct bpred_history past;
	struct ittage_folds folds[ITTAGE_TABLES];
	uint64_t *last; /* after the entries, in the same block */
	struct ittage_entry entries[];
};

/* Prediction of the tables for a branch. */
struct ittage_vote {
	struct ittage_entry *at[ITTAGE_TABLES];
	uint16_t tag[ITTAGE_TABLES];
	uint64_t *last;
	int provider; /* the number of its table; -1: the last target */
	uint64_t provided, other, predicted;
};

static enum poly_status
in_range(
	const char *what, unsigned value, unsigned low, unsigned high, struct poly_error *error)
{
	if (value >= low && value <= high)
		return POLY_OK;
	return err_usage(error, "%s is %u, expected %u to %u", what, value, low, high);
}

static enum poly_status
check(const struct ittage_config *config, struct poly_error *error)
{
	unsigned low = 1;
	enum poly_status status =
		in_range("shift of the address", config->pc_shift, 0, 63, error);
	if (!status)
		status = in_range("log2 of the last targets", config->base_log2, 0,
			ITTAGE_LOG2_MAX, error);
	if (!status)
		status = in_range(
			"number of tagged tables", config->tables, 0, ITTAGE_TABLES, error);
	if (!status && config->tables)
		status = in_range("log2 of the tagged entries", config->entries_log2, 1,
			ITTAGE_LOG2_MAX, error);
	if (!status && config->tables)
		status = in_range("width of tags", config->tag_bits, 2, 15, error);
	for (unsigned i = 0; i < config->tables && !status; i++) {
		status = in_range(
			"history of a tagged table", config->length[i], low, ITTAGE_MAX, error);
		low = config->length[i] + 1u;
	}
	return status;
}

static size_t
entries_of(const struct ittage_config *config)
{
	return config->tables ? (size_t)config->tables << config->entries_log2 : 0;
}

enum poly_status
ittage_new(
	const struct ittage_config *config, struct ittage **created, struct poly_error *error)
{
	enum poly_status status = check(config, error);
	if (status)
		return status;
	size_t entries = entries_of(config);
	struct ittage *all = mem_new(1, sizeof *all + entries * sizeof all->entries[0] +
						(sizeof *all->last << config->base_log2));
	if (!all)
		return err_memory(error);
	all->config = *config;
	if (!config->tables)
		all->config.entries_log2 = all->config.tag_bits = 0;
	all->last = (uint64_t *)(void *)(all->entries + entries);
	history_init(&all->past);
	for (unsigned i = 0; i < config->tables; i++)
		all->folds[i] = (struct ittage_folds){
			folded_begin(config->length[i], config->entries_log2),
			folded_begin(config->length[i], config->tag_bits),
			folded_begin(config->length[i], config->tag_bits - 1)};
	/* A tag that no address can have. */
	for (size_t i = 0; i < entries; i++)
		all->entries[i].tag = UINT16_MAX;
	*created = all;
	return POLY_OK;
}

static void
look_up(struct ittage *all, uint64_t pc, struct ittage_vote *vote)
{
	const struct ittage_config *config = &all->config;
	const uint32_t entry_mask = ((uint32_t)1 << config->entries_log2) - 1;
	const uint32_t tag_mask = ((uint32_t)1 << config->tag_bits) - 1;
	vote->last = &all->last[pc & (((uint64_t)1 << config->base_log2) - 1)];
	vote->provider = -1;
	vote->provided = vote->other = *vote->last;
	for (unsigned i = 0; i < config->tables; i++) {
		const struct ittage_folds *folds = &all->folds[i];
		uint32_t index = (uint32_t)(pc ^ pc >> config->entries_log2);
		uint32_t tag = (uint32_t)pc ^ folds->tag.value ^ folds->tag_less.value << 1;
		index = (index ^ folds->index.value) & entry_mask;
		vote->tag[i] = (uint16_t)(tag & tag_mask);
		vote->at[i] = &all->entries[((size_t)i << config->entries_log2) + index];
		if (vote->at[i]->tag == vote->tag[i]) {
			vote->other = vote->provided;
			vote->provided = vote->at[i]->target;
			vote->provider = (int)i;
		}
	}
	bool sure = vote->provider < 0 || vote->at[vote->provider]->confidence;
	vote->predicted = sure ? vote->provided : vote->other;
}

/* Step 1. */
static void
allocate(const struct ittage *all, struct ittage_vote *vote, uint64_t target)
{
	unsigned first = (unsigned)(vote->provider + 1), i = first;
	while (i < all->config.tables && vote->at[i]->use)
		i++;
	if (i < all->config.tables) {
		*vote->at[i] = (struct ittage_entry){target, vote->tag[i], 0, 0};
		return;
	}
	for (i = first; i < all->config.tables; i++)
		vote->at[i]->use = 0;
}

static void
learn(const struct ittage *all, struct ittage_vote *vote, uint64_t target)
{
	if (vote->predicted != target)
		allocate(all, vote, target);
	*vote->last = target;
	if (vote->provider < 0)
		return;
	struct ittage_entry *entry = vote->at[vote->provider];
	bool right = vote->provided == target;
	if (right)
		entry->confidence = entry->confidence < CONFIDENCE_MAX
					    ? (uint8_t)(entry->confidence + 1)
					    : CONFIDENCE_MAX;
	else if (entry->confidence)
		entry->confidence--;
	else
		entry->target = target;
	if (vote->provided != vote->other)
		entry->use = right;
}

static void
push(struct ittage *all, uint8_t bit)
{
	for (unsigned i = 0; i < all->config.tables; i++) {
		folded_push(&all->folds[i].index, &all->past, bit);
		folded_push(&all->folds[i].tag, &all->past, bit);
		folded_push(&all->folds[i].tag_less, &all->past, bit);
	}
	history_push(&all->past, bit);
}

void
ittage_run(struct ittage *all, const struct ittage_batch *batch, uint64_t *found)
{
	struct ittage_vote vote;
	for (size_t i = 0; i < batch->n; i++) {
		found[i] = 0;
		if (!batch->indirect[i]) {
			push(all, batch->taken[i]);
			continue;
		}
		uint64_t target = batch->target[i];
		uint64_t mixed = target ^ target >> 2 ^ target >> 4 ^ target >> 6;
		look_up(all, batch->pc[i] >> all->config.pc_shift, &vote);
		found[i] = vote.predicted;
		learn(all, &vote, target);
		push(all, mixed >> 1 & 1);
		push(all, mixed & 1);
	}
}

void
ittage_free(struct ittage *all)
{
	mem_free(all);
}
