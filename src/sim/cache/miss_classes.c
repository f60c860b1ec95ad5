/* SPDX-License-Identifier: MIT */
/* Miss classes: a fully associative cache runs in parallel, and every line is recorded. */
#include "sim/cache/miss_classes.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/memory/dense_index.h"

#define STEP 256 /* accesses of a step */

struct miss_classes {
	struct cache *full;
	struct dense_index dense;
	unsigned line_shift;
	uint64_t counts[MISS_CLASSES];
};

enum poly_status
miss_classes_new(const struct cache_config *config, uint32_t lines,
	struct miss_classes **classes, struct poly_error *error)
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
	created->line_shift = (unsigned)__builtin_ctz(config->line_size);
	status = cache_new(&full, &created->full, error);
	if (status == POLY_OK)
		status = dense_index_init(&created->dense, lines, error);
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
	dense_index_fini(&classes->dense);
	mem_free(classes);
}

struct cache *
miss_classes_full(struct miss_classes *classes)
{
	return classes->full;
}

/* Classifies accesses from to from + batch->count of the caller's batch, at most STEP. */
static enum poly_status
step(struct miss_classes *c, const struct cache_batch *batch, size_t from,
	struct classified_misses *misses, struct poly_error *error)
{
	uint64_t lines[STEP];
	uint32_t ids[STEP], also[STEP];
	uint32_t known = c->dense.count;
	for (size_t i = 0; i < batch->count; i++)
		lines[i] = batch->addresses[i] >> c->line_shift;
	const enum poly_status status =
		dense_index_find(&c->dense, lines, batch->count, ids, error);
	if (status != POLY_OK)
		return status;
	const size_t others = cache_run(c->full, batch, also);
	for (size_t i = 0, other = 0; i < batch->count; i++) {
		const bool first = ids[i] == known;
		const bool full = other < others && also[other] == i;
		known += first;
		other += full;
		if (misses->next == misses->count || misses->missed[misses->next] != from + i)
			continue;
		const enum miss_class class = first  ? MISS_COMPULSORY
					      : full ? MISS_CAPACITY
						     : MISS_CONFLICT;
		c->counts[class]++;
		if (misses->classes)
			misses->classes[misses->next] = (uint8_t) class;
		misses->next++;
	}
	return POLY_OK;
}

enum poly_status
miss_classes_run(struct miss_classes *classes, const struct cache_batch *batch,
	struct classified_misses *misses, struct poly_error *error)
{
	misses->next = 0;
	enum poly_status status = POLY_OK;
	for (size_t from = 0; from < batch->count && status == POLY_OK; from += STEP) {
		const size_t rest = batch->count - from;
		const struct cache_batch part = {batch->addresses + from, batch->kinds + from,
			batch->sizes ? batch->sizes + from : NULL, rest < STEP ? rest : STEP};
		status = step(classes, &part, from, misses, error);
	}
	return status;
}

const uint64_t *
miss_classes_counts(const struct miss_classes *classes)
{
	return classes->counts;
}

void
miss_classes_reset(struct miss_classes *classes)
{
	for (int class = 0; class < MISS_CLASSES; class ++)
		classes->counts[class] = 0;
}
