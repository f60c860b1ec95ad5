/* SPDX-License-Identifier: MIT */
/* A branch target buffer. */
#include "sim/branch/btb.h"

#include "base/err.h"
#include "base/mem.h"

struct btb_entry {
	uint64_t tag, target;
	uint64_t used; /* last use, as a branch number from 1; 0: empty */
};

struct btb {
	unsigned shift;
	uint64_t sets, ways, tag_mask, now;
	struct btb_entry entries[];
};

static enum poly_status
check(const struct btb_config *config, struct poly_error *error)
{
	if (!config->ways || config->ways > BTB_WAYS_MAX)
		return err_usage(
			error, "BTB has %u ways, expected 1 to %d", config->ways, BTB_WAYS_MAX);
	if (!config->sets || config->sets > BTB_ENTRIES_MAX / config->ways)
		return err_usage(error, "BTB has %u sets, expected 1 to %u", config->sets,
			BTB_ENTRIES_MAX / config->ways);
	if (config->tag_bits > 64 || config->pc_shift > 63)
		return err_usage(error,
			"BTB has tags of %u bits and a shift of %u, "
			"expected at most 64 and 63",
			config->tag_bits, config->pc_shift);
	return POLY_OK;
}

enum poly_status
btb_new(const struct btb_config *config, struct btb **created, struct poly_error *error)
{
	enum poly_status status = check(config, error);
	if (status)
		return status;
	size_t entries = (size_t)config->sets * config->ways;
	struct btb *btb = mem_new(1, sizeof *btb + entries * sizeof btb->entries[0]);
	if (!btb)
		return err_memory(error);
	btb->shift = config->pc_shift;
	btb->sets = config->sets;
	btb->ways = config->ways;
	btb->tag_mask = UINT64_MAX;
	if (config->tag_bits && config->tag_bits < 64)
		btb->tag_mask = ((uint64_t)1 << config->tag_bits) - 1;
	*created = btb;
	return POLY_OK;
}

/* Returns the entry of a set with a tag; NULL: none. */
static struct btb_entry *
find(const struct btb *btb, struct btb_entry *set, uint64_t tag)
{
	for (uint64_t way = 0; way < btb->ways; way++)
		if (set[way].used && set[way].tag == tag)
			return &set[way];
	return NULL;
}

/* Returns the entry to replace: the first empty one, or the least recently used. */
static struct btb_entry *
oldest(const struct btb *btb, struct btb_entry *set)
{
	struct btb_entry *old = set;
	for (uint64_t way = 1; way < btb->ways; way++)
		old = set[way].used < old->used ? &set[way] : old;
	return old;
}

void
btb_run(struct btb *btb, const struct btb_batch *batch, uint8_t *hit, uint64_t *found)
{
	for (size_t i = 0; i < batch->n; i++) {
		uint64_t number = batch->pc[i] >> btb->shift;
		uint64_t tag = number / btb->sets & btb->tag_mask;
		struct btb_entry *set = &btb->entries[number % btb->sets * btb->ways];
		struct btb_entry *entry = find(btb, set, tag);
		bool answers = entry && (!batch->looked_up || batch->looked_up[i]);
		hit[i] = answers;
		found[i] = answers ? entry->target : 0;
		btb->now++;
		if (answers)
			entry->used = btb->now;
		if (!batch->taken[i])
			continue;
		entry = entry ? entry : oldest(btb, set);
		*entry = (struct btb_entry){tag, batch->target[i], btb->now};
	}
}

static unsigned
log2_up(uint64_t n)
{
	unsigned bits = 0;
	while ((uint64_t)1 << bits < n)
		bits++;
	return bits;
}

uint64_t
btb_bits(const struct btb_config *config)
{
	uint64_t whole = (UINT64_MAX >> config->pc_shift) / config->sets;
	unsigned tag = 0;
	for (; whole; whole >>= 1)
		tag++;
	if (config->tag_bits && config->tag_bits < tag)
		tag = config->tag_bits;
	uint64_t entry = tag + 64 + 1 + log2_up(config->ways);
	return (uint64_t)config->sets * config->ways * entry;
}

void
btb_free(struct btb *btb)
{
	mem_free(btb);
}
