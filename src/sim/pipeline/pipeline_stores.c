/* SPDX-License-Identifier: MIT */
/*
 * The ring holds at least as many stores as the reorder buffer; older ones are done and
 * overwritten. Stores with the same hash of their address are chained from the youngest to the
 * oldest.
 */
#include "sim/pipeline/pipeline_stores.h"

#include "base/mem.h"

bool
pipeline_stores_init(struct pipeline_stores *stores, size_t size)
{
	size_t capacity = 16;
	while (capacity < size)
		capacity *= 2;
	stores->ring = mem_new(capacity, sizeof *stores->ring);
	stores->heads = mem_new(capacity, sizeof *stores->heads);
	stores->mask = capacity - 1;
	hash_seed_draw(&stores->seed);
	return stores->ring && stores->heads;
}

bool
pipeline_stores_sets(struct pipeline_stores *stores, unsigned bits)
{
	const size_t sites = (size_t)1 << bits;
	stores->sets = mem_new(sites, sizeof *stores->sets);
	stores->last = mem_new(sites + 1, sizeof *stores->last);
	stores->site_mask = (uint32_t)(sites - 1);
	return stores->sets && stores->last;
}

static uint64_t *
head_of(const struct pipeline_stores *stores, uint64_t address)
{
	return &stores->heads[hash_number(&stores->seed, address) & stores->mask];
}

/* Returns a store by its number; NULL if that is 0 or overwritten. */
static struct pipeline_store *
store_at(const struct pipeline_stores *stores, uint64_t number)
{
	if (!number || stores->count - number > stores->mask)
		return NULL;
	return &stores->ring[number & stores->mask];
}

/* Returns the youngest store to an address, among those from a number on. */
static struct pipeline_store *
find(const struct pipeline_stores *stores, uint64_t number, uint64_t address)
{
	struct pipeline_store *store = store_at(stores, number);
	while (store && store->address != address)
		store = store_at(stores, store->before);
	return store;
}

void
pipeline_stores_add(
	struct pipeline_stores *stores, uint64_t address, uint64_t done, uint32_t site)
{
	uint64_t *head = head_of(stores, address);
	const uint64_t before = pipeline_stores_done(stores, address);
	struct pipeline_store *store = &stores->ring[++stores->count & stores->mask];
	*store = (struct pipeline_store){.address = address,
		.before = *head,
		.done = done,
		.done_max = done > before ? done : before,
		.site = site};
	*head = stores->count;
	if (done > stores->done_max)
		stores->done_max = done;
	if (stores->sets && stores->sets[site & stores->site_mask])
		stores->last[stores->sets[site & stores->site_mask]] = done;
}

uint64_t
pipeline_stores_done(const struct pipeline_stores *stores, uint64_t address)
{
	const struct pipeline_store *store = find(stores, *head_of(stores, address), address);
	return store ? store->done_max : 0;
}

const struct pipeline_store *
pipeline_stores_passed(const struct pipeline_stores *stores, uint64_t address, uint64_t cycle)
{
	const struct pipeline_store *first = NULL,
				    *store = find(stores, *head_of(stores, address), address);
	for (; store && store->done_max > cycle; store = find(stores, store->before, address)) {
		if (store->done > cycle && (!first || store->done <= first->done))
			first = store;
	}
	return first;
}

uint64_t
pipeline_stores_set_done(const struct pipeline_stores *stores, uint32_t site)
{
	return stores->last[stores->sets[site & stores->site_mask]];
}

void
pipeline_stores_learn(struct pipeline_stores *stores, uint32_t load, uint32_t store)
{
	uint32_t *a = &stores->sets[load & stores->site_mask];
	uint32_t *b = &stores->sets[store & stores->site_mask];
	uint32_t set = (load & stores->site_mask) + 1;
	if (*a || *b)
		set = !*b || (*a && *a < *b) ? *a : *b;
	*a = *b = set;
}

void
pipeline_stores_fini(struct pipeline_stores *stores)
{
	mem_free(stores->ring);
	mem_free(stores->heads);
	mem_free(stores->sets);
	mem_free(stores->last);
}
