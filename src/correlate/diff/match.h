/* SPDX-License-Identifier: MIT */
/* Compares the steps of two traces, and pairs the records that differ. */
#ifndef CORRELATE_DIFF_MATCH_H
#define CORRELATE_DIFF_MATCH_H

#include "base/map.h"
#include "correlate/diff/step.h"

/* True if two steps are of the same instruction. */
static inline bool
match_position(const struct step *a, const struct step *b)
{
	return a->position == b->position && a->has_pc == b->has_pc;
}

/* True if both state an opcode, and these differ. */
static inline bool
match_opcodes_differ(const struct step *a, const struct step *b)
{
	return a->has_opcode && b->has_opcode && a->opcode != b->opcode;
}

/* Returns the fields that differ: bit n is field n of the rules. */
uint64_t match_fields(
	const struct diff_rules *rules, const struct step *a, const struct step *b);

/* True if the compared columns of two records are equal. */
bool match_effects_same(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b);

/* True if two steps have equal records in the same order, and equal fields. */
bool match_exactly(const struct diff_rules *rules, const struct step *a, const struct step *b);

/* The last register values of both traces, by the register's number in the rules. */
struct match_state {
	struct map values[2];
	struct map lost[2]; /* 1 if a later value is unknown */
};

/* Stores the register values after a step of a side; false: out of memory. */
bool match_remember(struct match_state *state, unsigned side, const struct step *step);

/*
 * Sets the fate of each record of two steps: FATE_SAME, FATE_CHANGED, or FATE_OPEN if the other
 * step has no counterpart. Returns the number of open ones, and in *changed the number of a's
 * records that are changed; SIZE_MAX: out of memory.
 */
size_t match_steps(const struct diff_rules *rules, struct match_state *state, struct step *a,
	struct step *b, size_t *changed);

/* True if two steps match completely, whatever their fates. */
bool match_agrees(const struct diff_rules *rules, struct step *a, struct step *b);

#endif
