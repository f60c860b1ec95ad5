/* SPDX-License-Identifier: MIT */
/* Reports miss ratio curves. */
#include "analysis/sim/mrc.h"

#include "report/terms.h"
#include "report/table.h"

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

const char *
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

void
mrc_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct mrc_simulation *sim = state;
	(void)ops;
	poly_report_count(report, "line_size", (uint64_t)1 << sim->line_shift);
	report_instructions(report, sim->instructions);
	for (int i = 0; i < CURVES; i++)
		poly_report_count(report, keys[i].accesses, sim->curves[i].accesses);
	poly_report_bool(report, "complete", is_complete(sim) && !sim->truncated);
	report_truncated_accesses(report, sim->truncated);
	open_curve(sim, report);
	report_sizes(sim, report);
	poly_report_end(report);
	report_sets(sim, report);
	if (sim->by_context)
		report_contexts(sim, report);
}
