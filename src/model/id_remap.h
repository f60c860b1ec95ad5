/* SPDX-License-Identifier: MIT */
/* Numbers that were given apart from each other, as one numbering. */
#ifndef MODEL_ID_REMAP_H
#define MODEL_ID_REMAP_H

#include "model/batch.h"

/* Zero-initialise. */
struct id_remap {
	uint32_t *to;	/* by number */
	uint32_t count; /* numbers that are known */
	uint32_t capacity;
	bool differs; /* some number is not its own translation */
};

/* Says what the next n numbers are; false where memory could not be had: none is added. */
bool id_remap_add(struct id_remap *translation, const uint32_t *to, size_t n);

/* Translates a column of numbers, where the batch has it; what is not known stays. */
void id_remap_apply(
	const struct id_remap *translation, struct batch *batch, enum poly_column column);

/* Translates every column of names. */
void id_remap_apply_names(const struct id_remap *translation, struct batch *batch);

/* Gives the memory back. */
void id_remap_free(struct id_remap *translation);

#endif
