/* SPDX-License-Identifier: MIT */
/*
 * The templates of a segment: rows that differ in nothing but what moves. A template has the
 * static columns of its rows; which columns are static is said by a plan.
 */
#ifndef FORMAT_PTZ_DICTIONARY_H
#define FORMAT_PTZ_DICTIONARY_H

#include "format/ptz/ptz.h"

/* What is static. */
enum ptz_plan {
	PTZ_PROGRAM, /* whatever a static instruction has: its address, encoding and operands */
	PTZ_FLAT,    /* only what has few values; for traces that do not repeat */
	PTZ_PLAN_COUNT
};

struct dictionary {
	enum ptz_plan plan;
	uint32_t count, capacity;
	uint64_t *keys;		  /* hash of the static columns and what they stand behind */
	struct ptz_shape *shapes; /* by template */
	void *values[POLY_COLUMN_COUNT]; /* by template; slices refer to bytes; NULL: none has
					    it */
	struct buf bytes;
	uint32_t *follow; /* the template that followed last */
	uint32_t *slots;  /* hash table of number + 1 */
	size_t mask;	  /* its size - 1 */
	uint32_t before;  /* the template of the row before, or UINT32_MAX */
	uint32_t behind;  /* rows since one that says where it is */
	/* Of the batch's rows. */
	uint64_t hash[POLY_BATCH_ROWS];
	struct ptz_shape shape[POLY_BATCH_ROWS];
};

/* Prepares zeroed storage. */
void dictionary_init(struct dictionary *dictionary, enum ptz_plan plan);

/*
 * Finds or makes the template of each row of a batch. False: no memory. The batch's columns but
 * PTZ_PLACES count.
 */
bool dictionary_add(
	struct dictionary *dictionary, const struct poly_batch *batch, uint32_t *numbers);

/* Empties it for the next segment. */
void dictionary_clear(struct dictionary *dictionary);

/* Gives the memory back. */
void dictionary_fini(struct dictionary *dictionary);

#endif
