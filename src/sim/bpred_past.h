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

#define PAST_MOST 1024 /* outcomes that are remembered, at least */
#define PAST_ROOM (4 * PAST_MOST)

struct past {
	unsigned end; /* the youngest outcome is before it; at least PAST_MOST */
	uint8_t outcomes[PAST_ROOM];
};

/* Nothing was taken yet. Of zeroed memory. */
static inline void
past_begin(struct past *past)
{
	past->end = PAST_MOST;
}

/* Adds an outcome. */
static inline void
past_push(struct past *past, uint8_t outcome)
{
	if (past->end == PAST_ROOM) {
		memcpy(past->outcomes, past->outcomes + PAST_ROOM - PAST_MOST, PAST_MOST);
		past->end = PAST_MOST;
	}
	past->outcomes[past->end++] = outcome;
}

/* The i-th youngest outcome, i from 1 to PAST_MOST. */
static inline uint8_t
past_at(const struct past *past, unsigned i)
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
folded_push(struct folded *folded, const struct past *past, uint8_t outcome)
{
	uint32_t mask = ((uint32_t)1 << folded->width) - 1;
	uint32_t value = folded->value << 1 | outcome;
	value ^= (uint32_t)past_at(past, folded->length) << folded->leaves;
	value ^= value >> folded->width;
	folded->value = value & mask;
}

#endif
