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
		if (!into->instances[i].analysis->merge)
			return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
				"analysis '%s' cannot be merged: it depends on the order of "
				"all records",
				into->instances[i].analysis->info.name);
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
	into->seen += from->seen;
	real_addresses_merge(&into->real, &from->real);
	return ok;
}

static bool
merge(struct poly_stats *into, const struct poly_stats *from)
{
	const size_t ops = from->ops.count, sites = from->ops.site_count;
	uint16_t contexts[ANALYSIS_CONTEXTS_MAX];
	uint32_t *numbers = mem_new(ops + sites + 1, sizeof *numbers);
	if (!numbers)
		return false;
	const struct analysis_numbers all = {numbers, numbers + ops, contexts};
	const bool ok = static_ops_merge(&into->ops, &from->ops, numbers, numbers + ops) &&
			contexts_merge(&into->contexts, &from->contexts, contexts) &&
			merge_instances(into, from, &all);
	mem_free(numbers);
	return ok;
}

enum poly_status
poly_stats_merge(
	struct poly_stats *into, const struct poly_stats *from, struct poly_error *error)
{
	const enum poly_status status = check_instances(into, from, error);
	if (status != POLY_OK)
		return status;
	if (into->status == POLY_OK && (from->status != POLY_OK || !merge(into, from)))
		into->status = POLY_ERR_MEMORY;
	return into->status == POLY_OK ? POLY_OK : err_memory(error);
}
