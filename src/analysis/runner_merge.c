/* SPDX-License-Identifier: MIT */
/* Two runs of analyses as one. */
#include "analysis/analysis_instance.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* True where an option has the same value in both. */
static bool
is_same_value(const struct option_values *a, const struct option_values *b, size_t i)
{
	const char *one = a->texts ? a->texts[i] : NULL, *other = b->texts ? b->texts[i] : NULL;
	return a->values[i] == b->values[i] && !one == !other &&
	       (!one || strcmp(one, other) == 0);
}

static bool
is_same_run(const struct analysis_instance *a, const struct analysis_instance *b)
{
	if (a->analysis != b->analysis)
		return false;
	for (size_t i = 0; i < a->values.count; i++) {
		if (!is_same_value(&a->values, &b->values, i))
			return false;
	}
	return true;
}

/* Fails where two runs were not asked the same, or what was asked has no parts. */
static enum poly_status
check_runs(
	const struct poly_stats *into, const struct poly_stats *from, struct poly_error *error)
{
	bool same = into->count == from->count;
	for (size_t i = 0; same && i < into->count; i++)
		same = is_same_run(&into->runs[i], &from->runs[i]);
	if (!same)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"different analyses or options cannot be merged");
	if (into->options.warmup || from->options.warmup || into->options.period ||
		from->options.period)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"what was counted behind a warm-up or in units cannot be merged");
	for (size_t i = 0; i < into->count; i++) {
		if (!into->runs[i].analysis->merge)
			return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
				"analysis '%s' cannot be merged: it depends on the order of "
				"all records",
				into->runs[i].analysis->info.name);
	}
	return POLY_OK;
}

/* Merges states by the numbers that operations and so on have in into. */
static bool
merge_runs(struct poly_stats *into, const struct poly_stats *from,
	const struct analysis_numbers *numbers)
{
	bool ok = true;
	for (size_t i = 0; ok && i < into->count; i++) {
		struct analysis_instance *run = &into->runs[i];
		ok = run->analysis->merge(run->state, from->runs[i].state, numbers);
		run->suits |= from->runs[i].suits;
		run->suited |= from->runs[i].suited;
	}
	into->seen += from->seen;
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
			merge_runs(into, from, &all);
	mem_free(numbers);
	return ok;
}

enum poly_status
poly_stats_merge(
	struct poly_stats *into, const struct poly_stats *from, struct poly_error *error)
{
	const enum poly_status status = check_runs(into, from, error);
	if (status != POLY_OK)
		return status;
	if (into->status == POLY_OK && (from->status != POLY_OK || !merge(into, from)))
		into->status = POLY_ERR_MEMORY;
	return into->status == POLY_OK ? POLY_OK : err_memory(error);
}
