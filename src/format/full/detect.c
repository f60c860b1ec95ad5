/* SPDX-License-Identifier: MIT */
/*
 * Which layout the records of a FULL trace have, and whether their state is that before or
 * after the instruction: every candidate is read as far as a sample goes, and what must be so
 * is counted.
 *
 * spec: reference amber 4.9 (1 and 2).
 */
#include "format/full/full.h"

#include <limits.h>

#define SAMPLE_RECORDS 64

/* Per mille of true checks that the best layout needs, and its lead over the next. */
#define SCORE_LEAST 980u
#define LEAD_LEAST 100u

#define PRIMARY_B 18u
#define ABSOLUTE 2u

struct tally {
	unsigned passed, checks;
};

/* What a sample says when it is read with one layout. */
struct score {
	struct tally fields;  /* of single records */
	struct tally flow[2]; /* of neighbours: pre, post */
	unsigned relative[2]; /* relative branches that arrive where they should */
	unsigned records;     /* whole ones */
	size_t first;	      /* offset of the first record */
};

/* A sample as it is walked with one dialect. */
struct walk {
	struct full_dialect dialect;
	const uint8_t *p;
	size_t n;
	bool escapes;
	size_t at; /* offset of the next record */
};

static void
count(struct tally *tally, bool passed)
{
	tally->passed += passed;
	tally->checks++;
}

/* Passes over synchronisation records; true where at least the start of a record follows. */
static bool
walk_to_record(struct walk *walk)
{
	while (walk->at < walk->n) {
		if (!walk->escapes || walk->n - walk->at < FULL_ESCAPE_SIZE ||
			full_sync_find(full_word(&walk->dialect, walk->p + walk->at)) < 0)
			return true;
		walk->at += FULL_ESCAPE_SIZE;
	}
	return false;
}

/* Counts that the bytes at offset are zero, as far as a record of n bytes has them. */
static void
count_zero(struct tally *tally, const uint8_t *record, size_t n, size_t offset, size_t size)
{
	if (n < offset + size)
		return;
	uint8_t any = 0;
	for (size_t i = 0; i < size; i++)
		any |= record[offset + i];
	count(tally, any == 0);
}

/* What must be so of a record, of which n bytes are there. */
static void
count_fields(struct tally *tally, const struct full_dialect *dialect, const uint8_t *record,
	size_t n)
{
	const struct full_layout *layout = dialect->layout;
	size_t word = layout->wide ? 8 : 4;
	if (n >= 4)
		count(tally, full_word(dialect, record) >> 26 != 0);
	if (n >= layout->pc + word)
		count(tally, (full_register(dialect, record + layout->pc) & 3) == 0);
	if (n >= layout->msr + word)
		count(tally, full_register(dialect, record + layout->msr) & FULL_MSR_USER);
	if (layout->mq)
		count_zero(tally, record, n, layout->mq, 4);
	count_zero(tally, record, n, layout->floats + (size_t)FULL_FPSCR_PAD, 4);
	count_zero(tally, record, n, layout->vectors + (size_t)FULL_PAD5, FULL_PAD5_SIZE);
	count_zero(tally, record, n, layout->vectors + (size_t)FULL_PAD6, FULL_PAD6_SIZE);
}

/* How the record now, of which n bytes are there, continues the whole one before it. */
static void
count_flow(struct score *score, const struct full_dialect *dialect, const uint8_t *before,
	const uint8_t *now, size_t n)
{
	const struct full_layout *layout = dialect->layout;
	if (n < (size_t)layout->pc + (layout->wide ? 8 : 4))
		return;
	uint64_t next = full_register(dialect, now + layout->pc);
	for (unsigned post = 0; post < 2; post++) {
		struct full_dialect as = *dialect;
		as.post = post;
		struct full_step step = full_step_between(&as, before, now);
		bool follows = full_follows(&step, next);
		count(&score->flow[post], follows);
		if (step.opcode >> 26 == PRIMARY_B && !(step.opcode & ABSOLUTE))
			score->relative[post] += follows;
	}
}

static struct score
score_sample(struct walk walk, unsigned most)
{
	size_t size = walk.dialect.layout->record;
	struct score score = {.first = walk.n};
	const uint8_t *before = NULL;
	for (unsigned i = 0; i < most && walk_to_record(&walk); i++) {
		const uint8_t *now = walk.p + walk.at;
		size_t n = walk.n - walk.at;
		count_fields(&score.fields, &walk.dialect, now, n);
		if (before)
			count_flow(&score, &walk.dialect, before, now, n);
		if (i == 0)
			score.first = walk.at;
		if (n < size)
			break;
		score.records++;
		walk.at += size;
		before = now;
	}
	return score;
}

static unsigned
per_mille(const struct score *score, bool post)
{
	unsigned checks = score->fields.checks + score->flow[post].checks;
	return checks ? 1000 * (score->fields.passed + score->flow[post].passed) / checks : 0;
}

/* The score under the better of the two readings of the state, or under the one chosen. */
static unsigned
best_per_mille(const struct score *score, uint64_t state)
{
	unsigned pre = per_mille(score, false), post = per_mille(score, true);
	if (state != FULL_AUTO)
		return state == FULL_SECOND ? post : pre;
	return pre > post ? pre : post;
}

/* Relative branches decide; where they are even, all of the flow does, and then pre. */
static bool
is_post(const struct score *score, uint64_t state)
{
	if (state != FULL_AUTO)
		return state == FULL_SECOND;
	if (score->relative[0] != score->relative[1])
		return score->relative[1] > score->relative[0];
	return score->flow[1].passed > score->flow[0].passed;
}

/* Scores all layouts on the first records and remembers the best, if it is good enough. */
static void
choose_layout(struct full_detection *found, struct walk walk, unsigned most, uint64_t state)
{
	found->best = found->second = 0;
	for (size_t i = 0; i < FULL_LAYOUTS; i++) {
		walk.dialect.layout = &full_layouts[i];
		struct score score = score_sample(walk, most);
		unsigned value = best_per_mille(&score, state);
		if (value > found->best) {
			found->second = found->best;
			found->best = value;
			found->layout = &full_layouts[i];
		} else if (value > found->second) {
			found->second = value;
		}
	}
	if (found->best < SCORE_LEAST || found->best < found->second + LEAD_LEAST)
		found->layout = NULL;
}

struct full_detection
full_detect(const uint8_t *p, size_t n, bool little, const uint64_t *options)
{
	struct full_detection found = {0};
	struct walk walk = {.dialect = {.little = little},
		.p = p,
		.n = n,
		.escapes = options[FULL_OPTION_ESCAPES]};
	uint64_t state = options[FULL_OPTION_STATE];
	if (options[FULL_OPTION_RECORD])
		found.layout = &full_layouts[options[FULL_OPTION_RECORD] - 1];
	else if (n < FULL_RECORD_LEAST)
		found.layout = &full_layouts[0]; /* whatever it is, no record is whole */
	/* Damage among the first records leaves a smaller sample. */
	for (unsigned most = SAMPLE_RECORDS; !found.layout && most >= 2; most /= 2)
		choose_layout(&found, walk, most, state);
	if (!found.layout)
		found.layout = full_layout_find(n); /* a single record */
	found.first = n;
	if (!found.layout)
		return found;
	walk.dialect.layout = found.layout;
	struct score score = score_sample(walk, UINT_MAX);
	found.post = is_post(&score, state);
	found.records = score.records;
	found.first = score.first;
	return found;
}
