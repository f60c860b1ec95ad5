/* SPDX-License-Identifier: MIT */
/*
 * Coherent private caches, one per execution context: misses by cause, and the lines that
 * contexts invalidate in each other's caches. An access that crosses the end of a line is one
 * access to each of its lines.
 */
#include "analysis/sim/sharing.h"

#include "analysis/facts/branch_stream.h"
#include "base/err.h"

/* Maximum number of lines of one access; longer ones are truncated. */
#define PIECES_MAX 64

enum { OPTION_SIZE, OPTION_WAYS, OPTION_LINE, OPTION_WORD, OPTION_TOP };

static enum poly_status
sharing_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct sharing_simulation *sim = state;
	const uint64_t *values = setup->values;
	const uint64_t set = values[OPTION_WAYS] * values[OPTION_LINE];
	sim->contexts = setup->contexts;
	sim->top = values[OPTION_TOP];
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
		.lines = SHARING_LINES_MAX};
	const enum poly_status status = coherence_new(&sim->config, &sim->coherence, error);
	return status == POLY_OK ? sharing_sites_init(&sim->sites, error) : status;
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

/* Adds an access, split by lines; false: out of memory. */
static bool
add_access(struct sharing_simulation *sim, size_t ref, uint16_t context, bool counts)
{
	struct sharing_step *step = &sim->step;
	const uint32_t line = sim->config.cache.line_size;
	const uint32_t size = sim->refs.sizes[ref];
	uint64_t address = sim->refs.addresses[ref];
	uint32_t left = size ? size : CACHE_STORE_SIZE;
	for (int i = 0; i < PIECES_MAX && left && !sim->full; i++) {
		const uint32_t rest = line - (uint32_t)(address & (line - 1));
		const uint32_t piece = left < rest ? left : rest;
		step->addresses[step->count] = address;
		step->pcs[step->count] = sim->refs.pcs[ref];
		step->sizes[step->count] = piece;
		step->threads[step->count] = context;
		step->kinds[step->count++] = sim->refs.kinds[ref];
		address += piece;
		left -= piece;
		if (step->count == SHARING_STEP && !run_step(sim, counts))
			return false;
	}
	return true;
}

static bool
sharing_update(void *state, const struct analysis_rows *rows)
{
	struct sharing_simulation *sim = state;
	bool ok = true;
	if (sim->full)
		return true;
	if (rows->counts) {
		count_context_instructions(rows, sim->instructions, COHERENCE_THREADS);
		sim->all_instructions += count_batch_instructions(rows->batch);
	}
	mem_refs_gather(&sim->refs, rows->batch, MEM_REFS_DATA);
	for (size_t i = 0; i < sim->refs.count && ok; i++) {
		const size_t row = sim->refs.rows[i];
		const uint16_t context =
			rows->context ? rows->context[row] : rows->sole_context;
		if (context < COHERENCE_THREADS)
			ok = add_access(sim, i, context, rows->counts);
		else
			sim->untracked += rows->counts;
	}
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
	{0}};

const struct analysis analysis_sharing = {
	.info = {.name = "sharing",
		.title = "Coherent caches",
		.summary = "simulate coherent private caches: true and false sharing",
		.needs = POLY_COLUMNS_INIT(kind, access, address),
		.wants = POLY_COLUMNS_INIT(MEM_REFS_COLUMNS, INSTRUCTION_COUNT_COLUMNS),
		.kind = POLY_ANALYSIS_SIMULATION,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct sharing_simulation),
	.init = sharing_init,
	.update = sharing_update,
	.report = sharing_report,
	.fini = sharing_fini,
};
