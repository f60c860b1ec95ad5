/* SPDX-License-Identifier: MIT */
/* TLBs are a hierarchy of caches whose lines are pages, all of them clean.
 */
#include "sim/memory/tlb.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

struct tlb {
	struct hierarchy *hierarchy;
};

static enum poly_status
make_level(const struct tlb_config *config, const struct tlb_level *level,
	struct hierarchy_level *dst, struct poly_error *error)
{
	if (!level->ways || level->entries % level->ways)
		return err_usage(error,
			"%" PRIu32 " entries are not a multiple of sets of %" PRIu32 " ways",
			level->entries, level->ways);
	*dst = (struct hierarchy_level){.cache = {.sets = level->entries / level->ways,
						.ways = level->ways,
						.line_size = config->page_size,
						.policy = level->policy},
		.latency = level->latency};
	return POLY_OK;
}

enum poly_status
tlb_new(const struct tlb_config *config, struct tlb **tlb, struct poly_error *error)
{
	struct hierarchy_config levels = {.count = config->count,
		.split = config->split,
		.memory_latency = config->walk_steps * config->step_latency,
		.stores_as_reads = true};
	enum poly_status status = cache_check_line("pages", config->page_size, error);
	*tlb = NULL;
	if (status != POLY_OK)
		return status;
	if (!config->count || config->count > TLB_LEVELS)
		return err_usage(
			error, "%u levels, expected 1 to %d", config->count, TLB_LEVELS);
	for (unsigned i = 0; i < config->count && status == POLY_OK; i++)
		status = make_level(config, &config->levels[i], &levels.levels[i], error);
	if (status == POLY_OK && config->split)
		status = make_level(config, &config->instructions, &levels.instructions, error);
	if (status != POLY_OK)
		return status;
	struct tlb *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	status = hierarchy_new(&levels, &created->hierarchy, error);
	if (status != POLY_OK) {
		mem_free(created);
		return status;
	}
	*tlb = created;
	return POLY_OK;
}

void
tlb_free(struct tlb *tlb)
{
	if (tlb)
		hierarchy_free(tlb->hierarchy);
	mem_free(tlb);
}

void
tlb_run(struct tlb *tlb, const uint64_t *addresses, const uint8_t *kinds, size_t count,
	uint32_t *cycles)
{
	const struct hierarchy_batch batch = {
		.addresses = addresses, .kinds = kinds, .count = count};
	hierarchy_run(tlb->hierarchy, &batch, cycles);
}

void
tlb_count(const struct tlb *tlb, unsigned level, struct tlb_counts *counts)
{
	const struct hierarchy_counts *all = hierarchy_counts(
		tlb->hierarchy, level == TLB_LEVELS ? HIERARCHY_LEVELS : level);
	memcpy(counts->accesses, all->accesses, sizeof counts->accesses);
	memcpy(counts->misses, all->misses, sizeof counts->misses);
}

void
tlb_total(const struct tlb *tlb, struct tlb_totals *totals)
{
	const struct hierarchy_totals *all = hierarchy_totals(tlb->hierarchy);
	*totals = (struct tlb_totals){all->accesses, all->memory_reads, all->cycles};
}
