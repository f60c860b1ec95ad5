/* SPDX-License-Identifier: MIT */
/*
 * Many bimodal and gshare predictors in one pass. Branches are gathered into strips that stay
 * in the nearest cache, however small the batches are, because each strip loads a table anew;
 * the index is computed once for all tables that share it, and six sizes of these process a
 * strip together (bpred_tree.h).
 *
 * Counts are those that bpred.h defines for the same configuration.
 */
#ifndef SIM_BPRED_SWEEP_H
#define SIM_BPRED_SWEEP_H

#include "sim/branch/bpred.h"

enum { BPRED_SWEEP_MAX = 4096 /* configurations in a sweep */ };

/* A sweep; one thread at a time may use it. */
struct bpred_sweep;

/*
 * Creates a sweep of n predictors, 1 to BPRED_SWEEP_MAX, all bimodal or gshare and with the
 * same pc_shift. POLY_ERR_USAGE if one is of another kind or invalid, POLY_ERR_LIMIT if the
 * counters of all need more than 2^30 bytes, POLY_ERR_MEMORY.
 */
enum poly_status bpred_sweep_new(const struct bpred_config *configs, size_t n,
	struct bpred_sweep **created, struct poly_error *error);

/* Runs branches; targets are ignored. */
void bpred_sweep_run(struct bpred_sweep *sweep, const struct bpred_batch *batch);

/*
 * Returns the mispredictions of predictor i, in the order of configs; runs all gathered
 * branches first.
 */
uint64_t bpred_sweep_wrong(struct bpred_sweep *sweep, size_t i);

/* Frees a sweep. Accepts NULL. */
void bpred_sweep_free(struct bpred_sweep *sweep);

#endif
