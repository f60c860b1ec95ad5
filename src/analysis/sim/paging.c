/* SPDX-License-Identifier: MIT */
/* Page replacement: faults by policy and number of frames. */
#include "analysis/facts/branch_stream.h"
#include "analysis/sim/counts.h"
#include "analysis/sim/line_sizes.h"
#include "analysis/sim/opt_samples.h"
#include "analysis/sim/sweep.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/table.h"
#include "sim/memory/paging.h"

#include <stdio.h>

enum { OPTION_SWEEP, OPTION_OF, OPTION_CROSSING };

#define COUNT_COLUMNS 6 /* columns of counts */

/* A memory, and its counts during rows that count. */
struct paged_memory {
	struct paging_config config;
	struct paging *paging;
	struct paging_counts counts;
	struct opt_estimate estimate; /* of one that is opt and was not simulated exactly */
	unsigned shift;		      /* log2 of the page size */
};

struct paging_simulation {
	enum mem_refs_selection selection;
	struct paged_memory *memories;
	size_t count;
	struct line_sizes sizes; /* of pages */
	bool finished;	       /* the memories that are opt have simulated the trace exactly */
	uint64_t instructions; /* counted */
	struct mem_refs refs;
};

static const char *const policies[] = {"fifo", "lru", "clock", "opt", NULL};

enum { PAGE, POLICY, FRAMES, KEYS };

static const struct sweep_key keys[KEYS + 1] = {
	[PAGE] = {"page", NULL, 4096},
	[POLICY] = {"policy", policies, PAGING_LRU},
	[FRAMES] = {"frames", NULL, 64},
};

static enum poly_status
open_memory(struct paging_simulation *sim, const struct poly_stats_stores *stores,
	const uint64_t *combination, struct poly_error *error)
{
	struct paged_memory *memory = &sim->memories[sim->count++];
	if (!combination[FRAMES] || combination[FRAMES] > CACHE_LINES_MAX ||
		!combination[PAGE] || combination[PAGE] > CACHE_LINE_MAX)
		return err_usage(error,
			"found %llu frames of %llu bytes, expected 1 to %llu of at most %lu "
			"bytes",
			(unsigned long long)combination[FRAMES],
			(unsigned long long)combination[PAGE],
			(unsigned long long)CACHE_LINES_MAX, (unsigned long)CACHE_LINE_MAX);
	memory->config = (struct paging_config){(uint32_t)combination[FRAMES],
		(uint32_t)combination[PAGE], (enum paging_policy)combination[POLICY]};
	enum poly_status status = paging_new(&memory->config, &memory->paging, error);
	if (status != POLY_OK)
		return status;
	memory->shift = (unsigned)__builtin_ctzll(combination[PAGE]);
	status = line_sizes_add(&sim->sizes, memory->shift, error);
	return status == POLY_OK && memory->config.policy == PAGING_OPT
		       ? line_sizes_log(&sim->sizes, memory->shift, stores, error)
		       : status;
}

static enum poly_status
paging_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct paging_simulation *sim = state;
	struct sweep_values values[KEYS] = {{{0}, 0}};
	uint64_t combination[KEYS];
	sim->selection = (enum mem_refs_selection)setup->values[OPTION_OF];
	sim->sizes.split = !setup->values[OPTION_CROSSING];
	sim->sizes.memory = setup->memory - ANALYSIS_MEMORY_FIXED;
	enum poly_status status = sweep_parse_values(setup->texts[OPTION_SWEEP], keys,
		"frames=64, page=4k or policy=fifo, lru, clock or opt", values, error);
	if (status != POLY_OK)
		return status;
	const size_t count = sweep_count_combinations(keys, values);
	if (count > SWEEP_MAX)
		return err_usage(error, "more than %d combinations", SWEEP_MAX);
	sim->memories = mem_new(count, sizeof *sim->memories);
	if (!sim->memories)
		return err_memory(error);
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		sweep_combine(keys, values, i, combination);
		status = open_memory(sim, setup->stores, combination, error);
	}
	return status;
}

static void
run_memory(struct paged_memory *memory, const struct cache_batch *batch, const uint64_t *next,
	bool counts)
{
	struct paging_counts before, now;
	paging_count(memory->paging, &before);
	paging_run(memory->paging, batch, next, NULL);
	paging_count(memory->paging, &now);
	if (counts)
		counts_add(&memory->counts, &now, &before, sizeof now);
}

/* Simulates the current step of references in a memory that is not opt. */
static void
run_step(struct paging_simulation *sim, struct paged_memory *memory, bool counts)
{
	const struct mem_refs *refs = sim->sizes.list[memory->shift]->step;
	if (!refs || memory->config.policy == PAGING_OPT)
		return;
	const struct cache_batch batch = {refs->addresses, refs->kinds, NULL, refs->count};
	run_memory(memory, &batch, NULL, counts);
}

static bool
paging_update(void *state, const struct analysis_rows *rows)
{
	struct paging_simulation *sim = state;
	sim->instructions += rows->counts ? count_batch_instructions(rows->batch) : 0;
	mem_refs_gather(&sim->refs, rows, sim->selection);
	line_sizes_begin(&sim->sizes, &sim->refs);
	bool ok, more;
	while ((ok = line_sizes_next(&sim->sizes, rows->counts, &more) == POLY_OK) && more)
		for (size_t i = 0; i < sim->count; i++)
			run_step(sim, &sim->memories[i], rows->counts);
	return ok;
}

/* Simulates a step of the second pass in the memories that are opt. */
static bool
replay_step(void *user, const struct access_log_step *step)
{
	struct paging_simulation *sim = user;
	for (size_t i = 0; i < sim->count; i++) {
		struct paged_memory *memory = &sim->memories[i];
		if (memory->config.policy == PAGING_OPT && memory->shift == step->shift)
			run_memory(memory, &step->refs, step->next, step->counts);
	}
	return true;
}

/* Returns whether a memory is opt, and was not simulated exactly. */
static bool
is_estimated(const struct paging_simulation *sim, const struct paged_memory *memory)
{
	return memory->config.policy == PAGING_OPT && !sim->sizes.list[memory->shift]->finished;
}

/* Estimates the faults of a memory that is opt. */
static enum poly_status
estimate(struct paging_simulation *sim, struct paged_memory *memory, struct poly_error *error)
{
	const struct cache_config config = {.sets = 1,
		.ways = memory->config.frames,
		.line_size = memory->config.page_size};
	struct opt_estimate *estimate = &memory->estimate;
	const enum poly_status status =
		opt_samples_run(sim->sizes.list[memory->shift]->log, &config, estimate, error);
	memory->counts = (struct paging_counts){sum_kinds(estimate->counts.accesses),
		sum_kinds(estimate->counts.misses), estimate->counts.dirty_evictions};
	return status;
}

static enum poly_status
paging_finish(void *state, struct poly_error *error)
{
	struct paging_simulation *sim = state;
	enum poly_status status =
		line_sizes_replay(&sim->sizes, replay_step, sim, &sim->finished, error);
	for (size_t i = 0; i < sim->count && status == POLY_OK; i++)
		if (is_estimated(sim, &sim->memories[i]))
			status = estimate(sim, &sim->memories[i], error);
	return status;
}

static bool
has_estimates(const struct paging_simulation *sim)
{
	bool found = false;
	for (size_t i = 0; i < sim->count; i++)
		found |= is_estimated(sim, &sim->memories[i]);
	return found;
}

static const char *
paging_limit(const void *state)
{
	return has_estimates(state)
		       ? "more pages than fit in the memory limit: faults of policy 'opt' are "
			 "estimates, the means of eight samples, with their minima and maxima, "
			 "or absent for memories that are too small for samples"
		       : NULL;
}

/* Returns whether fewer frames with the same page size and policy have fewer faults (Belady's
 * anomaly). */
static bool
has_anomaly(const struct paging_simulation *sim, const struct paged_memory *memory)
{
	for (size_t i = 0; i < sim->count; i++) {
		const struct paged_memory *smaller = &sim->memories[i];
		if (smaller->config.policy == memory->config.policy &&
			smaller->config.page_size == memory->config.page_size &&
			smaller->config.frames < memory->config.frames &&
			!is_estimated(sim, smaller) &&
			smaller->counts.faults < memory->counts.faults)
			return true;
	}
	return false;
}

static void
open_table(struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "memories",
		"page_size policy:text frames accesses faults fault_ratio mpki page_writebacks "
		"belady_anomaly:text curve:text");
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "frames";
	plot.y[0] = "faults";
	plot.series = "curve";
	poly_report_plot(report, &plot);
}

static void
report_memory(const struct paging_simulation *sim, const struct paged_memory *memory,
	struct poly_report *report)
{
	const struct paging_counts *counts = &memory->counts;
	char series[40];
	const bool estimated = is_estimated(sim, memory);
	const bool is_unknown = estimated && !memory->estimate.is_valid;
	poly_report_cell_count(report, memory->config.page_size);
	poly_report_cell_text(report, policies[memory->config.policy]);
	poly_report_cell_count(report, memory->config.frames);
	for (int i = 0; i < COUNT_COLUMNS && is_unknown; i++)
		poly_report_cell_text(report, NULL);
	if (!is_unknown) {
		poly_report_cell_count(report, counts->accesses);
		report_miss_cells(report, counts->faults, counts->accesses, sim->instructions);
		poly_report_cell_count(report, counts->written);
		poly_report_cell_text(report, has_anomaly(sim, memory) ? "yes" : NULL);
	}
	snprintf(series, sizeof series, "%s, pages of %lu", policies[memory->config.policy],
		(unsigned long)memory->config.page_size);
	poly_report_cell_text(report, series);
	if (estimated && !is_unknown) {
		poly_report_cell_count(report, memory->estimate.misses_min);
		poly_report_cell_count(report, memory->estimate.misses_max);
	} else if (has_estimates(sim)) {
		poly_report_cell_text(report, NULL);
		poly_report_cell_text(report, NULL);
	}
}

static void
paging_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct paging_simulation *sim = state;
	(void)ops;
	report_instructions(report, sim->instructions);
	report_truncated_accesses(report, sim->sizes.split ? sim->refs.truncated : 0);
	open_table(report);
	if (has_estimates(sim))
		table_columns(report, "faults_min faults_max");
	for (size_t i = 0; i < sim->count; i++)
		report_memory(sim, &sim->memories[i], report);
	poly_report_end(report);
}

static void
paging_fini(void *state)
{
	struct paging_simulation *sim = state;
	for (size_t i = 0; i < sim->count; i++)
		paging_free(sim->memories[i].paging);
	mem_free(sim->memories);
	line_sizes_fini(&sim->sizes);
}

static const char *const initial_sweep[] = {"frames=1..1k,page=4k,policy=lru", NULL};

static const struct poly_option options[] = {
	[OPTION_SWEEP] = {"paging.sweep", POLY_OPTION_TEXT, .choices = initial_sweep,
		.help = "simulate every combination of lists of page, policy and frames"},
	[OPTION_OF] = {"paging.of", POLY_OPTION_CHOICE, .initial = MEM_REFS_ALL,
		.choices = mem_refs_choices, .help = "accesses to simulate"},
	[OPTION_CROSSING] = LINE_REFS_OPTION("paging"),
	{0}};

const struct analysis analysis_paging = {
	.info = {.name = "paging",
		.title = "Page replacement",
		.summary = "simulate page replacement: faults by policy and number of frames",
		.kind = POLY_ANALYSIS_SIMULATION,
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(MEM_REFS_COLUMNS, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.ordered = ORDERED_MACHINE,
	.needs_warmup = true,
	.state_size = sizeof(struct paging_simulation),
	.suits = has_mem_refs,
	.init = paging_init,
	.update = paging_update,
	.finish = paging_finish,
	.limit = paging_limit,
	.report = paging_report,
	.fini = paging_fini,
};
