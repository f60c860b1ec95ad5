/* SPDX-License-Identifier: MIT */
/* Many bimodal and gshare predictors at once. */
#include "sim/bpred_sweep.h"

#include "sim/bpred_family.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

#define STRIP 4096
#define COUNTERS_MOST ((uint64_t)1 << 30)

/*
 * A counter is a byte of which bit 7 is what it predicts and bits 4 and 5 are the number; with
 * an outcome xored in (bit 7, and bit 3) bit 7 tells that the prediction was wrong, and the low
 * six bits are how far down of the constant the byte for the next number stands. Bytes of the
 * constant from the lowest: counter 0 not taken, taken, counter 1 not taken, …
 */
#define NEXT UINT64_C(0xB0A0B010A0001000)
#define TAKEN 0x88

/* What is looked up for a branch, before it is cut to a table's size; no index is longer than
 * BPRED_LOG2_MOST bits, so words of 32 bits hold all that matters. */
struct source {
	uint32_t address, outcomes; /* masks of the address, and of the history xored to it */
};

/* A predictor. */
struct member {
	uint32_t mask, source;
	uint8_t *counters;
	uint64_t wrong;
};

struct bpred_sweep {
	unsigned shift;
	uint32_t past;
	size_t n, sources_count;
	struct source *sources;
	struct member *members; /* those of a source stand together */
	uint32_t *places;	/* where a predictor of the caller's order stands */
	uint8_t *counters;
	size_t waiting; /* branches that are gathered */
	uint32_t pc[STRIP], pasts[STRIP], looked_up[STRIP];
	uint8_t outcomes[STRIP]; /* TAKEN or 0 */
	uint8_t both[2][STRIP];	 /* counters with outcomes, of two tables */
};

/* Histories at least as long as the index are all the same, as it cuts them off. */
static struct source
source_of(const struct bpred_config *config)
{
	struct source source = {UINT32_MAX, 0};
	if (config->kind == BPRED_BIMODAL)
		return source;
	if (config->mask_first)
		source.address = (uint32_t)bpred_mask(config->entries_log2);
	source.outcomes = (uint32_t)bpred_mask(config->history);
	if (!config->mask_first && config->history >= config->entries_log2)
		source.outcomes = UINT32_MAX;
	return source;
}

static uint32_t
mask_of(const struct bpred_config *config)
{
	unsigned log2 = config->entries_log2;
	if (config->kind == BPRED_GSHARE && config->mask_first && config->history > log2)
		log2 = config->history;
	return (uint32_t)bpred_mask(log2);
}

/* The number of a source among those that were met; a new one is added. */
static uint32_t
find_source(struct bpred_sweep *sweep, struct source source)
{
	uint32_t i = 0;
	while (i < sweep->sources_count &&
		(sweep->sources[i].address != source.address ||
			sweep->sources[i].outcomes != source.outcomes))
		i++;
	if (i == sweep->sources_count)
		sweep->sources[sweep->sources_count++] = source;
	return i;
}

static enum poly_status
check(const struct bpred_config *configs, size_t n, uint64_t *total, struct poly_error *error)
{
	*total = 0;
	if (!n || n > BPRED_SWEEP_MOST)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"sweep of %zu predictors, expected 1 to %d", n, BPRED_SWEEP_MOST);
	for (size_t i = 0; i < n; i++) {
		enum poly_status status = bpred_check(&configs[i], error);
		if (status)
			return status;
		if (configs[i].kind != BPRED_BIMODAL && configs[i].kind != BPRED_GSHARE)
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"predictor '%s' is in a sweep, expected bimodal or gshare",
				bpred_name(configs[i].kind));
		if (configs[i].pc_shift != configs[0].pc_shift)
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"shift of the address is %u and %u in one sweep, expected one",
				configs[0].pc_shift, configs[i].pc_shift);
		*total += (uint64_t)mask_of(&configs[i]) + 1;
	}
	if (*total > COUNTERS_MOST)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"counters of the sweep need %llu bytes, at most %llu; sweep over fewer",
			(unsigned long long)*total, (unsigned long long)COUNTERS_MOST);
	return POLY_OK;
}

/* A counter as the sweep keeps it. */
static int
kept(unsigned counter)
{
	return (int)((counter >> 1) << 7 | counter << 4);
}

/* Puts the predictors in the order of their sources. */
static void
fill(struct bpred_sweep *sweep, const struct bpred_config *configs)
{
	uint8_t *counters = sweep->counters;
	uint32_t place = 0;
	for (size_t i = 0; i < sweep->n; i++)
		sweep->places[i] = find_source(sweep, source_of(&configs[i]));
	for (uint32_t source = 0; source < sweep->sources_count; source++) {
		for (size_t i = 0; i < sweep->n; i++) {
			if (find_source(sweep, source_of(&configs[i])) != source)
				continue;
			uint32_t mask = mask_of(&configs[i]);
			memset(counters, kept(configs[i].initial), (size_t)mask + 1);
			sweep->members[place] = (struct member){mask, source, counters, 0};
			sweep->places[i] = place++;
			counters += (size_t)mask + 1;
		}
	}
}

enum poly_status
bpred_sweep_new(const struct bpred_config *configs, size_t n, struct bpred_sweep **made,
	struct poly_error *error)
{
	uint64_t total;
	enum poly_status status = check(configs, n, &total, error);
	if (status)
		return status;
	struct bpred_sweep *sweep = mem_new(1, sizeof *sweep);
	if (!sweep)
		return err_memory(error);
	sweep->shift = configs[0].pc_shift;
	sweep->n = n;
	sweep->sources = mem_new(n, sizeof *sweep->sources);
	sweep->members = mem_new(n, sizeof *sweep->members);
	sweep->places = mem_new(n, sizeof *sweep->places);
	sweep->counters = mem_new((size_t)total, 1);
	if (!sweep->sources || !sweep->members || !sweep->places || !sweep->counters) {
		bpred_sweep_free(sweep);
		return err_memory(error);
	}
	fill(sweep, configs);
	*made = sweep;
	return POLY_OK;
}

/* Puts branches behind those that wait, as far as there is room; returns how many. */
static size_t
gather(struct bpred_sweep *sweep, const struct bpred_batch *batch, size_t from)
{
	const size_t left = batch->n - from, room = STRIP - sweep->waiting;
	const size_t n = left < room ? left : room;
	const uint64_t *pc = batch->pc + from;
	const uint8_t *taken = batch->taken + from;
	uint32_t *pcs = sweep->pc + sweep->waiting, *pasts = sweep->pasts + sweep->waiting;
	uint8_t *outcomes = sweep->outcomes + sweep->waiting;
	const unsigned shift = sweep->shift;
	uint32_t past = sweep->past;
	for (size_t i = 0; i < n; i++)
		pcs[i] = (uint32_t)(pc[i] >> shift);
	for (size_t i = 0; i < n; i++) {
		pasts[i] = past;
		past = past << 1 | taken[i];
	}
	for (size_t i = 0; i < n; i++)
		outcomes[i] = (uint8_t)(taken[i] * TAKEN);
	sweep->past = past;
	sweep->waiting += n;
	return n;
}

static void
look_up(struct bpred_sweep *sweep, const struct source *source, size_t n)
{
	const uint32_t address = source->address, outcomes = source->outcomes;
	for (size_t i = 0; i < n; i++)
		sweep->looked_up[i] = (sweep->pc[i] & address) ^ (sweep->pasts[i] & outcomes);
}

/* Predicts and learns; bit 7 tells that the prediction was wrong. */
static inline uint8_t
step(uint8_t *counter, uint8_t outcome)
{
	uint8_t both = *counter ^ outcome;
	*counter = (uint8_t)(NEXT >> (both & 63));
	return both;
}

/* The bytes of which bit 7 is set: a loop of its own, as vectors count sixteen at a time. */
static uint32_t
count(const uint8_t *both, size_t n)
{
	uint32_t wrong = 0;
	for (size_t i = 0; i < n; i++)
		wrong += both[i] >> 7;
	return wrong;
}

static void
run_one(struct bpred_sweep *sweep, struct member *to, size_t n)
{
	const struct member member = *to;
	uint8_t *restrict both = sweep->both[0];
	for (size_t i = 0; i < n; i++)
		both[i] = step(&member.counters[sweep->looked_up[i] & member.mask],
			sweep->outcomes[i]);
	to->wrong += count(both, n);
}

static void
run_two(struct bpred_sweep *sweep, struct member *to, size_t n)
{
	const uint32_t mask = to[0].mask, other_mask = to[1].mask;
	uint8_t *counters = to[0].counters, *other_counters = to[1].counters;
	for (size_t i = 0; i < n; i++) {
		uint32_t index = sweep->looked_up[i];
		uint8_t outcome = sweep->outcomes[i];
		sweep->both[0][i] = step(&counters[index & mask], outcome);
		sweep->both[1][i] = step(&other_counters[index & other_mask], outcome);
	}
	to[0].wrong += count(sweep->both[0], n);
	to[1].wrong += count(sweep->both[1], n);
}

/* Takes the branches that wait through all predictors. */
static void
run_strip(struct bpred_sweep *sweep)
{
	struct member *members = sweep->members;
	const size_t n = sweep->waiting;
	for (size_t i = 0; n && i < sweep->n;) {
		uint32_t source = members[i].source;
		look_up(sweep, &sweep->sources[source], n);
		for (; i + 1 < sweep->n && members[i + 1].source == source; i += 2)
			run_two(sweep, &members[i], n);
		if (i < sweep->n && members[i].source == source)
			run_one(sweep, &members[i++], n);
	}
	sweep->waiting = 0;
}

void
bpred_sweep_run(struct bpred_sweep *sweep, const struct bpred_batch *batch)
{
	for (size_t from = 0; from < batch->n;) {
		from += gather(sweep, batch, from);
		if (sweep->waiting == STRIP)
			run_strip(sweep);
	}
}

uint64_t
bpred_sweep_wrong(struct bpred_sweep *sweep, size_t i)
{
	run_strip(sweep);
	return sweep->members[sweep->places[i]].wrong;
}

void
bpred_sweep_free(struct bpred_sweep *sweep)
{
	if (!sweep)
		return;
	mem_free(sweep->sources);
	mem_free(sweep->members);
	mem_free(sweep->places);
	mem_free(sweep->counters);
	mem_free(sweep);
}
