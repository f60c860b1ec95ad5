/* SPDX-License-Identifier: MIT */
/* Simulates lines: exactly within the limit of memory, and in samples. */
#include "analysis/sim/mrc.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/*
 * Lines of the index of set-associative caches beyond the limit of memory: those that the
 * caches hold, at most 16 of each of the 2^14 - 1 sets, and as many others until it is
 * renumbered.
 */
#define SETS_LINES_MAX ((uint32_t)1 << 19)

/* Accesses to set-associative caches between these checks. */
#define SETS_STEP ((size_t)4096)

enum poly_status
mrc_open_exact(struct mrc_curve *curve, uint32_t lines, struct poly_error *error)
{
	const enum poly_status status = dense_index_init(&curve->dense, lines, error);
	return status == POLY_OK ? stack_distance_new(&curve->distance, error) : status;
}

/* Restricts the index of a curve to the lines that its set-associative caches hold. */
static enum poly_status
renumber_sets(struct mrc_curve *curve)
{
	uint32_t *ids = mem_new(curve->dense.count, sizeof *ids);
	if (!ids)
		return POLY_ERR_MEMORY;
	memset(ids, 0xff, curve->dense.count * sizeof *ids);
	const uint32_t count = all_associativity_renumber(curve->all, ids);
	const enum poly_status status = dense_index_renumber(&curve->dense, ids, count, NULL);
	curve->dense.max = SETS_LINES_MAX;
	mem_free(ids);
	return status;
}

enum poly_status
mrc_close_exact(struct mrc_simulation *sim, struct mrc_curve *curve)
{
	sim->exact_lines -= curve->distance ? curve->dense.count : 0;
	stack_distance_free(curve->distance);
	curve->distance = NULL;
	if (curve->all)
		return renumber_sets(curve);
	dense_index_fini(&curve->dense);
	return POLY_OK;
}

/* Simulates set-associative caches beyond the limit of memory. */
static enum poly_status
run_sets(struct mrc_simulation *sim, struct mrc_curve *curve, const struct mrc_access *access)
{
	enum poly_status status = POLY_OK;
	all_associativity_counting(curve->all, access->counts);
	for (size_t from = 0; from < access->count && status == POLY_OK; from += SETS_STEP) {
		const size_t rest = access->count - from,
			     size = rest < SETS_STEP ? rest : SETS_STEP;
		const uint64_t *lines = access->lines + from;
		if (curve->dense.count + size > curve->dense.max)
			status = renumber_sets(curve);
		if (status == POLY_OK)
			status = dense_index_find(&curve->dense, lines, size, sim->ids, NULL);
		if (status == POLY_OK)
			all_associativity_run(curve->all, lines, sim->ids, size);
	}
	return status;
}

/* Finds the ids of lines within the limit of memory. */
static enum poly_status
find_ids(struct mrc_simulation *sim, struct mrc_curve *curve, const uint64_t *lines,
	uint32_t count)
{
	const uint32_t known = curve->dense.count;
	if (!VEC_RESERVE(sim->ids, sim->id_capacity, count))
		return POLY_ERR_MEMORY;
	curve->dense.max = known + sim->line_max - sim->exact_lines;
	const enum poly_status status =
		dense_index_find(&curve->dense, lines, count, sim->ids, NULL);
	sim->exact_lines += curve->dense.count - known;
	return status;
}

static enum poly_status
run_exact(struct mrc_simulation *sim, struct mrc_curve *curve, const struct mrc_access *access)
{
	const enum poly_status status = find_ids(sim, curve, access->lines, access->count);
	if (status != POLY_OK)
		return status;
	stack_distance_counting(curve->distance, access->counts);
	if (curve->all) {
		all_associativity_counting(curve->all, access->counts);
		all_associativity_run(curve->all, access->lines, sim->ids, access->count);
	}
	return stack_distance_run(
		curve->distance, sim->ids, access->count, curve->dense.count, NULL);
}

/* Simulates samples; POLY_ERR_LIMIT: no rate is within the limit of memory. */
static enum poly_status
run_samples(const struct mrc_simulation *sim, struct mrc_curve *curve,
	const struct mrc_access *access)
{
	for (unsigned i = curve->rate; i < sim->rate_count; i++) {
		struct shards *samples = curve->samples[i];
		shards_counting(samples, access->counts);
		const enum poly_status status =
			shards_run(samples, access->sampled, access->sampled_count, NULL);
		if (status == POLY_ERR_MEMORY)
			return status;
		shards_skip(samples, access->accesses - access->sampled_count);
		if (status == POLY_OK)
			continue;
		shards_free(samples);
		curve->samples[i] = NULL;
		curve->rate = i + 1;
	}
	return curve->rate == sim->rate_count ? POLY_ERR_LIMIT : POLY_OK;
}

/* Simulates lines: exactly within the limit of memory, and in samples. */
static enum poly_status
run_lines(struct mrc_simulation *sim, struct mrc_curve *curve, const struct mrc_access *access)
{
	const bool has_samples = curve->samples[curve->rate];
	enum poly_status status = POLY_OK;
	if (curve->distance && !access->is_appended)
		status = run_exact(sim, curve, access);
	if (status == POLY_ERR_LIMIT && has_samples)
		status = mrc_close_exact(sim, curve);
	if (status == POLY_OK && !curve->distance && curve->all)
		status = run_sets(sim, curve, access);
	if (status != POLY_OK || !has_samples)
		return status;
	status = run_samples(sim, curve, access);
	return curve->distance && status == POLY_ERR_LIMIT ? POLY_OK : status;
}

bool
mrc_run(struct mrc_simulation *sim, struct mrc_curve *curve, const struct mrc_access *access)
{
	if (curve->full)
		return true;
	const enum poly_status status = run_lines(sim, curve, access);
	curve->full = status == POLY_ERR_LIMIT;
	curve->accesses += access->counts && !curve->full ? access->accesses : 0;
	curve->instructions += access->counts && !curve->full ? access->instructions : 0;
	return status == POLY_OK || curve->full;
}

/* Returns whether distances of a part are appended to a curve. */
static bool
is_exact(const struct mrc_curve *curve)
{
	return curve->distance && !curve->full;
}

bool
mrc_append(struct mrc_simulation *sim, const struct mrc_part *part, bool *appended)
{
	uint64_t lines = sim->exact_lines;
	enum poly_status status = POLY_OK;
	for (int i = 0; i < CURVES; i++)
		lines += is_exact(&sim->curves[i]) ? part->streams[i].dense.count : 0;
	*appended = part->has_distances && lines <= sim->line_max;
	for (int i = 0; i < CURVES && *appended && status == POLY_OK; i++) {
		struct mrc_curve *curve = &sim->curves[i];
		const struct mrc_stream *stream = &part->streams[i];
		if (!is_exact(curve) || !stream->dense.count)
			continue;
		status = find_ids(sim, curve, stream->first.numbers, stream->dense.count);
		stack_distance_counting(curve->distance, part->counts);
		if (status == POLY_OK)
			status = stack_distance_append(curve->distance, stream->distance,
				sim->ids, curve->dense.count, NULL);
	}
	return status == POLY_OK;
}
