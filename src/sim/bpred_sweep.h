/* SPDX-License-Identifier: MIT */
/*
 * Many bimodal and gshare predictors at once. The branches are gathered into strips that stay
 * in the nearest cache, however few come at a time, as a table is there again with each strip;
 * addresses and histories are brought together once for all tables that look up the same, and
 * of these six sizes go through a strip together (bpred_tree.h).
 *
 * What is counted is what bpred.h defines for the same shape.
 */
#ifndef SIM_BPRED_SWEEP_H
#define SIM_BPRED_SWEEP_H

#include "sim/bpred.h"

enum { BPRED_SWEEP_MAX = 4096 /* shapes in a sweep */ };

/* A sweep; one thread at a time may use it. */
struct bpred_sweep;

/*
 * Makes a sweep of n predictors, 1 to BPRED_SWEEP_MAX, all bimodal or gshare and with the same
 * pc_shift. POLY_ERR_USAGE where one is of another kind or not sound, POLY_ERR_LIMIT where the
 * counters of all would need more than 2^30 bytes, POLY_ERR_MEMORY.
 */
enum poly_status bpred_sweep_new(const struct bpred_config *configs, size_t n,
	struct bpred_sweep **made, struct poly_error *error);

/* Takes branches; targets are not looked at. */
void bpred_sweep_run(struct bpred_sweep *sweep, const struct bpred_batch *batch);

/*
 * The branches that predictor i, in the order of configs, has mispredicted until now; those
 * that wait to be more go through all predictors before.
 */
uint64_t bpred_sweep_wrong(struct bpred_sweep *sweep, size_t i);

/* Gives a sweep's memory back. Accepts NULL. */
void bpred_sweep_free(struct bpred_sweep *sweep);

#endif
