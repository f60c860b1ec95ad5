/* SPDX-License-Identifier: MIT */
/*
 * The stores that a load may have to wait for: the youngest ones by address, and sets of pcs
 * whose loads were squashed by each other's stores.
 */
#ifndef SIM_PIPELINE_STORES_H
#define SIM_PIPELINE_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A store, by its number modulo the ring's size. */
struct pipeline_store {
	uint64_t address;
	uint64_t before;    /* number of the one before with the same hash; 0: none */
	uint64_t done;	    /* the cycle in which it is done */
	uint64_t done_most; /* and the latest of it and the older ones of its address */
	uint32_t site;
};

struct pipeline_stores {
	uint64_t count;		     /* stores until now: they are numbered from 1 */
	uint64_t done_most;	     /* the latest cycle in which one of them is done */
	struct pipeline_store *ring; /* the youngest */
	uint64_t *heads;	     /* number of the youngest store by hash */
	size_t mask;		     /* both have mask + 1 elements */
	uint32_t *sets;		     /* the set of a site, from 1; 0: none. NULL: no sets */
	uint64_t *last;		     /* when the youngest store of a set is done */
	uint32_t site_mask;
};

/* Room for the stores of a reorder buffer; false where memory cannot be had. */
bool pipeline_stores_init(struct pipeline_stores *stores, size_t size);

/* Room for the sets of 2 to the power of bits sites. */
bool pipeline_stores_sets(struct pipeline_stores *stores, unsigned bits);

void pipeline_stores_add(
	struct pipeline_stores *stores, uint64_t address, uint64_t done, uint32_t site);

/* The cycle in which all stores to an address are done; 0: there is none of late. */
uint64_t pipeline_stores_done(const struct pipeline_stores *stores, uint64_t address);

/* The store to an address that is done first after a cycle, the oldest of several; or NULL. */
const struct pipeline_store *pipeline_stores_passed(
	const struct pipeline_stores *stores, uint64_t address, uint64_t cycle);

/* The cycle in which the youngest store of a load's set is done; 0: it has none. */
uint64_t pipeline_stores_set_done(const struct pipeline_stores *stores, uint32_t site);

/* A load was squashed by a store: both come into one set. */
void pipeline_stores_learn(struct pipeline_stores *stores, uint32_t load, uint32_t store);

void pipeline_stores_fini(struct pipeline_stores *stores);

#endif
