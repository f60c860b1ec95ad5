/* SPDX-License-Identifier: MIT */
/* Runs all requested analyses while a trace is read once. */
#include "analysis/core/analysis_instance.h"

#include "base/err.h"
#include "effects/effects.h"
#include "base/mem.h"
#include "base/thread.h"
#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

/* Whether an analysis is requested by name. */
static bool
is_named(const char *const *names, const char *name)
{
	for (; *names; names++) {
		if (strcmp(*names, name) == 0)
			return true;
	}
	return false;
}

/* Whether an analysis runs if none is requested by name. */
static bool
is_default(const struct poly_stats_options *options, const struct poly_analysis_info *info)
{
	return info->is_default || (options->all && info->kind == POLY_ANALYSIS_STATISTIC);
}

/* Fails on an unknown name of an analysis. */
static enum poly_status
check_names(const struct poly_stats *stats, const char *const *names, struct poly_error *error)
{
	for (; names && *names; names++) {
		if (!analysis_list_find(&stats->analyses, *names))
			return err_usage(
				error, "options.analyses: no such analysis '%.60s'", *names);
	}
	return POLY_OK;
}

/* Whether an analysis is requested. */
static bool
is_requested(const struct poly_stats_options *options, const struct poly_analysis_info *info)
{
	return options->analyses ? is_named(options->analyses, info->name)
				 : is_default(options, info);
}

/* Fails on an option of no requested analysis. */
static enum poly_status
check_option(const struct poly_stats *stats, const struct poly_stats_options *options,
	const char *word, struct poly_error *error)
{
	const struct analysis *analysis;
	size_t n, i = 0;
	const enum poly_status status = option_name(word, &n, error);
	if (status != POLY_OK)
		return status;
	while ((analysis = analysis_list_at(&stats->analyses, i)) &&
		!option_find(analysis->info.options, word, n))
		i++;
	if (!analysis)
		return err_usage(error, "no analysis has an option '%.*s'", (int)n, word);
	if (!is_requested(options, &analysis->info))
		return err_usage(error,
			"option '%.*s' belongs to analysis '%s', which is not requested",
			(int)n, word, analysis->info.name);
	return POLY_OK;
}

/* Sets the options of an analysis. */
static enum poly_status
set_options(
	struct analysis_instance *instance, const char *const *words, struct poly_error *error)
{
	const struct poly_option *table = instance->analysis->info.options;
	enum poly_status status = option_values_init(table, &instance->values, error);
	for (; status == POLY_OK && words && *words; words++) {
		size_t n;
		status = option_name(*words, &n, error);
		const struct poly_option *option =
			status == POLY_OK ? option_find(table, *words, n) : NULL;
		if (option)
			status = option_take(
				&instance->values, table, option, *words + n + 1, error);
	}
	return status;
}

enum poly_status
analysis_instance_start(struct analysis_instance *instance, const struct poly_stats *stats,
	struct poly_error *error)
{
	const struct analysis *analysis = instance->analysis;
	instance->state = mem_new(1, analysis->state_size);
	if (!instance->state)
		return err_memory(error);
	if (stats->options.period && analysis->ratios) {
		instance->estimator = mem_new(1, sizeof *instance->estimator);
		if (!instance->estimator)
			return err_memory(error);
	}
	const struct analysis_setup setup = {analysis->plugin, instance->values.values,
		instance->values.texts, instance->values.given, &stats->ops, &stats->contexts,
		stats->options.memory, stats->options.stores, stats->options.symbols,
		stats->options.sink};
	return analysis->init ? analysis->init(instance->state, &setup, error) : POLY_OK;
}

/* Creates the state of an analysis. */
static enum poly_status
add_instance(struct poly_stats *stats, const struct analysis *analysis,
	const char *const *words, struct poly_error *error)
{
	struct analysis_instance *instance = &stats->instances[stats->count];
	instance->analysis = analysis;
	stats->count++;
	/* Homeworks are last in the list. */
	if (stats->options.sink && stats->count > 1 &&
		instance[-1].analysis->info.kind == POLY_ANALYSIS_HOMEWORK)
		return err_usage(error,
			"options.sink: found the homeworks '%s' and '%s', expected one",
			instance[-1].analysis->info.name, analysis->info.name);
	enum poly_status status = set_options(instance, words, error);
	if (status != POLY_OK)
		return status;
	return analysis_instance_start(instance, stats, error);
}

/* Copies the words of the options, which saved results have. */
static bool
keep_words(struct poly_stats *stats, const char *const *words)
{
	for (; words && *words; words++)
		buf_append(&stats->words, *words, strlen(*words) + 1);
	return !stats->words.failed;
}

/* Creates the states of all requested analyses. */
static enum poly_status
add_instances(struct poly_stats *stats, const struct poly_stats_options *options,
	struct poly_error *error)
{
	const char *const *words = options->options;
	const struct analysis *analysis;
	enum poly_status status = analysis_list_init(&stats->analyses, options->plugins, error);
	if (status == POLY_OK)
		status = check_names(stats, options->analyses, error);
	size_t count = 0;
	for (; status == POLY_OK && words && *words; words++)
		status = check_option(stats, options, *words, error);
	while (analysis_list_at(&stats->analyses, count))
		count++;
	stats->by_name = options->analyses != NULL;
	stats->instances = mem_new(count, sizeof *stats->instances);
	stats->due = mem_new(count, sizeof *stats->due);
	if (status == POLY_OK &&
		(!stats->instances || !stats->due || !keep_words(stats, options->options)))
		return err_memory(error);
	for (size_t i = 0;
		status == POLY_OK && (analysis = analysis_list_at(&stats->analyses, i)); i++) {
		if (is_requested(options, &analysis->info))
			status = add_instance(stats, analysis, options->options, error);
	}
	return status;
}

/* Fails if real addresses are requested, but no analysis uses them. */
static enum poly_status
check_real(const struct poly_stats *stats, struct poly_error *error)
{
	bool any = !stats->options.real_addresses;
	for (size_t i = 0; i < stats->count; i++)
		any = any || stats->instances[i].analysis->uses_real;
	return any ? POLY_OK
		   : err_usage(error,
			     "options.real_addresses: analysis '%s' uses virtual addresses "
			     "only",
			     stats->count ? stats->instances[0].analysis->info.name : "");
}

/* Counts parallel tasks: analyses, or the tasks of a single one. */
static size_t
count_tasks(const struct poly_stats *stats)
{
	const struct analysis_instance *instance = stats->instances;
	if (stats->count != 1 || !instance->analysis->task_count)
		return stats->count;
	return instance->analysis->task_count(instance->state);
}

/* Returns whether the analysis runs alone and can be spread by parts. */
static bool
has_parts(const struct poly_stats *stats)
{
	const struct analysis_instance *instance = stats->instances;
	return stats->count == 1 && instance->analysis->parts &&
	       instance->analysis->parts->is_possible(instance->state);
}

void
stats_start_team(struct poly_stats *stats)
{
	if (stats->team || stats->in_blocks)
		return;
	const bool by_parts = has_parts(stats);
	const size_t tasks = by_parts ? THREADS_MAX : count_tasks(stats);
	size_t threads = thread_count(stats->options.threads);
	threads = threads < tasks ? threads : tasks;
	if (threads > 1)
		stats->team = thread_pool_new((unsigned)threads);
	if (stats->team && by_parts)
		stats->pipeline = part_pipeline_new(stats->instances->analysis,
			stats->instances->state, stats->team, (unsigned)threads);
}

/* Minimum threads that analyse blocks: parts take up to half more processor time, with tables
 * of their own and merges; fewer threads gain more by sharing the analyses of a batch. */
#define BLOCK_THREADS 4

bool
stats_are_divisible(const struct poly_stats *stats)
{
	const struct poly_stats_options *options = &stats->options;
	if (options->warmup || options->period || stats->effects)
		return false;
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis *analysis = stats->instances[i].analysis;
		/* Functions of the caller are called by one thread at a time. */
		if (!analysis->merge || analysis->status || analysis->plugin)
			return false;
	}
	return stats->count > 0;
}

/* Default of options.memory. */
#define MEMORY ((uint64_t)1 << 30)

enum poly_status
poly_stats_new(const struct poly_stats_options *options, struct poly_stats **stats,
	struct poly_error *error)
{
	struct poly_stats_options requested = POLY_STATS_OPTIONS_INIT;
	*stats = NULL;
	enum poly_status status = option_struct(&requested, sizeof requested, options, error);
	if (status == POLY_OK &&
		(requested.unit > requested.period || (requested.period && !requested.unit)))
		status = err_usage(error,
			"options.unit: found %llu, expected 1 to options.period (%llu)",
			(unsigned long long)requested.unit,
			(unsigned long long)requested.period);
	requested.memory = requested.memory ? requested.memory : MEMORY;
	if (status == POLY_OK && requested.memory < POLY_STATS_MEMORY_MIN)
		status = err_usage(error,
			"options.memory: found %llu bytes, expected at least %llu",
			(unsigned long long)requested.memory,
			(unsigned long long)POLY_STATS_MEMORY_MIN);
	if (status != POLY_OK)
		return status;
	struct poly_stats *new_stats = mem_new(1, sizeof *new_stats);
	if (!new_stats)
		return err_memory(error);
	new_stats->options = requested;
	new_stats->block_rows = ANALYSIS_BLOCK_ROWS;
	status = add_instances(new_stats, &requested, error);
	if (status == POLY_OK)
		status = check_real(new_stats, error);
	new_stats->options.analyses = new_stats->options.options = NULL;
	new_stats->options.stores = NULL;
	new_stats->options.plugins = NULL;
	new_stats->options.symbols = NULL;
	new_stats->options.sink = NULL;
	if (status == POLY_OK) {
		*stats = new_stats;
	} else {
		stats_free(new_stats);
	}
	return status;
}

/* Whether an analysis lacks what it needs to know: a trace has instructions as encodings alone,
 * of an instruction set that is not known. */
static bool
lacks_isa(const struct analysis *analysis, const struct poly_trace_info *info)
{
	poly_columns names = POLY_COLUMNS(mnemonic, uop_name, text);
	if (analysis->needs == NEEDS_FLOW)
		poly_columns_add(&names, POLY_COLUMN_branch);
	return analysis->needs != NEEDS_NO_ISA && POLY_HAS(info->columns, opcode) &&
	       !row_isa_name(info) && !poly_columns_overlap(names, info->columns);
}

/* Formats what is known of the instruction set of a trace of lacks_isa. */
static int
format_unknown_isa(char *text, size_t size, const struct poly_trace_info *info)
{
	if (isa_described(info->isa))
		return snprintf(text, size,
			"instruction set '%s' has addresses of %u bits (found %u)", info->isa,
			isa_address_bits(info->isa), info->address_bits);
	return info->isa ? snprintf(text, size, "instruction set '%.40s' is unknown", info->isa)
			 : snprintf(text, size, "the instruction set is unknown");
}

/* Describes the analyses that lack the instruction set. */
static void
describe_unavailable(struct poly_stats *stats, const struct poly_trace_info *info)
{
	char *text = stats->diagnostic;
	const size_t size = sizeof stats->diagnostic;
	size_t left = 0;
	for (size_t i = 0; i < stats->count; i++)
		left += lacks_isa(stats->instances[i].analysis, info);
	if (!left)
		return;
	size_t used = (size_t)format_unknown_isa(text, size, info);
	const char *before = ": ", *verb = left == 1 ? "is" : "are";
	for (size_t i = 0; i < stats->count && used < size; i++) {
		const struct analysis *analysis = stats->instances[i].analysis;
		if (!lacks_isa(analysis, info))
			continue;
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", before, analysis->info.name);
		before = --left == 1 ? " and " : ", ";
	}
	if (used < size)
		snprintf(text + used, size - used, " %s not available", verb);
	if (!*stats->first_diagnostic)
		memcpy(stats->first_diagnostic, text, size);
}

/* Fails because a named analysis does not support the trace. */
static enum poly_status
refuse(const struct analysis_instance *instance, const struct poly_trace_info *info,
	struct poly_error *error)
{
	const poly_columns lacks =
		poly_columns_minus(instance->analysis->info.needs, info->columns);
	const char *name = instance->analysis->info.name;
	char unknown[120];
	if (lacks_isa(instance->analysis, info)) {
		format_unknown_isa(unknown, sizeof unknown, info);
		return err_usage(error,
			"%s: analysis '%s' is not available; set options.isa if it is a known "
			"one",
			unknown, name);
	}
	if (poly_columns_empty(lacks))
		return err_usage(error,
			"analysis '%s' does not support this trace of format '%s'", name,
			info->format);
	return err_usage(error,
		"analysis '%s' requires the column '%s', which a trace of format '%s' does not "
		"have",
		name, poly_column_name(poly_columns_next(lacks, 0)), info->format);
}

/* Begins a trace that an analysis supports. */
static void
begin_instance(struct poly_stats *stats, struct analysis_instance *instance,
	const struct poly_trace_info *info)
{
	const struct analysis *analysis = instance->analysis;
	instance->suited = true;
	stats->shares |= analysis->shares;
	/* The site of an access is that of its context's last instruction. */
	if (analysis->shares & SHARES_SITES)
		stats->shares |= SHARES_CONTEXTS;
	if (analysis->begin)
		analysis->begin(instance->state, info);
	stats->columns = poly_columns_union(stats->columns,
		analysis->columns
			? analysis->columns(instance->state)
			: poly_columns_union(analysis->info.needs, analysis->info.wants));
	/* The end of the last trace truncated its unit, which is not counted. */
	if (instance->estimator)
		instance->estimator->count =
			analysis->ratios(instance->state, instance->estimator->last);
}

/* Ends the conversion of a trace: adds its last rows. */
static enum poly_status
end_effects(struct poly_stats *stats, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (stats->effects)
		status = stats_update_converted(stats, NULL, error);
	effects_free(stats->effects);
	stats->effects = NULL;
	return status < 0 ? status : POLY_OK;
}

/* Lets the effects of instructions be records if all requested analyses want that, and the
 * trace has register states. */
static enum poly_status
begin_effects(
	struct poly_stats *stats, const struct poly_trace_info *info, struct poly_error *error)
{
	bool all = effects_has_states(info);
	for (size_t i = 0; i < stats->count; i++)
		all = all && stats->instances[i].analysis->separates_effects;
	const struct effects_options options = {.form = EFFECTS_SEPARATE,
		.wanted = poly_columns_minus(effects_result_columns(EFFECTS_SEPARATE, info),
			POLY_COLUMNS(verbatim, counters))};
	return all ? effects_new(&options, info, &stats->effects, error) : POLY_OK;
}

enum poly_status
stats_begin(
	struct poly_stats *stats, const struct poly_trace_info *info, struct poly_error *error)
{
	enum poly_status begun = end_effects(stats, error);
	if (begun == POLY_OK && !stats_drain(stats))
		begun = err_memory(error);
	if (begun == POLY_OK)
		begun = begin_effects(stats, info, error);
	if (begun != POLY_OK)
		return begun;
	if (stats->options.real_addresses)
		begun = real_addresses_begin(&stats->real, info, error);
	if (begun != POLY_OK)
		return begun;
	const struct poly_trace_info *own_info = info;
	if (stats->effects)
		info = effects_info(stats->effects);
	stats->first_info = stats->first_info ? stats->first_info : own_info;
	stats->info = own_info;
	stats->begun_records = own_info->record_count;
	stats->columns = POLY_NO_COLUMNS;
	stats->shares = 0;
	stats->seen = 0;
	stats->diagnostic[0] = 0;
	describe_unavailable(stats, info);
	static_ops_begin_trace(&stats->ops, info);
	contexts_begin_trace(&stats->contexts, info);
	for (size_t i = 0; i < stats->count; i++) {
		struct analysis_instance *instance = &stats->instances[i];
		const struct analysis *analysis = instance->analysis;
		const enum poly_status status =
			analysis->check ? analysis->check(instance->state, info, error)
					: POLY_OK;
		instance->suits = status == POLY_OK &&
				  poly_columns_subset(analysis->info.needs, info->columns) &&
				  (!analysis->suits || analysis->suits(info)) &&
				  !lacks_isa(analysis, info);
		if (!instance->suits && stats->by_name)
			return status == POLY_OK ? refuse(instance, info, error) : status;
		if (instance->suits)
			begin_instance(stats, instance, info);
	}
	stats->columns =
		poly_columns_union(stats->columns, static_ops_columns(info, stats->shares));
	if (stats->shares & SHARES_CONTEXTS)
		stats->columns =
			poly_columns_union(stats->columns, POLY_COLUMNS(CONTEXT_COLUMNS));
	if (stats->real.is_active)
		stats->columns = poly_columns_union(stats->columns,
			POLY_COLUMNS(kind, access, synthetic, REAL_ADDRESS_COLUMNS));
	stats->columns = poly_columns_common(
		stats->columns, poly_columns_union(info->columns, POLY_COLUMNS(site)));
	if (stats->effects)
		stats->columns = effects_columns(stats->effects);
	stats->in_blocks = thread_count(stats->options.threads) >= BLOCK_THREADS &&
			   stats_are_divisible(stats);
	stats_start_team(stats);
	return POLY_OK;
}

const char *
poly_stats_diagnostic(const struct poly_stats *stats)
{
	return *stats->diagnostic ? stats->diagnostic : NULL;
}

poly_columns
poly_stats_columns(const struct poly_stats *stats)
{
	return stats->columns;
}

enum poly_status
stats_finish(struct poly_stats *stats, struct poly_error *error)
{
	enum poly_status result = end_effects(stats, error);
	if (result >= 0 && !stats_drain(stats))
		result = err_memory(error);
	if (result >= 0 && real_addresses_finish(&stats->real, error) != POLY_OK)
		return POLY_ERR_USAGE;
	for (size_t i = 0; i < stats->count && result >= 0; i++) {
		const struct analysis_instance *instance = &stats->instances[i];
		const enum poly_status status =
			instance->suited && instance->analysis->finish
				? instance->analysis->finish(instance->state, error)
				: POLY_OK;
		if (status != POLY_OK)
			result = status;
	}
	return result;
}

/* Returns the limit that an analysis reached; NULL: none. */
static const char *
limit_of(const struct analysis_instance *instance)
{
	return instance->suited && instance->analysis->limit
		       ? instance->analysis->limit(instance->state)
		       : NULL;
}

const char *
poly_stats_limit_at(const struct poly_stats *stats, size_t i, const char **analysis)
{
	for (size_t k = 0; k < stats->count; k++) {
		const char *limit = limit_of(&stats->instances[k]);
		if (!limit || i--)
			continue;
		*analysis = stats->instances[k].analysis->info.name;
		return limit;
	}
	return NULL;
}

/* Writes the results of an analysis. */
static void
report_instance(const struct poly_stats *stats, const struct analysis_instance *instance,
	struct poly_report *report)
{
	const char *limit = limit_of(instance);
	if (limit)
		poly_report_text(report, "limit", limit);
	if (stats->options.real_addresses && instance->analysis->uses_real)
		real_addresses_report(&stats->real, report);
	instance->analysis->report(instance->state, &stats->ops, report);
	if (instance->estimator)
		ratio_estimator_report(instance->estimator,
			(double)stats->options.unit / (double)stats->options.period, report);
}

void
poly_stats_report(
	const struct poly_stats *stats, const char *analysis, struct poly_report *report)
{
	if (!analysis && *stats->first_diagnostic)
		poly_report_text(report, "not_available", stats->first_diagnostic);
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis_instance *instance = &stats->instances[i];
		const struct poly_analysis_info *info = &instance->analysis->info;
		if (!instance->suited || (analysis && strcmp(analysis, info->name) != 0))
			continue;
		if (!analysis) {
			poly_report_section(report, info->name);
			poly_report_heading(report, info->title);
		}
		report_instance(stats, instance, report);
		if (!analysis)
			poly_report_end(report);
	}
}

void
stats_free(struct poly_stats *stats)
{
	if (!stats)
		return;
	part_pipeline_free(stats->pipeline);
	thread_pool_free(stats->team);
	for (size_t i = 0; i < stats->count; i++) {
		struct analysis_instance *instance = &stats->instances[i];
		if (instance->state && instance->analysis->fini)
			instance->analysis->fini(instance->state);
		mem_free(instance->state);
		mem_free(instance->estimator);
		option_values_free(&instance->values);
	}
	mem_free(stats->instances);
	mem_free(stats->due);
	analysis_list_fini(&stats->analyses);
	effects_free(stats->effects);
	slice_fini(&stats->slice);
	buf_free(&stats->words);
	part_list_fini(&stats->parts);
	contexts_fini(&stats->contexts);
	static_ops_fini(&stats->ops);
	mem_free(stats);
}
