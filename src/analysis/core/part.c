/* SPDX-License-Identifier: MIT */
/* Results of parts. */
#include "analysis/core/part.h"

#include "base/mem.h"

void
part_free(struct poly_stats *part)
{
	if (!part)
		return;
	for (size_t i = 0; i < part->count; i++) {
		struct analysis_instance *instance = &part->instances[i];
		if (instance->state && instance->analysis->fini)
			instance->analysis->fini(instance->state);
		mem_free(instance->state);
	}
	mem_free(part->instances);
	mem_free(part->due);
	slice_fini(&part->slice);
	contexts_fini(&part->contexts);
	static_ops_fini(&part->ops);
	mem_free(part);
}

struct poly_stats *
part_new(const struct poly_stats *whole)
{
	struct poly_stats *part = mem_new(1, sizeof *part);
	if (!part)
		return NULL;
	part->options = whole->options;
	part->options.threads = 1;
	part->instances = mem_new(whole->count, sizeof *part->instances);
	part->due = mem_new(whole->count, sizeof *part->due);
	bool good = part->instances && part->due;
	while (good && part->count < whole->count) {
		struct analysis_instance *instance = &part->instances[part->count];
		instance->analysis = whole->instances[part->count].analysis;
		instance->values = whole->instances[part->count].values;
		part->count++;
		good = analysis_instance_start(instance, part, NULL) == POLY_OK;
	}
	if (good)
		return part;
	part_free(part);
	return NULL;
}
