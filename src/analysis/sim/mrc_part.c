/* SPDX-License-Identifier: MIT */
/* The lines of a part of a trace, and their distances within it. */
#include "analysis/sim/mrc.h"

#include "analysis/facts/branch_stream.h"
#include "base/mem.h"
#include "base/vec.h"

/* Selects the lines of a step of references, by curve. */
static bool
select_lines(const struct mrc_simulation *sim, const struct mem_refs *refs,
	struct mrc_part *part, struct mrc_step *step)
{
	uint64_t *numbers[CURVES], previous[CURVES] = {0};
	uint32_t counts[CURVES] = {0}, accesses[CURVES] = {0};
	for (int i = 0; i < CURVES; i++) {
		struct mrc_lines *lines = &part->streams[i].all;
		if (!VEC_RESERVE(lines->numbers, lines->capacity, lines->count + MEM_REFS_MAX))
			return false;
		numbers[i] = lines->numbers + lines->count;
	}
	for (size_t i = 0; i < refs->count; i++) {
		const int curve = refs->kinds[i] == CACHE_FETCH ? INSTRUCTIONS : DATA;
		const uint64_t line = refs->addresses[i] >> sim->line_shift;
		const uint32_t count = counts[curve];
		numbers[curve][count] = line;
		counts[curve] = count + (!count | (line != previous[curve]));
		previous[curve] = line;
		accesses[curve]++;
	}
	for (int i = 0; i < CURVES; i++) {
		part->streams[i].all.count += counts[i];
		step->ends[i] = part->streams[i].all.count;
		step->accesses[i] = accesses[i];
	}
	return true;
}

/* Selects the lines of the samples, among those from index from on. */
static bool
select_sampled(const struct mrc_simulation *sim, struct mrc_stream *stream, uint32_t from)
{
	const uint64_t mask = ((uint64_t)1 << sim->rates[0]) - 1;
	struct mrc_lines *sampled = &stream->sampled;
	const uint32_t rest = stream->all.count - from;
	uint32_t count = sampled->count;
	if (!VEC_RESERVE(sampled->numbers, sampled->capacity, count + rest + 1))
		return false;
	for (uint32_t i = from; i < stream->all.count; i++) {
		const uint64_t line = stream->all.numbers[i];
		sampled->numbers[count] = line;
		count += (shards_hash(line) & mask) < SHARDS_SAMPLES;
	}
	sampled->count = count;
	return true;
}

/* Finds the distances of the lines from index from on within the part. */
static bool
add_distances(struct mrc_stream *stream, uint32_t from, uint32_t *ids)
{
	struct mrc_lines *first = &stream->first;
	const uint64_t *lines = stream->all.numbers + from;
	const uint32_t count = stream->all.count - from;
	if (!stream->distance &&
		(dense_index_init(&stream->dense, DENSE_INDEX_MAX, NULL) != POLY_OK ||
			stack_distance_new(&stream->distance, NULL) != POLY_OK))
		return false;
	if (!VEC_RESERVE(first->numbers, first->capacity, stream->dense.count + count) ||
		dense_index_find(&stream->dense, lines, count, ids, NULL) != POLY_OK)
		return false;
	for (uint32_t i = 0; i < count; i++)
		first->numbers[ids[i]] = lines[i];
	return stack_distance_run(stream->distance, ids, count, stream->dense.count, NULL) ==
	       POLY_OK;
}

/* Adds a step of references. */
static bool
add_step(const struct mrc_simulation *sim, struct mrc_part *part, const struct mem_refs *refs,
	uint64_t instructions)
{
	bool ok = VEC_ROOM(part->steps, part->step_capacity, part->step_count);
	if (!ok)
		return false;
	struct mrc_step *step = &part->steps[part->step_count++];
	const uint32_t from[CURVES] = {
		part->streams[DATA].all.count, part->streams[INSTRUCTIONS].all.count};
	step->instructions = instructions;
	ok = select_lines(sim, refs, part, step);
	for (int i = 0; i < CURVES && ok; i++) {
		struct mrc_stream *stream = &part->streams[i];
		ok = select_sampled(sim, stream, from[i]) &&
		     (!part->has_distances || add_distances(stream, from[i], part->ids));
		step->sampled_ends[i] = stream->sampled.count;
	}
	return ok;
}

bool
mrc_part_add(const struct mrc_simulation *sim, struct mrc_part *part,
	const struct analysis_rows *rows, bool with_distances)
{
	uint64_t instructions = count_batch_instructions(rows->batch);
	part->counts = rows->counts;
	part->has_distances = with_distances && (part->has_distances || !part->step_count);
	line_refs_set(&part->split, sim->line_shift, sim->split);
	mem_refs_gather(&part->refs, rows, MEM_REFS_ALL);
	line_refs_begin(&part->split, &part->refs);
	const struct mem_refs *step = line_refs_next(&part->split);
	bool ok = add_step(sim, part, step ? step : &part->refs, instructions);
	while (ok && (step = line_refs_next(&part->split)))
		ok = add_step(sim, part, step, 0);
	return ok;
}

void
mrc_part_clear(struct mrc_part *part)
{
	for (int i = 0; i < CURVES; i++) {
		struct mrc_stream *stream = &part->streams[i];
		stream->all.count = stream->sampled.count = 0;
		if (!stream->distance)
			continue;
		dense_index_clear(&stream->dense);
		stack_distance_clear(stream->distance);
	}
	part->step_count = 0;
	part->refs.truncated = 0;
}

void
mrc_part_fini(struct mrc_part *part)
{
	for (int i = 0; i < CURVES; i++) {
		struct mrc_stream *stream = &part->streams[i];
		mem_free(stream->all.numbers);
		mem_free(stream->sampled.numbers);
		mem_free(stream->first.numbers);
		dense_index_fini(&stream->dense);
		stack_distance_free(stream->distance);
	}
	mem_free(part->steps);
}

/* Returns the lines of a step for a curve. */
static struct mrc_access
access_of(const struct mrc_part *part, uint32_t number, int curve)
{
	const struct mrc_step *step = &part->steps[number];
	const struct mrc_stream *stream = &part->streams[curve];
	const uint32_t from = number ? step[-1].ends[curve] : 0;
	const uint32_t sampled_from = number ? step[-1].sampled_ends[curve] : 0;
	return (struct mrc_access){.lines = stream->all.numbers + from,
		.count = step->ends[curve] - from,
		.sampled = stream->sampled.numbers + sampled_from,
		.sampled_count = step->sampled_ends[curve] - sampled_from,
		.accesses = step->accesses[curve],
		.instructions = step->instructions,
		.counts = part->counts};
}

bool
mrc_advance(struct mrc_simulation *sim, const struct mrc_part *part)
{
	bool appended, ok = mrc_append(sim, part, &appended);
	sim->truncated += sim->split ? part->refs.truncated : 0;
	for (uint32_t i = 0; i < part->step_count && ok; i++) {
		sim->instructions += part->counts ? part->steps[i].instructions : 0;
		for (int curve = 0; curve < CURVES && ok; curve++) {
			struct mrc_access access = access_of(part, i, curve);
			access.is_appended = appended;
			ok = mrc_run(sim, &sim->curves[curve], &access);
		}
	}
	sim->needs_distances &=
		sim->curves[DATA].distance || sim->curves[INSTRUCTIONS].distance;
	return ok;
}
