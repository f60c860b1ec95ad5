/* SPDX-License-Identifier: MIT */
/* Merges the results of two runs. */
#include "analysis/core/analysis_instance.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* Whether an option has the same value in both. */
static bool
is_same_value(const struct option_values *a, const struct option_values *b, size_t i)
{
	const char *x = a->texts ? a->texts[i] : NULL, *y = b->texts ? b->texts[i] : NULL;
	return a->values[i] == b->values[i] && !x == !y && (!x || strcmp(x, y) == 0);
}

static bool
is_same_instance(const struct analysis_instance *a, const struct analysis_instance *b)
{
	const struct analysis *x = a->analysis, *y = b->analysis;
	if (x != y && (!x->plugin || !y->plugin || x->plugin->info != y->plugin->info))
		return false;
	for (size_t i = 0; i < a->values.count; i++) {
		if (!is_same_value(&a->values, &b->values, i))
			return false;
	}
	return true;
}

/* Whether the first row of from follows the last one of into in the same trace; info of a trace
 * that was closed may be that of another one, whose first record has number 1. */
static bool
continues_trace(const struct poly_stats *into, const struct poly_stats *from)
{
	const bool begins = into->seen && from->first_number == 1;
	if (into->parts.count)
		return part_list_continues(&into->parts, &from->parts);
	return !into->info || (into->info == from->first_info && !begins);
}

/* Fails if two runs differ in analyses or options, or an analysis cannot merge. */
static enum poly_status
check_instances(
	const struct poly_stats *into, const struct poly_stats *from, struct poly_error *error)
{
	bool same = into->count == from->count;
	for (size_t i = 0; same && i < into->count; i++)
		same = is_same_instance(&into->instances[i], &from->instances[i]);
	same = same && into->options.real_addresses == from->options.real_addresses;
	if (!same)
		return err_usage(error, "different analyses or options cannot be merged");
	if (into->options.warmup || from->options.warmup || into->options.period ||
		from->options.period)
		return err_usage(error, "runs with a warm-up or sampling cannot be merged");
	for (size_t i = 0; i < into->count; i++) {
		const struct analysis *analysis = into->instances[i].analysis;
		if (!analysis->merge)
			return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
				"analysis '%s' cannot be merged: %s", analysis->info.name,
				analysis->ordered
					? analysis->ordered
					: "its results depend on the order of all records");
	}
	if (into->effects || from->effects)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"analysis '%s' cannot be merged: the effects of a record follow from "
			"the "
			"register states of the next one",
			into->instances[0].analysis->info.name);
	return POLY_OK;
}

/* Fails if from continues the trace of into, and its rows or its states cannot. */
static enum poly_status
check_continuation(
	const struct poly_stats *into, const struct poly_stats *from, struct poly_error *error)
{
	if (!into->parts.count != !from->parts.count)
		return err_usage(error, "results that were loaded and others cannot be merged");
	const enum poly_status status = part_list_check(&into->parts, &from->parts, error);
	if (status != POLY_OK)
		return status;
	if ((!into->info && !into->parts.count) || !continues_trace(into, from))
		return POLY_OK;
	if (from->info != from->first_info || from->parts.count > 1)
		return err_usage(error,
			"a run of several traces cannot continue the trace of another one");
	for (size_t i = 0; i < into->count; i++) {
		const struct analysis *analysis = from->instances[i].analysis;
		if (analysis->is_too_long && analysis->is_too_long(from->instances[i].state))
			return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
				"analysis '%s' cannot merge a part with as many events; use "
				"shorter parts",
				analysis->info.name);
	}
	return POLY_OK;
}

/* Merges states; numbers maps operations, sites and contexts to those of into. */
static bool
merge_instances(struct poly_stats *into, const struct poly_stats *from,
	const struct analysis_numbers *numbers)
{
	bool ok = true;
	for (size_t i = 0; ok && i < into->count; i++) {
		struct analysis_instance *instance = &into->instances[i];
		ok = instance->analysis->merge(
			instance->state, from->instances[i].state, numbers);
		instance->suits |= from->instances[i].suits;
		instance->suited |= from->instances[i].suited;
	}
	if (!into->first_number)
		into->first_number = from->first_number;
	into->seen = numbers->continues ? into->seen + from->seen : from->seen;
	into->first_info = into->first_info ? into->first_info : from->first_info;
	into->info = from->info ? from->info : into->info;
	real_addresses_merge(&into->real, &from->real);
	if (!*into->first_diagnostic)
		memcpy(into->first_diagnostic, from->first_diagnostic,
			sizeof into->first_diagnostic);
	return ok && part_list_merge(&into->parts, &from->parts);
}

/* Sets open_sites of from's contexts from those of into, before its last instructions are
 * merged. */
static void
find_open_sites(const struct poly_stats *into, const struct poly_stats *from, bool continues,
	const uint16_t *contexts, uint32_t *open_sites)
{
	for (uint16_t i = 0; i < from->contexts.count; i++)
		open_sites[i] = !into->ops.is_begun ? SITE_OPEN
				: continues	    ? into->ops.last[contexts[i]] - 1
						    : OP_NONE;
}

static bool
merge(struct poly_stats *into, const struct poly_stats *from)
{
	const size_t ops = from->ops.count, sites = from->ops.site_count;
	const bool continues = continues_trace(into, from);
	uint16_t contexts[ANALYSIS_CONTEXTS_MAX];
	uint32_t *numbers = mem_new(ops + sites + ANALYSIS_CONTEXTS_MAX, sizeof *numbers);
	if (!numbers)
		return false;
	uint32_t *open_sites = numbers + ops + sites;
	const struct analysis_numbers all = {.ops = numbers,
		.sites = numbers + ops,
		.contexts = contexts,
		.open_sites = open_sites,
		.site_count = (uint32_t)sites,
		.context_count = from->contexts.count,
		.continues = continues,
		.row_offset = from->row_offset};
	bool ok = static_ops_merge(&into->ops, &from->ops, numbers, numbers + ops) &&
		  contexts_merge(&into->contexts, &from->contexts, contexts);
	if (ok) {
		find_open_sites(into, from, continues, contexts, open_sites);
		static_ops_merge_last(&into->ops, &from->ops, &all);
		ok = merge_instances(into, from, &all);
	}
	mem_free(numbers);
	return ok;
}

enum poly_status
stats_merge(struct poly_stats *into, const struct poly_stats *from, struct poly_error *error)
{
	enum poly_status status = check_instances(into, from, error);
	if (status == POLY_OK)
		status = check_continuation(into, from, error);
	if (status != POLY_OK)
		return status;
	if (into->status == POLY_OK && (from->status != POLY_OK || !merge(into, from)))
		into->status = POLY_ERR_MEMORY;
	return into->status == POLY_OK ? POLY_OK : err_memory(error);
}
