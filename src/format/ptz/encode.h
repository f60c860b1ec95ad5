/* SPDX-License-Identifier: MIT */
/* A segment on its way into a file. */
#ifndef FORMAT_PTZ_ENCODE_H
#define FORMAT_PTZ_ENCODE_H

#include "format/ptz/dictionary.h"

/* Values that a column has in the rows so far. */
struct ptz_moving {
	uint64_t *values;   /* of slices their lengths */
	uint32_t *template; /* of each value's row */
	size_t count, capacity;
	struct buf bytes; /* of slices */
};

struct segment {
	struct dictionary dictionary;
	struct ptz_moving moving[POLY_COLUMN_COUNT];
	uint32_t *numbers; /* the template of each row */
	size_t rows, capacity;
	size_t slices; /* bytes of slices in moving */
	struct ptz_range range[PTZ_RANGES];
};

/* The columns of ranges. */
extern const uint8_t ptz_range_columns[PTZ_RANGES];

/* Where a segment begins: records before it, and its number. */
struct ptz_begin {
	uint64_t first;
	uint32_t number;
};

/* How streams are packed. */
struct ptz_packer {
	struct block_packer *packer; /* of the level that was asked for */
	struct block_packer *quick;  /* for trials */
	const struct poly_trace_info *info;
};

/* Widens a range by one of these columns of a batch. */
void ptz_widen(
	struct ptz_range *range, const struct poly_batch *batch, enum poly_column column);

/* Prepares zeroed storage. */
void segment_init(struct segment *segment, enum ptz_plan plan);

/* Adds the rows of a batch. False: no memory. */
bool segment_add(struct segment *segment, const struct poly_batch *batch);

/* What a segment becomes. */
struct ptz_packed {
	struct buf front, streams;
};

/*
 * Makes the front and the streams of a segment. POLY_ERR_MEMORY. POLY_ERR_LIMIT: its slices
 * have more bytes than a stream may.
 */
enum poly_status segment_pack(const struct segment *segment, const struct ptz_packer *packer,
	const struct ptz_begin *begin, struct ptz_packed *to, struct poly_error *error);

/* Empties it for the next rows. */
void segment_clear(struct segment *segment);

/* Gives the memory back. */
void segment_fini(struct segment *segment);

#endif
