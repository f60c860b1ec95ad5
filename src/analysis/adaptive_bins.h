/* SPDX-License-Identifier: MIT */
/*
 * Granules: what is counted for every aligned block of addresses that was touched, in bounded
 * memory and exactly. Where there are more of them than there may be, all bins become twice
 * as large and what was counted for two halves is joined. How large they end up depends only
 * on what was touched, not on its order: so parts of a trace can be merged exactly.
 */
#ifndef ANALYSIS_ADAPTIVE_BINS_H
#define ANALYSIS_ADAPTIVE_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No item: memory could not be had, or the table is full and its bins do not grow. */
#define ADAPTIVE_BIN_NONE UINT32_MAX

/* Places that remember where an item was found last. */
#define ADAPTIVE_BINS_RECENT 1024

struct adaptive_bin {
	uint64_t number; /* address >> shift */
	uint32_t tag;	 /* of the user: same numbers of different tags are different bins */
};

struct adaptive_bins {
	/* Set before the first use. */
	unsigned shift;	  /* a bin has 1 << shift bytes; grows */
	uint32_t most;	  /* bins; at least twice as many as there can be tags */
	size_t item_size; /* bytes */
	bool is_fixed;	  /* bins do not grow: further ones are refused */
	/* An item becomes that of the bin twice as large of which its own was a half. */
	void (*coarsen)(void *item, bool upper); /* NULL: nothing changes */
	void (*merge_item)(void *into, const void *from);
	/* Kept by the functions below; read only. */
	struct adaptive_bin *list; /* in order of first appearance */
	unsigned char *items;	   /* beside them */
	uint32_t count, capacity;
	uint32_t *places; /* open addressing: item + 1; 0: free */
	size_t mask;	  /* places - 1 */
	uint32_t recent[ADAPTIVE_BINS_RECENT];
	bool failed; /* memory could not be had */
};

/* The item of a bin, a zeroed one where it is new. Numbers hold until the next call. */
uint32_t adaptive_bins_find(struct adaptive_bins *bins, uint64_t address, uint32_t tag);

/* The item of a bin; ADAPTIVE_BIN_NONE where it was never touched. */
uint32_t adaptive_bins_lookup(const struct adaptive_bins *bins, uint64_t address, uint32_t tag);

/* Adds what another table holds; from's tags are those of into by tags, NULL: the same. */
bool adaptive_bins_merge(
	struct adaptive_bins *into, const struct adaptive_bins *from, const uint16_t *tags);

/* The items in the order of their addresses and then tags; NULL: no memory. The caller frees.
 */
uint32_t *adaptive_bins_sorted(const struct adaptive_bins *bins);

/* The first address of an item. */
static inline uint64_t
adaptive_bins_address(const struct adaptive_bins *bins, uint32_t item)
{
	return bins->list[item].number << bins->shift;
}

/* What is kept of an item. */
static inline void *
adaptive_bins_item(const struct adaptive_bins *bins, uint32_t item)
{
	return bins->items + bins->item_size * item;
}

/* The item of a number that was found lately; else ADAPTIVE_BIN_NONE. */
static inline uint32_t
adaptive_bins_recent(const struct adaptive_bins *bins, uint64_t number, uint32_t tag)
{
	const uint32_t item = bins->recent[(number + tag * 37) % ADAPTIVE_BINS_RECENT];
	return item < bins->count && bins->list[item].number == number &&
			       bins->list[item].tag == tag
		       ? item
		       : ADAPTIVE_BIN_NONE;
}

/* As adaptive_bins_find, at once where it was found lately. */
static inline uint32_t
adaptive_bins_get(struct adaptive_bins *bins, uint64_t address, uint32_t tag)
{
	const uint32_t item = adaptive_bins_recent(bins, address >> bins->shift, tag);
	return item != ADAPTIVE_BIN_NONE ? item : adaptive_bins_find(bins, address, tag);
}

/* As adaptive_bins_lookup, at once where it was found lately. */
static inline uint32_t
adaptive_bins_known(const struct adaptive_bins *bins, uint64_t address, uint32_t tag)
{
	const uint32_t item = adaptive_bins_recent(bins, address >> bins->shift, tag);
	return item != ADAPTIVE_BIN_NONE ? item : adaptive_bins_lookup(bins, address, tag);
}

/* Forgets all bins and keeps the memory. */
void adaptive_bins_clear(struct adaptive_bins *bins);

/* Gives the memory back. */
void adaptive_bins_fini(struct adaptive_bins *bins);

#endif
