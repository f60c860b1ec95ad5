/* SPDX-License-Identifier: MIT */
/* A segment that is being written. */
#ifndef FORMAT_PTZ_ENCODE_H
#define FORMAT_PTZ_ENCODE_H

#include "format/ptz/dictionary.h"
#include "format/ptz/names.h"

/* Values of a varying column in the rows so far. */
struct ptz_varying {
	uint64_t *values;   /* lengths, for slices */
	uint32_t *template; /* of the row of each value */
	size_t count, capacity;
	struct buf bytes; /* of slices */
};

struct ptz_segment {
	struct dictionary dictionary;
	struct ptz_varying varying[POLY_COLUMN_COUNT];
	uint32_t *numbers; /* the template of each row */
	size_t rows, capacity;
	struct ptz_range range[PTZ_RANGES];
};

/* The columns of ranges. */
extern const uint8_t ptz_range_columns[PTZ_RANGES];

/* Preceding records and number of a segment. */
struct ptz_begin {
	uint64_t first;
	uint32_t number;
};

/* Packers of streams. */
struct ptz_packer {
	struct block_packer *packer;   /* of the requested level */
	struct block_packer *quick;    /* for trials */
	const struct ptz_names *names; /* of the trace */
};

/* Extends a range by the values of its column in a batch. */
void ptz_extend_range(
	struct ptz_range *range, const struct poly_batch *batch, enum poly_column column);

/* Initializes zeroed storage. */
void segment_init(struct ptz_segment *segment, enum ptz_plan plan);

/* Adds the rows of a batch. Returns false if out of memory. */
bool segment_add(struct ptz_segment *segment, const struct poly_batch *batch);

/* An encoded segment. */
struct ptz_packed {
	struct buf front, streams;
};

/*
 * Encodes a segment as a front and streams. POLY_ERR_MEMORY. POLY_ERR_LIMIT: its slices have
 * more bytes than a stream may have.
 */
enum poly_status segment_pack(const struct ptz_segment *segment,
	const struct ptz_packer *packer, const struct ptz_begin *begin,
	struct ptz_packed *packed, struct poly_error *error);

/* Clears it for the next rows. */
void segment_clear(struct ptz_segment *segment);

/* Frees all memory. */
void segment_fini(struct ptz_segment *segment);

#endif
