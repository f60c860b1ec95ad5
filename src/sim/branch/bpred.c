/* SPDX-License-Identifier: MIT */
/* The kinds of branch predictors, and what they have in common. */
#include "sim/branch/bpred_family.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

struct bpred {
	const struct bpred_family *family;
	void *state;
};

static const struct bpred_family *const families[BPRED_KINDS] = {
	[BPRED_TAKEN] = &bpred_taken,
	[BPRED_NOT_TAKEN] = &bpred_not_taken,
	[BPRED_BTFN] = &bpred_btfn,
	[BPRED_BIMODAL] = &bpred_bimodal,
	[BPRED_GSHARE] = &bpred_gshare,
	[BPRED_GAG] = &bpred_gag,
	[BPRED_PAG] = &bpred_pag,
	[BPRED_PAP] = &bpred_pap,
	[BPRED_TOURNAMENT] = &bpred_tournament,
	[BPRED_PERCEPTRON] = &bpred_perceptron,
	[BPRED_TAGE] = &bpred_tage,
};

enum poly_status
bpred_range(
	const char *what, unsigned value, unsigned low, unsigned high, struct poly_error *error)
{
	if (value >= low && value <= high)
		return POLY_OK;
	return err_usage(error, "%s is %u, expected %u to %u", what, value, low, high);
}

enum poly_status
bpred_check(const struct bpred_config *config, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if ((unsigned)config->kind >= BPRED_KINDS)
		return bpred_range(
			"kind of predictor", (unsigned)config->kind, 0, BPRED_KINDS - 1, error);
	status = bpred_range("shift of the address", config->pc_shift, 0, 63, error);
	if (!status)
		status = bpred_range("initial counter", config->initial, 0, 3, error);
	if (!status && families[config->kind]->check)
		status = families[config->kind]->check(config, error);
	return status;
}

uint64_t
bpred_bits(const struct bpred_config *config)
{
	const struct bpred_family *family = families[config->kind];
	return family->bits ? family->bits(config) : 0;
}

const char *
bpred_name(enum bpred_kind kind)
{
	return families[kind]->name;
}

enum bpred_kind
bpred_find(const char *name)
{
	unsigned kind = 0;
	while (kind < BPRED_KINDS && strcmp(families[kind]->name, name))
		kind++;
	return (enum bpred_kind)kind;
}

enum poly_status
bpred_new(const struct bpred_config *config, struct bpred **created, struct poly_error *error)
{
	enum poly_status status = bpred_check(config, error);
	if (status)
		return status;
	const struct bpred_family *family = families[config->kind];
	struct bpred *bpred = mem_new(1, sizeof *bpred);
	if (!bpred)
		return err_memory(error);
	bpred->family = family;
	if (family->size) {
		bpred->state = mem_new(family->size(config), 1);
		if (!bpred->state) {
			mem_free(bpred);
			return err_memory(error);
		}
		family->reset(bpred->state, config);
	}
	*created = bpred;
	return POLY_OK;
}

void
bpred_run(struct bpred *bpred, const struct bpred_batch *batch, uint8_t *predicted)
{
	bpred->family->run(bpred->state, batch, predicted);
}

void
bpred_free(struct bpred *bpred)
{
	if (bpred)
		mem_free(bpred->state);
	mem_free(bpred);
}

uint64_t
bpred_wrong(const uint8_t *predicted, const uint8_t *taken, size_t n)
{
	uint64_t wrong = 0;
	for (size_t i = 0; i < n; i++)
		wrong += predicted[i] != taken[i];
	return wrong;
}
