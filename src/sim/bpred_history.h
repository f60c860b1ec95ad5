/* SPDX-License-Identifier: MIT */
/*
 * Histories too long for a word: outcomes as bytes, the youngest last, in a buffer that is
 * moved back only now and then. A folded history is kept beside it (P. Michaud, "A PPM-like,
 * tag-based branch predictor", JILP 7, 2005): the xor of its outcomes i (0: the youngest), each
 * moved up by i mod width, which one rotation brings up to date.
 */
#ifndef SIM_BPRED_PAST_H
#define SIM_BPRED_PAST_H

#include <stdint.h>
#include <string.h>

#define HISTORY_MAX 1024 /* outcomes that are remembered, at least */
#define HISTORY_ROOM (4 * HISTORY_MAX)

struct bpred_history {
	unsigned end; /* the youngest outcome is before it; at least HISTORY_MAX */
	uint8_t outcomes[HISTORY_ROOM];
};

/* Nothing was taken yet. Of zeroed memory. */
static inline void
history_init(struct bpred_history *past)
{
	past->end = HISTORY_MAX;
}

/* Adds an outcome. */
static inline void
history_push(struct bpred_history *past, uint8_t outcome)
{
	if (past->end == HISTORY_ROOM) {
		memcpy(past->outcomes, past->outcomes + HISTORY_ROOM - HISTORY_MAX,
			HISTORY_MAX);
		past->end = HISTORY_MAX;
	}
	past->outcomes[past->end++] = outcome;
}

/* The i-th youngest outcome, i from 1 to HISTORY_MAX. */
static inline uint8_t
history_at(const struct bpred_history *past, unsigned i)
{
	return past->outcomes[past->end - i];
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

/* To be called before the outcome is pushed: the oldest goes, the others move up. */
static inline void
folded_push(struct folded *folded, const struct bpred_history *past, uint8_t outcome)
{
	uint32_t mask = ((uint32_t)1 << folded->width) - 1;
	uint32_t value = folded->value << 1 | outcome;
	value ^= (uint32_t)history_at(past, folded->length) << folded->leaves;
	value ^= value >> folded->width;
	folded->value = value & mask;
}

#endif
