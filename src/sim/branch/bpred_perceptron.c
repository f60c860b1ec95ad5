/* SPDX-License-Identifier: MIT */
/*
 * Perceptrons: the address selects a row of weights; the output is the sum of a bias and of
 * each weight, negated if the outcome it belongs to was not taken. The sign is the prediction
 * (0 is taken). If it was wrong, or the magnitude of the sum did not exceed the threshold,
 * each weight moves by one towards agreement. Weights have 8 bits and saturate; the threshold
 * is 1.93 history + 14, rounded down. The history is initially all not taken.
 *
 * spec: D. Jiménez, C. Lin, "Dynamic branch prediction with perceptrons", HPCA 2001, sections 3
 * and 5.
 */
#include "sim/branch/bpred_family.h"

#include <string.h>

#define PERCEPTRON_ROOM (8 * BPRED_PERCEPTRON_MAX)
#define WEIGHT_BITS 8

struct perceptron {
	unsigned shift, history;
	int threshold;
	uint64_t mask;
	size_t end;		      /* one past the youngest outcome */
	int8_t past[PERCEPTRON_ROOM]; /* 1: taken, -1: not taken; the youngest last */
	int8_t weights[]; /* per row: weights of the outcomes, oldest first, then the bias */
};

static enum poly_status
check(const struct bpred_config *config, struct poly_error *error)
{
	enum poly_status status =
		bpred_range("history", config->history, 0, BPRED_PERCEPTRON_MAX, error);
	unsigned max = BPRED_LOG2_MAX;
	while (!status && (uint64_t)(config->history + 1) << max > (uint64_t)1
									   << BPRED_LOG2_MAX)
		max--;
	return status ? status
		      : bpred_range(
				"log2 of the perceptrons", config->entries_log2, 0, max, error);
}

static uint64_t
bits(const struct bpred_config *config)
{
	return ((uint64_t)WEIGHT_BITS * (config->history + 1) << config->entries_log2) +
	       config->history;
}

static size_t
size(const struct bpred_config *config)
{
	return sizeof(struct perceptron) +
	       ((size_t)(config->history + 1) << config->entries_log2);
}

static void
reset(void *state, const struct bpred_config *config)
{
	struct perceptron *all = state;
	all->shift = config->pc_shift;
	all->history = config->history;
	all->threshold = (int)(193 * config->history / 100 + 14);
	all->mask = bpred_mask(config->entries_log2);
	all->end = BPRED_PERCEPTRON_MAX;
	memset(all->past, -1, sizeof all->past);
}

static int
sum(const int8_t *weights, const int8_t *past, size_t n)
{
	int total = weights[n];
	for (size_t i = 0; i < n; i++)
		total += weights[i] * past[i];
	return total;
}

/* Moves a weight one step towards agreement of an input with an outcome (both 1 or -1). */
static inline int8_t
moved(int8_t weight, int agreed)
{
	int next = weight + agreed;
	next = next > INT8_MAX ? INT8_MAX : next;
	return (int8_t)(next < INT8_MIN ? INT8_MIN : next);
}

static void
learn(int8_t *weights, const int8_t *past, size_t n, int outcome)
{
	for (size_t i = 0; i < n; i++)
		weights[i] = moved(weights[i], past[i] * outcome);
	weights[n] = moved(weights[n], outcome);
}

static void
push(struct perceptron *all, int outcome)
{
	if (all->end == PERCEPTRON_ROOM) {
		memcpy(all->past, all->past + PERCEPTRON_ROOM - BPRED_PERCEPTRON_MAX,
			BPRED_PERCEPTRON_MAX);
		all->end = BPRED_PERCEPTRON_MAX;
	}
	all->past[all->end++] = (int8_t)outcome;
}

static void
run(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	struct perceptron *all = state;
	size_t n = all->history;
	for (size_t i = 0; i < batch->n; i++) {
		uint64_t row = batch->pc[i] >> all->shift & all->mask;
		int8_t *weights = all->weights + row * (n + 1);
		const int8_t *past = all->past + all->end - n;
		int total = sum(weights, past, n), outcome = batch->taken[i] ? 1 : -1;
		int distance = total < 0 ? -total : total;
		predicted[i] = total >= 0;
		if (predicted[i] != batch->taken[i] || distance <= all->threshold)
			learn(weights, past, n, outcome);
		push(all, outcome);
	}
}

const struct bpred_family bpred_perceptron = {.name = "perceptron",
	.check = check,
	.bits = bits,
	.size = size,
	.reset = reset,
	.run = run};
