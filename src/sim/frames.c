/* SPDX-License-Identifier: MIT */
/* Frames found by hash: linear probing at most half full, deletion by moving followers up. */
#include "sim/frames.h"

#include "base/mem.h"

static uint32_t
home(const struct frames *frames, uint64_t number)
{
	return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> frames->shift);
}

/* The slot of a number, or the one where it would be put. */
static uint32_t
find_slot(const struct frames *frames, uint64_t number)
{
	uint32_t slot = home(frames, number);
	while (frames->slots[slot] && frames->frames[frames->slots[slot] - 1].number != number)
		slot = (slot + 1) & frames->mask;
	return slot;
}

static void
leave_slot(struct frames *frames, uint64_t number)
{
	const uint32_t mask = frames->mask;
	uint32_t hole = find_slot(frames, number);
	for (uint32_t next = (hole + 1) & mask; frames->slots[next]; next = (next + 1) & mask) {
		uint32_t wanted = home(frames, frames->frames[frames->slots[next] - 1].number);
		if (((next - wanted) & mask) < ((next - hole) & mask))
			continue;
		frames->slots[hole] = frames->slots[next];
		hole = next;
	}
	frames->slots[hole] = 0;
}

static void
unlink_frame(struct frames *frames, uint32_t frame)
{
	const struct frame *f = &frames->frames[frame];
	if (f->newer == FRAMES_NONE)
		frames->newest = f->older;
	else
		frames->frames[f->newer].older = f->older;
	if (f->older == FRAMES_NONE)
		frames->oldest = f->newer;
	else
		frames->frames[f->older].newer = f->newer;
}

static void
link_newest(struct frames *frames, uint32_t frame)
{
	struct frame *f = &frames->frames[frame];
	f->newer = FRAMES_NONE;
	f->older = frames->newest;
	if (frames->newest == FRAMES_NONE)
		frames->oldest = frame;
	else
		frames->frames[frames->newest].newer = frame;
	frames->newest = frame;
}

bool
frames_init(struct frames *frames, uint32_t capacity)
{
	unsigned bits = 1;
	while ((uint32_t)1 << bits < 2 * capacity)
		bits++;
	*frames = (struct frames){.mask = ((uint32_t)1 << bits) - 1,
		.shift = 64 - bits,
		.capacity = capacity,
		.newest = FRAMES_NONE,
		.oldest = FRAMES_NONE,
		.spare = FRAMES_NONE};
	frames->frames = mem_new(capacity, sizeof *frames->frames);
	frames->slots = mem_new((size_t)frames->mask + 1, sizeof *frames->slots);
	if (frames->frames && frames->slots)
		return true;
	frames_fini(frames);
	return false;
}

void
frames_fini(struct frames *frames)
{
	mem_free(frames->frames);
	mem_free(frames->slots);
	*frames = (struct frames){0};
}

uint32_t
frames_find(const struct frames *frames, uint64_t number)
{
	return frames->slots[find_slot(frames, number)] - 1;
}

void
frames_renew(struct frames *frames, uint32_t frame)
{
	if (frames->newest == frame)
		return;
	unlink_frame(frames, frame);
	link_newest(frames, frame);
}

static void
enter(struct frames *frames, uint32_t frame, uint64_t number)
{
	frames->slots[find_slot(frames, number)] = frame + 1;
	frames->frames[frame].number = number;
	link_newest(frames, frame);
}

uint32_t
frames_put(struct frames *frames, uint64_t number)
{
	uint32_t frame = frames->spare;
	if (frame == FRAMES_NONE)
		frame = frames->fresh++;
	else
		frames->spare = frames->frames[frame].older;
	frames->held++;
	enter(frames, frame, number);
	return frame;
}

void
frames_replace(struct frames *frames, uint32_t frame, uint64_t number)
{
	leave_slot(frames, frames->frames[frame].number);
	unlink_frame(frames, frame);
	enter(frames, frame, number);
}

void
frames_remove(struct frames *frames, uint32_t frame)
{
	leave_slot(frames, frames->frames[frame].number);
	unlink_frame(frames, frame);
	frames->frames[frame].older = frames->spare;
	frames->spare = frame;
	frames->held--;
}
