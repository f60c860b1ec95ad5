/* SPDX-License-Identifier: MIT */
/* Comparing the steps of two traces: what both do, and how what differs belongs together. */
#ifndef CORRELATE_DIFF_MATCH_H
#define CORRELATE_DIFF_MATCH_H

#include "base/map.h"
#include "correlate/diff/step.h"

/* True where two steps are of the same instruction. */
static inline bool
match_position(const struct step *a, const struct step *b)
{
	return a->position == b->position && a->has_pc == b->has_pc;
}

/* True where both state an opcode, and not the same. */
static inline bool
match_opcodes_differ(const struct step *a, const struct step *b)
{
	return a->has_opcode && b->has_opcode && a->opcode != b->opcode;
}

/* The fields that differ: bit n is field n of the rules. */
uint64_t match_fields(
	const struct diff_rules *rules, const struct step *a, const struct step *b);

/* True where two records are the same, as far as they are compared. */
bool match_effects_same(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b);

/* True where both steps have the same records in the same order, and the same fields. */
bool match_exactly(const struct diff_rules *rules, const struct step *a, const struct step *b);

/* The last values of registers of both traces, by the register's number in the rules. */
struct match_state {
	struct map values[2];
	struct map lost[2]; /* 1 where a later value is not known */
};

/* Remembers what registers have after a step of a side; false without memory. */
bool match_remember(struct match_state *state, unsigned side, const struct step *step);

/*
 * Finds for each record of two steps its fate: FATE_SAME, FATE_CHANGED, or FATE_OPEN where the
 * other step has nothing like it. Returns how many are open, and in *changed how many of a are
 * changed; SIZE_MAX without memory.
 */
size_t match_steps(const struct diff_rules *rules, struct match_state *state, struct step *a,
	struct step *b, size_t *changed);

/* True where two steps agree in everything, whatever their fates. */
bool match_agrees(const struct diff_rules *rules, struct step *a, struct step *b);

#endif
