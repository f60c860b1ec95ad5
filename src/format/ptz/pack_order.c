/* SPDX-License-Identifier: MIT */
/*
 * The order of a segment's templates as streams. Most templates have only one that ever
 * follows; a block is a run up to one that has several, so that it is known by its first
 * template, and the segment is the sequence of its blocks.
 */
#include "format/ptz/pack.h"

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

#include <string.h>

#define NONE UINT32_MAX

/* What follows several templates, and none. */
#define SEVERAL (UINT32_MAX - 1)

struct order {
	uint32_t *follow; /* by template: the only one that follows, SEVERAL or NONE */
	uint32_t *block; /* by template: the number of the block that begins with it, or NONE */
	uint64_t *values;
};

static void
find_followers(const struct segment *segment, struct order *order)
{
	const uint32_t *numbers = segment->numbers;
	const uint32_t count = segment->dictionary.count;
	memset(order->follow, 0xff, count * sizeof *order->follow);
	memset(order->block, 0xff, count * sizeof *order->block);
	for (size_t i = 1; i < segment->rows; i++) {
		uint32_t *follow = &order->follow[numbers[i - 1]];
		if (*follow == NONE)
			*follow = numbers[i];
		else if (*follow != numbers[i])
			*follow = SEVERAL;
	}
}

static void
pack_followers(struct packing *it, const struct order *order)
{
	const uint32_t count = it->segment->dictionary.count;
	for (uint32_t t = 0; t < count; t++) {
		const uint32_t follow = order->follow[t];
		order->values[t] =
			follow >= SEVERAL ? 0 : 1 + ptz_zigzag((uint64_t)follow - (t + 1));
	}
	const struct ptz_values values = {.values = order->values, .count = count};
	pack_values(it, PTZ_FOLLOW, 0, &values);
}

/* The blocks as they were executed, and where each begins. */
static void
pack_blocks(struct packing *it, const struct order *order)
{
	const struct segment *segment = it->segment;
	const uint32_t *numbers = segment->numbers;
	uint64_t *starts = mem_new(segment->dictionary.count + (size_t)1, sizeof *starts);
	size_t blocks = 0, executed = 0;
	if (!starts)
		it->status = err_memory(it->error);
	for (size_t i = 0; starts && i < segment->rows; i++) {
		if (i && order->follow[numbers[i - 1]] < SEVERAL)
			continue;
		uint32_t *block = &order->block[numbers[i]];
		if (*block == NONE) {
			*block = (uint32_t)blocks;
			starts[blocks++] = numbers[i];
		}
		order->values[executed++] = *block;
	}
	const struct ptz_values where = {.values = starts, .count = blocks};
	pack_values(it, PTZ_STARTS, 0, &where);
	const struct ptz_values what = {.values = order->values, .count = executed};
	pack_values(it, PTZ_BLOCKS, 0, &what);
	mem_free(starts);
}

/* The number of a shape among those at shapes, where it is added if it is new there. */
static uint32_t
shape_number(struct packing *it, const struct ptz_shape *shape, struct map *known,
	struct buf *shapes)
{
	const uint64_t key = (shape->fixed ^ shape->moving * 0x9e3779b97f4a7c15u) * 3;
	const uint64_t count = shapes->size / sizeof *shape;
	bool added;
	const uint64_t *number = map_get(known, key, count, &added);
	if (!number) {
		it->status = err_memory(it->error);
		return 0;
	}
	const struct ptz_shape *list = (const void *)shapes->data;
	if (!added && list[*number].fixed == shape->fixed &&
		list[*number].moving == shape->moving)
		return (uint32_t)*number;
	/* Another shape of the same key may be listed often. */
	buf_append(shapes, shape, sizeof *shape);
	return (uint32_t)count;
}

/* The shapes that there are, and that of each template. */
static void
pack_shapes(struct packing *it, const struct order *order)
{
	const struct dictionary *dictionary = &it->segment->dictionary;
	struct buf shapes = {0};
	struct map known = {0};
	for (uint32_t t = 0; t < dictionary->count && it->status == POLY_OK && !shapes.failed;
		t++)
		order->values[t] = shape_number(it, &dictionary->shapes[t], &known, &shapes);
	const size_t count = shapes.size / sizeof(struct ptz_shape);
	const struct ptz_shape *list = (const void *)shapes.data;
	buf_clear(&it->coded);
	for (size_t i = 0; i < count && !shapes.failed; i++) {
		ptz_put64(&it->coded, list[i].fixed);
		ptz_put64(&it->coded, list[i].moving);
	}
	if (shapes.failed || it->coded.failed)
		it->status = err_memory(it->error);
	const struct ptz_stream stream = {
		.role = PTZ_SHAPES, .coding = PTZ_BYTES, .values = (uint32_t)count};
	pack_stream(it, stream, it->coded.data, it->coded.size);
	const struct ptz_values values = {.values = order->values, .count = dictionary->count};
	pack_values(it, PTZ_TEMPLATE_SHAPES, 0, &values);
	buf_free(&shapes);
	map_free(&known);
}

void
pack_order(struct packing *it)
{
	const size_t count = it->segment->dictionary.count, rows = it->segment->rows;
	struct order order = {mem_new(count + 1, sizeof *order.follow),
		mem_new(count + 1, sizeof *order.block),
		mem_new((count > rows ? count : rows) + 1, sizeof *order.values)};
	if (order.follow && order.block && order.values) {
		find_followers(it->segment, &order);
		pack_shapes(it, &order);
		pack_followers(it, &order);
		pack_blocks(it, &order);
	} else {
		it->status = err_memory(it->error);
	}
	mem_free(order.follow);
	mem_free(order.block);
	mem_free(order.values);
}
