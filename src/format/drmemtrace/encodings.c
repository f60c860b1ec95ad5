/* SPDX-License-Identifier: MIT */
/* The encodings of a stream: an instruction has its own, or the last one of its pc. */
#include "base/mem.h"
#include "base/vec.h"
#include "format/drmemtrace/drmemtrace.h"

#include <string.h>

bool
drm_encoding_add(struct drm_encodings *encodings, const struct drm_entry *entry)
{
	struct drm_encoding *next = &encodings->next;
	if (!entry->size || entry->size > 8 || next->size + entry->size > DRM_ENCODING_MAX)
		return false;
	memcpy(next->bytes + next->size, entry->bytes, entry->size);
	next->size = (uint8_t)(next->size + entry->size);
	return true;
}

enum poly_status
drm_encoding_find(struct drm_encodings *encodings, uint64_t pc,
	const struct drm_encoding **found, struct poly_error *error)
{
	struct drm_encoding *next = &encodings->next;
	bool added = false;
	*found = NULL;
	if (!next->size) {
		const uint64_t *index = map_find(&encodings->by_pc, pc);
		*found = index ? &encodings->list[*index] : NULL;
		return POLY_OK;
	}
	const uint64_t *index = map_get(&encodings->by_pc, pc, encodings->count, &added);
	if (!index)
		return err_memory(error);
	if (added && encodings->count == DRM_ENCODINGS_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"more than %u instructions have encodings", DRM_ENCODINGS_MAX);
	if (added && !VEC_ROOM(encodings->list, encodings->capacity, encodings->count))
		return err_memory(error);
	encodings->count += added;
	encodings->list[*index] = *next;
	*found = &encodings->list[*index];
	next->size = 0;
	return POLY_OK;
}

void
drm_encodings_free(struct drm_encodings *encodings)
{
	map_free(&encodings->by_pc);
	mem_free(encodings->list);
}
