/* SPDX-License-Identifier: MIT */
/* Who lost lines to others and who took them, by line, instruction and context. */
#include "analysis/sim/sharing.h"

#include "analysis/counters.h"
#include "base/mem.h"

enum poly_status
sharing_places_init(struct sharing_places *places, struct poly_error *error)
{
	const enum poly_status status =
		dense_index_init(&places->lines, SHARING_PLACES_MOST, error);
	return status == POLY_OK ? dense_index_init(&places->pcs, SHARING_PLACES_MOST, error)
				 : status;
}

void
sharing_places_fini(struct sharing_places *places)
{
	dense_index_fini(&places->lines);
	dense_index_fini(&places->pcs);
	map_free(&places->numbers);
	mem_free(places->list);
}

/* The place of an access; NULL where there is none: full then, or no memory. */
static struct sharing_place *
find_place(struct sharing_places *places, const struct sharing_place *fresh)
{
	uint32_t line, pc;
	bool added = false;
	/* Tables of lines and of pcs have as many entries as there may be places. */
	places->full |= places->count == SHARING_PLACES_MOST;
	if (places->full)
		return NULL;
	void *list = places->list;
	const bool ok = counters_grow_array(
		&list, &places->capacity, (size_t)places->count + 1, sizeof *places->list);
	places->list = list;
	if (!ok || dense_index_find(&places->lines, &fresh->line, 1, &line, NULL) != POLY_OK ||
		dense_index_find(&places->pcs, &fresh->pc, 1, &pc, NULL) != POLY_OK)
		return NULL;
	const uint64_t key = (uint64_t)line << 32 | pc << 8 | fresh->context;
	const uint64_t *number = map_get(&places->numbers, key, places->count, &added);
	if (!number)
		return NULL;
	if (added)
		places->list[places->count++] = *fresh;
	return &places->list[*number];
}

bool
sharing_places_add(
	struct sharing_places *places, const struct sharing_step *step, uint32_t line_size)
{
	for (size_t i = 0; i < step->count; i++) {
		const uint8_t outcome = step->outcomes[i];
		const uint32_t at = (uint32_t)(step->addresses[i] & (line_size - 1));
		const uint32_t last = at + (step->sizes[i] ? step->sizes[i] - 1 : 0);
		if (!step->taken[i] && outcome != COHERENCE_TRUE && outcome != COHERENCE_FALSE)
			continue;
		const struct sharing_place fresh = {.line = step->addresses[i] - at,
			.pc = step->pcs[i],
			.first = at,
			.last = last,
			.context = (uint16_t)step->threads[i]};
		struct sharing_place *place = find_place(places, &fresh);
		if (!place && !places->full)
			return false;
		if (!place)
			continue;
		place->true_misses += outcome == COHERENCE_TRUE;
		place->false_misses += outcome == COHERENCE_FALSE;
		place->taken += step->taken[i];
		place->first = at < place->first ? at : place->first;
		place->last = last > place->last ? last : place->last;
	}
	return true;
}
