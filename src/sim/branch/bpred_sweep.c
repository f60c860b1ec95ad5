/* SPDX-License-Identifier: MIT */
/* Many bimodal and gshare predictors at once. */
#include "sim/branch/bpred_sweep.h"

#include "sim/branch/bpred_family.h"
#include "sim/branch/bpred_tree.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

#define COUNTERS_MAX ((uint64_t)1 << 30)
#define TREE_MIN 3 /* minimum number of sizes for a tree */

/* The index of a branch before truncation to a table's size, and the initial counters. No
 * index is longer than BPRED_LOG2_MAX bits, so 32-bit words suffice. */
struct index_source {
	uint32_t address, outcomes; /* masks of the address, and of the history xored to it */
	unsigned initial;
};

/* Tables with the same index that process a strip together: a tree, or a single table. */
struct group {
	size_t source;
	unsigned min;	   /* log2 of the smallest table's counters */
	uint8_t *counters; /* of a single table; NULL: it is a tree */
	struct bpred_tree tree;
	uint64_t wrong[BPRED_TREE_LEVELS]; /* of each size from the smallest */
};

/* One of the caller's predictors. */
struct swept_predictor {
	size_t source, group;
	unsigned log2;
};

struct bpred_sweep {
	unsigned shift;
	uint32_t past;
	size_t n, sources_count, groups_count;
	struct index_source *sources;
	struct swept_predictor *members;
	struct group *groups; /* grouped by source, large ones first */
	uint32_t pc[BPRED_STRIP], pasts[BPRED_STRIP];
	struct bpred_strip strip; /* gathered branches */
	uint64_t words[BPRED_STRIP];
};

/*
 * Histories at least as long as the index are equivalent, because the index truncates them;
 * for those that are not longer it does not matter whether the address was truncated first.
 */
static struct index_source
source_of(const struct bpred_config *config)
{
	const unsigned log2 = config->entries_log2, history = config->history;
	struct index_source source = {UINT32_MAX, 0, config->initial};
	if (config->kind == BPRED_BIMODAL)
		return source;
	source.outcomes = (uint32_t)bpred_mask(history);
	if (config->mask_first && history > log2)
		source.address = (uint32_t)bpred_mask(log2);
	else if (history >= log2)
		source.outcomes = UINT32_MAX;
	return source;
}

static unsigned
log2_of(const struct bpred_config *config)
{
	const unsigned log2 = config->entries_log2;
	const bool longer =
		config->kind == BPRED_GSHARE && config->mask_first && config->history > log2;
	return longer ? config->history : log2;
}

/* Returns the number of a source; adds a new one. */
static size_t
find_source(struct bpred_sweep *sweep, struct index_source source)
{
	size_t i = 0;
	while (i < sweep->sources_count &&
		(sweep->sources[i].address != source.address ||
			sweep->sources[i].outcomes != source.outcomes ||
			sweep->sources[i].initial != source.initial))
		i++;
	if (i == sweep->sources_count)
		sweep->sources[sweep->sources_count++] = source;
	return i;
}

static enum poly_status
check(const struct bpred_config *configs, size_t n, struct poly_error *error)
{
	uint64_t total = 0;
	if (!n || n > BPRED_SWEEP_MAX)
		return err_usage(
			error, "sweep of %zu predictors, expected 1 to %d", n, BPRED_SWEEP_MAX);
	for (size_t i = 0; i < n; i++) {
		enum poly_status status = bpred_check(&configs[i], error);
		if (status)
			return status;
		if (configs[i].kind != BPRED_BIMODAL && configs[i].kind != BPRED_GSHARE)
			return err_usage(error,
				"predictor '%s' is in a sweep, expected bimodal or gshare",
				bpred_name(configs[i].kind));
		if (configs[i].pc_shift != configs[0].pc_shift)
			return err_usage(error,
				"shift of the address is %u and %u in one sweep, expected one",
				configs[0].pc_shift, configs[i].pc_shift);
		total += (uint64_t)1 << log2_of(&configs[i]);
	}
	if (total > COUNTERS_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"counters of the sweep need %llu bytes, at most %llu; sweep over fewer",
			(unsigned long long)total, (unsigned long long)COUNTERS_MAX);
	return POLY_OK;
}

static enum poly_status
table_init(struct group *group, unsigned initial, struct poly_error *error)
{
	const size_t n = (size_t)1 << group->min;
	group->counters = mem_new(n, 1);
	if (!group->counters)
		return err_memory(error);
	memset(group->counters, (int)initial, n);
	return POLY_OK;
}

/* Creates the groups of a source, from the largest size down; sizes: a bit per size. */
static enum poly_status
add_groups(struct bpred_sweep *sweep, size_t source, uint32_t sizes, struct poly_error *error)
{
	const unsigned initial = sweep->sources[source].initial;
	enum poly_status status = POLY_OK;
	while (sizes && !status) {
		const unsigned max = 31 - (unsigned)__builtin_clz(sizes),
			       span = BPRED_TREE_LEVELS - 1;
		const unsigned base = max > span ? max - span : 0;
		const bool is_tree = __builtin_popcount(sizes >> base) >= TREE_MIN;
		struct group *group = &sweep->groups[sweep->groups_count++];
		group->source = source;
		group->min = is_tree ? base : max;
		sizes &= (uint32_t)bpred_mask(group->min);
		status = is_tree ? bpred_tree_init(&group->tree, base, initial, error)
				 : table_init(group, initial, error);
	}
	return status;
}

/* Determines the index of each predictor, creates the groups, and assigns predictors to them.
 */
static enum poly_status
fill(struct bpred_sweep *sweep, const struct bpred_config *configs, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < sweep->n; i++)
		sweep->members[i] = (struct swept_predictor){
			.source = find_source(sweep, source_of(&configs[i])),
			.log2 = log2_of(&configs[i])};
	for (size_t source = 0; source < sweep->sources_count && !status; source++) {
		uint32_t sizes = 0;
		for (size_t i = 0; i < sweep->n; i++)
			if (sweep->members[i].source == source)
				sizes |= UINT32_C(1) << sweep->members[i].log2;
		status = add_groups(sweep, source, sizes, error);
	}
	for (size_t i = 0; i < sweep->n && !status; i++) {
		struct swept_predictor *member = &sweep->members[i];
		while (sweep->groups[member->group].source != member->source ||
			sweep->groups[member->group].min > member->log2)
			member->group++;
	}
	return status;
}

enum poly_status
bpred_sweep_new(const struct bpred_config *configs, size_t n, struct bpred_sweep **created,
	struct poly_error *error)
{
	enum poly_status status = check(configs, n, error);
	if (status)
		return status;
	struct bpred_sweep *sweep = mem_new(1, sizeof *sweep);
	if (!sweep)
		return err_memory(error);
	sweep->shift = configs[0].pc_shift;
	sweep->n = n;
	sweep->sources = mem_new(n, sizeof *sweep->sources);
	sweep->members = mem_new(n, sizeof *sweep->members);
	sweep->groups = mem_new(n, sizeof *sweep->groups);
	if (sweep->sources && sweep->members && sweep->groups)
		status = fill(sweep, configs, error);
	else
		status = err_memory(error);
	if (status) {
		bpred_sweep_free(sweep);
		return status;
	}
	*created = sweep;
	return POLY_OK;
}

/* Appends branches to the gathered ones, up to the capacity. Returns the number appended. */
static size_t
gather(struct bpred_sweep *sweep, const struct bpred_batch *batch, size_t from)
{
	const size_t waiting = sweep->strip.n;
	const size_t left = batch->n - from, room = BPRED_STRIP - waiting;
	const size_t n = left < room ? left : room;
	const uint64_t *pc = batch->pc + from;
	const uint8_t *taken = batch->taken + from;
	uint32_t *pcs = sweep->pc + waiting, *pasts = sweep->pasts + waiting;
	int8_t *outcomes = sweep->strip.taken + waiting;
	const unsigned shift = sweep->shift;
	uint32_t past = sweep->past;
	for (size_t i = 0; i < n; i++)
		pcs[i] = (uint32_t)(pc[i] >> shift);
	for (size_t i = 0; i < n; i++) {
		pasts[i] = past;
		past = past << 1 | taken[i];
	}
	for (size_t i = 0; i < n; i++)
		outcomes[i] = (int8_t)-taken[i];
	sweep->past = past;
	sweep->strip.n += n;
	return n;
}

static void
look_up(struct bpred_sweep *sweep, const struct index_source *source)
{
	const uint32_t address = source->address, outcomes = source->outcomes;
	const size_t n = sweep->strip.n;
	for (size_t i = 0; i < n; i++)
		sweep->strip.looked_up[i] =
			(sweep->pc[i] & address) ^ (sweep->pasts[i] & outcomes);
}

static void
run_table(struct group *group, const struct bpred_strip *strip)
{
	const uint32_t mask = (uint32_t)bpred_mask(group->min);
	const size_t n = strip->n;
	uint8_t *restrict counters = group->counters;
	uint64_t wrong = 0;
	for (size_t i = 0; i < n; i++) {
		uint8_t *counter = &counters[strip->looked_up[i] & mask];
		const uint8_t taken = strip->taken[i] & 1;
		wrong += (uint64_t)(*counter >> 1 ^ taken);
		*counter = bpred_next(*counter, taken);
	}
	group->wrong[0] += wrong;
}

/* Runs the gathered branches through all predictors. */
static void
run_strip(struct bpred_sweep *sweep)
{
	for (size_t i = 0; sweep->strip.n && i < sweep->groups_count; i++) {
		struct group *group = &sweep->groups[i];
		if (!i || group->source != group[-1].source)
			look_up(sweep, &sweep->sources[group->source]);
		if (group->counters)
			run_table(group, &sweep->strip);
		else
			bpred_tree_run(&group->tree, &sweep->strip, sweep->words, group->wrong);
	}
	sweep->strip.n = 0;
}

void
bpred_sweep_run(struct bpred_sweep *sweep, const struct bpred_batch *batch)
{
	for (size_t from = 0; from < batch->n;) {
		from += gather(sweep, batch, from);
		if (sweep->strip.n == BPRED_STRIP)
			run_strip(sweep);
	}
}

uint64_t
bpred_sweep_wrong(struct bpred_sweep *sweep, size_t i)
{
	run_strip(sweep);
	const struct swept_predictor *member = &sweep->members[i];
	const struct group *group = &sweep->groups[member->group];
	return group->wrong[member->log2 - group->min];
}

void
bpred_sweep_free(struct bpred_sweep *sweep)
{
	if (!sweep)
		return;
	for (size_t i = 0; i < sweep->groups_count; i++) {
		mem_free(sweep->groups[i].counters);
		bpred_tree_fini(&sweep->groups[i].tree);
	}
	mem_free(sweep->sources);
	mem_free(sweep->members);
	mem_free(sweep->groups);
	mem_free(sweep);
}
