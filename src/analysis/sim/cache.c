/* SPDX-License-Identifier: MIT */
/*
 * Single caches, many in one pass: misses by cause, and traffic. An access that crosses lines
 * is split, as Dinero IV does; stores of unknown size have four bytes.
 */
#include "analysis/sim/cache_sweep.h"

#include "analysis/facts/branch_stream.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/terms.h"
#include "report/table.h"

enum {
	OPTION_SWEEP,
	OPTION_OF,
	OPTION_CAUSES,
	OPTION_TOP,
	OPTION_REGION,
	OPTION_CROSSING,
	OPTION_OPERATIONS
};

#define COUNT_COLUMNS 10 /* columns of counts, without causes */

/* Opens a cache that is opt, and the log it needs. */
static enum poly_status
open_opt(struct cache_simulation *sim, const struct poly_stats_stores *stores, size_t i,
	struct poly_error *error)
{
	const struct cache_config *config = &sim->sweep.configs[i];
	const enum poly_status status = belady_new(config, &sim->caches[i].opt, error);
	return status == POLY_OK
		       ? line_sizes_log(&sim->sizes, sim->caches[i].shift, stores, error)
		       : status;
}

static enum poly_status
open_cache(struct cache_simulation *sim, const struct poly_stats_stores *stores, size_t i,
	struct poly_error *error)
{
	const struct cache_config *config = &sim->sweep.configs[i];
	struct swept_cache *swept = &sim->caches[i];
	enum poly_status status = cache_check(config, error);
	if (status != POLY_OK)
		return status;
	swept->is_opt = sim->sweep.is_opt[i];
	swept->shift = (unsigned)__builtin_ctz(config->line_size);
	status = line_sizes_add(&sim->sizes, swept->shift, error);
	if (status == POLY_OK)
		status = swept->is_opt ? open_opt(sim, stores, i, error)
				       : cache_new(config, &swept->cache, error);
	if (status == POLY_OK && sim->causes)
		status = miss_classes_new(config, &swept->classes, error);
	if (status != POLY_OK)
		return status;
	swept->missed = mem_new(MEM_REFS_MAX, sizeof *swept->missed);
	return swept->missed ? POLY_OK : err_memory(error);
}

static enum poly_status
open_caches(struct cache_simulation *sim, const struct poly_stats_stores *stores,
	struct poly_error *error)
{
	sim->caches = mem_new(sim->sweep.count, sizeof *sim->caches);
	if (!sim->caches) {
		sim->sweep.count = 0;
		return err_memory(error);
	}
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < sim->sweep.count && status == POLY_OK; i++)
		status = open_cache(sim, stores, i, error);
	return status == POLY_OK && sim->causes ? line_sizes_track(&sim->sizes, error) : status;
}

/* Initializes the counts of misses by instruction and by region. */
static enum poly_status
open_hotspots(struct cache_simulation *sim, const uint64_t *values, struct poly_error *error)
{
	if (sim->hotspots.max && sim->sweep.is_opt[0])
		return err_usage(error,
			"option 'cache.top': the first cache has policy 'opt', expected "
			"another");
	return hotspots_pair_init(&sim->hotspots, sim->hotspots.max, "cache.region",
		values[OPTION_REGION], error);
}

static enum poly_status
cache_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct cache_simulation *sim = state;
	sim->selection = (enum mem_refs_selection)setup->values[OPTION_OF];
	sim->causes = setup->values[OPTION_CAUSES];
	sim->performs_operations = setup->values[OPTION_OPERATIONS];
	sim->sizes.split = !setup->values[OPTION_CROSSING];
	sim->sizes.memory = setup->memory - ANALYSIS_MEMORY_FIXED;
	sim->hotspots.max = setup->values[OPTION_TOP];
	enum poly_status status = sweep_parse(setup->texts[OPTION_SWEEP], &sim->sweep, error);
	if (status != POLY_OK) {
		sim->sweep.count = 0;
		return status;
	}
	status = open_caches(sim, setup->stores, error);
	return status == POLY_OK ? open_hotspots(sim, setup->values, error) : status;
}

static void
cache_begin(void *state, const struct poly_trace_info *info)
{
	struct cache_simulation *sim = state;
	const unsigned bits = info->address_bits ? info->address_bits : 64;
	sim->address_bits = bits > sim->address_bits ? bits : sim->address_bits;
	if (sim->performs_operations)
		mem_refs_begin_operations(&sim->refs, info);
}

/* Simulates the current step of references in a cache that is not opt. */
static void
run_cache(void *user, size_t i)
{
	struct cache_simulation *sim = user;
	struct swept_cache *swept = &sim->caches[i];
	const struct line_size *size = swept->cache ? sim->sizes.list[swept->shift] : NULL;
	const struct mem_refs *refs = size ? size->step : NULL;
	if (!refs)
		return;
	swept->failed |= !swept_cache_run(sim, swept, refs->step,
		&(struct access_log_step){.shift = swept->shift,
			.refs = {refs->addresses, refs->kinds, refs->sizes, refs->count},
			.first = size->first,
			.counts = sim->counts});
}

static size_t
cache_tasks(const void *state)
{
	const struct cache_simulation *sim = state;
	return sim->sweep.count;
}

static bool
cache_update(void *state, const struct analysis_rows *rows)
{
	struct cache_simulation *sim = state;
	bool ok, more;
	mem_refs_gather(&sim->refs, rows, sim->selection);
	sim->counts = rows->counts;
	sim->instructions += rows->counts ? count_batch_instructions(rows->batch) : 0;
	sim->has_operations |= rows->counts && sim->refs.has_operations;
	line_sizes_begin(&sim->sizes, &sim->refs);
	while ((ok = line_sizes_next(&sim->sizes, rows->counts, &more) == POLY_OK) && more)
		thread_pool_for_each(rows->team, run_cache, sim, sim->sweep.count);
	for (size_t i = 0; i < sim->sweep.count; i++)
		ok &= !sim->caches[i].failed;
	return ok;
}

/* Simulates a step of the second pass in the caches that are opt. */
static bool
replay_step(void *user, const struct access_log_step *step)
{
	struct cache_simulation *sim = user;
	bool ok = true;
	for (size_t i = 0; i < sim->sweep.count && ok; i++) {
		struct swept_cache *swept = &sim->caches[i];
		ok = !swept->opt || swept->shift != step->shift ||
		     swept_cache_access(sim, swept, step);
	}
	return ok;
}

/* Returns whether a cache is opt, and was not simulated exactly. */
static bool
is_estimated(const struct cache_simulation *sim, const struct swept_cache *swept)
{
	return swept->is_opt && !sim->sizes.list[swept->shift]->finished;
}

static enum poly_status
cache_finish(void *state, struct poly_error *error)
{
	struct cache_simulation *sim = state;
	cache_parts_sum(sim);
	enum poly_status status =
		line_sizes_replay(&sim->sizes, replay_step, sim, &sim->finished, error);
	for (size_t i = 0; i < sim->sweep.count && status == POLY_OK; i++) {
		struct swept_cache *swept = &sim->caches[i];
		if (!swept->opt || !is_estimated(sim, swept))
			continue;
		status = opt_samples_run(sim->sizes.list[swept->shift]->log,
			&sim->sweep.configs[i], &swept->estimate, error);
		swept->counts = swept->estimate.counts;
	}
	return status;
}

/* What the memory limit leaves of the exact counts. */
struct cache_limits {
	bool estimates, unknown; /* of caches that are opt */
	bool classes;		 /* causes are estimates */
};

static struct cache_limits
find_limits(const struct cache_simulation *sim)
{
	struct cache_limits limits = {0};
	for (size_t i = 0; i < sim->sweep.count; i++) {
		const struct swept_cache *swept = &sim->caches[i];
		const bool estimated = is_estimated(sim, swept);
		limits.estimates |= estimated && swept->estimate.is_valid;
		limits.unknown |= estimated && !swept->estimate.is_valid;
		limits.classes |= sim->causes && sim->sizes.list[swept->shift]->rate;
	}
	return limits;
}

static const char *
cache_limit(const void *state)
{
	const struct cache_limits limits = find_limits(state);
	if (limits.unknown)
		return "more lines than fit in the memory limit: misses of policy 'opt' and "
		       "their causes are estimates from samples, or absent for caches that are "
		       "too small for samples";
	if (limits.estimates)
		return limits.classes
			       ? "more lines than fit in the memory limit: misses of policy "
				 "'opt', and compulsory and capacity misses, are estimated "
				 "from samples, with minima and maxima"
			       : "more lines than fit in the memory limit: misses of policy "
				 "'opt' are estimates, the means of eight samples, with their "
				 "minima and maxima";
	return limits.classes ? "more lines than fit in the memory limit: compulsory and "
				"capacity misses are estimates from samples, with minima and "
				"maxima"
			      : NULL;
}

static void
open_table(const struct cache_simulation *sim, const struct cache_limits *limits,
	struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "caches",
		"size ways line_size policy:text storage_bits accesses misses miss_ratio mpki "
		"read_misses write_misses fetch_misses dirty_evictions fill_traffic "
		"writeback_traffic");
	if (limits->estimates)
		table_columns(report, "misses_min misses_max");
	if (sim->causes)
		table_columns(report, "compulsory_misses capacity_misses conflict_misses");
	if (limits->classes)
		table_columns(report, "compulsory_misses_min compulsory_misses_max "
				      "capacity_misses_min capacity_misses_max");
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y[0] = "miss_ratio";
	plot.series = "ways";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	plot.title = "Miss ratio by storage";
	plot.x = "storage_bits";
	poly_report_plot(report, &plot);
}

/* Returns the accesses and misses that count. */
static void
sum_counts(const struct swept_cache *swept, uint64_t *accesses, uint64_t *misses)
{
	*accesses = sum_kinds(swept->counts.accesses);
	*misses = sum_kinds(swept->counts.misses);
}

/* Returns the cache with the fewest misses within a budget of bits; NULL: none fits. */
static const struct swept_cache *
find_best(const struct cache_simulation *sim, uint64_t budget)
{
	const struct swept_cache *best = NULL;
	uint64_t accesses, misses, min_misses = 0, bits = 0;
	for (size_t i = 0; i < sim->sweep.count; i++) {
		const struct swept_cache *swept = &sim->caches[i];
		const uint64_t storage =
			sweep_storage_bits(&sim->sweep.configs[i], sim->address_bits);
		sum_counts(swept, &accesses, &misses);
		if (swept->is_opt || storage > budget ||
			(best && (misses > min_misses ||
					 (misses == min_misses && storage >= bits))))
			continue;
		best = swept;
		min_misses = misses;
		bits = storage;
	}
	return best;
}

/* Reports the best cache for each budget of bits that is a power of two. */
static void
report_budgets(const struct cache_simulation *sim, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t max = 0, accesses, misses;
	for (size_t i = 0; i < sim->sweep.count; i++) {
		const uint64_t bits =
			sweep_storage_bits(&sim->sweep.configs[i], sim->address_bits);
		max = bits > max && !sim->caches[i].is_opt ? bits : max;
	}
	table_open(report, "lowest_miss_ratio_per_storage_budget",
		"budget storage_bits size ways line_size policy:text misses miss_ratio mpki");
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "budget";
	plot.y[0] = "miss_ratio";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (uint64_t budget = 1; budget < 2 * max; budget *= 2) {
		const struct swept_cache *swept = find_best(sim, budget);
		if (!swept)
			continue;
		const struct cache_config *config = &sim->sweep.configs[swept - sim->caches];
		sum_counts(swept, &accesses, &misses);
		poly_report_cell_count(report, budget);
		poly_report_cell_count(report, sweep_storage_bits(config, sim->address_bits));
		poly_report_cell_count(report, config->sets * config->ways * config->line_size);
		poly_report_cell_count(report, config->ways);
		poly_report_cell_count(report, config->line_size);
		poly_report_cell_text(report, sweep_policies[config->policy]);
		report_miss_cells(report, misses, accesses, sim->instructions);
	}
	poly_report_end(report);
}

/* Appends empty cells. */
static void
skip_cells(struct poly_report *report, int count)
{
	for (int i = 0; i < count; i++)
		poly_report_cell_text(report, NULL);
}

/* Appends a count and its error as a minimum and a maximum. */
static void
report_bounds(struct poly_report *report, uint64_t count, uint64_t error, uint64_t max)
{
	poly_report_cell_count(report, count > error ? count - error : 0);
	poly_report_cell_count(report, max - count > error ? count + error : max);
}

/* Appends the causes of misses, and the bounds of estimates. */
static void
report_causes(const struct swept_cache *swept, bool has_bounds, struct poly_report *report)
{
	struct miss_class_estimate estimate;
	miss_class_counts_estimate(&swept->causes, &estimate);
	const uint64_t *misses = estimate.misses;
	const uint64_t max = misses[MISS_COMPULSORY] + misses[MISS_CAPACITY];
	for (int i = 0; i < MISS_CLASSES; i++)
		poly_report_cell_count(report, misses[i]);
	for (int i = MISS_COMPULSORY; i <= MISS_CAPACITY && has_bounds; i++)
		report_bounds(report, misses[i], estimate.error, max);
}

/* Appends the counts of a cache. */
static void
report_counts(const struct cache_simulation *sim, const struct swept_cache *swept,
	const struct cache_limits *limits, struct poly_report *report)
{
	const struct cache_counts *counts = &swept->counts;
	const bool estimated = is_estimated(sim, swept);
	const int causes = (sim->causes ? MISS_CLASSES : 0) + (limits->classes ? 4 : 0);
	if (estimated && !swept->estimate.is_valid) {
		skip_cells(report, COUNT_COLUMNS + (limits->estimates ? 2 : 0) + causes);
		return;
	}
	report_access_cells(report, counts->accesses, counts->misses, sim->instructions);
	poly_report_cell_count(report, counts->dirty_evictions);
	poly_report_cell_count(report, counts->bytes_from_below);
	poly_report_cell_count(report, counts->bytes_to_below);
	if (estimated) {
		poly_report_cell_count(report, swept->estimate.misses_min);
		poly_report_cell_count(report, swept->estimate.misses_max);
	} else if (limits->estimates) {
		skip_cells(report, 2);
	}
	if (sim->causes && !estimated && !(swept->is_opt && limits->classes))
		report_causes(swept, limits->classes, report);
	else
		skip_cells(report, causes);
}

static void
report_cache(const struct cache_simulation *sim, const struct swept_cache *swept,
	const struct cache_limits *limits, struct poly_report *report)
{
	const size_t index = (size_t)(swept - sim->caches);
	const struct cache_config *config = &sim->sweep.configs[index];
	poly_report_cell_count(report, config->sets * config->ways * config->line_size);
	poly_report_cell_count(report, config->ways);
	poly_report_cell_count(report, config->line_size);
	poly_report_cell_text(
		report, sweep_policies[swept->is_opt ? SWEEP_OPT : (unsigned)config->policy]);
	if (swept->is_opt)
		poly_report_cell_text(report, NULL);
	else
		poly_report_cell_count(report, sweep_storage_bits(config, sim->address_bits));
	report_counts(sim, swept, limits, report);
}

/* Reports what cache operations did in the caches that are not opt. */
static void
report_operations(const struct cache_simulation *sim, struct poly_report *report)
{
	table_open(report, "cache_operations",
		"size ways line_size policy:text prefetches_issued unfilled_allocations "
		"writebacks invalidations");
	for (size_t i = 0; i < sim->sweep.count; i++) {
		const struct cache_config *config = &sim->sweep.configs[i];
		const struct operation_counts *counts = &sim->caches[i].operations;
		if (sim->caches[i].is_opt)
			continue;
		poly_report_cell_count(report, config->sets * config->ways * config->line_size);
		poly_report_cell_count(report, config->ways);
		poly_report_cell_count(report, config->line_size);
		poly_report_cell_text(report, sweep_policies[config->policy]);
		poly_report_cell_count(report, counts->prefetches);
		poly_report_cell_count(report, counts->allocations);
		poly_report_cell_count(report, counts->writebacks);
		poly_report_cell_count(report, counts->invalidations);
	}
	poly_report_end(report);
}

static void
cache_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct cache_simulation *sim = state;
	const struct cache_limits limits = find_limits(sim);
	(void)ops;
	report_instructions(report, sim->instructions);
	report_truncated_accesses(report, sim->sizes.split ? sim->refs.truncated : 0);
	open_table(sim, &limits, report);
	for (size_t i = 0; i < sim->sweep.count; i++)
		report_cache(sim, &sim->caches[i], &limits, report);
	poly_report_end(report);
	if (sim->has_operations)
		report_operations(sim, report);
	if (sim->sweep.count > 1)
		report_budgets(sim, report);
	hotspots_pair_report(&sim->hotspots, KEY("misses"), report);
}

static void
cache_fini(void *state)
{
	struct cache_simulation *sim = state;
	for (size_t i = 0; sim->caches && i < sim->sweep.count; i++)
		swept_cache_close(&sim->caches[i]);
	mem_free(sim->caches);
	cache_parts_fini(sim);
	hotspots_pair_fini(&sim->hotspots);
	line_sizes_fini(&sim->sizes);
}

static const char *const initial_sweep[] = {"size=32k,ways=8,line=64,policy=lru", NULL};

static const struct poly_option options[] = {
	[OPTION_SWEEP] = {"cache.sweep", POLY_OPTION_TEXT, .choices = initial_sweep,
		.help = "simulate every combination of lists of size, ways, line, policy, "
			"write, allocate and valid",
		.source = "CIS 501, homework 4"},
	[OPTION_OF] = {"cache.of", POLY_OPTION_CHOICE, .initial = MEM_REFS_DATA,
		.choices = mem_refs_choices, .help = "accesses to simulate"},
	[OPTION_CAUSES] = {"cache.causes", POLY_OPTION_BOOL,
		.help = "classify misses as compulsory, capacity and conflict"},
	[OPTION_TOP] = {"cache.top", POLY_OPTION_NUMBER, .maximum = UINT32_MAX,
		.help = "list the N instructions and regions with the most misses in the first "
			"cache"},
	[OPTION_REGION] = {"cache.region", POLY_OPTION_SIZE, .initial = 4096, .minimum = 1,
		.maximum = (uint64_t)1 << 40,
		.help = "size of a region in bytes, a power of two"},
	[OPTION_CROSSING] = LINE_REFS_OPTION("cache"),
	[OPTION_OPERATIONS] = MEM_OPERATIONS_OPTION("cache"),
	{0}};

const struct analysis analysis_cache = {
	.info = {.name = "cache",
		.title = "Caches",
		.summary = "simulate caches: misses and traffic, many in one pass",
		.kind = POLY_ANALYSIS_SIMULATION,
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(
			MEM_REFS_COLUMNS, MEM_OPERATION_COLUMNS, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.ordered = ORDERED_MACHINE,
	.needs_warmup = true,
	.uses_real = true,
	.state_size = sizeof(struct cache_simulation),
	.suits = has_mem_refs,
	.init = cache_init,
	.begin = cache_begin,
	.update = cache_update,
	.task_count = cache_tasks,
	.parts = &cache_parts,
	.machines = &cache_machines,
	.finish = cache_finish,
	.limit = cache_limit,
	.report = cache_report,
	.fini = cache_fini,
};
