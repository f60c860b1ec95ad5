/* SPDX-License-Identifier: MIT */
/* Eight samples of lines, each with stack distances of its own. */
#include "sim/memory/shards.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/memory/dense_index.h"
#include "sim/memory/stack_distance.h"

#define STEP 1024 /* lines filtered at a time */

struct sample {
	struct dense_index dense;
	struct stack_distance *distance;
	uint64_t uses;
};

struct shards {
	unsigned k;
	uint64_t uses; /* of the accesses to all lines */
	bool idle;     /* not counting */
	struct sample samples[SHARDS_SAMPLES];
	uint64_t chosen[SHARDS_SAMPLES][STEP];
	uint32_t ids[STEP];
};

static enum poly_status
open_samples(struct shards *shards, uint32_t lines, struct poly_error *error)
{
	for (int i = 0; i < SHARDS_SAMPLES; i++) {
		struct sample *sample = &shards->samples[i];
		enum poly_status status = dense_index_init(&sample->dense, lines, error);
		if (status == POLY_OK)
			status = stack_distance_new(&sample->distance, error);
		if (status != POLY_OK)
			return status;
	}
	return POLY_OK;
}

enum poly_status
shards_new(unsigned k, uint32_t lines, struct shards **shards, struct poly_error *error)
{
	*shards = NULL;
	if (k < SHARDS_MIN || k > SHARDS_MAX)
		return err_usage(error, "a sample of one in 2^%u lines, expected 2^%d to 2^%d",
			k, SHARDS_MIN, SHARDS_MAX);
	struct shards *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	created->k = k;
	const enum poly_status status = open_samples(created, lines, error);
	if (status != POLY_OK) {
		shards_free(created);
		return status;
	}
	*shards = created;
	return POLY_OK;
}

void
shards_free(struct shards *shards)
{
	for (int i = 0; shards && i < SHARDS_SAMPLES; i++) {
		dense_index_fini(&shards->samples[i].dense);
		stack_distance_free(shards->samples[i].distance);
	}
	mem_free(shards);
}

static enum poly_status
use(struct shards *shards, struct sample *sample, const uint64_t *lines, size_t count,
	struct poly_error *error)
{
	enum poly_status status =
		dense_index_find(&sample->dense, lines, count, shards->ids, error);
	sample->uses += shards->idle ? 0 : count;
	if (status != POLY_OK)
		return status;
	return stack_distance_run(
		sample->distance, shards->ids, count, sample->dense.count, error);
}

/* At most STEP lines. */
static enum poly_status
step(struct shards *shards, const uint64_t *lines, size_t count, struct poly_error *error)
{
	const uint64_t mask = ((uint64_t)1 << shards->k) - 1;
	size_t sizes[SHARDS_SAMPLES] = {0};
	for (size_t i = 0; i < count; i++) {
		const uint64_t sample = shards_hash(lines[i]) & mask;
		if (sample < SHARDS_SAMPLES)
			shards->chosen[sample][sizes[sample]++] = lines[i];
	}
	shards->uses += shards->idle ? 0 : count;
	for (int i = 0; i < SHARDS_SAMPLES; i++) {
		const enum poly_status status =
			use(shards, &shards->samples[i], shards->chosen[i], sizes[i], error);
		if (status != POLY_OK)
			return status;
	}
	return POLY_OK;
}

enum poly_status
shards_run(struct shards *shards, const uint64_t *lines, size_t count, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t from = 0; from < count && status == POLY_OK; from += STEP)
		status = step(
			shards, lines + from, count - from < STEP ? count - from : STEP, error);
	return status;
}

void
shards_skip(struct shards *shards, uint64_t count)
{
	shards->uses += shards->idle ? 0 : count;
}

void
shards_ratio(const struct shards *shards, uint64_t lines, struct shards_ratio *ratio)
{
	const uint64_t rate = (uint64_t)1 << shards->k;
	*ratio = (struct shards_ratio){0};
	if (!shards->uses)
		return;
	for (int i = 0; i < SHARDS_SAMPLES; i++) {
		/* A sampled distance d represents d * rate: a miss if that is >= lines.
		 */
		const uint64_t misses = stack_distance_misses(
			shards->samples[i].distance, lines / rate + (lines % rate != 0));
		const double one = (double)misses * (double)rate / (double)shards->uses;
		ratio->mean += one / SHARDS_SAMPLES;
		ratio->min = i == 0 || one < ratio->min ? one : ratio->min;
		ratio->max = one > ratio->max ? one : ratio->max;
	}
}

void
shards_counting(struct shards *shards, bool counting)
{
	shards->idle = !counting;
	for (int i = 0; i < SHARDS_SAMPLES; i++)
		stack_distance_counting(shards->samples[i].distance, counting);
}

uint64_t
shards_sampled(const struct shards *shards)
{
	uint64_t uses = 0;
	for (int i = 0; i < SHARDS_SAMPLES; i++)
		uses += shards->samples[i].uses;
	return uses;
}
