/* SPDX-License-Identifier: MIT */
/*
 * Single caches, many in one pass: misses by cause, and traffic. An access that crosses lines
 * is split, as Dinero IV does; stores of unknown size have four bytes.
 */
#include "analysis/facts/branch_stream.h"
#include "analysis/sim/counts.h"
#include "analysis/sim/hotspots.h"
#include "analysis/sim/line_sizes.h"
#include "analysis/sim/opt_samples.h"
#include "analysis/sim/sweep.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/terms.h"
#include "report/table.h"
#include "sim/cache/miss_classes.h"
#include "sim/cache/belady.h"

#include <string.h>

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

/* What cache operations did. */
struct operation_counts {
	uint64_t prefetches;	/* lines filled by prefetches */
	uint64_t allocations;	/* lines allocated without a fill */
	uint64_t writebacks;	/* of dirty lines */
	uint64_t invalidations; /* of lines that were present */
};

/* A cache, and its counts during rows that count. */
struct swept_cache {
	struct cache *cache; /* NULL if the policy is opt: */
	struct belady *opt;
	struct opt_estimate estimate; /* of one that is opt and was not simulated exactly */
	unsigned shift;		      /* log2 of the line size */
	struct miss_classes *classes; /* NULL: not requested */
	uint32_t *missed;	      /* MEM_REFS_MAX, of the last batch */
	uint64_t misses;	      /* of all rows */
	bool failed;		      /* the last update ran out of memory */
	struct cache_counts counts;
	struct operation_counts operations;
	struct miss_class_counts causes;
};

struct cache_simulation {
	enum mem_refs_selection selection;
	bool causes;
	unsigned address_bits; /* the maximum of the traces */
	struct sweep sweep;
	struct swept_cache *caches;
	uint64_t instructions; /* counted */
	bool performs_operations;
	bool has_operations;   /* rows that count have cache operations */
	bool finished;	       /* the caches that are opt have simulated the trace exactly */
	struct mem_refs refs;
	struct line_sizes sizes;
	bool counts;			/* of the current update */
	struct hotspots_pair hotspots;	/* of the first cache */
	uint32_t weights[MEM_REFS_MAX]; /* 1: the reference missed */
};

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
	swept->shift = (unsigned)__builtin_ctz(config->line_size);
	status = line_sizes_add(&sim->sizes, swept->shift, error);
	if (status == POLY_OK)
		status = sim->sweep.is_opt[i] ? open_opt(sim, stores, i, error)
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

/* Classifies misses; first: weights of first accesses. */
static void
count_classes(struct swept_cache *swept, const struct cache_batch *batch, const uint8_t *first,
	struct classified_misses *misses, bool counts)
{
	miss_classes_run(swept->classes, batch, first, misses);
	if (counts)
		miss_class_counts_add(&swept->causes, miss_classes_counts(swept->classes));
	miss_classes_reset(swept->classes);
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

static void
read_counts(const struct swept_cache *swept, struct cache_counts *counts)
{
	if (swept->opt)
		belady_count(swept->opt, counts);
	else
		cache_count(swept->cache, counts);
}

/* Counts the misses of the first cache by instruction and region; false: out of memory. */
static bool
count_hotspots(struct cache_simulation *sim, size_t misses)
{
	const struct mem_refs *refs = sim->sizes.list[sim->caches->shift]->step;
	memset(sim->weights, 0, refs->count * sizeof *sim->weights);
	for (size_t i = 0; i < misses; i++)
		sim->weights[sim->caches->missed[i]] = 1;
	return hotspots_pair_add(&sim->hotspots, refs, sim->weights);
}

/* Simulates a step in a cache; its next uses are those of one that is opt. False: out of
 * memory. */
static bool
run_swept(struct cache_simulation *sim, struct swept_cache *swept,
	const struct access_log_step *step)
{
	struct cache_counts before, now;
	const bool needs_missed = swept->classes ||
				  (sim->hotspots.max && swept == sim->caches) ||
				  sim->refs.has_operations;
	uint32_t *missed = needs_missed ? swept->missed : NULL;
	struct classified_misses misses = {.missed = missed};
	read_counts(swept, &before);
	misses.count = swept->opt ? belady_run(swept->opt, &step->refs, step->next, missed)
				  : cache_run(swept->cache, &step->refs, missed);
	swept->misses += misses.count;
	read_counts(swept, &now);
	if (swept->classes)
		count_classes(swept, &step->refs, step->first, &misses, step->counts);
	if (!step->counts)
		return true;
	counts_add(&swept->counts, &now, &before, sizeof now);
	return !sim->hotspots.max || swept != sim->caches || count_hotspots(sim, misses.count);
}

/* Corrects the traffic of writes that allocate whole lines; misses: of the last batch. */
static void
count_allocations(struct swept_cache *swept, const struct mem_refs *refs, size_t misses)
{
	const struct cache_config *config = cache_config(swept->cache);
	uint64_t lines = 0;
	for (size_t i = 0; i < misses && !config->no_allocate; i++) {
		const uint32_t size = refs->sizes[swept->missed[i]];
		lines += size == 0 || size == config->line_size;
	}
	swept->operations.allocations += lines;
	swept->counts.fills -= lines;
	swept->counts.bytes_from_below -= lines * config->line_size;
}

/* Prefetches a line. */
static void
prefetch(struct cache *cache, uint64_t address, struct cache_counts *counts)
{
	struct cache_outcome outcome;
	cache_fill(cache, address, false, &outcome);
	counts->fills++;
	counts->evictions += outcome.evicted;
	counts->dirty_evictions += outcome.dirty;
	counts->bytes_from_below += cache_config(cache)->line_size;
	counts->bytes_to_below += outcome.dirty ? cache_config(cache)->line_size : 0;
}

/* Counts a line of a cache, as a cache_line_fn. */
static void
count_line(void *user, uint64_t address, bool dirty)
{
	uint64_t *lines = user;
	(void)address;
	lines[dirty]++;
}

/* Performs an operation on all lines. */
static void
operate_all(struct cache *cache, enum cache_operation operation, struct swept_cache *sums)
{
	uint64_t lines[2] = {0, 0}; /* clean and dirty ones */
	cache_clean_all(cache, operation != CACHE_CLEAN_ALL, count_line, lines);
	const uint64_t written = operation == CACHE_INVALIDATE_ALL ? 0 : lines[true];
	sums->operations.invalidations +=
		operation == CACHE_CLEAN_ALL ? 0 : lines[false] + lines[true];
	sums->operations.writebacks += written;
	sums->counts.bytes_to_below += written * cache_config(cache)->line_size;
}

/* Performs an operation on a line. */
static void
operate(struct cache *cache, enum cache_operation operation, uint64_t address,
	struct swept_cache *sums)
{
	struct cache_outcome outcome = {0};
	bool written = false;
	if (operation >= CACHE_CLEAN_ALL) {
		operate_all(cache, operation, sums);
		return;
	}
	if (operation == CACHE_PREFETCH && !cache_holds(cache, address)) {
		prefetch(cache, address, &sums->counts);
		sums->operations.prefetches++;
	} else if (operation == CACHE_CLEAN) {
		written = cache_clean(cache, address);
	} else if (operation != CACHE_PREFETCH) {
		cache_drop(cache, address, &outcome);
		written = outcome.dirty && operation != CACHE_INVALIDATE;
	}
	sums->operations.invalidations += outcome.hit;
	sums->operations.writebacks += written;
	sums->counts.bytes_to_below += written ? cache_config(cache)->line_size : 0;
}

/* Performs the operations of a step in a cache that is not opt. */
static void
run_operations(struct swept_cache *swept, const struct mem_refs *refs, bool counts)
{
	struct swept_cache uncounted = {0};
	for (size_t i = 0; i < refs->count; i++) {
		const enum cache_operation operation = (enum cache_operation)refs->kinds[i];
		operate(swept->cache, operation, refs->addresses[i],
			counts ? swept : &uncounted);
		if (swept->classes)
			operate(miss_classes_full(swept->classes), operation,
				refs->addresses[i], &uncounted);
	}
}

/* Simulates the current step of references in a cache that is not opt. */
static void
run_cache(void *user, size_t i)
{
	struct cache_simulation *sim = user;
	struct swept_cache *swept = &sim->caches[i];
	const struct line_size *size = sim->sizes.list[swept->shift];
	const struct mem_refs *refs = size->step;
	if (!swept->cache || !refs)
		return;
	if (refs->step == REFS_OPERATIONS) {
		run_operations(swept, refs, sim->counts);
		return;
	}
	const struct access_log_step step = {.shift = swept->shift,
		.refs = {refs->addresses, refs->kinds, refs->sizes, refs->count},
		.first = size->first,
		.counts = sim->counts};
	const uint64_t before = swept->misses;
	swept->failed |= !run_swept(sim, swept, &step);
	if (refs->step == REFS_ALLOCATE && sim->counts)
		count_allocations(swept, refs, (size_t)(swept->misses - before));
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
		ok = !swept->opt || swept->shift != step->shift || run_swept(sim, swept, step);
	}
	return ok;
}

/* Returns whether a cache is opt, and was not simulated exactly. */
static bool
is_estimated(const struct cache_simulation *sim, const struct swept_cache *swept)
{
	return swept->opt && !sim->sizes.list[swept->shift]->finished;
}

static enum poly_status
cache_finish(void *state, struct poly_error *error)
{
	struct cache_simulation *sim = state;
	enum poly_status status =
		line_sizes_replay(&sim->sizes, replay_step, sim, &sim->finished, error);
	for (size_t i = 0; i < sim->sweep.count && status == POLY_OK; i++) {
		struct swept_cache *swept = &sim->caches[i];
		if (!is_estimated(sim, swept))
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
		if (swept->opt || storage > budget ||
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
		max = bits > max && !sim->caches[i].opt ? bits : max;
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
	if (sim->causes && !estimated && !(swept->opt && limits->classes))
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
		report, sweep_policies[swept->opt ? SWEEP_OPT : (unsigned)config->policy]);
	if (swept->opt)
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
		if (sim->caches[i].opt)
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
	for (size_t i = 0; sim->caches && i < sim->sweep.count; i++) {
		cache_free(sim->caches[i].cache);
		belady_free(sim->caches[i].opt);
		miss_classes_free(sim->caches[i].classes);
		mem_free(sim->caches[i].missed);
	}
	mem_free(sim->caches);
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
	.finish = cache_finish,
	.limit = cache_limit,
	.report = cache_report,
	.fini = cache_fini,
};
