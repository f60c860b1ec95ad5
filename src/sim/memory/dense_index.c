/* SPDX-License-Identifier: MIT */
/* A hash table of ids. */
#include "sim/memory/dense_index.h"

#include "base/err.h"

#include <inttypes.h>

/* Numbers for which there is room at first. */
#define FIRST_COUNT 2048

/* Numbers that are hashed, and their places loaded, before the first is searched. */
#define AHEAD 16

enum poly_status
dense_index_init(struct dense_index *index, uint32_t max, struct poly_error *error)
{
	*index = (struct dense_index){.max = max};
	return map_reserve(&index->ids, FIRST_COUNT) ? POLY_OK : err_memory(error);
}

void
dense_index_fini(struct dense_index *index)
{
	map_free(&index->ids);
	*index = (struct dense_index){0};
}

void
dense_index_clear(struct dense_index *index)
{
	map_clear(&index->ids);
	index->count = 0;
}

/* Finds or adds the ids of at most AHEAD numbers. */
static enum poly_status
find_few(struct dense_index *index, const uint64_t *numbers, size_t count, uint32_t *ids,
	struct poly_error *error)
{
	struct map *map = &index->ids;
	uint64_t hashes[AHEAD];
	bool added;
	for (size_t i = 0; i < count; i++) {
		hashes[i] = hash_number(&map->seed, numbers[i]);
		__builtin_prefetch(&map->entries[hashes[i] & map->mask]);
	}
	for (size_t i = 0; i < count; i++) {
		const struct map_entry *entry = map_place_hashed(map, numbers[i], hashes[i]);
		ids[i] = entry->key ? (uint32_t)entry->value : index->count;
		if (entry->key)
			continue;
		if (index->count == index->max)
			return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
				"more than %" PRIu32 " distinct lines", index->max);
		if (!map_get(map, numbers[i], index->count, &added))
			return err_memory(error);
		index->count++;
	}
	return POLY_OK;
}

enum poly_status
dense_index_find(struct dense_index *index, const uint64_t *numbers, size_t count,
	uint32_t *ids, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; status == POLY_OK && i < count; i += AHEAD)
		status = find_few(index, numbers + i, count - i < AHEAD ? count - i : AHEAD,
			ids + i, error);
	return status;
}

enum poly_status
dense_index_renumber(struct dense_index *index, const uint32_t *ids, uint32_t count,
	struct poly_error *error)
{
	const struct map *old = &index->ids;
	struct map renumbered = {0};
	bool added;
	if (!map_reserve(&renumbered, count > FIRST_COUNT ? count : FIRST_COUNT))
		return err_memory(error);
	for (size_t i = 0; i <= old->mask + 1; i++) {
		const struct map_entry *entry = &old->entries[i];
		const uint32_t id = entry->key ? ids[entry->value] : UINT32_MAX;
		/* The last entry is that of key 0. */
		if (id != UINT32_MAX)
			map_get(&renumbered, i <= old->mask ? entry->key : 0, id, &added);
	}
	map_free(&index->ids);
	index->ids = renumbered;
	index->count = count;
	return POLY_OK;
}
