/* SPDX-License-Identifier: MIT */
/* Running analyses: one pass over a trace feeds every one that was asked for. */
#include "analysis/analysis.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/option.h"

#include <string.h>

#define LIST(word) extern const struct analysis analysis_##word;
#include "analysis_list.def"
#undef LIST

static const struct analysis *const analyses[] = {
#define LIST(word) &analysis_##word,
#include "analysis_list.def"
#undef LIST
};

#define ANALYSIS_COUNT (sizeof analyses / sizeof *analyses)

/* An analysis that was asked for. */
struct run {
	const struct analysis *analysis;
	void *state;
	struct option_values values;
	bool suits; /* the trace that began last */
};

struct poly_stats {
	struct poly_stats_options options;
	bool by_name; /* the analyses were asked for by name */
	struct run runs[ANALYSIS_COUNT];
	size_t count;
	struct ops ops;
	poly_columns columns;
	unsigned shares; /* of those that suit */
	uint64_t warm;	 /* rows so far, up to warmup */
	uint32_t op[POLY_BATCH_ROWS], site[POLY_BATCH_ROWS];
	enum poly_status status; /* sticky */
};

const struct analysis *
analysis_at(size_t i)
{
	return i < ANALYSIS_COUNT ? analyses[i] : NULL;
}

const struct poly_analysis_info *
poly_analysis_at(size_t i)
{
	return i < ANALYSIS_COUNT ? &analyses[i]->info : NULL;
}

const struct poly_analysis_info *
poly_analysis_find(const char *name)
{
	for (size_t i = 0; i < ANALYSIS_COUNT; i++) {
		if (strcmp(analyses[i]->info.name, name) == 0)
			return &analyses[i]->info;
	}
	return NULL;
}

/* Whether an analysis is asked for by name. */
static bool
is_named(const char *const *names, const char *name)
{
	for (; *names; names++) {
		if (strcmp(*names, name) == 0)
			return true;
	}
	return false;
}

/* Fails where a name is no analysis. */
static enum poly_status
check_names(const char *const *names, struct poly_error *error)
{
	for (; names && *names; names++) {
		if (!poly_analysis_find(*names))
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"there is no analysis '%.60s'; 'polytrace stats --list' shows "
				"them",
				*names);
	}
	return POLY_OK;
}

/* Whether any analysis has an option of a name of n bytes. */
static bool
is_option(const char *name, size_t n)
{
	for (size_t i = 0; i < ANALYSIS_COUNT; i++) {
		if (option_find(analyses[i]->info.options, name, n))
			return true;
	}
	return false;
}

/* Takes the words that are about an analysis. */
static enum poly_status
take_words(struct run *run, const char *const *words, struct poly_error *error)
{
	const struct poly_option *table = run->analysis->info.options;
	enum poly_status status = option_values_init(table, &run->values, error);
	for (; status == POLY_OK && words && *words; words++) {
		size_t n;
		status = option_name(*words, &n, error);
		if (status != POLY_OK)
			break;
		const struct poly_option *option = option_find(table, *words, n);
		if (option)
			status =
				option_take(&run->values, table, option, *words + n + 1, error);
		else if (!is_option(*words, n))
			status = err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"no analysis has an option '%.*s'", (int)n, *words);
	}
	return status;
}

/* Makes a state for an analysis. */
static enum poly_status
add_run(struct poly_stats *stats, const struct analysis *analysis, struct poly_error *error)
{
	struct run *run = &stats->runs[stats->count];
	run->analysis = analysis;
	stats->count++;
	enum poly_status status = take_words(run, stats->options.options, error);
	if (status != POLY_OK)
		return status;
	run->state = mem_new(1, analysis->state_size);
	if (!run->state)
		return err_memory(error);
	const struct analysis_setup setup = {
		run->values.values, run->values.texts, &stats->ops};
	return analysis->init ? analysis->init(run->state, &setup, error) : POLY_OK;
}

enum poly_status
poly_stats_new(const struct poly_stats_options *options, struct poly_stats **stats,
	struct poly_error *error)
{
	const struct poly_stats_options initial = POLY_STATS_OPTIONS_INIT;
	*stats = NULL;
	struct poly_stats *it = mem_new(1, sizeof *it);
	if (!it)
		return err_memory(error);
	it->options = initial;
	enum poly_status status =
		option_struct(&it->options, sizeof it->options, options, error);
	const char *const *names = it->options.analyses;
	it->by_name = names != NULL;
	if (status == POLY_OK)
		status = check_names(names, error);
	for (size_t i = 0; status == POLY_OK && i < ANALYSIS_COUNT; i++) {
		const struct poly_analysis_info *info = &analyses[i]->info;
		if (names ? is_named(names, info->name) : it->options.all || info->is_default)
			status = add_run(it, analyses[i], error);
	}
	if (status == POLY_OK)
		*stats = it;
	else
		poly_stats_free(it);
	return status;
}

/* Fails where an analysis that was asked for by name does not suit the trace. */
static enum poly_status
refuse(const struct run *run, const struct poly_trace_info *info, struct poly_error *error)
{
	const poly_columns lacks = run->analysis->info.needs & ~info->columns;
	const char *name = run->analysis->info.name;
	if (!lacks)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"analysis '%s' tells nothing of a trace of format '%s'", name,
			info->format);
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"analysis '%s' needs the column '%s', which a trace of format '%s' does not "
		"have",
		name, poly_column_name((enum poly_column)__builtin_ctzll(lacks)), info->format);
}

enum poly_status
poly_stats_begin(
	struct poly_stats *stats, const struct poly_trace_info *info, struct poly_error *error)
{
	stats->columns = 0;
	stats->shares = 0;
	stats->warm = 0;
	ops_begin(&stats->ops, info);
	for (size_t i = 0; i < stats->count; i++) {
		struct run *run = &stats->runs[i];
		const struct analysis *analysis = run->analysis;
		run->suits = !(analysis->info.needs & ~info->columns) &&
			     (!analysis->suits || analysis->suits(info));
		if (!run->suits && stats->by_name)
			return refuse(run, info, error);
		if (!run->suits)
			continue;
		stats->shares |= analysis->shares;
		stats->columns |= analysis->info.needs | analysis->info.wants;
		if (analysis->begin)
			analysis->begin(run->state, info);
	}
	stats->columns |= ops_columns(info, stats->shares);
	stats->columns &= info->columns | POLY_HAS(site);
	return POLY_OK;
}

poly_columns
poly_stats_columns(const struct poly_stats *stats)
{
	return stats->columns;
}

/* Rows of a batch that are all counted, or all not. */
static bool
update_rows(struct poly_stats *stats, const struct poly_batch *batch, bool counts)
{
	const bool ops = stats->shares & SHARES_OPS, sites = stats->shares & SHARES_SITES;
	const struct analysis_rows rows = {.batch = batch,
		.counts = counts,
		.op = ops ? stats->op : NULL,
		.site = sites ? stats->site : NULL,
		.ops = &stats->ops};
	bool ok = true;
	if (ops || sites)
		ok = ops_fill(&stats->ops, batch,
			&(struct ops_rows){.op = ops ? stats->op : NULL,
				.site = sites ? stats->site : NULL});
	for (size_t i = 0; ok && i < stats->count; i++) {
		const struct run *run = &stats->runs[i];
		if (run->suits && (counts || run->analysis->has_context))
			ok = run->analysis->update(run->state, &rows);
	}
	return ok;
}

enum poly_status
poly_stats_update(
	struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error)
{
	if (stats->status == POLY_OK && !update_rows(stats, batch, true))
		stats->status = POLY_ERR_MEMORY;
	return stats->status == POLY_OK ? POLY_OK : err_memory(error);
}

void
poly_stats_report(const struct poly_stats *stats, struct poly_report *report)
{
	for (size_t i = 0; i < stats->count; i++) {
		const struct run *run = &stats->runs[i];
		const struct poly_analysis_info *info = &run->analysis->info;
		if (!run->suits)
			continue;
		poly_report_section(report, info->name, info->title);
		run->analysis->report(run->state, &stats->ops, report);
		poly_report_end(report);
	}
}

void
poly_stats_free(struct poly_stats *stats)
{
	if (!stats)
		return;
	for (size_t i = 0; i < stats->count; i++) {
		struct run *run = &stats->runs[i];
		if (run->state && run->analysis->fini)
			run->analysis->fini(run->state);
		mem_free(run->state);
		option_values_free(&run->values);
	}
	ops_fini(&stats->ops);
	mem_free(stats);
}
