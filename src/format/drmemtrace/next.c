/* SPDX-License-Identifier: MIT */
/* The instruction that follows a branch, which shows its outcome and target. */
#include "format/drmemtrace/drmemtrace.h"

/* Bytes in which the next instruction is searched: first, and at most. */
#define SEARCH_MIN (64 * DRM_ENTRY_SIZE)
#define SEARCH_MAX (4096 * DRM_ENTRY_SIZE)

/* The result of a search. */
enum search { SEARCH_FOUND, SEARCH_FAILED, SEARCH_OPEN };

/* Returns what a marker of the branch's thread shows. */
static enum search
search_marker(const struct drm_stream *stream, const struct drm_entry *entry, uint64_t *pc)
{
	switch (entry->size) {
	case DRM_KERNEL_EVENT:
		/* The pc at which the thread was interrupted. */
		*pc = entry->value;
		return stream->front.version >= DRM_VERSION_PC ? SEARCH_FOUND : SEARCH_FAILED;
	case DRM_KERNEL_XFER:
	case DRM_RSEQ_ABORT:
	case DRM_WINDOW_ID:
	case DRM_FILTER_ENDPOINT:
	case DRM_SYSCALL_TRACE_START:
	case DRM_SWITCH_START:
	case DRM_HARDWARE_EVENT:
	case DRM_HARDWARE_RETURN: return SEARCH_FAILED;
	default: return SEARCH_OPEN;
	}
}

/* Returns what an entry of the branch's thread shows. */
static enum search
search_entry(const struct drm_stream *stream, const struct drm_entry *entry, uint64_t *pc)
{
	if (entry->type == DRM_MARKER)
		return search_marker(stream, entry, pc);
	if (entry->type == DRM_BUNDLE || entry->type == DRM_THREAD_EXIT ||
		entry->type == DRM_FOOTER || entry->type >= DRM_TYPES)
		return SEARCH_FAILED;
	if (drm_classes[entry->type] != DRM_CLASS_INSTRUCTION)
		return SEARCH_OPEN;
	*pc = entry->value;
	return SEARCH_FOUND;
}

/* Searches the n bytes at p, which begin with the branch. */
static enum search
search(const struct drm_cursor *cursor, const uint8_t *p, size_t n, uint64_t *pc)
{
	enum search result = SEARCH_OPEN;
	for (size_t at = DRM_ENTRY_SIZE; result == SEARCH_OPEN && at + DRM_ENTRY_SIZE <= n;
		at += DRM_ENTRY_SIZE) {
		const struct drm_entry entry = drm_load(p + at);
		/* How long another thread runs is not bounded. */
		if (entry.type == DRM_THREAD && entry.value != drm_current(cursor)->tid)
			result = SEARCH_FAILED;
		else
			result = search_entry(cursor->stream, &entry, pc);
	}
	return result;
}

bool
drm_find_next(const struct drm_cursor *cursor, uint64_t *pc)
{
	enum search result = SEARCH_OPEN;
	size_t have;
	if (drm_is_filtered(cursor->stream))
		return false;
	for (size_t want = SEARCH_MIN; result == SEARCH_OPEN; want = SEARCH_MAX) {
		const uint8_t *p = in_peek(cursor->stream->in, want, &have);
		result = search(cursor, p, have < want ? have : want, pc);
		if (want == SEARCH_MAX || have < want)
			break;
	}
	return result == SEARCH_FOUND;
}
