/* SPDX-License-Identifier: MIT */
/*
 * Miss ratio curves of fully associative LRU caches of all sizes, separate for data and
 * instructions; and miss ratios of all numbers of sets and ways. Exact, or from samples of
 * lines.
 */
#include "analysis/facts/branch_stream.h"
#include "analysis/sim/line_refs.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/terms.h"
#include "report/table.h"
#include "sim/cache/all_associativity.h"
#include "sim/memory/dense_index.h"
#include "sim/memory/shards.h"
#include "sim/memory/stack_distance.h"

#include <string.h>

/*
 * Maximum memory of a line: its id, while the table of ids grows, its stack distance, and its
 * share of the samples. The rest is that of the bitmaps of samples, which are large initially.
 */
#define LINE_MEMORY 170
#define SAMPLES_MEMORY ((uint64_t)112 << 20)
#define MIN_MEMORY ((uint64_t)8 << 20) /* of lines */

/*
 * Numbers of sampling rates. Lines are sampled at several rates from the start, as lines that
 * were accessed before the limit of memory would be missing in samples that begin there.
 */
#define RATES_MAX 3
#define RATE_FIRST 8
#define RATE_STEP 6

/* Maximum number of sizes between a power of two and the next. */
#define POINTS_MAX 64

/* log2 of the maximum number of sets. */
#define SETS_LOG2_MAX 13

/*
 * Lines of the index of set-associative caches beyond the limit of memory: those that the
 * caches hold, at most 16 of each of the 2^14 - 1 sets, and as many others until it is
 * renumbered.
 */
#define SETS_LINES_MAX ((uint32_t)1 << 19)
#define SETS_MEMORY ((uint64_t)32 << 20)

/* Accesses to set-associative caches between these checks. */
#define SETS_STEP ((size_t)4096)

/* Maximum number of contexts with private caches. */
#define CONTEXTS_MAX 64

enum {
	OPTION_LINE,
	OPTION_SAMPLE,
	OPTION_SETS,
	OPTION_THREADS,
	OPTION_CROSSING,
	OPTION_MEMORY,
	OPTION_POINTS
};

/* The caches of data or of instructions. */
struct mrc_curve {
	uint64_t accesses;
	uint64_t instructions; /* executed until the limit of lines */
	bool full;	       /* the number of lines exceeded the limit */
	/* Exact: */
	struct dense_index dense;	 /* beyond the limit of memory, of all alone */
	struct stack_distance *distance; /* NULL: only sampled */
	struct all_associativity *all;	 /* NULL: not requested */
	/* Sampled, at the rates of the simulation: */
	struct shards *samples[RATES_MAX + 1]; /* the last is NULL */
	unsigned rate; /* index of the first rate whose samples are within the limit */
};

enum { DATA, INSTRUCTIONS, CURVES };

/* Selects the references of a curve. */
struct mrc_filter {
	int kind;
	const uint16_t *contexts; /* of rows; NULL: all contexts */
	uint16_t context;
	uint64_t instructions; /* executed in these rows */
};

struct mrc_simulation {
	unsigned line_shift;
	unsigned sample;	   /* k, 0: exact up to the limit of memory */
	unsigned rates[RATES_MAX]; /* k of the samples */
	unsigned rate_count;
	uint32_t line_max;    /* maximum of lines of all exact curves */
	uint32_t exact_lines; /* lines of all exact curves */
	unsigned points;      /* sizes from a power of two to the next */
	struct mrc_curve curves[CURVES];
	bool by_context;
	const struct contexts *contexts;
	struct mrc_curve context_curves[CONTEXTS_MAX]
				       [CURVES]; /* opened at its first reference */
	uint64_t instructions;			 /* counted */
	uint64_t untracked;			 /* references of contexts beyond the limit */
	struct mem_refs refs;
	struct line_refs split;
	const struct mem_refs *step; /* the current step of split */
	uint64_t lines[MEM_REFS_MAX], sampled[MEM_REFS_MAX];
	uint32_t ids[MEM_REFS_MAX];
};

static enum poly_status
open_exact(struct mrc_curve *curve, uint32_t lines, struct poly_error *error)
{
	const enum poly_status status = dense_index_init(&curve->dense, lines, error);
	return status == POLY_OK ? stack_distance_new(&curve->distance, error) : status;
}

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
		status = open_exact(curve, sim->line_max, error);
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
	line_refs_set(&sim->split, sim->line_shift, !setup->values[OPTION_CROSSING]);
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
	sim->points = (unsigned)setup->values[OPTION_POINTS];
	sim->line_max = max_lines(
		setup->given[OPTION_MEMORY] ? setup->values[OPTION_MEMORY] : setup->memory,
		SAMPLES_MEMORY + (setup->values[OPTION_SETS] ? SETS_MEMORY : 0));
	for (int i = 0; i < CURVES && status == POLY_OK; i++)
		status = open_caches(sim, &sim->curves[i], setup->values[OPTION_SETS], error);
	return status;
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

/* Ends the exact stack distances; set-associative caches remain exact. */
static enum poly_status
close_exact(struct mrc_simulation *sim, struct mrc_curve *curve)
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
run_sets(struct mrc_simulation *sim, struct mrc_curve *curve, size_t count, bool counts)
{
	enum poly_status status = POLY_OK;
	all_associativity_counting(curve->all, counts);
	for (size_t from = 0; from < count && status == POLY_OK; from += SETS_STEP) {
		const size_t rest = count - from, size = rest < SETS_STEP ? rest : SETS_STEP;
		if (curve->dense.count + size > curve->dense.max)
			status = renumber_sets(curve);
		if (status == POLY_OK)
			status = dense_index_find(
				&curve->dense, sim->lines + from, size, sim->ids, NULL);
		if (status == POLY_OK)
			all_associativity_run(curve->all, sim->lines + from, sim->ids, size);
	}
	return status;
}

static enum poly_status
run_exact(struct mrc_simulation *sim, struct mrc_curve *curve, size_t count, bool counts)
{
	const uint32_t known = curve->dense.count;
	const uint32_t room = known + sim->line_max - sim->exact_lines;
	curve->dense.max = room;
	enum poly_status status =
		dense_index_find(&curve->dense, sim->lines, count, sim->ids, NULL);
	sim->exact_lines += curve->dense.count - known;
	if (status != POLY_OK)
		return status;
	stack_distance_counting(curve->distance, counts);
	if (curve->all) {
		all_associativity_counting(curve->all, counts);
		all_associativity_run(curve->all, sim->lines, sim->ids, count);
	}
	return stack_distance_run(curve->distance, sim->ids, count, curve->dense.count, NULL);
}

/* Selects the lines of the samples of the current rate. */
static size_t
select_sampled(struct mrc_simulation *sim, const struct mrc_curve *curve, size_t count)
{
	const uint64_t mask = ((uint64_t)1 << sim->rates[curve->rate]) - 1;
	size_t selected = 0;
	for (size_t i = 0; i < count; i++) {
		sim->sampled[selected] = sim->lines[i];
		selected += (shards_hash(sim->lines[i]) & mask) < SHARDS_SAMPLES;
	}
	return selected;
}

/* Simulates samples; POLY_ERR_LIMIT: no rate is within the limit of memory. */
static enum poly_status
run_samples(struct mrc_simulation *sim, struct mrc_curve *curve, size_t count, bool counts)
{
	const size_t selected = select_sampled(sim, curve, count);
	for (unsigned i = curve->rate; i < sim->rate_count; i++) {
		struct shards *samples = curve->samples[i];
		shards_counting(samples, counts);
		const enum poly_status status =
			shards_run(samples, sim->sampled, selected, NULL);
		if (status == POLY_ERR_MEMORY)
			return status;
		shards_skip(samples, count - selected);
		if (status == POLY_OK)
			continue;
		shards_free(samples);
		curve->samples[i] = NULL;
		curve->rate = i + 1;
	}
	return curve->rate == sim->rate_count ? POLY_ERR_LIMIT : POLY_OK;
}

/* Simulates count lines: exactly within the limit of memory, and in samples. */
static enum poly_status
run_lines(struct mrc_simulation *sim, struct mrc_curve *curve, size_t count, bool counts)
{
	const bool has_samples = curve->samples[curve->rate];
	enum poly_status status = POLY_OK;
	if (curve->distance)
		status = run_exact(sim, curve, count, counts);
	if (status == POLY_ERR_LIMIT && has_samples)
		status = close_exact(sim, curve);
	if (status == POLY_OK && !curve->distance && curve->all)
		status = run_sets(sim, curve, count, counts);
	if (status != POLY_OK || !has_samples)
		return status;
	status = run_samples(sim, curve, count, counts);
	return curve->distance && status == POLY_ERR_LIMIT ? POLY_OK : status;
}

/* Simulates the references of a curve; false: out of memory. */
static bool
run_curve(struct mrc_simulation *sim, struct mrc_curve *curve, const struct mrc_filter *filter,
	bool counts)
{
	const struct mem_refs *refs = sim->step;
	enum poly_status status;
	size_t count = 0;
	if (curve->full)
		return true;
	for (size_t i = 0; i < refs->count; i++) {
		const bool fetched = refs->kinds[i] == CACHE_FETCH;
		const bool own =
			!filter->contexts || filter->contexts[refs->rows[i]] == filter->context;
		sim->lines[count] = refs->addresses[i] >> sim->line_shift;
		count += own && fetched == (filter->kind == INSTRUCTIONS);
	}
	status = run_lines(sim, curve, count, counts);
	curve->full = status == POLY_ERR_LIMIT;
	curve->accesses += counts && !curve->full ? count : 0;
	curve->instructions += counts && !curve->full ? filter->instructions : 0;
	return status == POLY_OK || curve->full;
}

/* Simulates the references of a context; filter: that of its data. False: out of memory. */
static bool
run_context(struct mrc_simulation *sim, struct mrc_filter filter, bool counts)
{
	bool ok = true;
	for (filter.kind = 0; filter.kind < CURVES && ok; filter.kind++) {
		struct mrc_curve *curve = &sim->context_curves[filter.context][filter.kind];
		ok = (curve->distance || curve->full ||
			     open_exact(curve, sim->line_max, NULL) == POLY_OK) &&
		     run_curve(sim, curve, &filter, counts);
		/* Other curves have its room. */
		if (ok && curve->full && curve->distance)
			close_exact(sim, curve);
	}
	return ok;
}

static bool
run_contexts(struct mrc_simulation *sim, const struct analysis_rows *rows, bool is_first)
{
	uint64_t seen = 0, instructions[CONTEXTS_MAX] = {0};
	bool ok = true;
	if (is_first)
		count_context_instructions(rows, instructions, CONTEXTS_MAX);
	for (uint16_t i = 0; i < CONTEXTS_MAX; i++)
		seen |= instructions[i] ? UINT64_C(1) << i : 0;
	for (size_t i = 0; i < sim->step->count; i++) {
		const uint16_t context =
			rows->context ? rows->context[sim->step->rows[i]] : rows->sole_context;
		if (context < CONTEXTS_MAX)
			seen |= UINT64_C(1) << context;
		else
			sim->untracked += rows->counts;
	}
	for (; seen && ok; seen &= seen - 1) {
		const uint16_t number = (uint16_t)__builtin_ctzll(seen);
		ok = run_context(sim,
			(struct mrc_filter){DATA, rows->context, number, instructions[number]},
			rows->counts);
	}
	return ok;
}

/* Simulates a step of references; instructions: executed in its rows, unless an earlier step of
 * the batch has counted them. False: out of memory. */
static bool
run_step(struct mrc_simulation *sim, const struct analysis_rows *rows, bool is_first)
{
	const uint64_t instructions = is_first ? count_batch_instructions(rows->batch) : 0;
	bool ok = true;
	sim->instructions += rows->counts ? instructions : 0;
	for (int i = 0; i < CURVES && ok; i++)
		ok = run_curve(sim, &sim->curves[i],
			&(struct mrc_filter){i, NULL, 0, instructions}, rows->counts);
	return ok && (!sim->by_context || run_contexts(sim, rows, is_first));
}

static bool
mrc_update(void *state, const struct analysis_rows *rows)
{
	struct mrc_simulation *sim = state;
	mem_refs_gather(&sim->refs, rows, MEM_REFS_ALL);
	line_refs_begin(&sim->split, &sim->refs);
	sim->step = line_refs_next(&sim->split);
	if (!sim->step)
		sim->step = &sim->refs;
	bool ok = run_step(sim, rows, true);
	while (ok && (sim->step = line_refs_next(&sim->split)))
		ok = run_step(sim, rows, false);
	return ok;
}

static const struct {
	const char *accesses, *ratio, *ratio_min, *ratio_max, *misses, *mpki;
} keys[CURVES] = {
	[DATA] = {KEY("data_accesses"), KEY("data_miss_ratio"), KEY("data_miss_ratio_min"),
		KEY("data_miss_ratio_max"), .misses = KEY("data_misses"),
		.mpki = KEY("data_mpki")},
	[INSTRUCTIONS] = {KEY("fetches"), KEY("fetch_miss_ratio"), KEY("fetch_miss_ratio_min"),
		KEY("fetch_miss_ratio_max"), .misses = KEY("fetch_misses"),
		.mpki = KEY("fetch_mpki")},
};

static void
open_curve(const struct mrc_simulation *sim, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "fully_associative_caches", "size");
	for (int i = 0; i < CURVES; i++) {
		const bool is_exact = sim->curves[i].distance;
		if (is_exact)
			poly_report_column(report, keys[i].misses, true);
		poly_report_column(report, keys[i].ratio, true);
		plot.y[i] = keys[i].ratio;
		if (is_exact) {
			poly_report_column(report, keys[i].mpki, true);
			continue;
		}
		poly_report_column(report, keys[i].ratio_min, true);
		poly_report_column(report, keys[i].ratio_max, true);
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y_title = "Miss ratio";
	plot.y_unit = "%";
	plot.log_x = true;
	poly_report_plot(report, &plot);
}

/* Returns the samples that a curve reports; NULL: none is within the limit of memory. */
static const struct shards *
samples_of(const struct mrc_curve *curve)
{
	return curve->samples[curve->rate];
}

/* Returns the minimum of lines of a cache that the curve describes: samples do not resolve
 * smaller ones. */
static uint64_t
first_lines(const struct mrc_simulation *sim, const struct mrc_curve *curve)
{
	return curve->distance ? 1 : UINT64_C(4) << sim->rates[curve->rate % RATES_MAX];
}

/* Appends the cells of a size from samples, which are empty if no accessed line was sampled;
 * returns whether a larger cache has fewer misses. */
static bool
report_sampled_ratio(const struct mrc_simulation *sim, const struct mrc_curve *curve,
	uint64_t lines, struct poly_report *report)
{
	struct shards_ratio ratio = {0}, last = {0};
	const struct shards *samples = samples_of(curve);
	if (samples) {
		shards_ratio(samples, lines, &ratio);
		shards_ratio(samples, UINT64_MAX, &last);
	}
	const double values[] = {ratio.mean, ratio.min, ratio.max};
	const bool is_sampled = lines >= first_lines(sim, curve) &&
				(!curve->accesses || (samples && shards_sampled(samples)));
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		if (is_sampled)
			poly_report_cell_ratio(report, values[i], 1, 3);
		else
			poly_report_cell_text(report, NULL);
	}
	return ratio.mean > last.mean;
}

/* Appends the row of a cache of the given number of lines; returns whether a larger one has
 * fewer misses. */
static bool
report_size(const struct mrc_simulation *sim, uint64_t lines, struct poly_report *report)
{
	bool grows = false;
	poly_report_cell_count(report, lines << sim->line_shift);
	for (int i = 0; i < CURVES; i++) {
		const struct mrc_curve *curve = &sim->curves[i];
		if (!curve->distance) {
			grows |= report_sampled_ratio(sim, curve, lines, report);
			continue;
		}
		const uint64_t misses = stack_distance_misses(curve->distance, lines);
		report_miss_cells(report, misses, curve->accesses, curve->instructions);
		grows |= misses > stack_distance_first(curve->distance);
	}
	return grows;
}

/* Reports data caches of all numbers of sets and ways. */
static void
report_sets(const struct mrc_simulation *sim, struct poly_report *report)
{
	const struct mrc_curve *curve = &sim->curves[DATA];
	struct poly_plot plot = POLY_PLOT_INIT;
	if (!curve->all)
		return;
	table_open(
		report, "set_associative_data_caches", "sets ways size misses miss_ratio mpki");
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y[0] = "miss_ratio";
	plot.series = "sets";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (unsigned bits = 0; bits <= SETS_LOG2_MAX; bits++) {
		for (unsigned ways = 1; ways <= ALL_ASSOCIATIVITY_WAYS; ways++) {
			const uint64_t misses =
				all_associativity_misses(curve->all, bits, ways);
			poly_report_cell_count(report, (uint64_t)1 << bits);
			poly_report_cell_count(report, ways);
			poly_report_cell_count(
				report, (uint64_t)ways << bits << sim->line_shift);
			report_miss_cells(report, misses, curve->accesses, curve->instructions);
		}
	}
	poly_report_end(report);
}

static void
open_contexts(struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "caches_per_context",
		"context:text kind:text size accesses misses miss_ratio mpki curve:text");
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y[0] = "miss_ratio";
	plot.series = "curve";
	plot.log_x = true;
	poly_report_plot(report, &plot);
}

/* Reports the curve of a context up to its minimum; names: of the context, may be empty, and of
 * the kind. */
static void
report_context(const struct mrc_simulation *sim, const struct mrc_curve *curve,
	const char *const names[2], struct poly_report *report)
{
	uint64_t lines = 1, misses;
	struct buf label = {0};
	if (!curve->accesses || curve->full)
		return;
	buf_printf(&label, "%s%s%s", names[0], *names[0] ? ", " : "", names[1]);
	do {
		misses = stack_distance_misses(curve->distance, lines);
		poly_report_cell_text(report, *names[0] ? names[0] : NULL);
		poly_report_cell_text(report, names[1]);
		poly_report_cell_count(report, lines << sim->line_shift);
		poly_report_cell_count(report, curve->accesses);
		report_miss_cells(report, misses, curve->accesses, curve->instructions);
		poly_report_cell_text(report, buf_text(&label));
		lines *= 2;
	} while (misses > stack_distance_first(curve->distance) && lines < UINT64_C(1) << 40);
	buf_free(&label);
}

static void
report_contexts(const struct mrc_simulation *sim, struct poly_report *report)
{
	static const char *const kinds[CURVES] = {"data", "instructions"};
	open_contexts(report);
	for (uint16_t context = 0; context < CONTEXTS_MAX; context++) {
		for (int i = 0; i < CURVES; i++) {
			struct buf name = {0};
			contexts_append_name(sim->contexts, context, &name);
			report_context(sim, &sim->context_curves[context][i],
				(const char *[2]){buf_text(&name), kinds[i]}, report);
			buf_free(&name);
		}
	}
	poly_report_end(report);
}

static bool
is_complete(const struct mrc_simulation *sim)
{
	bool full = sim->untracked;
	for (int i = 0; i < CURVES; i++) {
		full |= sim->curves[i].full;
		for (int context = 0; context < CONTEXTS_MAX; context++)
			full |= sim->context_curves[context][i].full;
	}
	return !full;
}

/* Appends the rows of all sizes, up to one above which misses do not decrease. */
static void
report_sizes(const struct mrc_simulation *sim, struct poly_report *report)
{
	uint64_t lines = UINT64_MAX, last = 0;
	bool grows = true;
	for (int i = 0; i < CURVES; i++) {
		const uint64_t first = first_lines(sim, &sim->curves[i]);
		if (first < lines && sim->curves[i].accesses)
			lines = first;
	}
	lines = lines == UINT64_MAX ? first_lines(sim, &sim->curves[DATA]) : lines;
	for (; grows && lines < UINT64_C(1) << 40; lines *= 2) {
		for (uint64_t i = 0; i < sim->points && grows; i++) {
			const uint64_t size = lines + lines * i / sim->points;
			if (size != last)
				grows = report_size(sim, size, report);
			last = size;
		}
	}
}

static bool
is_sampled(const struct mrc_curve *curve)
{
	return samples_of(curve) && !curve->distance;
}

static const char *
mrc_limit(const void *state)
{
	const struct mrc_simulation *sim = state;
	bool sampled = false;
	for (int i = 0; i < CURVES; i++)
		sampled |= is_sampled(&sim->curves[i]);
	if (!is_complete(sim))
		return "more lines than fit in the memory limit, or more contexts than 64: "
		       "curves of contexts are missing, or the rest of the trace is not "
		       "simulated";
	return sampled && !sim->sample
		       ? "more lines than fit in the memory limit: their miss ratios are "
			 "estimates, the means of eight samples, with their minima and maxima"
		       : NULL;
}

static void
mrc_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct mrc_simulation *sim = state;
	(void)ops;
	poly_report_count(report, "line_size", (uint64_t)1 << sim->line_shift);
	report_instructions(report, sim->instructions);
	for (int i = 0; i < CURVES; i++)
		poly_report_count(report, keys[i].accesses, sim->curves[i].accesses);
	poly_report_bool(report, "complete", is_complete(sim));
	open_curve(sim, report);
	report_sizes(sim, report);
	poly_report_end(report);
	report_sets(sim, report);
	if (sim->by_context)
		report_contexts(sim, report);
}

static void
close_curve(struct mrc_simulation *sim, struct mrc_curve *curve)
{
	all_associativity_free(curve->all);
	curve->all = NULL;
	close_exact(sim, curve);
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
	.limit = mrc_limit,
	.report = mrc_report,
	.fini = mrc_fini,
};
