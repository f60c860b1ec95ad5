/* SPDX-License-Identifier: MIT */
/* Encoding the streams of a segment. */
#ifndef FORMAT_PTZ_PACK_H
#define FORMAT_PTZ_PACK_H

#include "format/ptz/code.h"
#include "format/ptz/encode.h"

struct segment_packing {
	const struct ptz_segment *segment;
	const struct ptz_packer *packer;
	struct buf *front, *streams;
	uint32_t count; /* streams */
	uint64_t size;	/* their unpacked bytes */
	struct buf coded, trial;
	struct poly_error *error;
	enum poly_status status; /* sticky */
};

/* Adds a stream of n bytes, compressed if that makes it smaller. */
void pack_stream(
	struct segment_packing *packing, struct ptz_stream stream, const void *p, size_t n);

/* Adds a stream of numbers, in the coding that makes it smallest. */
void pack_values(struct segment_packing *packing, enum ptz_role role, unsigned column,
	const struct ptz_values *values);

/* Adds the varying values of a column. */
void pack_varying(struct segment_packing *packing, enum poly_column column);

/* Adds names, and the static columns of the templates. */
void pack_templates(struct segment_packing *packing);

/* Adds shapes, and the order of templates. */
void pack_order(struct segment_packing *packing);

#endif
