/* SPDX-License-Identifier: MIT */
/*
 * Predictors of equal budgets: of each kind the largest whose tables fit. The global history
 * is excluded: with its few bits, tables that fill a budget exactly would have to be halved.
 */
#include "analysis/sim/branch/branch.h"

#include "base/err.h"
#include "base/mem.h"

static const enum bpred_kind compared[] = {BPRED_BIMODAL, BPRED_GSHARE, BPRED_GAG, BPRED_PAG,
	BPRED_TOURNAMENT, BPRED_PERCEPTRON, BPRED_TAGE};

enum { COMPARED = sizeof compared / sizeof *compared, SIZE_LOG2_MAX = BPRED_LOG2_MAX };

/* Sets the size of a predictor: tables of 2^size, and histories as long as indices. */
static void
set_size(struct bpred_config *config, unsigned size)
{
	config->entries_log2 = size;
	switch (config->kind) {
	case BPRED_GSHARE:
	case BPRED_GAG: config->history = size; break;
	case BPRED_PAG: config->local_log2 = config->history = size; break;
	case BPRED_TOURNAMENT: /* the fair one of CIS 501, homework 3 */
		config->bimodal_log2 = config->chooser_log2 = size;
		config->entries_log2 = config->history = size + 1;
		break;
	case BPRED_TAGE:
		/* As the default, whose first table is eight times as large as the others. */
		config->entries_log2 = size + 3;
		config->tage.entries_log2 = size;
		break;
	case BPRED_PERCEPTRON: /* keeps its default history */
	case BPRED_BIMODAL:
	case BPRED_TAKEN:
	case BPRED_NOT_TAKEN:
	case BPRED_BTFN:
	case BPRED_PAP:
	case BPRED_KINDS: break;
	}
}

/* Returns the bits of a predictor without its global history. */
static uint64_t
bits_of_tables(const struct bpred_config *config)
{
	const uint64_t bits = bpred_bits(config);
	switch (config->kind) {
	case BPRED_GSHARE:
	case BPRED_GAG:
	case BPRED_TOURNAMENT:
	case BPRED_PERCEPTRON: return bits - config->history;
	case BPRED_TAGE: return bits - config->tage.length[config->tage.tables - 1];
	case BPRED_PAG:
	case BPRED_PAP:
	case BPRED_BIMODAL:
	case BPRED_TAKEN:
	case BPRED_NOT_TAKEN:
	case BPRED_BTFN:
	case BPRED_KINDS: break;
	}
	return bits;
}

/* Finds the largest predictor of a kind within a budget; false: none fits. */
static bool
fit_budget(struct bpred_config *config, uint64_t budget)
{
	struct bpred_config larger = *config;
	bool any = false;
	for (unsigned size = 0; size <= SIZE_LOG2_MAX; size++) {
		set_size(&larger, size);
		if (bpred_check(&larger, NULL) != POLY_OK)
			continue;
		if (bits_of_tables(&larger) > budget)
			break;
		*config = larger;
		any = true;
	}
	return any;
}

enum poly_status
branch_parse_budgets(struct branch_simulation *sim, const char *text,
	const struct bpred_config *common, struct poly_error *error)
{
	unsigned low, high;
	if (!text || !*text)
		return POLY_OK;
	if (!branch_parse_range(text, BRANCH_BUDGET_LOG2_MAX, &low, &high))
		return err_usage(error,
			"budget: found '%.40s', expected a range of log2 of bits, up to %d, "
			"as 10..16",
			text, BRANCH_BUDGET_LOG2_MAX);
	sim->budgets = mem_new((size_t)COMPARED * (high - low + 1), sizeof *sim->budgets);
	if (!sim->budgets)
		return err_memory(error);
	for (unsigned log2 = low; log2 <= high; log2++) {
		for (size_t i = 0; i < COMPARED; i++) {
			struct branch_budget *entry = &sim->budgets[sim->budget_count];
			entry->bits = (uint64_t)1 << log2;
			branch_default_config(&entry->predictor.config, compared[i], common);
			if (!fit_budget(&entry->predictor.config, entry->bits))
				continue;
			enum poly_status status = bpred_new(
				&entry->predictor.config, &entry->predictor.bpred, error);
			if (status != POLY_OK)
				return status;
			sim->budget_count++;
		}
	}
	return POLY_OK;
}
