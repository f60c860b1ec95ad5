/* SPDX-License-Identifier: MIT */
/* Frames found by hash: linear probing at most half full, deletion by moving followers up. */
#include "sim/memory/lru_list.h"

#include "base/mem.h"

static uint32_t
home(const struct lru_list *list, uint64_t number)
{
	return (uint32_t)hash_number(&list->seed, number) & list->mask;
}

/* Returns the slot of a number, or the one for its insertion. */
static uint32_t
find_slot(const struct lru_list *list, uint64_t number)
{
	uint32_t slot = home(list, number);
	while (list->slots[slot] && list->frames[list->slots[slot] - 1].number != number)
		slot = (slot + 1) & list->mask;
	return slot;
}

static void
leave_slot(struct lru_list *list, uint64_t number)
{
	const uint32_t mask = list->mask;
	uint32_t hole = find_slot(list, number);
	for (uint32_t next = (hole + 1) & mask; list->slots[next]; next = (next + 1) & mask) {
		uint32_t wanted = home(list, list->frames[list->slots[next] - 1].number);
		if (((next - wanted) & mask) < ((next - hole) & mask))
			continue;
		list->slots[hole] = list->slots[next];
		hole = next;
	}
	list->slots[hole] = 0;
}

static void
unlink_frame(struct lru_list *list, uint32_t frame)
{
	const struct frame *f = &list->frames[frame];
	if (f->newer == LRU_LIST_NONE)
		list->newest = f->older;
	else
		list->frames[f->newer].older = f->older;
	if (f->older == LRU_LIST_NONE)
		list->oldest = f->newer;
	else
		list->frames[f->older].newer = f->newer;
}

static void
link_newest(struct lru_list *list, uint32_t frame)
{
	struct frame *f = &list->frames[frame];
	f->newer = LRU_LIST_NONE;
	f->older = list->newest;
	if (list->newest == LRU_LIST_NONE)
		list->oldest = frame;
	else
		list->frames[list->newest].newer = frame;
	list->newest = frame;
}

bool
lru_list_init(struct lru_list *list, uint32_t capacity)
{
	unsigned bits = 1;
	while ((uint32_t)1 << bits < 2 * capacity)
		bits++;
	*list = (struct lru_list){.mask = ((uint32_t)1 << bits) - 1,
		.capacity = capacity,
		.newest = LRU_LIST_NONE,
		.oldest = LRU_LIST_NONE,
		.spare = LRU_LIST_NONE};
	hash_seed_draw(&list->seed);
	list->frames = mem_new(capacity, sizeof *list->frames);
	list->slots = mem_new((size_t)list->mask + 1, sizeof *list->slots);
	if (list->frames && list->slots)
		return true;
	lru_list_fini(list);
	return false;
}

void
lru_list_fini(struct lru_list *list)
{
	mem_free(list->frames);
	mem_free(list->slots);
	*list = (struct lru_list){0};
}

uint32_t
lru_list_find(const struct lru_list *list, uint64_t number)
{
	return list->slots[find_slot(list, number)] - 1;
}

void
lru_list_renew(struct lru_list *list, uint32_t frame)
{
	if (list->newest == frame)
		return;
	unlink_frame(list, frame);
	link_newest(list, frame);
}

static void
enter(struct lru_list *list, uint32_t frame, uint64_t number)
{
	list->slots[find_slot(list, number)] = frame + 1;
	list->frames[frame].number = number;
	link_newest(list, frame);
}

uint32_t
lru_list_insert(struct lru_list *list, uint64_t number)
{
	uint32_t frame = list->spare;
	if (frame == LRU_LIST_NONE)
		frame = list->fresh++;
	else
		list->spare = list->frames[frame].older;
	list->held++;
	enter(list, frame, number);
	return frame;
}

void
lru_list_replace(struct lru_list *list, uint32_t frame, uint64_t number)
{
	leave_slot(list, list->frames[frame].number);
	unlink_frame(list, frame);
	enter(list, frame, number);
}

void
lru_list_remove(struct lru_list *list, uint32_t frame)
{
	leave_slot(list, list->frames[frame].number);
	unlink_frame(list, frame);
	list->frames[frame].older = list->spare;
	list->spare = frame;
	list->held--;
}
