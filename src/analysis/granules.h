/* SPDX-License-Identifier: MIT */
/*
 * Granules: what is counted for every aligned block of addresses that was touched, in bounded
 * memory and exactly. Where there are more of them than there may be, all granules become twice
 * as large and what was counted for two halves is joined. How large they end up depends only
 * on what was touched, not on its order: so parts of a trace can be merged exactly.
 */
#ifndef ANALYSIS_GRANULES_H
#define ANALYSIS_GRANULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No item: memory could not be had, or the table is full and its granules do not grow. */
#define GRANULE_NONE UINT32_MAX

/* Places that remember where an item was found last. */
#define GRANULES_RECENT 1024

struct granule {
	uint64_t number; /* address >> shift */
	uint32_t tag; /* of the user: same numbers of different tags are different granules */
};

struct granules {
	/* Set before the first use. */
	unsigned shift;	  /* a granule has 1 << shift bytes; grows */
	uint32_t most;	  /* granules; at least twice as many as there can be tags */
	size_t item_size; /* bytes */
	bool is_fixed;	  /* granules do not grow: further ones are refused */
	/* An item becomes that of the granule twice as large of which its own was a half. */
	void (*widen)(void *item, bool upper); /* NULL: nothing changes */
	void (*join)(void *into, const void *from);
	/* Kept by the functions below; read only. */
	struct granule *list; /* in order of first appearance */
	unsigned char *items; /* beside them */
	uint32_t count, capacity;
	uint32_t *places; /* open addressing: item + 1; 0: free */
	size_t mask;	  /* places - 1 */
	uint32_t recent[GRANULES_RECENT];
	bool failed; /* memory could not be had */
};

/* The item of a granule, a zeroed one where it is new. Numbers hold until the next call. */
uint32_t granules_find(struct granules *granules, uint64_t address, uint32_t tag);

/* The item of a granule; GRANULE_NONE where it was never touched. */
uint32_t granules_lookup(const struct granules *granules, uint64_t address, uint32_t tag);

/* Adds what another table holds; from's tags are those of into by tags, NULL: the same. */
bool granules_merge(struct granules *into, const struct granules *from, const uint16_t *tags);

/* The items in the order of their addresses and then tags; NULL: no memory. The caller frees.
 */
uint32_t *granules_sorted(const struct granules *granules);

/* The first address of an item. */
static inline uint64_t
granules_address(const struct granules *granules, uint32_t item)
{
	return granules->list[item].number << granules->shift;
}

/* What is kept of an item. */
static inline void *
granules_item(const struct granules *granules, uint32_t item)
{
	return granules->items + granules->item_size * item;
}

/* The item of a number that was found lately; else GRANULE_NONE. */
static inline uint32_t
granules_recent(const struct granules *granules, uint64_t number, uint32_t tag)
{
	const uint32_t item = granules->recent[(number + tag * 37) % GRANULES_RECENT];
	return item < granules->count && granules->list[item].number == number &&
			       granules->list[item].tag == tag
		       ? item
		       : GRANULE_NONE;
}

/* As granules_find, at once where it was found lately. */
static inline uint32_t
granules_get(struct granules *granules, uint64_t address, uint32_t tag)
{
	const uint32_t item = granules_recent(granules, address >> granules->shift, tag);
	return item != GRANULE_NONE ? item : granules_find(granules, address, tag);
}

/* As granules_lookup, at once where it was found lately. */
static inline uint32_t
granules_known(const struct granules *granules, uint64_t address, uint32_t tag)
{
	const uint32_t item = granules_recent(granules, address >> granules->shift, tag);
	return item != GRANULE_NONE ? item : granules_lookup(granules, address, tag);
}

/* Forgets all granules and keeps the memory. */
void granules_clear(struct granules *granules);

/* Gives the memory back. */
void granules_fini(struct granules *granules);

#endif
