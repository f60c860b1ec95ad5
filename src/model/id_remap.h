/* SPDX-License-Identifier: MIT */
/* Mapping of ids that several producers assigned to one common set of ids. */
#ifndef MODEL_ID_REMAP_H
#define MODEL_ID_REMAP_H

#include "model/batch.h"

/* Zero-initialise. */
struct id_remap {
	uint32_t *dst;	/* common id by local id */
	uint32_t count; /* of known local ids */
	uint32_t capacity;
	bool differs; /* at least one id changes */
};

/* Appends the common ids of the next n local ids. False: out of memory, nothing added. */
bool id_remap_add(struct id_remap *remap, const uint32_t *dst, size_t n);

/* Remaps a column of ids if the batch has it; unknown ids stay. */
void id_remap_apply(const struct id_remap *remap, struct batch *batch, enum poly_column column);

/* Remaps the numbers of record names. */
void id_remap_apply_records(const struct id_remap *remap, struct batch *batch);

/* Remaps every column of names. */
void id_remap_apply_names(const struct id_remap *remap, struct batch *batch);

/* Frees the mapping. */
void id_remap_free(struct id_remap *remap);

#endif
