/* SPDX-License-Identifier: MIT */
/*
 * Prefetch: threads load segments while the reader decodes the rows of earlier ones.
 *
 * Prefetching is speculative: the reader reads the file as it would alone, and only takes a
 * prefetched segment instead of loading it. The reader alone diagnoses corrupt segments.
 */
#ifndef FORMAT_PTZ_PREFETCH_H
#define FORMAT_PTZ_PREFETCH_H

#include "format/ptz/segment_work.h"
#include "io/in.h"

struct ptz_prefetch;

/* What to load. */
struct ptz_prefetch_plan {
	const struct in *in; /* random-access; outlives the prefetch */
	poly_columns wanted;
	const uint8_t *column_map; /* as in struct ptz_load_options */
	unsigned column_count;
	uint64_t end;	  /* segments that start at this record or later are not loaded */
	unsigned threads; /* loading threads, the reader's included */
	struct segment_work_plan work; /* that these threads do */
};

/* The segment that the reader has reached. */
struct ptz_reached {
	uint64_t offset; /* of its section */
	const struct ptz_section *section;
	uint64_t before; /* records that precede it */
};

/* Returns whether a complete segment section is at an offset. */
bool ptz_prefetch_is_useful(const struct in *in, uint64_t offset);

/* Starts the threads. Returns NULL if memory or threads are unavailable. */
struct ptz_prefetch *ptz_prefetch_new(const struct ptz_prefetch_plan *plan);

/*
 * Takes the prefetched segment, or loads it, except for unpacked_resolve_names, or if the plan
 * has work, the result (cleared) of work on its rows, which then were delivered; and lets the
 * threads prefetch later segments, but only while the reader takes consecutive segments, since
 * otherwise it skips some. Returns false, with segment (cleared) unchanged, if the load failed.
 */
bool ptz_prefetch_take(struct ptz_prefetch *prefetch, const struct ptz_reached *reached,
	struct unpacked *segment, struct decoder_result *result);

/* Stops the threads and frees all memory. Accepts NULL. */
void ptz_prefetch_free(struct ptz_prefetch *prefetch);

#endif
