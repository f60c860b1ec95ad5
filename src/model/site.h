/* SPDX-License-Identifier: MIT */
/* Sites: static instructions (pc and opcode), indexed from 0 in order of first appearance. */
#ifndef MODEL_SITE_H
#define MODEL_SITE_H

#include "model/batch.h"

#include "base/map.h"

struct site {
	uint64_t pc, opcode;
};

/* Slots of the cache that finds sites by pc without hashing: 128 KiB. */
#define SITES_RECENT ((size_t)1 << 15)

struct sites {
	struct map numbers; /* of pc and opcode */
	uint32_t *recent;  /* site last seen in each slot, plus 1; NULL: not in use */
	struct site *list; /* by number */
	uint32_t count;	   /* sites so far */
	uint32_t capacity; /* of list */
};

/*
 * Fills the column site of a row that has pc; an absent opcode counts as 0. False: out of
 * memory, or 2^32 - 1 sites were reached.
 */
bool sites_fill_row(struct sites *sites, struct batch *batch, size_t row);

/* Fills all rows that have no site yet. POLY_ERR_MEMORY: as sites_fill_row. */
enum poly_status sites_fill(struct sites *sites, struct batch *batch, struct poly_error *error);

/* Finds or adds a site and returns its index; UINT32_MAX if sites_fill_row would fail. */
uint32_t sites_number(struct sites *sites, uint64_t pc, uint64_t opcode);

/* Frees the sites. */
void sites_fini(struct sites *sites);

#endif
