/* SPDX-License-Identifier: MIT */
/*
 * Histories longer than a word: outcomes as bytes, the youngest last, in a buffer that is
 * moved back only when full. A folded history accompanies it (P. Michaud, "A PPM-like,
 * tag-based branch predictor", JILP 7, 2005): the xor of its outcomes i (0: the youngest), each
 * shifted by i mod width, which one rotation updates.
 */
#ifndef SIM_BPRED_PAST_H
#define SIM_BPRED_PAST_H

#include <stdint.h>
#include <string.h>

#define HISTORY_MAX 1024 /* minimum number of outcomes available */
#define HISTORY_ROOM (4 * HISTORY_MAX)

struct bpred_history {
	unsigned end; /* one past the youngest outcome; at least HISTORY_MAX */
	uint8_t outcomes[HISTORY_ROOM];
};

/* Initialises zeroed memory: all outcomes are not taken. */
static inline void
history_init(struct bpred_history *history)
{
	history->end = HISTORY_MAX;
}

/* Adds an outcome. */
static inline void
history_push(struct bpred_history *history, uint8_t outcome)
{
	if (history->end == HISTORY_ROOM) {
		memcpy(history->outcomes, history->outcomes + HISTORY_ROOM - HISTORY_MAX,
			HISTORY_MAX);
		history->end = HISTORY_MAX;
	}
	history->outcomes[history->end++] = outcome;
}

/* Returns the i-th youngest outcome, i from 1 to HISTORY_MAX. */
static inline uint8_t
history_at(const struct bpred_history *history, unsigned i)
{
	return history->outcomes[history->end - i];
}

struct folded {
	uint32_t value;
	unsigned width, length, leaves; /* in bits; outcomes; length mod width */
};

static inline struct folded
folded_begin(unsigned length, unsigned width)
{
	return (struct folded){0, width, length, length % width};
}

/* Updates a folded history before the outcome is pushed: removes the oldest, shifts the others.
 */
static inline void
folded_push(struct folded *folded, const struct bpred_history *history, uint8_t outcome)
{
	uint32_t mask = ((uint32_t)1 << folded->width) - 1;
	uint32_t value = folded->value << 1 | outcome;
	value ^= (uint32_t)history_at(history, folded->length) << folded->leaves;
	value ^= value >> folded->width;
	folded->value = value & mask;
}

#endif
