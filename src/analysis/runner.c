/* SPDX-License-Identifier: MIT */
/* Running analyses: one pass over a trace feeds every one that was asked for. */
#include "analysis/analysis_instance.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"

#include <string.h>

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

/* Whether an analysis is asked for where none is by name. */
static bool
is_usual(const struct poly_stats_options *options, const struct poly_analysis_info *info)
{
	return info->is_default || (options->all && !info->is_simulation);
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

/* Whether an analysis is asked for. */
static bool
is_asked(const struct poly_stats_options *options, const struct poly_analysis_info *info)
{
	return options->analyses ? is_named(options->analyses, info->name)
				 : is_usual(options, info);
}

/* Fails where a word is about no analysis that is asked for. */
static enum poly_status
check_word(const struct poly_stats_options *options, const char *word, struct poly_error *error)
{
	const struct analysis *analysis;
	size_t n, i = 0;
	const enum poly_status status = option_name(word, &n, error);
	if (status != POLY_OK)
		return status;
	while ((analysis = analysis_at(i)) && !option_find(analysis->info.options, word, n))
		i++;
	if (!analysis)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"no analysis has an option '%.*s'", (int)n, word);
	if (!is_asked(options, &analysis->info))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option '%.*s' is of the analysis '%s', which is not asked for", (int)n,
			word, analysis->info.name);
	return POLY_OK;
}

/* Takes the words that are about an analysis. */
static enum poly_status
take_words(struct analysis_instance *run, const char *const *words, struct poly_error *error)
{
	const struct poly_option *table = run->analysis->info.options;
	enum poly_status status = option_values_init(table, &run->values, error);
	for (; status == POLY_OK && words && *words; words++) {
		size_t n;
		status = option_name(*words, &n, error);
		const struct poly_option *option =
			status == POLY_OK ? option_find(table, *words, n) : NULL;
		if (option)
			status =
				option_take(&run->values, table, option, *words + n + 1, error);
	}
	return status;
}

/* Makes a state for an analysis. */
static enum poly_status
add_run(struct poly_stats *stats, const struct analysis *analysis, const char *const *words,
	struct poly_error *error)
{
	struct analysis_instance *run = &stats->runs[stats->count];
	run->analysis = analysis;
	stats->count++;
	enum poly_status status = take_words(run, words, error);
	if (status != POLY_OK)
		return status;
	run->state = mem_new(1, analysis->state_size);
	if (!run->state)
		return err_memory(error);
	if (stats->options.period && analysis->ratios) {
		run->confidence = mem_new(1, sizeof *run->confidence);
		if (!run->confidence)
			return err_memory(error);
	}
	const struct analysis_setup setup = {run->values.values, run->values.texts,
		run->values.given, &stats->ops, &stats->contexts, stats->options.stores};
	return analysis->init ? analysis->init(run->state, &setup, error) : POLY_OK;
}

/* Makes the states of all that is asked for. */
static enum poly_status
add_runs(struct poly_stats *stats, const struct poly_stats_options *options,
	struct poly_error *error)
{
	const char *const *words = options->options;
	const struct analysis *analysis;
	enum poly_status status = check_names(options->analyses, error);
	size_t most = 0;
	for (; status == POLY_OK && words && *words; words++)
		status = check_word(options, *words, error);
	while (analysis_at(most))
		most++;
	stats->by_name = options->analyses != NULL;
	stats->runs = mem_new(most, sizeof *stats->runs);
	stats->due = mem_new(most, sizeof *stats->due);
	if (status == POLY_OK && (!stats->runs || !stats->due))
		return err_memory(error);
	for (size_t i = 0; status == POLY_OK && (analysis = analysis_at(i)); i++) {
		if (is_asked(options, &analysis->info))
			status = add_run(stats, analysis, options->options, error);
	}
	return status;
}

/* Tasks that can be done at the same time: analyses, or the parts of the only one. */
static size_t
count_tasks(const struct poly_stats *stats)
{
	const struct analysis_instance *run = stats->runs;
	if (stats->count != 1 || !run->analysis->task_count)
		return stats->count;
	return run->analysis->task_count(run->state);
}

/* Starts the threads that there is work for; without them the caller does it all. */
static void
start_team(struct poly_stats *stats)
{
	const size_t tasks = count_tasks(stats);
	size_t threads = thread_count(stats->options.threads);
	threads = threads < tasks ? threads : tasks;
	if (threads > 1)
		stats->team = thread_pool_new((unsigned)threads);
}

enum poly_status
poly_stats_new(const struct poly_stats_options *options, struct poly_stats **stats,
	struct poly_error *error)
{
	struct poly_stats_options asked = POLY_STATS_OPTIONS_INIT;
	*stats = NULL;
	enum poly_status status = option_struct(&asked, sizeof asked, options, error);
	if (status == POLY_OK && (asked.unit > asked.period || (asked.period && !asked.unit)))
		status = err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"units of %llu records in every %llu, expected 1 to as many",
			(unsigned long long)asked.unit, (unsigned long long)asked.period);
	if (status != POLY_OK)
		return status;
	struct poly_stats *it = mem_new(1, sizeof *it);
	if (!it)
		return err_memory(error);
	it->options = asked;
	status = add_runs(it, &asked, error);
	it->options.analyses = it->options.options = NULL;
	it->options.stores = NULL;
	if (status == POLY_OK) {
		start_team(it);
		*stats = it;
	} else {
		poly_stats_free(it);
	}
	return status;
}

/* Fails where an analysis that was asked for by name does not suit the trace. */
static enum poly_status
refuse(const struct analysis_instance *run, const struct poly_trace_info *info,
	struct poly_error *error)
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

/* A trace begins that suits an analysis. */
static void
begin_run(struct poly_stats *stats, struct analysis_instance *run,
	const struct poly_trace_info *info)
{
	const struct analysis *analysis = run->analysis;
	run->suited = true;
	stats->shares |= analysis->shares;
	/* An access is of the instruction that its own context has executed. */
	if (analysis->shares & SHARES_SITES)
		stats->shares |= SHARES_CONTEXTS;
	stats->columns |= analysis->info.needs | analysis->info.wants;
	if (analysis->begin)
		analysis->begin(run->state, info);
	/* A unit that the end of the last trace cut short is not one. */
	if (run->confidence)
		run->confidence->count = analysis->ratios(run->state, run->confidence->last);
}

enum poly_status
poly_stats_begin(
	struct poly_stats *stats, const struct poly_trace_info *info, struct poly_error *error)
{
	stats->columns = 0;
	stats->shares = 0;
	stats->seen = 0;
	static_ops_begin_trace(&stats->ops, info);
	contexts_begin_trace(&stats->contexts, info);
	for (size_t i = 0; i < stats->count; i++) {
		struct analysis_instance *run = &stats->runs[i];
		const struct analysis *analysis = run->analysis;
		run->suits = !(analysis->info.needs & ~info->columns) &&
			     (!analysis->suits || analysis->suits(info));
		if (!run->suits && stats->by_name)
			return refuse(run, info, error);
		if (run->suits)
			begin_run(stats, run, info);
	}
	stats->columns |= static_ops_columns(info, stats->shares);
	if (stats->shares & SHARES_CONTEXTS)
		stats->columns |= CONTEXT_COLUMNS;
	stats->columns &= info->columns | POLY_HAS(site);
	return POLY_OK;
}

poly_columns
poly_stats_columns(const struct poly_stats *stats)
{
	return stats->columns;
}

bool
poly_stats_accepts_weights(const struct poly_stats *stats)
{
	bool all = !stats->options.warmup && !stats->options.period;
	for (size_t i = 0; i < stats->count; i++)
		all = all &&
		      (!stats->runs[i].suits || stats->runs[i].analysis->update_weighted);
	return all;
}

enum poly_status
poly_stats_finish(struct poly_stats *stats, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < stats->count && status == POLY_OK; i++) {
		const struct analysis_instance *run = &stats->runs[i];
		if (run->suited && run->analysis->finish)
			status = run->analysis->finish(run->state, error);
	}
	return status;
}

void
poly_stats_report(const struct poly_stats *stats, struct poly_report *report)
{
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis_instance *run = &stats->runs[i];
		const struct poly_analysis_info *info = &run->analysis->info;
		if (!run->suited)
			continue;
		poly_report_section(report, info->name);
		poly_report_heading(report, info->title);
		run->analysis->report(run->state, &stats->ops, report);
		if (run->confidence)
			ratio_estimator_report(run->confidence,
				(double)stats->options.unit / (double)stats->options.period,
				report);
		poly_report_end(report);
	}
}

void
poly_stats_free(struct poly_stats *stats)
{
	if (!stats)
		return;
	thread_pool_free(stats->team);
	for (size_t i = 0; i < stats->count; i++) {
		struct analysis_instance *run = &stats->runs[i];
		if (run->state && run->analysis->fini)
			run->analysis->fini(run->state);
		mem_free(run->state);
		mem_free(run->confidence);
		option_values_free(&run->values);
	}
	mem_free(stats->runs);
	mem_free(stats->due);
	slice_fini(&stats->slice);
	contexts_fini(&stats->contexts);
	static_ops_fini(&stats->ops);
	mem_free(stats);
}
