/* SPDX-License-Identifier: MIT */
/* Miss classes: a fully associative cache runs in parallel. */
#include "sim/cache/miss_classes.h"

#include "base/err.h"
#include "base/mem.h"

#include <math.h>

#define STEP 256 /* accesses of a step */

struct miss_classes {
	struct cache *full;
	struct miss_class_counts counts;
};

enum poly_status
miss_classes_new(const struct cache_config *config, struct miss_classes **classes,
	struct poly_error *error)
{
	*classes = NULL;
	enum poly_status status = cache_check(config, error);
	if (status != POLY_OK)
		return status;
	struct cache_config full = *config;
	full.sets = 1;
	full.ways = (uint32_t)(config->sets * config->ways);
	full.policy = CACHE_LRU;
	full.always_valid = false;
	struct miss_classes *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	status = cache_new(&full, &created->full, error);
	if (status != POLY_OK) {
		miss_classes_free(created);
		return status;
	}
	*classes = created;
	return POLY_OK;
}

void
miss_classes_free(struct miss_classes *classes)
{
	if (!classes)
		return;
	cache_free(classes->full);
	mem_free(classes);
}

struct cache *
miss_classes_full(struct miss_classes *classes)
{
	return classes->full;
}

/* Counts a miss; weight: of its line, if it is the first access. Returns its class. */
static enum miss_class
count_miss(struct miss_classes *classes, bool full_has, uint8_t weight)
{
	struct miss_class_counts *counts = &classes->counts;
	const double lines = weight ? ldexp(1, weight - 1) : 0;
	counts->all[full_has]++;
	counts->first[full_has] += (uint64_t)lines;
	counts->variance += lines * (lines - 1);
	return weight ? MISS_COMPULSORY : full_has ? MISS_CONFLICT : MISS_CAPACITY;
}

/* Classifies accesses from to from + batch->count of the caller's batch, at most STEP. */
static void
step(struct miss_classes *c, const struct cache_batch *batch, size_t from, const uint8_t *first,
	struct classified_misses *misses)
{
	uint32_t also[STEP];
	const size_t others = cache_run(c->full, batch, also);
	for (size_t i = 0, other = 0; i < batch->count; i++) {
		const bool full = other < others && also[other] == i;
		other += full;
		if (misses->next == misses->count || misses->missed[misses->next] != from + i)
			continue;
		const enum miss_class class = count_miss(c, !full, first[from + i]);
		if (misses->classes)
			misses->classes[misses->next] = (uint8_t) class;
		misses->next++;
	}
}

void
miss_classes_run(struct miss_classes *classes, const struct cache_batch *batch,
	const uint8_t *first, struct classified_misses *misses)
{
	misses->next = 0;
	for (size_t from = 0; from < batch->count; from += STEP) {
		const size_t rest = batch->count - from;
		const struct cache_batch part = {batch->addresses + from, batch->kinds + from,
			batch->sizes ? batch->sizes + from : NULL, rest < STEP ? rest : STEP};
		step(classes, &part, from, first, misses);
	}
}

const struct miss_class_counts *
miss_classes_counts(const struct miss_classes *classes)
{
	return &classes->counts;
}

void
miss_class_counts_add(struct miss_class_counts *sum, const struct miss_class_counts *counts)
{
	for (int i = 0; i < 2; i++) {
		sum->all[i] += counts->all[i];
		sum->first[i] += counts->first[i];
	}
	sum->variance += counts->variance;
}

void
miss_class_counts_estimate(
	const struct miss_class_counts *counts, struct miss_class_estimate *estimate)
{
	uint64_t first[2];
	for (int i = 0; i < 2; i++)
		first[i] =
			counts->first[i] < counts->all[i] ? counts->first[i] : counts->all[i];
	estimate->misses[MISS_COMPULSORY] = first[false] + first[true];
	estimate->misses[MISS_CAPACITY] = counts->all[false] - first[false];
	estimate->misses[MISS_CONFLICT] = counts->all[true] - first[true];
	estimate->error = (uint64_t)ceil(3 * sqrt(counts->variance));
}

void
miss_classes_reset(struct miss_classes *classes)
{
	classes->counts = (struct miss_class_counts){0};
}
