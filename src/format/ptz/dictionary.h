/* SPDX-License-Identifier: MIT */
/*
 * The templates of a segment: rows that differ only in varying columns. A template has the
 * static columns of its rows; the plan determines which columns are static.
 */
#ifndef FORMAT_PTZ_DICTIONARY_H
#define FORMAT_PTZ_DICTIONARY_H

#include "format/ptz/ptz.h"

#include "base/map.h"

/* Which columns are static. */
enum ptz_plan {
	PTZ_PROGRAM, /* all columns of a static instruction: its address, encoding and operands
		      */
	PTZ_FLAT,    /* only columns with few values; for traces that do not repeat */
	PTZ_PLAN_COUNT
};

struct dictionary {
	enum ptz_plan plan;
	uint32_t count, capacity;
	uint64_t *keys; /* hash of the static columns, and of the previous template if it is
			   needed */
	struct ptz_shape *shapes;	 /* by template */
	void *values[POLY_COLUMN_COUNT]; /* by template; slices refer to bytes; NULL: unused */
	struct buf bytes;
	uint32_t *follow;   /* the last follower */
	struct map numbers; /* of templates by key */
	uint32_t previous;  /* template of the previous row, or UINT32_MAX */
	uint32_t distance;  /* rows since the last row with a location */
	/* Of the rows of the batch. */
	uint64_t hash[POLY_BATCH_ROWS];
	struct ptz_shape shape[POLY_BATCH_ROWS];
	const void *array[POLY_COLUMN_COUNT]; /* of the batch; NULL: absent */
	uint8_t size[POLY_COLUMN_COUNT];      /* of an element in bytes; 0: slices */
};

/* Initializes zeroed storage. */
void dictionary_init(struct dictionary *dictionary, enum ptz_plan plan);

/*
 * Finds or creates the template of each row of a batch, by all columns except
 * PTZ_POSITION_COLUMNS. Returns false if out of memory.
 */
bool dictionary_add(
	struct dictionary *dictionary, const struct poly_batch *batch, uint32_t *numbers);

/* Clears it for the next segment. */
void dictionary_clear(struct dictionary *dictionary);

/* Frees all memory. */
void dictionary_fini(struct dictionary *dictionary);

#endif
