/* SPDX-License-Identifier: MIT */
/* Functions of a kind of branch predictor, and helpers that the kinds share. */
#ifndef SIM_BPRED_FAMILY_H
#define SIM_BPRED_FAMILY_H

#include "sim/branch/bpred.h"

/* A kind. Its functions get a valid configuration. */
struct bpred_family {
	const char *name;
	/* Validates the fields that the kind uses. NULL: it uses none. */
	enum poly_status (*check)(const struct bpred_config *config, struct poly_error *error);
	uint64_t (*bits)(const struct bpred_config *config); /* NULL: no state */
	size_t (*size)(const struct bpred_config *config);   /* bytes of state; NULL: none */
	/* Initialises zeroed state. */
	void (*reset)(void *state, const struct bpred_config *config);
	void (*run)(void *state, const struct bpred_batch *batch, uint8_t *predicted);
};

extern const struct bpred_family bpred_taken, bpred_not_taken, bpred_btfn, bpred_bimodal,
	bpred_gshare, bpred_gag, bpred_pag, bpred_pap, bpred_tournament, bpred_perceptron,
	bpred_tage;

/* Returns POLY_ERR_USAGE if a number, called what in the message, is not from low to high. */
enum poly_status bpred_range(const char *what, unsigned value, unsigned low, unsigned high,
	struct poly_error *error);

/* The low n bits, n from 0 to 64. */
static inline uint64_t
bpred_mask(unsigned n)
{
	return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

/*
 * Returns a counter after an outcome: two bits of a constant, without a branch. A branch here
 * would be as hard to predict for the host as for the simulated processor. Each digit of the
 * constant belongs to a counter, the lowest to 0: its successor if taken, and if not.
 */
static inline uint8_t
bpred_next(uint8_t counter, uint8_t taken)
{
	return (uint8_t)(UINT32_C(0xED84) >> (4 * counter + 2 * taken) & 3);
}

#endif
