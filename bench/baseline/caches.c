/* SPDX-License-Identifier: MIT */
/* Textbook caches. */
#include "caches.h"

#include <stdlib.h>
#include <string.h>

#define SETS 64
#define WAYS 8

struct way {
	uint64_t tag, time;
	int valid, dirty;
};

static struct way *
oldest_or_held(struct way *set, uint64_t tag)
{
	struct way *oldest = set;
	for (int way = 0; way < WAYS; way++) {
		if (set[way].valid && set[way].tag == tag)
			return &set[way];
		if (set[way].time < oldest->time)
			oldest = &set[way];
	}
	return oldest;
}

uint64_t
baseline_lru_stamps(const struct baseline_uses *uses)
{
	static struct way ways[SETS][WAYS];
	static uint64_t now;
	uint64_t misses = 0, dirty = 0;
	if (!uses) {
		memset(ways, 0, sizeof ways);
		return 0;
	}
	for (size_t i = 0; i < uses->count; i++) {
		const uint64_t tag = uses->numbers[i] / SETS;
		struct way *way = oldest_or_held(ways[uses->numbers[i] % SETS], tag);
		if (!way->valid || way->tag != tag) {
			misses++;
			dirty += (uint64_t)way->dirty;
			*way = (struct way){tag, 0, 1, 0};
		}
		way->time = ++now;
		way->dirty |= uses->stores[i];
	}
	return misses + dirty;
}

struct list_node {
	uint64_t line;
	struct list_node *next;
};

/* Simulates one use; returns 1 for a miss. A list has one node per way of the cache. */
static uint64_t
use_list(struct list_node **list, uint64_t line)
{
	struct list_node **link = list;
	while ((*link)->line != line && (*link)->next)
		link = &(*link)->next;
	struct list_node *node = *link;
	const uint64_t missed = node->line != line;
	node->line = line;
	*link = node->next;
	node->next = *list;
	*list = node;
	return missed;
}

static uint64_t
one_cache(const struct baseline_uses *uses, size_t sets, size_t ways)
{
	struct list_node *nodes = malloc(sets * ways * sizeof *nodes);
	struct list_node **lists = malloc(sets * sizeof *lists);
	uint64_t misses = 0;
	if (!nodes || !lists)
		exit(1);
	for (size_t i = 0; i < sets * ways; i++)
		nodes[i] =
			(struct list_node){UINT64_MAX, (i + 1) % ways ? &nodes[i + 1] : NULL};
	for (size_t i = 0; i < sets; i++)
		lists[i] = &nodes[i * ways];
	for (size_t i = 0; i < uses->count; i++)
		misses += use_list(&lists[uses->numbers[i] % sets], uses->numbers[i]);
	free(nodes);
	free(lists);
	return misses;
}

uint64_t
baseline_lru_lists(const struct baseline_uses *uses)
{
	uint64_t misses = 0;
	for (size_t sets = 1; sets <= 8192; sets *= 2)
		for (size_t ways = 1; ways <= 16; ways++)
			misses += one_cache(uses, sets, ways);
	return misses;
}

/* A Fenwick tree over times 1 to room: 1 at the last use of each line. */
struct fenwick {
	uint32_t *tree, *last, *line_at;
	uint32_t room, now;
};

static void
add(struct fenwick *f, uint32_t at, uint32_t what)
{
	for (; at <= f->room; at += at & -at)
		f->tree[at] += what;
}

static uint32_t
sum(const struct fenwick *f, uint32_t at)
{
	uint32_t n = 0;
	for (; at; at &= at - 1)
		n += f->tree[at];
	return n;
}

static void
compact(struct fenwick *f)
{
	const uint32_t room = f->room;
	f->now = 0;
	memset(f->tree, 0, (room + 1) * sizeof *f->tree);
	for (uint32_t at = 1; at <= room; at++) {
		const uint32_t line = f->line_at[at];
		f->line_at[at] = 0;
		if (!line)
			continue;
		f->line_at[++f->now] = line;
		f->last[line - 1] = f->now;
		add(f, f->now, 1);
	}
}

uint64_t
baseline_distances_fenwick(const struct baseline_uses *uses)
{
	struct fenwick f = {.room = 1};
	uint32_t live = 0;
	uint64_t all = 0;
	while (f.room < 4 * uses->lines)
		f.room *= 2;
	f.tree = calloc(f.room + 1, sizeof *f.tree);
	f.line_at = calloc(f.room + 1, sizeof *f.line_at);
	f.last = calloc(uses->lines, sizeof *f.last);
	uint64_t *counts = calloc(uses->lines, sizeof *counts);
	if (!f.tree || !f.line_at || !f.last || !counts)
		exit(1);
	for (size_t i = 0; i < uses->count; i++) {
		const uint32_t line = uses->ids[i], was = f.last[line];
		if (was) {
			counts[live - sum(&f, was)]++;
			add(&f, was, (uint32_t)-1);
			f.line_at[was] = 0;
			live--;
		}
		if (f.now == f.room)
			compact(&f);
		f.last[line] = ++f.now;
		f.line_at[f.now] = line + 1;
		add(&f, f.now, 1);
		live++;
	}
	for (uint32_t i = 0; i < uses->lines; i++)
		all += i * counts[i];
	free(f.tree);
	free(f.line_at);
	free(f.last);
	free(counts);
	return all;
}
