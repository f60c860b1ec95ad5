/* SPDX-License-Identifier: MIT */
/*
 * Coherent private caches, one per execution context: misses by cause, and the lines that
 * contexts invalidate in each other's caches. An access that crosses the end of a line is one
 * access to each of its lines.
 */
#include "analysis/sim/sharing.h"

#include "analysis/facts/branch_stream.h"
#include "base/err.h"

enum {
	OPTION_SIZE,
	OPTION_WAYS,
	OPTION_LINE,
	OPTION_WORD,
	OPTION_TOP,
	OPTION_CROSSING,
	OPTION_OPERATIONS
};

/* Returns the maximum number of lines within a limit of memory. */
static uint32_t
max_lines(uint64_t memory)
{
	const uint64_t lines = (memory - ANALYSIS_MEMORY_FIXED) / SHARING_LINE_MEMORY;
	return lines < SHARING_LINES_MAX ? (uint32_t)lines : SHARING_LINES_MAX;
}

static enum poly_status
sharing_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct sharing_simulation *sim = state;
	const uint64_t *values = setup->values;
	const uint64_t set = values[OPTION_WAYS] * values[OPTION_LINE];
	sim->contexts = setup->contexts;
	sim->top = values[OPTION_TOP];
	sim->performs_operations = values[OPTION_OPERATIONS];
	if (values[OPTION_SIZE] % set)
		return err_usage(error,
			"size=%llu is not a multiple of %llu ways of %llu bytes",
			(unsigned long long)values[OPTION_SIZE],
			(unsigned long long)values[OPTION_WAYS],
			(unsigned long long)values[OPTION_LINE]);
	sim->config = (struct coherence_config){.threads = COHERENCE_THREADS,
		.cache = {.sets = values[OPTION_SIZE] / set,
			.ways = (uint32_t)values[OPTION_WAYS],
			.line_size = (uint32_t)values[OPTION_LINE]},
		.word_size = (uint32_t)values[OPTION_WORD],
		.lines = max_lines(setup->memory)};
	const enum poly_status status = coherence_new(&sim->config, &sim->coherence, error);
	if (status != POLY_OK)
		return status;
	line_refs_set(&sim->lines, (unsigned)__builtin_ctz(sim->config.cache.line_size),
		!values[OPTION_CROSSING]);
	return sharing_sites_init(&sim->sites, sim->config.lines, error);
}

static void
sharing_begin(void *state, const struct poly_trace_info *info)
{
	struct sharing_simulation *sim = state;
	if (sim->performs_operations)
		mem_refs_begin_operations(&sim->refs, info);
}

/* Simulates the gathered accesses; false: out of memory. */
static bool
run_step(struct sharing_simulation *sim, bool counts)
{
	struct sharing_step *step = &sim->step;
	const struct coherence_batch batch = {step->addresses, step->kinds, step->sizes,
		step->threads, step->count, step->invalidated};
	coherence_counting(sim->coherence, counts);
	const enum poly_status status =
		coherence_run(sim->coherence, &batch, step->outcomes, NULL);
	sim->full = status == POLY_ERR_LIMIT;
	const bool ok = status == POLY_OK ? !counts || sharing_sites_add(&sim->sites, step,
							       sim->config.cache.line_size)
					  : sim->full;
	step->count = 0;
	return ok;
}

/* Adds the part of an access that is in its first line; false: out of memory. */
static bool
add_access(struct sharing_simulation *sim, const struct mem_refs *refs, size_t ref,
	uint16_t context, bool counts)
{
	struct sharing_step *step = &sim->step;
	const uint32_t line = sim->config.cache.line_size;
	const uint32_t rest = line - (uint32_t)(refs->addresses[ref] & (line - 1));
	const uint32_t size = refs->sizes[ref] ? refs->sizes[ref] : CACHE_STORE_SIZE;
	if (sim->full)
		return true;
	step->addresses[step->count] = refs->addresses[ref];
	step->pcs[step->count] = refs->pcs[ref];
	step->sizes[step->count] = size < rest ? size : rest;
	step->threads[step->count] = context;
	step->kinds[step->count++] = refs->kinds[ref];
	return step->count < SHARING_STEP || run_step(sim, counts);
}

/* Prefetches a line into the cache of a context; false: out of memory. */
static bool
prefetch(struct sharing_simulation *sim, uint64_t address, uint32_t context)
{
	const uint8_t kind = CACHE_READ;
	const uint32_t size = 1;
	const struct coherence_batch batch = {&address, &kind, &size, &context, 1, NULL};
	coherence_counting(sim->coherence, false);
	const enum poly_status status = coherence_run(sim->coherence, &batch, NULL, NULL);
	sim->full = status == POLY_ERR_LIMIT;
	return status == POLY_OK || sim->full;
}

/* Performs a cache operation, after the accesses before it; false: out of memory. */
static bool
operate(struct sharing_simulation *sim, const struct mem_refs *refs, size_t ref,
	uint16_t context, bool counts)
{
	const enum cache_operation operation = (enum cache_operation)refs->kinds[ref];
	if (sim->full || !run_step(sim, counts) || sim->full)
		return sim->full;
	if (operation == CACHE_PREFETCH)
		return prefetch(sim, refs->addresses[ref], context);
	coherence_counting(sim->coherence, counts);
	coherence_operate(sim->coherence, operation, refs->addresses[ref]);
	return true;
}

/* Adds a step of accesses, each to the lines that it touches; false: out of memory. */
static bool
add_accesses(struct sharing_simulation *sim, const struct mem_refs *refs,
	const struct analysis_rows *rows)
{
	bool ok = true;
	for (size_t i = 0; i < refs->count && ok; i++) {
		const size_t row = refs->rows[i];
		const uint16_t context =
			rows->context ? rows->context[row] : rows->sole_context;
		if (context < COHERENCE_THREADS && refs->step == REFS_OPERATIONS)
			ok = operate(sim, refs, i, context, rows->counts);
		else if (context < COHERENCE_THREADS)
			ok = add_access(sim, refs, i, context, rows->counts);
		else
			sim->untracked += rows->counts && refs->step != REFS_OPERATIONS;
	}
	return ok;
}

static bool
sharing_update(void *state, const struct analysis_rows *rows)
{
	struct sharing_simulation *sim = state;
	const struct mem_refs *refs;
	bool ok = true;
	if (sim->full)
		return true;
	if (rows->counts) {
		count_context_instructions(rows, sim->instructions, COHERENCE_THREADS);
		sim->all_instructions += count_batch_instructions(rows->batch);
	}
	mem_refs_gather(&sim->refs, rows, MEM_REFS_DATA);
	line_refs_begin(&sim->lines, &sim->refs);
	while (ok && (refs = line_refs_next(&sim->lines)))
		ok = add_accesses(sim, refs, rows);
	return ok && (sim->full || run_step(sim, rows->counts));
}

static void
sharing_fini(void *state)
{
	struct sharing_simulation *sim = state;
	coherence_free(sim->coherence);
	sharing_sites_fini(&sim->sites);
}

static const struct poly_option options[] = {
	[OPTION_SIZE] = {"sharing.size", POLY_OPTION_SIZE, .initial = 32768, .minimum = 4,
		.maximum = 1 << 26, .help = "size of each private cache in bytes"},
	[OPTION_WAYS] = {"sharing.ways", POLY_OPTION_NUMBER, .initial = 8, .minimum = 1,
		.maximum = CACHE_WAYS_MAX, .help = "ways of each private cache"},
	[OPTION_LINE] = {"sharing.line", POLY_OPTION_SIZE, .initial = 64, .minimum = 4,
		.maximum = 4096, .help = "line size in bytes, a power of two"},
	[OPTION_WORD] = {"sharing.word", POLY_OPTION_SIZE, .initial = 4, .minimum = 1,
		.maximum = 4096,
		.help = "granularity of sharing in bytes, a power of two; at most 64 words per "
			"line"},
	[OPTION_TOP] = {"sharing.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1,
		.maximum = UINT32_MAX,
		.help = "list N shared lines, and N instructions per line"},
	[OPTION_CROSSING] = LINE_REFS_OPTION("sharing"),
	[OPTION_OPERATIONS] = MEM_OPERATIONS_OPTION("sharing"),
	{0}};

const struct analysis analysis_sharing = {
	.info = {.name = "sharing",
		.title = "Coherent caches",
		.summary = "simulate coherent private caches: true and false sharing",
		.needs = POLY_COLUMNS_INIT(kind, access, address),
		.wants = POLY_COLUMNS_INIT(
			MEM_REFS_COLUMNS, MEM_OPERATION_COLUMNS, INSTRUCTION_COUNT_COLUMNS),
		.kind = POLY_ANALYSIS_SIMULATION,
		.options = options},
	.ordered = ORDERED_MACHINE,
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.uses_real = true,
	.state_size = sizeof(struct sharing_simulation),
	.init = sharing_init,
	.begin = sharing_begin,
	.update = sharing_update,
	.limit = sharing_limit,
	.report = sharing_report,
	.fini = sharing_fini,
};
