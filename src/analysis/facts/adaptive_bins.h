/* SPDX-License-Identifier: MIT */
/*
 * Adaptive bins: a value for every aligned block of addresses that was accessed, exact and in
 * bounded memory. When the table is full, all bins double in size and the values of two halves
 * are merged. The final size depends on the set of accessed addresses, not on their order, so
 * the tables of parts of a trace can be merged exactly.
 */
#ifndef ANALYSIS_ADAPTIVE_BINS_H
#define ANALYSIS_ADAPTIVE_BINS_H

#include "base/hash_index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No item: out of memory, or the table is full and its bins have a fixed size. */
#define ADAPTIVE_BIN_NONE UINT32_MAX

/* Entries of the cache of recently found items. */
#define ADAPTIVE_BINS_RECENT 1024

struct adaptive_bin {
	uint64_t number; /* address >> shift */
	uint32_t tag;	 /* chosen by the user: bins of different tags are different bins */
};

struct adaptive_bins {
	/* Set before the first use. */
	unsigned shift;	    /* a bin has 1 << shift bytes; increases */
	uint32_t max_count; /* of bins; at least twice the number of tags */
	size_t item_size;   /* bytes */
	bool is_fixed;	    /* bins keep their size: bins beyond max_count are refused */
	/* Turns the item of a bin into that of the doubled bin, whose upper or lower half it
	 * was. NULL: the item does not change. */
	void (*coarsen)(void *item, bool upper);
	void (*merge_item)(void *into, const void *from);
	/* Maintained by the functions below; read only. */
	struct adaptive_bin *list; /* in order of first appearance */
	unsigned char *items;	   /* in the same order */
	uint32_t count, capacity;
	struct hash_index index; /* of bins */
	uint32_t recent[ADAPTIVE_BINS_RECENT];
	bool failed; /* out of memory */
};

/* Returns the item of a bin, zeroed if new. Item numbers are valid until the next call. */
uint32_t adaptive_bins_find(struct adaptive_bins *bins, uint64_t address, uint32_t tag);

/* Returns the item of a bin; ADAPTIVE_BIN_NONE if there is none. */
uint32_t adaptive_bins_lookup(const struct adaptive_bins *bins, uint64_t address, uint32_t tag);

/* Widens the bins until each has 1 << shift addresses, if they have fewer. */
void adaptive_bins_widen(struct adaptive_bins *bins, unsigned shift);

/* Merges another table; tags maps from's tags to those of into, NULL: they are the same. */
bool adaptive_bins_merge(
	struct adaptive_bins *into, const struct adaptive_bins *from, const uint16_t *tags);

/* Returns the items in order of address and tag, which the caller frees; NULL: out of memory.
 */
uint32_t *adaptive_bins_sorted(const struct adaptive_bins *bins);

/* Returns the first address of an item. */
static inline uint64_t
adaptive_bins_address(const struct adaptive_bins *bins, uint32_t item)
{
	return bins->list[item].number << bins->shift;
}

/* Returns the value of an item. */
static inline void *
adaptive_bins_item(const struct adaptive_bins *bins, uint32_t item)
{
	return bins->items + bins->item_size * item;
}

/* Returns a recently found item; else ADAPTIVE_BIN_NONE. */
static inline uint32_t
adaptive_bins_recent(const struct adaptive_bins *bins, uint64_t number, uint32_t tag)
{
	const uint32_t item = bins->recent[(number + tag * 37) % ADAPTIVE_BINS_RECENT];
	return item < bins->count && bins->list[item].number == number &&
			       bins->list[item].tag == tag
		       ? item
		       : ADAPTIVE_BIN_NONE;
}

/* As adaptive_bins_find, with the cache of recently found items. */
static inline uint32_t
adaptive_bins_get(struct adaptive_bins *bins, uint64_t address, uint32_t tag)
{
	const uint32_t item = adaptive_bins_recent(bins, address >> bins->shift, tag);
	return item != ADAPTIVE_BIN_NONE ? item : adaptive_bins_find(bins, address, tag);
}

/* As adaptive_bins_lookup, with the cache of recently found items. */
static inline uint32_t
adaptive_bins_known(const struct adaptive_bins *bins, uint64_t address, uint32_t tag)
{
	const uint32_t item = adaptive_bins_recent(bins, address >> bins->shift, tag);
	return item != ADAPTIVE_BIN_NONE ? item : adaptive_bins_lookup(bins, address, tag);
}

/* Removes all bins and keeps the memory. */
void adaptive_bins_clear(struct adaptive_bins *bins);

/* Frees the memory. */
void adaptive_bins_fini(struct adaptive_bins *bins);

#endif
