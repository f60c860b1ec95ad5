/* SPDX-License-Identifier: MIT */
/* What a kind of branch predictor is made of, and what the kinds share. */
#ifndef SIM_BPRED_FAMILY_H
#define SIM_BPRED_FAMILY_H

#include "sim/bpred.h"

/* A kind. The configuration that its functions are given is sound. */
struct bpred_family {
	const char *name;
	/* Says what is wrong with what the kind looks at. NULL: it looks at nothing. */
	enum poly_status (*check)(const struct bpred_config *config, struct poly_error *error);
	uint64_t (*bits)(const struct bpred_config *config); /* NULL: no state */
	size_t (*size)(const struct bpred_config *config);   /* bytes of state; NULL: none */
	/* Puts zeroed state into its first state. */
	void (*reset)(void *state, const struct bpred_config *config);
	void (*run)(void *state, const struct bpred_batch *batch, uint8_t *predicted);
};

extern const struct bpred_family bpred_taken, bpred_not_taken, bpred_btfn, bpred_bimodal,
	bpred_gshare, bpred_gag, bpred_pag, bpred_pap, bpred_tournament, bpred_perceptron,
	bpred_tage;

/* POLY_ERR_USAGE where a number of a configuration, so called, is not from low to high. */
enum poly_status bpred_range(const char *what, unsigned value, unsigned low, unsigned high,
	struct poly_error *error);

/* The low n bits, n from 0 to 64. */
static inline uint64_t
bpred_mask(unsigned n)
{
	return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

/*
 * A counter after an outcome: two bits of a constant, so that nothing is jumped over. A jump
 * here would be as hard to foresee for the processor that simulates as for the one that is
 * simulated. Each digit of the constant is a counter, the low one 0: the next where taken, and
 * where not.
 */
static inline uint8_t
bpred_next(uint8_t counter, uint8_t taken)
{
	return (uint8_t)(UINT32_C(0xED84) >> (4 * counter + 2 * taken) & 3);
}

#endif
