/* SPDX-License-Identifier: MIT */
/* Sites: every static instruction (pc and opcode) gets a number, dense from 0, in the order of
 * first appearance. */
#ifndef MODEL_SITE_H
#define MODEL_SITE_H

#include "model/batch.h"

#include "base/map.h"

struct site {
	uint64_t pc, opcode;
	uint32_t next; /* another site of the same hash, plus 1; 0: none */
};

/* Sites that are found by their pc without hashing; 128 KiB of numbers. */
#define SITES_RECENT ((size_t)1 << 15)

struct sites {
	struct map first;  /* first site of a hash of pc and opcode */
	uint32_t *recent;  /* a site whose pc belongs there, plus 1; NULL: not in use */
	struct site *list; /* by number */
	uint32_t count;	   /* sites so far */
	uint32_t capacity; /* of list */
};

/*
 * Fills the column site of a row that has pc; without an opcode it counts as opcode 0. False:
 * memory could not be had, or 2^32 - 1 sites were reached.
 */
bool sites_fill_row(struct sites *sites, struct batch *batch, size_t row);

/* The same for all rows that have no site yet; POLY_ERR_MEMORY where that fails. */
enum poly_status sites_fill(struct sites *sites, struct batch *batch, struct poly_error *error);

/* The number of a site, a new one where it is new; UINT32_MAX where sites_fill_row would fail.
 */
uint32_t sites_number(struct sites *sites, uint64_t pc, uint64_t opcode);

/* Gives the memory back. */
void sites_fini(struct sites *sites);

#endif
