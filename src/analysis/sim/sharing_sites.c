/* SPDX-License-Identifier: MIT */
/* Sharing misses and invalidations by line, instruction and context. */
#include "analysis/sim/sharing.h"

#include "analysis/facts/counters.h"
#include "base/mem.h"
#include "base/vec.h"

enum poly_status
sharing_sites_init(struct sharing_sites *sites, uint32_t max, struct poly_error *error)
{
	const enum poly_status status = dense_index_init(&sites->lines, max, error);
	sites->max = max;
	return status == POLY_OK ? dense_index_init(&sites->pcs, max, error) : status;
}

void
sharing_sites_fini(struct sharing_sites *sites)
{
	dense_index_fini(&sites->lines);
	dense_index_fini(&sites->pcs);
	map_free(&sites->numbers);
	mem_free(sites->list);
}

/* Finds or adds the site of an access; NULL: the table is full, or out of memory. */
static struct sharing_site *
find_site(struct sharing_sites *sites, const struct sharing_site *new_site)
{
	uint32_t line, pc;
	bool added = false;
	/* The tables of lines and of pcs have as many entries as the list. */
	sites->full |= sites->count == sites->max;
	if (sites->full)
		return NULL;
	if (!VEC_ROOM(sites->list, sites->capacity, sites->count) ||
		dense_index_find(&sites->lines, &new_site->line, 1, &line, NULL) != POLY_OK ||
		dense_index_find(&sites->pcs, &new_site->pc, 1, &pc, NULL) != POLY_OK)
		return NULL;
	const uint64_t key = (uint64_t)line << 32 | pc << 8 | new_site->context;
	const uint64_t *number = map_get(&sites->numbers, key, sites->count, &added);
	if (!number)
		return NULL;
	if (added)
		sites->list[sites->count++] = *new_site;
	return &sites->list[*number];
}

bool
sharing_sites_add(
	struct sharing_sites *sites, const struct sharing_step *step, uint32_t line_size)
{
	for (size_t i = 0; i < step->count; i++) {
		const uint8_t outcome = step->outcomes[i];
		const uint32_t at = (uint32_t)(step->addresses[i] & (line_size - 1));
		const uint32_t last = at + (step->sizes[i] ? step->sizes[i] - 1 : 0);
		if (!step->invalidated[i] && outcome != COHERENCE_TRUE &&
			outcome != COHERENCE_FALSE)
			continue;
		const struct sharing_site new_site = {.line = step->addresses[i] - at,
			.pc = step->pcs[i],
			.first = at,
			.last = last,
			.context = (uint16_t)step->threads[i]};
		struct sharing_site *site = find_site(sites, &new_site);
		if (!site && !sites->full)
			return false;
		if (!site)
			continue;
		site->true_misses += outcome == COHERENCE_TRUE;
		site->false_misses += outcome == COHERENCE_FALSE;
		site->invalidated += step->invalidated[i];
		site->first = at < site->first ? at : site->first;
		site->last = last > site->last ? last : site->last;
	}
	return true;
}
