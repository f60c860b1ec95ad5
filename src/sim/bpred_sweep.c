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
 * A predictor: the counter of a branch is (pc & address ^ past & outcomes) & index. No index
 * has more than BPRED_LOG2_MOST bits, so words of 32 bits hold all that matters.
 */
struct member {
	uint32_t address, outcomes, index;
	uint8_t *counters;
	uint64_t wrong;
};

struct bpred_sweep {
	unsigned shift;
	uint32_t past;
	size_t n;
	uint8_t *counters;
	uint32_t pc[STRIP], pasts[STRIP];
	uint8_t taken[STRIP];
	struct member members[];
};

static struct member
member_of(const struct bpred_config *config)
{
	struct member member = {UINT32_MAX, 0, UINT32_MAX, NULL, 0};
	uint32_t mask = (uint32_t)bpred_mask(config->entries_log2);
	if (config->kind == BPRED_GSHARE)
		member.outcomes = (uint32_t)bpred_mask(config->history);
	if (config->kind == BPRED_GSHARE && config->mask_first)
		member.address = mask;
	else
		member.index = mask;
	return member;
}

/* The counters that a member can reach. */
static uint64_t
reach(const struct member *member)
{
	return (uint64_t)((member->address | member->outcomes) & member->index) + 1;
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
		struct member member = member_of(&configs[i]);
		*total += reach(&member);
	}
	if (*total > COUNTERS_MOST)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"counters of the sweep need %llu bytes, at most %llu; sweep over fewer",
			(unsigned long long)*total, (unsigned long long)COUNTERS_MOST);
	return POLY_OK;
}

enum poly_status
bpred_sweep_new(const struct bpred_config *configs, size_t n, struct bpred_sweep **made,
	struct poly_error *error)
{
	uint64_t total;
	enum poly_status status = check(configs, n, &total, error);
	if (status)
		return status;
	struct bpred_sweep *sweep = mem_new(1, sizeof *sweep + n * sizeof sweep->members[0]);
	if (sweep)
		sweep->counters = mem_new((size_t)total, 1);
	if (!sweep || !sweep->counters) {
		bpred_sweep_free(sweep);
		return err_memory(error);
	}
	uint8_t *counters = sweep->counters;
	sweep->shift = configs[0].pc_shift;
	sweep->n = n;
	for (size_t i = 0; i < n; i++) {
		struct member *member = &sweep->members[i];
		*member = member_of(&configs[i]);
		member->counters = counters;
		memset(counters, (int)configs[i].initial, (size_t)reach(member));
		counters += reach(member);
	}
	*made = sweep;
	return POLY_OK;
}

/* Puts at most STRIP branches beside what they share; returns how many. */
static size_t
prepare(struct bpred_sweep *sweep, const struct bpred_batch *batch, size_t from)
{
	size_t n = batch->n - from < STRIP ? batch->n - from : STRIP;
	const uint64_t *pc = batch->pc + from;
	const uint8_t *taken = batch->taken + from;
	const unsigned shift = sweep->shift;
	uint32_t past = sweep->past;
	for (size_t i = 0; i < n; i++)
		sweep->pc[i] = (uint32_t)(pc[i] >> shift);
	for (size_t i = 0; i < n; i++) {
		sweep->pasts[i] = past;
		past = past << 1 | taken[i];
	}
	memcpy(sweep->taken, taken, n);
	sweep->past = past;
	return n;
}

static inline uint32_t
step(const struct member *member, uint32_t pc, uint32_t past, uint8_t taken)
{
	uint32_t index = ((pc & member->address) ^ (past & member->outcomes)) & member->index;
	uint8_t before = member->counters[index];
	member->counters[index] = bpred_next(before, taken);
	return (uint32_t)(before >> 1 ^ taken);
}

static void
run_one(struct bpred_sweep *sweep, struct member *to, size_t n)
{
	const struct member member = *to;
	uint32_t wrong = 0;
	for (size_t i = 0; i < n; i++)
		wrong += step(&member, sweep->pc[i], sweep->pasts[i], sweep->taken[i]);
	to->wrong += wrong;
}

static void
run_two(struct bpred_sweep *sweep, struct member *to, size_t n)
{
	const struct member one = to[0], other = to[1];
	uint32_t wrong = 0, other_wrong = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t pc = sweep->pc[i], past = sweep->pasts[i];
		uint8_t taken = sweep->taken[i];
		wrong += step(&one, pc, past, taken);
		other_wrong += step(&other, pc, past, taken);
	}
	to[0].wrong += wrong;
	to[1].wrong += other_wrong;
}

void
bpred_sweep_run(struct bpred_sweep *sweep, const struct bpred_batch *batch)
{
	for (size_t from = 0; from < batch->n;) {
		size_t n = prepare(sweep, batch, from), i = 0;
		for (; i + 2 <= sweep->n; i += 2)
			run_two(sweep, &sweep->members[i], n);
		if (i < sweep->n)
			run_one(sweep, &sweep->members[i], n);
		from += n;
	}
}

uint64_t
bpred_sweep_wrong(const struct bpred_sweep *sweep, size_t i)
{
	return sweep->members[i].wrong;
}

void
bpred_sweep_free(struct bpred_sweep *sweep)
{
	if (sweep)
		mem_free(sweep->counters);
	mem_free(sweep);
}
