/* SPDX-License-Identifier: MIT */
/* Numbers that were given apart from each other, as one numbering. */
#ifndef MODEL_TRANSLATION_H
#define MODEL_TRANSLATION_H

#include "model/batch.h"

/* Zero-initialise. */
struct translation {
	uint32_t *to;	/* by number */
	uint32_t count; /* numbers that are known */
	uint32_t capacity;
	bool differs; /* some number is not its own translation */
};

/* Says what the next n numbers are; false where memory could not be had: none is added. */
bool translation_add(struct translation *translation, const uint32_t *to, size_t n);

/* Translates a column of numbers, where the batch has it; what is not known stays. */
void translation_apply(
	const struct translation *translation, struct batch *batch, enum poly_column column);

/* Translates every column of names. */
void translation_apply_names(const struct translation *translation, struct batch *batch);

/* Gives the memory back. */
void translation_free(struct translation *translation);

#endif
