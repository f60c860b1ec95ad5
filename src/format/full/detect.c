/* SPDX-License-Identifier: MIT */
/*
 * Detects the layout of a FULL trace's records, and whether their state is that before or after
 * the instruction: every candidate decodes a sample, and its passed checks are counted.
 *
 * spec: Apple amber traces 4.9 (1 and 2).
 */
#include "format/full/full.h"

#include <limits.h>

#define SAMPLE_RECORDS 64

/* Per mille of passed checks that the best layout needs, and its lead over the next. */
#define SCORE_MIN 980u
#define LEAD_MIN 100u

#define PRIMARY_B 18u
#define ABSOLUTE 2u

struct check_count {
	unsigned passed, checks;
};

/* Check results of a sample under one layout. */
struct layout_score {
	struct check_count fields;  /* of single records */
	struct check_count flow[2]; /* of consecutive records: pre, post */
	unsigned relative[2];	    /* relative branches that lead to their target */
	unsigned records;	    /* complete ones */
	size_t first;		    /* offset of the first record */
};

/* A position in a sample under one dialect. */
struct sample_walk {
	struct powerpc_dialect dialect;
	const uint8_t *p;
	size_t n;
	bool escapes;
	size_t at; /* offset of the next record */
};

static void
count_check(struct check_count *count, bool passed)
{
	count->passed += passed;
	count->checks++;
}

/* Skips synchronisation records; returns whether at least the start of a record follows. */
static bool
walk_to_record(struct sample_walk *walk)
{
	while (walk->at < walk->n) {
		if (!walk->escapes || walk->n - walk->at < FULL_ESCAPE_SIZE ||
			full_sync_find(powerpc_word(&walk->dialect, walk->p + walk->at)) < 0)
			return true;
		walk->at += FULL_ESCAPE_SIZE;
	}
	return false;
}

/* Checks that the bytes at offset are zero, if a record of n bytes has them. */
static void
count_zero(
	struct check_count *count, const uint8_t *record, size_t n, size_t offset, size_t size)
{
	if (n < offset + size)
		return;
	uint8_t any = 0;
	for (size_t i = 0; i < size; i++)
		any |= record[offset + i];
	count_check(count, any == 0);
}

/* Checks the fields of a record, n bytes of which are present. */
static void
count_fields(struct check_count *count, const struct powerpc_dialect *dialect,
	const uint8_t *record, size_t n)
{
	const struct powerpc_layout *layout = dialect->layout;
	size_t word = layout->wide ? 8 : 4;
	if (n >= 4)
		count_check(count, powerpc_word(dialect, record) >> 26 != 0);
	if (n >= layout->pc + word)
		count_check(
			count, (powerpc_state_register(dialect, record + layout->pc) & 3) == 0);
	const uint64_t msr = n >= layout->msr + word
				     ? powerpc_state_register(dialect, record + layout->msr)
				     : 0;
	/* 0 is the MSR of a supervisor, but also what padding has. */
	if (msr)
		count_check(count, full_is_msr(msr));
	if (layout->mq)
		count_zero(count, record, n, layout->mq, 4);
	count_zero(count, record, n, layout->floats + (size_t)POWERPC_FPSCR_PAD, 4);
	count_zero(count, record, n, layout->vectors + (size_t)POWERPC_PAD5, POWERPC_PAD5_SIZE);
	count_zero(count, record, n, layout->vectors + (size_t)POWERPC_PAD6, POWERPC_PAD6_SIZE);
}

/* Checks that record now, n bytes of which are present, can follow the complete record
 * previous. */
static void
count_flow(struct layout_score *score, const struct powerpc_dialect *dialect,
	const uint8_t *previous, const uint8_t *now, size_t n)
{
	const struct powerpc_layout *layout = dialect->layout;
	if (n < (size_t)layout->pc + (layout->wide ? 8 : 4))
		return;
	uint64_t next = powerpc_state_register(dialect, now + layout->pc);
	for (unsigned post = 0; post < 2; post++) {
		struct powerpc_dialect as = *dialect;
		as.post = post;
		struct full_step step = full_step_between(&as, previous, now);
		bool follows = full_follows(&step, next);
		count_check(&score->flow[post], follows);
		if (step.opcode >> 26 == PRIMARY_B && !(step.opcode & ABSOLUTE))
			score->relative[post] += follows;
	}
}

static struct layout_score
score_sample(struct sample_walk walk, unsigned max)
{
	size_t size = walk.dialect.layout->record;
	struct layout_score score = {.first = walk.n};
	const uint8_t *previous = NULL;
	for (unsigned i = 0; i < max && walk_to_record(&walk); i++) {
		const uint8_t *now = walk.p + walk.at;
		size_t n = walk.n - walk.at;
		count_fields(&score.fields, &walk.dialect, now, n);
		if (previous)
			count_flow(&score, &walk.dialect, previous, now, n);
		if (i == 0)
			score.first = walk.at;
		if (n < size)
			break;
		score.records++;
		walk.at += size;
		previous = now;
	}
	return score;
}

static unsigned
per_mille(const struct layout_score *score, bool post)
{
	unsigned checks = score->fields.checks + score->flow[post].checks;
	return checks ? 1000 * (score->fields.passed + score->flow[post].passed) / checks : 0;
}

/* Returns the score under the better interpretation of the state, or under the requested one.
 */
static unsigned
best_per_mille(const struct layout_score *score, uint64_t state)
{
	unsigned pre = per_mille(score, false), post = per_mille(score, true);
	if (state != FULL_AUTO)
		return state == FULL_SECOND ? post : pre;
	return pre > post ? pre : post;
}

/* Decides by relative branches; if even, by all of the flow, else for pre. */
static bool
is_post(const struct layout_score *score, uint64_t state)
{
	if (state != FULL_AUTO)
		return state == FULL_SECOND;
	if (score->relative[0] != score->relative[1])
		return score->relative[1] > score->relative[0];
	return score->flow[1].passed > score->flow[0].passed;
}

/* Scores all layouts on the first records and selects the best, if its score suffices. */
static void
choose_layout(
	struct full_detection *found, struct sample_walk walk, unsigned max, uint64_t state)
{
	found->best = found->second = 0;
	for (size_t i = 0; i < POWERPC_LAYOUTS; i++) {
		walk.dialect.layout = &powerpc_layouts[i];
		struct layout_score score = score_sample(walk, max);
		unsigned value = best_per_mille(&score, state);
		if (value > found->best) {
			found->second = found->best;
			found->best = value;
			found->layout = &powerpc_layouts[i];
		} else if (value > found->second) {
			found->second = value;
		}
	}
	if (found->best < SCORE_MIN || found->best < found->second + LEAD_MIN)
		found->layout = NULL;
}

struct full_detection
full_detect(const uint8_t *p, size_t n, bool little, const uint64_t *options)
{
	struct full_detection found = {0};
	struct sample_walk walk = {.dialect = {.little = little},
		.p = p,
		.n = n,
		.escapes = options[FULL_OPTION_ESCAPES]};
	uint64_t state = options[FULL_OPTION_STATE];
	if (options[FULL_OPTION_RECORD])
		found.layout = &powerpc_layouts[options[FULL_OPTION_RECORD] - 1];
	else if (n < FULL_RECORD_MIN)
		found.layout = &powerpc_layouts[0]; /* no record is complete anyway */
	/* Corrupt data among the first records requires a smaller sample. */
	for (unsigned max = SAMPLE_RECORDS; !found.layout && max >= 2; max /= 2)
		choose_layout(&found, walk, max, state);
	if (!found.layout)
		found.layout = powerpc_layout_find(n); /* a single record */
	found.first = n;
	if (!found.layout)
		return found;
	walk.dialect.layout = found.layout;
	struct layout_score score = score_sample(walk, UINT_MAX);
	found.post = is_post(&score, state);
	found.records = score.records;
	found.first = score.first;
	return found;
}
