/* SPDX-License-Identifier: MIT */
/*
 * Caches of a sweep by parts of the trace: references are gathered and split at the ends of
 * lines concurrently. A single cache whose sets are independent is a cache for each slice of
 * its sets, in which a line has its number without the bits that select the slice.
 */
#include "analysis/sim/cache_sweep.h"

#include "analysis/facts/branch_stream.h"
#include "analysis/sim/counts.h"
#include "base/mem.h"
#include "base/vec.h"

/* Maximum number of line sizes of caches that are spread. */
#define SHIFTS_MAX CACHE_SLICES

/* Minimum number of threads for slices: with fewer, distributing references takes longer than
 * simulating them. */
#define SLICING_THREADS 4

struct cache_step {
	enum mem_refs_step kind;
	uint32_t end; /* of its references in those of the stream */
};

/* The references to a slice, or those of a line size. */
struct cache_stream {
	uint64_t *addresses;
	uint32_t *sizes;
	uint8_t *kinds;
	uint32_t capacity, count;
	struct cache_step *steps;
	uint32_t step_capacity, step_count;
};

struct cache_part {
	struct mem_refs refs;
	struct line_refs split;
	uint64_t instructions;
	bool counts;
	bool has_operations;
	struct cache_stream streams[CACHE_SLICES]; /* by slice, or by line size, ascending */
};

/* Returns whether what happens in a set depends on its accesses alone. */
static bool
has_independent_sets(const struct cache_config *config)
{
	return config->policy != CACHE_RANDOM && config->policy != CACHE_DRRIP &&
	       config->sets >= CACHE_SLICES;
}

static bool
is_possible(const void *state)
{
	const struct cache_simulation *sim = state;
	unsigned shifts = 0;
	bool ok = !sim->causes && !sim->hotspots.max;
	for (size_t i = 0; i < sim->sweep.count; i++)
		ok = ok && !sim->sweep.is_opt[i];
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS; i++)
		shifts += sim->sizes.list[i] != NULL;
	return ok && shifts <= SHIFTS_MAX;
}

static bool
open_slice(const struct cache_simulation *sim, struct swept_cache *slice)
{
	struct cache_config config = sim->sweep.configs[0];
	config.sets /= CACHE_SLICES;
	slice->shift = sim->caches->shift;
	slice->missed = mem_new(MEM_REFS_MAX, sizeof *slice->missed);
	return slice->missed && cache_new(&config, &slice->cache, NULL) == POLY_OK;
}

static bool
open_slices(void *state, unsigned threads)
{
	struct cache_simulation *sim = state;
	if (threads < SLICING_THREADS || sim->sweep.count != 1 ||
		!has_independent_sets(sim->sweep.configs))
		return true;
	sim->slices = mem_new(CACHE_SLICES, sizeof *sim->slices);
	bool ok = sim->slices;
	for (size_t i = 0; i < CACHE_SLICES && ok; i++)
		ok = open_slice(sim, &sim->slices[i]);
	if (!ok)
		cache_parts_fini(sim);
	return ok;
}

void
cache_parts_fini(struct cache_simulation *sim)
{
	for (size_t i = 0; sim->slices && i < CACHE_SLICES; i++) {
		cache_free(sim->slices[i].cache);
		mem_free(sim->slices[i].missed);
	}
	mem_free(sim->slices);
	sim->slices = NULL;
}

void
cache_parts_sum(struct cache_simulation *sim)
{
	struct swept_cache *sum = sim->caches;
	for (size_t i = 0; sim->slices && i < CACHE_SLICES; i++) {
		const struct swept_cache *slice = &sim->slices[i];
		counts_add(&sum->counts, &slice->counts, NULL, sizeof sum->counts);
		counts_add(&sum->operations, &slice->operations, NULL, sizeof sum->operations);
	}
}

/* Makes room for references of a step, and begins it unless it continues the last one. */
static bool
begin_step(struct cache_stream *stream, const struct mem_refs *refs)
{
	const uint32_t count = stream->count + (uint32_t)refs->count;
	uint32_t capacities[2] = {stream->capacity, stream->capacity};
	if (!VEC_RESERVE(stream->addresses, capacities[0], count) ||
		!VEC_RESERVE(stream->sizes, capacities[1], count) ||
		!VEC_RESERVE(stream->kinds, stream->capacity, count) ||
		!VEC_ROOM(stream->steps, stream->step_capacity, stream->step_count))
		return false;
	if (!stream->step_count || refs->step != REFS_DEMAND ||
		stream->steps[stream->step_count - 1].kind != REFS_DEMAND)
		stream->steps[stream->step_count++].kind = refs->step;
	return true;
}

static void
end_step(struct cache_stream *stream)
{
	stream->steps[stream->step_count - 1].end = stream->count;
}

/* Appends reference i with an address, for which there is room. */
static inline void
append(struct cache_stream *stream, const struct mem_refs *refs, size_t i, uint64_t address)
{
	stream->addresses[stream->count] = address;
	stream->sizes[stream->count] = refs->sizes[i];
	stream->kinds[stream->count++] = refs->kinds[i];
}

/* Appends a step of references to the stream of a line size. */
static bool
add_step(struct cache_stream *stream, const struct mem_refs *refs)
{
	if (!begin_step(stream, refs))
		return false;
	for (size_t i = 0; i < refs->count; i++)
		append(stream, refs, i, refs->addresses[i]);
	end_step(stream);
	return true;
}

/* Appends an operation on all lines to all slices. */
static void
append_all(struct cache_part *part, const struct mem_refs *refs, size_t i)
{
	for (size_t slice = 0; slice < CACHE_SLICES; slice++)
		append(&part->streams[slice], refs, i, 0);
}

/* Appends a step of references to the streams of slices. */
static bool
add_sliced_step(const struct cache_simulation *sim, struct cache_part *part,
	const struct mem_refs *refs)
{
	const struct swept_cache *cache = sim->caches;
	const unsigned bits = (unsigned)__builtin_ctzll(sim->sweep.configs[0].sets);
	const unsigned rest = bits - CACHE_SLICES_LOG2;
	const uint64_t mask = (UINT64_C(1) << rest) - 1;
	const bool operates = refs->step == REFS_OPERATIONS;
	for (size_t slice = 0; slice < CACHE_SLICES; slice++)
		if (!begin_step(&part->streams[slice], refs))
			return false;
	for (size_t i = 0; i < refs->count; i++) {
		const uint64_t line = refs->addresses[i] >> cache->shift;
		const uint64_t number = line >> bits << rest | (line & mask);
		if (operates && refs->kinds[i] >= CACHE_CLEAN_ALL)
			append_all(part, refs, i);
		else
			append(&part->streams[line >> rest & (CACHE_SLICES - 1)], refs, i,
				number << cache->shift);
	}
	for (size_t slice = 0; slice < CACHE_SLICES; slice++)
		end_step(&part->streams[slice]);
	return true;
}

/* Adds the references of the current rows to the streams of a line size. */
static bool
add_line_size(const struct cache_simulation *sim, struct cache_part *part, unsigned shift,
	struct cache_stream *stream)
{
	const struct mem_refs *step;
	bool ok = true;
	line_refs_set(&part->split, shift, sim->sizes.split);
	line_refs_begin(&part->split, &part->refs);
	while (ok && (step = line_refs_next(&part->split)))
		ok = sim->slices ? add_sliced_step(sim, part, step) : add_step(stream, step);
	return ok;
}

static bool
digest(const void *state, void *user, const struct analysis_rows *rows)
{
	const struct cache_simulation *sim = state;
	struct cache_part *part = user;
	struct cache_stream *stream = part->streams;
	bool ok = true;
	part->refs.operates = sim->refs.operates;
	part->refs.operation_of = sim->refs.operation_of;
	mem_refs_gather(&part->refs, rows, sim->selection);
	part->counts = rows->counts;
	part->instructions += count_batch_instructions(rows->batch);
	part->has_operations |= part->refs.has_operations;
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS && ok; i++)
		if (sim->sizes.list[i])
			ok = add_line_size(sim, part, i, stream++);
	return ok;
}

/* Slices, or configurations. */
static size_t
count_tasks(const void *state)
{
	const struct cache_simulation *sim = state;
	return sim->slices ? CACHE_SLICES : sim->sweep.count;
}

/* Returns the index of the stream of a line size. */
static size_t
stream_of(const struct cache_simulation *sim, unsigned shift)
{
	size_t index = 0;
	for (unsigned i = 0; i < shift; i++)
		index += sim->sizes.list[i] != NULL;
	return index;
}

/* Simulates the references of a stream. */
static bool
run_stream(struct cache_simulation *sim, struct swept_cache *swept,
	const struct cache_stream *stream, bool counts)
{
	uint32_t from = 0;
	bool ok = true;
	for (uint32_t i = 0; i < stream->step_count && ok; i++) {
		const uint32_t end = stream->steps[i].end;
		ok = swept_cache_run(sim, swept, stream->steps[i].kind,
			&(struct access_log_step){.shift = swept->shift,
				.refs = {stream->addresses + from, stream->kinds + from,
					stream->sizes + from, end - from},
				.counts = counts});
		from = end;
	}
	return ok;
}

static bool
advance(void *state, size_t task, void *const *parts, size_t count)
{
	struct cache_simulation *sim = state;
	struct swept_cache *swept = sim->slices ? &sim->slices[task] : &sim->caches[task];
	const size_t stream = sim->slices ? task : stream_of(sim, swept->shift);
	bool ok = true;
	for (size_t i = 0; i < count && ok; i++) {
		const struct cache_part *part = parts[i];
		ok = !swept->cache ||
		     run_stream(sim, swept, &part->streams[stream], part->counts);
		if (task != 0 || !part->counts)
			continue;
		sim->instructions += part->instructions;
		sim->refs.truncated += part->refs.truncated;
		sim->has_operations |= part->has_operations;
	}
	return ok;
}

static void
clear(void *user)
{
	struct cache_part *part = user;
	part->instructions = 0;
	part->refs.truncated = 0;
	part->has_operations = false;
	for (size_t i = 0; i < CACHE_SLICES; i++)
		part->streams[i].count = part->streams[i].step_count = 0;
}

static void
fini(void *user)
{
	struct cache_part *part = user;
	for (size_t i = 0; i < CACHE_SLICES; i++) {
		mem_free(part->streams[i].addresses);
		mem_free(part->streams[i].sizes);
		mem_free(part->streams[i].kinds);
		mem_free(part->streams[i].steps);
	}
}

const struct analysis_parts cache_parts = {
	.part_size = sizeof(struct cache_part),
	.rows = (size_t)2 * POLY_BATCH_ROWS,
	.is_possible = is_possible,
	.open = open_slices,
	.digest = digest,
	.task_count = count_tasks,
	.advance = advance,
	.clear = clear,
	.fini = fini,
};
