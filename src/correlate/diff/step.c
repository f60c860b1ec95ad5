/* SPDX-License-Identifier: MIT */
/* Steps and rings of them. */
#include "correlate/diff/step.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/* Initial number of slots of a ring. */
#define RING_ROOM 64

static bool
ring_grow(struct ring *ring)
{
	size_t room = ring->room ? 2 * ring->room : RING_ROOM;
	struct step *slots = mem_new(room, sizeof *slots);
	if (!slots)
		return false;
	/* Moves every slot, since unused ones own memory, too. */
	for (size_t i = 0; i < ring->room; i++) {
		uint64_t number = ring->tail + i;
		slots[number & (room - 1)] = *ring_at(ring, number);
	}
	mem_free(ring->slots);
	ring->slots = slots;
	ring->room = room;
	return true;
}

struct step *
ring_push(struct ring *ring)
{
	if (ring->head - ring->tail == ring->room && !ring_grow(ring))
		return NULL;
	struct step *step = ring_at(ring, ring->head++);
	step_clear(step);
	return step;
}

void
step_clear(struct step *step)
{
	struct effect *effects = step->effects;
	uint32_t room = step->effect_room;
	struct buf bytes = step->bytes;
	memset(step, 0, sizeof *step);
	step->effects = effects;
	step->effect_room = room;
	step->bytes = bytes;
	buf_clear(&step->bytes);
	step->partner = STEP_NONE;
}

static void
step_free(struct step *step)
{
	mem_free(step->effects);
	buf_free(&step->bytes);
}

void
ring_free(struct ring *ring)
{
	for (size_t i = 0; i < ring->room; i++)
		step_free(&ring->slots[i]);
	mem_free(ring->slots);
}

struct effect *
step_add(struct step *step)
{
	if (!VEC_ROOM(step->effects, step->effect_room, step->effect_count))
		return NULL;
	struct effect *effect = &step->effects[step->effect_count++];
	memset(effect, 0, sizeof *effect);
	return effect;
}

bool
step_absorb(struct step *dst, struct step *src)
{
	uint32_t base = (uint32_t)dst->bytes.size;
	buf_append(&dst->bytes, src->bytes.data, src->bytes.size);
	for (uint32_t i = 0; i < src->effect_count; i++) {
		struct effect *effect = step_add(dst);
		if (!effect)
			return false;
		*effect = src->effects[i];
		effect->offset += base;
	}
	step_clear(src);
	return !dst->bytes.failed;
}
