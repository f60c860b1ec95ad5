/* SPDX-License-Identifier: MIT */
/* Classes of misses: the fully associative cache runs beside, and every line is remembered. */
#include "sim/classify.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/dense.h"

#define STEP 256 /* accesses of a step */

struct classify {
	struct cache *full;
	struct dense dense;
	unsigned line_shift;
	uint64_t counts[MISS_CLASSES];
};

enum poly_status
classify_new(const struct cache_config *config, uint32_t lines, struct classify **classify,
	struct poly_error *error)
{
	*classify = NULL;
	enum poly_status status = cache_check(config, error);
	if (status != POLY_OK)
		return status;
	struct cache_config full = *config;
	full.sets = 1;
	full.ways = (uint32_t)(config->sets * config->ways);
	full.policy = CACHE_LRU;
	full.always_valid = false;
	struct classify *made = mem_new(1, sizeof *made);
	if (!made)
		return err_memory(error);
	made->line_shift = (unsigned)__builtin_ctz(config->line_size);
	status = cache_new(&full, &made->full, error);
	if (status == POLY_OK)
		status = dense_init(&made->dense, lines, error);
	if (status != POLY_OK) {
		classify_free(made);
		return status;
	}
	*classify = made;
	return POLY_OK;
}

void
classify_free(struct classify *classify)
{
	if (!classify)
		return;
	cache_free(classify->full);
	dense_fini(&classify->dense);
	mem_free(classify);
}

/* Accesses from to from + batch->count of the caller's batch, at most STEP. */
static enum poly_status
step(struct classify *c, const struct cache_batch *batch, size_t from,
	struct classify_misses *misses, struct poly_error *error)
{
	uint64_t lines[STEP];
	uint32_t ids[STEP], also[STEP];
	uint32_t known = c->dense.count;
	for (size_t i = 0; i < batch->count; i++)
		lines[i] = batch->addresses[i] >> c->line_shift;
	const enum poly_status status = dense_find(&c->dense, lines, batch->count, ids, error);
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
classify_run(struct classify *classify, const struct cache_batch *batch,
	struct classify_misses *misses, struct poly_error *error)
{
	misses->next = 0;
	enum poly_status status = POLY_OK;
	for (size_t from = 0; from < batch->count && status == POLY_OK; from += STEP) {
		const size_t rest = batch->count - from;
		const struct cache_batch part = {batch->addresses + from, batch->kinds + from,
			batch->sizes ? batch->sizes + from : NULL, rest < STEP ? rest : STEP};
		status = step(classify, &part, from, misses, error);
	}
	return status;
}

const uint64_t *
classify_counts(const struct classify *classify)
{
	return classify->counts;
}

void
classify_count_anew(struct classify *classify)
{
	for (int class = 0; class < MISS_CLASSES; class ++)
		classify->counts[class] = 0;
}
