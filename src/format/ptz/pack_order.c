/* SPDX-License-Identifier: MIT */
/*
 * The order of a segment's templates as streams. Most templates have a single follower; a block
 * runs up to a template with several, so its first template identifies it, and the segment is
 * the sequence of its blocks.
 */
#include "format/ptz/pack.h"

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

#include <string.h>

#define NONE UINT32_MAX

/* Marks a template that has several followers. */
#define SEVERAL (UINT32_MAX - 1)

struct template_order {
	uint32_t *follow; /* by template: the only follower, SEVERAL or NONE */
	uint32_t *block;  /* by template: number of the block that starts with it, or NONE */
	uint64_t *values;
};

static void
find_followers(const struct ptz_segment *segment, struct template_order *order)
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
pack_followers(struct segment_packing *packing, const struct template_order *order)
{
	const uint32_t count = packing->segment->dictionary.count;
	for (uint32_t t = 0; t < count; t++) {
		const uint32_t follow = order->follow[t];
		order->values[t] =
			follow >= SEVERAL ? 0 : 1 + ptz_zigzag((uint64_t)follow - (t + 1));
	}
	const struct ptz_values values = {.values = order->values, .count = count};
	pack_values(packing, PTZ_FOLLOW, 0, &values);
}

/* Packs the executed blocks, and the first template of each block. */
static void
pack_blocks(struct segment_packing *packing, const struct template_order *order)
{
	const struct ptz_segment *segment = packing->segment;
	const uint32_t *numbers = segment->numbers;
	uint64_t *starts = mem_new(segment->dictionary.count + (size_t)1, sizeof *starts);
	size_t blocks = 0, executed = 0;
	if (!starts)
		packing->status = err_memory(packing->error);
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
	pack_values(packing, PTZ_STARTS, 0, &where);
	const struct ptz_values what = {.values = order->values, .count = executed};
	pack_values(packing, PTZ_BLOCKS, 0, &what);
	mem_free(starts);
}

/* Returns the number of a shape in shapes, and appends it if it is new. */
static uint32_t
shape_number(struct segment_packing *packing, const struct ptz_shape *shape, struct map *known,
	struct buf *shapes)
{
	for (uint64_t key = map_pair(known, shape->fixed, shape->varying);; key++) {
		const uint64_t count = shapes->size / sizeof *shape;
		bool added;
		const uint64_t *number = map_get(known, key, count, &added);
		if (number && added)
			buf_append(shapes, shape, sizeof *shape);
		if (!number || shapes->failed) {
			packing->status = err_memory(packing->error);
			return 0;
		}
		const struct ptz_shape *list = (const void *)shapes->data;
		if (list[*number].fixed == shape->fixed &&
			list[*number].varying == shape->varying)
			return (uint32_t)*number;
	}
}

/* Packs the distinct shapes, and the shape number of each template. */
static void
pack_shapes(struct segment_packing *packing, const struct template_order *order)
{
	const struct dictionary *dictionary = &packing->segment->dictionary;
	struct buf shapes = {0};
	struct map known = {0};
	for (uint32_t t = 0;
		t < dictionary->count && packing->status == POLY_OK && !shapes.failed; t++)
		order->values[t] =
			shape_number(packing, &dictionary->shapes[t], &known, &shapes);
	const size_t count = shapes.size / sizeof(struct ptz_shape);
	const struct ptz_shape *list = (const void *)shapes.data;
	buf_clear(&packing->coded);
	for (size_t i = 0; i < count && !shapes.failed; i++) {
		ptz_put_u64(&packing->coded, list[i].fixed);
		ptz_put_u64(&packing->coded, list[i].varying);
	}
	if (shapes.failed || packing->coded.failed)
		packing->status = err_memory(packing->error);
	const struct ptz_stream stream = {
		.role = PTZ_SHAPES, .coding = PTZ_BYTES, .values = (uint32_t)count};
	pack_stream(packing, stream, packing->coded.data, packing->coded.size);
	const struct ptz_values values = {.values = order->values, .count = dictionary->count};
	pack_values(packing, PTZ_TEMPLATE_SHAPES, 0, &values);
	buf_free(&shapes);
	map_free(&known);
}

void
pack_order(struct segment_packing *packing)
{
	const size_t count = packing->segment->dictionary.count, rows = packing->segment->rows;
	struct template_order order = {mem_new(count + 1, sizeof *order.follow),
		mem_new(count + 1, sizeof *order.block),
		mem_new((count > rows ? count : rows) + 1, sizeof *order.values)};
	if (order.follow && order.block && order.values) {
		find_followers(packing->segment, &order);
		pack_shapes(packing, &order);
		pack_followers(packing, &order);
		pack_blocks(packing, &order);
	} else {
		packing->status = err_memory(packing->error);
	}
	mem_free(order.follow);
	mem_free(order.block);
	mem_free(order.values);
}
