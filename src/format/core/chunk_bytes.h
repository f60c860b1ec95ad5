/* SPDX-License-Identifier: MIT */
/*
 * The bytes of the chunks of a decode pool: where a chunk begins and ends.
 *
 * A chunk whose rows are stored is loaded, and small. One whose rows are worked on may be
 * large: if the input is random, only its last bytes are loaded, to find its end, and the
 * decoder reads the chunk as a reader does, while the processor's cache has the bytes.
 */
#ifndef FORMAT_CHUNK_BYTES_H
#define FORMAT_CHUNK_BYTES_H

#include "format/core/chunk_decoder.h"

/* Returns the bytes of memory that any chunk of a plan needs. */
size_t chunk_memory_size(const struct decode_plan *plan);

/* Reads the bytes of a chunk, whose place and size are set, or its last ones. */
void chunk_read(const struct decode_plan *plan, struct chunk *chunk);

/*
 * Prepends the rest of the previous chunk (NULL: there is none) to what was read, and finds the
 * end of the chunk by the format of an open reading.
 */
void chunk_join(const struct decode_plan *plan, const struct reading *reading,
	struct chunk *chunk, const struct chunk *before);

/*
 * Copies size bytes of a joined chunk, or *got if the input was truncated since: the chunk then
 * is the last one, and ends after them.
 */
void chunk_copy(const struct decode_plan *plan, struct chunk *chunk, size_t at,
	struct source_room *room);

/* Prepares reading for the first record of a chunk. */
void chunk_enter(
	const struct chunk *chunk, const struct format *format, struct reading *reading);

/* Returns whether reading, which has read a chunk to its end, is at a split point there. */
bool chunk_ends_at_split(
	const struct chunk *chunk, const struct format *format, const struct reading *reading);

#endif
