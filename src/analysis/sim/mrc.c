/* SPDX-License-Identifier: MIT */
/*
 * Miss ratio curves of fully associative LRU caches of all sizes, separate for data and
 * instructions; and miss ratios of all numbers of sets and ways. Exact, or from samples of
 * lines.
 */
#include "analysis/sim/mrc.h"

#include "analysis/facts/branch_stream.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/*
 * Maximum memory of a line: its id, while the table of ids grows, its stack distance, and its
 * share of the samples. The rest is that of the bitmaps of samples, which are large initially.
 */
#define LINE_MEMORY 170
#define SAMPLES_MEMORY ((uint64_t)112 << 20)
#define MIN_MEMORY ((uint64_t)8 << 20) /* of lines */

/* Maximum number of sizes between a power of two and the next. */
#define POINTS_MAX 64

/* Memory of the index of set-associative caches beyond the limit. */
#define SETS_MEMORY ((uint64_t)32 << 20)

enum {
	OPTION_LINE,
	OPTION_SAMPLE,
	OPTION_SETS,
	OPTION_THREADS,
	OPTION_CROSSING,
	OPTION_MEMORY,
	OPTION_POINTS
};

/* Sets the rates of samples: the requested one or the first one, and coarser ones. */
static void
set_rates(struct mrc_simulation *sim)
{
	unsigned k = sim->sample ? sim->sample : RATE_FIRST;
	do {
		sim->rates[sim->rate_count++] = k;
		k = k + RATE_STEP < SHARDS_MAX ? k + RATE_STEP : SHARDS_MAX;
	} while (sim->rate_count < RATES_MAX && sim->rates[sim->rate_count - 1] < SHARDS_MAX);
}

static enum poly_status
open_caches(const struct mrc_simulation *sim, struct mrc_curve *curve, bool sets,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (unsigned i = 0; i < sim->rate_count && status == POLY_OK; i++)
		status = shards_new(sim->rates[i], sim->line_max / (CURVES * SHARDS_SAMPLES),
			&curve->samples[i], error);
	if (status == POLY_OK && !sim->sample)
		status = mrc_open_exact(curve, sim->line_max, error);
	if (status == POLY_OK && sets)
		status = all_associativity_new(0, SETS_LOG2_MAX, &curve->all, error);
	return status;
}

/* Returns the maximum number of lines whose stack distances fit in memory; other: memory of
 * other data. */
static uint32_t
max_lines(uint64_t memory, uint64_t other)
{
	const uint64_t lines = other + MIN_MEMORY < memory ? (memory - other) / LINE_MEMORY
							   : MIN_MEMORY / LINE_MEMORY;
	return lines < DENSE_INDEX_MAX ? (uint32_t)lines : DENSE_INDEX_MAX;
}

static enum poly_status
mrc_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct mrc_simulation *sim = state;
	const uint64_t line = setup->values[OPTION_LINE];
	enum poly_status status = POLY_OK;
	if (line & (line - 1))
		return err_usage(error, "option 'mrc.line': %llu bytes is not a power of two",
			(unsigned long long)line);
	sim->line_shift = (unsigned)__builtin_ctzll(line);
	sim->split = !setup->values[OPTION_CROSSING];
	sim->sample = (unsigned)setup->values[OPTION_SAMPLE];
	if (sim->sample && sim->sample < SHARDS_MIN)
		return err_usage(error, "option 'mrc.sample': found %u, expected 0 or %d to %d",
			sim->sample, SHARDS_MIN, SHARDS_MAX);
	sim->by_context = setup->values[OPTION_THREADS];
	sim->contexts = setup->contexts;
	if (sim->sample && (sim->by_context || setup->values[OPTION_SETS]))
		return err_usage(error, "option 'mrc.%s' conflicts with 'mrc.sample'",
			sim->by_context ? "threads" : "sets");
	set_rates(sim);
	sim->needs_distances = !sim->sample && !setup->values[OPTION_SETS];
	sim->points = (unsigned)setup->values[OPTION_POINTS];
	sim->line_max = max_lines(
		setup->given[OPTION_MEMORY] ? setup->values[OPTION_MEMORY] : setup->memory,
		SAMPLES_MEMORY + (setup->values[OPTION_SETS] ? SETS_MEMORY : 0));
	for (int i = 0; i < CURVES && status == POLY_OK; i++)
		status = open_caches(sim, &sim->curves[i], setup->values[OPTION_SETS], error);
	return status;
}

/* Selects the references of a context. */
struct context_filter {
	int kind;
	uint16_t context;
	const uint16_t *contexts; /* of rows; NULL: all are of the context */
};

/* Selects the lines of a context; returns the number of its accesses. */
static uint64_t
select_lines(struct mrc_simulation *sim, const struct mem_refs *refs,
	const struct context_filter *filter)
{
	uint64_t *numbers = sim->of_context.numbers, accesses = 0;
	uint32_t count = 0;
	for (size_t i = 0; i < refs->count; i++) {
		const bool fetched = refs->kinds[i] == CACHE_FETCH;
		const bool own = (!filter->contexts ||
					 filter->contexts[refs->rows[i]] == filter->context) &&
				 fetched == (filter->kind == INSTRUCTIONS);
		numbers[count] = refs->addresses[i] >> sim->line_shift;
		count += own && !(count && numbers[count] == numbers[count - 1]);
		accesses += own;
	}
	sim->of_context.count = count;
	return accesses;
}

/* Simulates the references of a context; false: out of memory. */
static bool
run_context(struct mrc_simulation *sim, const struct mem_refs *refs,
	struct context_filter *filter, struct mrc_access *access)
{
	struct mrc_lines *lines = &sim->of_context;
	bool ok = VEC_RESERVE(lines->numbers, lines->capacity, MEM_REFS_MAX);
	for (filter->kind = 0; filter->kind < CURVES && ok; filter->kind++) {
		struct mrc_curve *curve = &sim->context_curves[filter->context][filter->kind];
		access->accesses = select_lines(sim, refs, filter);
		access->lines = lines->numbers;
		access->count = lines->count;
		ok = (curve->distance || curve->full ||
			     mrc_open_exact(curve, sim->line_max, NULL) == POLY_OK) &&
		     mrc_run(sim, curve, access);
		/* Other curves have its room. */
		if (ok && curve->full && curve->distance)
			mrc_close_exact(sim, curve);
	}
	return ok;
}

/* Simulates a step of references in the caches of contexts; instructions: of each context. */
static bool
run_contexts(struct mrc_simulation *sim, const struct mem_refs *refs,
	const struct analysis_rows *rows, const uint64_t *instructions)
{
	uint64_t seen = 0;
	bool ok = true;
	for (uint16_t i = 0; i < CONTEXTS_MAX; i++)
		seen |= instructions[i] ? UINT64_C(1) << i : 0;
	for (size_t i = 0; i < refs->count; i++) {
		const uint16_t context =
			rows->context ? rows->context[refs->rows[i]] : rows->sole_context;
		if (context < CONTEXTS_MAX)
			seen |= UINT64_C(1) << context;
		else
			sim->untracked += rows->counts;
	}
	for (; seen && ok; seen &= seen - 1) {
		const uint16_t number = (uint16_t)__builtin_ctzll(seen);
		ok = run_context(sim, refs,
			&(struct context_filter){.context = number, .contexts = rows->context},
			&(struct mrc_access){
				.instructions = instructions[number], .counts = rows->counts});
	}
	return ok;
}

/* Simulates rows in the caches of contexts; false: out of memory. */
static bool
update_contexts(struct mrc_simulation *sim, const struct analysis_rows *rows)
{
	uint64_t instructions[CONTEXTS_MAX] = {0};
	struct mrc_part *part = &sim->part;
	count_context_instructions(rows, instructions, CONTEXTS_MAX);
	line_refs_begin(&part->split, &part->refs);
	const struct mem_refs *step = line_refs_next(&part->split);
	bool ok = run_contexts(sim, step ? step : &part->refs, rows, instructions);
	memset(instructions, 0, sizeof instructions);
	while (ok && (step = line_refs_next(&part->split)))
		ok = run_contexts(sim, step, rows, instructions);
	return ok;
}

static bool
mrc_update(void *state, const struct analysis_rows *rows)
{
	struct mrc_simulation *sim = state;
	mrc_part_clear(&sim->part);
	return mrc_part_add(sim, &sim->part, rows, false) && mrc_advance(sim, &sim->part) &&
	       (!sim->by_context || update_contexts(sim, rows));
}

static bool
has_parts(const void *state)
{
	const struct mrc_simulation *sim = state;
	return !sim->by_context;
}

static bool
digest(const void *state, void *part, const struct analysis_rows *rows)
{
	const struct mrc_simulation *sim = state;
	return mrc_part_add(sim, part, rows, sim->needs_distances);
}

/* All curves share the limit of memory. */
static size_t
count_tasks(const void *state)
{
	(void)state;
	return 1;
}

static bool
advance(void *state, size_t task, void *const *list, size_t count)
{
	bool ok = true;
	(void)task;
	for (size_t i = 0; i < count && ok; i++)
		ok = mrc_advance(state, list[i]);
	return ok;
}

static void
clear_part(void *part)
{
	mrc_part_clear(part);
}

static void
fini_part(void *part)
{
	mrc_part_fini(part);
}

static const struct analysis_parts parts = {
	.part_size = sizeof(struct mrc_part),
	.rows = (size_t)4 * POLY_BATCH_ROWS,
	.is_possible = has_parts,
	.digest = digest,
	.task_count = count_tasks,
	.advance = advance,
	.clear = clear_part,
	.fini = fini_part,
};

static void
close_curve(struct mrc_simulation *sim, struct mrc_curve *curve)
{
	all_associativity_free(curve->all);
	curve->all = NULL;
	mrc_close_exact(sim, curve);
	for (int i = 0; i < RATES_MAX; i++)
		shards_free(curve->samples[i]);
}

static void
mrc_fini(void *state)
{
	struct mrc_simulation *sim = state;
	for (int i = 0; i < CURVES; i++) {
		close_curve(sim, &sim->curves[i]);
		for (int context = 0; context < CONTEXTS_MAX; context++)
			close_curve(sim, &sim->context_curves[context][i]);
	}
	mrc_part_fini(&sim->part);
	mem_free(sim->of_context.numbers);
	mem_free(sim->ids);
}

static const struct poly_option options[] = {
	[OPTION_LINE] = {"mrc.line", POLY_OPTION_SIZE, .initial = 64, .minimum = 1,
		.maximum = (uint64_t)1 << 30, .help = "line size in bytes, a power of two"},
	[OPTION_SAMPLE] = {"mrc.sample", POLY_OPTION_NUMBER, .maximum = SHARDS_MAX,
		.help = "simulate eight samples of one in 2^N lines each, N from 3; 0: all "
			"lines"},
	[OPTION_SETS] = {"mrc.sets", POLY_OPTION_BOOL,
		.help = "also simulate data caches of 1 to 8192 sets and 1 to 16 ways; not "
			"with samples"},
	[OPTION_THREADS] = {"mrc.threads", POLY_OPTION_BOOL,
		.help = "also simulate private caches of each execution context; not with "
			"samples"},
	[OPTION_CROSSING] = LINE_REFS_OPTION("mrc"),
	[OPTION_MEMORY] = {"mrc.memory", POLY_OPTION_SIZE, .initial = (uint64_t)1 << 30,
		.minimum = (uint64_t)128 << 20, .maximum = (uint64_t)1 << 40,
		.help = "memory limit in bytes, instead of that of all analyses"},
	[OPTION_POINTS] = {"mrc.points", POLY_OPTION_NUMBER, .initial = 1, .minimum = 1,
		.maximum = POINTS_MAX,
		.help = "number of sizes from a power of two to the next"},
	{0}};

const struct analysis analysis_mrc = {
	.info = {.name = "mrc",
		.title = "Miss ratio curves",
		.summary = "simulate LRU caches of all sizes, exactly or from samples",
		.kind = POLY_ANALYSIS_SIMULATION,
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(MEM_REFS_COLUMNS, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.ordered = ORDERED_MACHINE,
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.uses_real = true,
	.state_size = sizeof(struct mrc_simulation),
	.suits = has_mem_refs,
	.init = mrc_init,
	.update = mrc_update,
	.parts = &parts,
	.limit = mrc_limit,
	.report = mrc_report,
	.fini = mrc_fini,
};
