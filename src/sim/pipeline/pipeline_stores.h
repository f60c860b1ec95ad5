/* SPDX-License-Identifier: MIT */
/*
 * The stores on which a load may depend: the youngest ones by address, and store sets of pcs
 * whose loads and stores conflicted.
 */
#ifndef SIM_PIPELINE_STORES_H
#define SIM_PIPELINE_STORES_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A store, by its number modulo the ring's size. */
struct pipeline_store {
	uint64_t address;
	uint64_t before;   /* number of the preceding store with the same hash; 0: none */
	uint64_t done;	   /* the cycle in which it is done */
	uint64_t done_max; /* the latest done cycle of it and the older ones to its address */
	uint32_t site;
};

struct pipeline_stores {
	uint64_t count;		     /* stores so far, numbered from 1 */
	uint64_t done_max;	     /* the latest done cycle of all */
	struct pipeline_store *ring; /* the youngest */
	uint64_t *heads;	     /* number of the youngest store, by hash */
	size_t mask;		     /* both have mask + 1 elements */
	struct hash_seed seed;
	uint32_t *sets; /* store set of a site, from 1; 0: none. NULL: without store sets */
	uint64_t *last; /* done cycle of the youngest store of a set */
	uint32_t site_mask;
};

/* Allocates the stores of a reorder buffer. Returns false if out of memory. */
bool pipeline_stores_init(struct pipeline_stores *stores, size_t size);

/* Allocates the store sets of 2 to the power of bits sites. Returns false if out of memory. */
bool pipeline_stores_sets(struct pipeline_stores *stores, unsigned bits);

void pipeline_stores_add(
	struct pipeline_stores *stores, uint64_t address, uint64_t done, uint32_t site);

/* Returns the cycle in which all recent stores to an address are done; 0: none. */
uint64_t pipeline_stores_done(const struct pipeline_stores *stores, uint64_t address);

/* Returns the store to an address that is done first after a cycle, the oldest of several; or
 * NULL. */
const struct pipeline_store *pipeline_stores_passed(
	const struct pipeline_stores *stores, uint64_t address, uint64_t cycle);

/* Returns the done cycle of the youngest store of a load's set; 0: none. */
uint64_t pipeline_stores_set_done(const struct pipeline_stores *stores, uint32_t site);

/* Merges the sets of a load and of the store that squashed it. */
void pipeline_stores_learn(struct pipeline_stores *stores, uint32_t load, uint32_t store);

void pipeline_stores_fini(struct pipeline_stores *stores);

#endif
