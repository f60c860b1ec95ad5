/* SPDX-License-Identifier: MIT */
/*
 * Weighted rows of a segment: the executions of each template follow from those of the blocks,
 * so this iterates over executed blocks instead of rows.
 */
#include "format/ptz/decode.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/chain_graph.h"

#include <string.h>

struct ptz_weights {
	uint32_t capacity;  /* allocated templates */
	uint32_t *times;    /* by template: rows */
	uint32_t *order;    /* templates that have rows, by their first row */
	uint32_t count, at; /* number of templates in order, and of those delivered */
	uint32_t *executed; /* blocks in the order of their first execution */
	uint32_t executed_count;
	uint32_t *length;   /* by block: rows; 0: not executed yet */
	uint32_t *repeats;  /* by block: executions after the first */
	uint32_t *position; /* by template: index in order */
	uint32_t *next;	    /* by position: position of the follower */
	uint32_t *first;    /* by block: position of its first template */
	struct poly_chain_graph order_view;
	uint64_t weight[POLY_BATCH_ROWS]; /* of the rows delivered last */
};

/* Allocates and clears the counts for a segment. Returns false if out of memory. */
static bool
make_room(struct ptz_weights *weights, const struct unpacked *from)
{
	/* A segment has at most as many blocks as templates. */
	const size_t n = (size_t)from->templates + 1;
	if (n > weights->capacity) {
		uint32_t *room = mem_new(8 * n, sizeof *room);
		if (!room)
			return false;
		mem_free(weights->times);
		weights->times = room;
		weights->capacity = (uint32_t)n;
	}
	const size_t size = weights->capacity;
	weights->length = weights->times + size;
	weights->repeats = weights->length + size;
	weights->order = weights->repeats + size;
	weights->executed = weights->order + size;
	weights->position = weights->executed + size;
	weights->next = weights->position + size;
	weights->first = weights->next + size;
	memset(weights->times, 0, 3 * size * sizeof *weights->times);
	weights->count = weights->at = weights->executed_count = 0;
	return true;
}

/* Counts up to max rows of a block that starts with a template, times times; returns their
 * number. */
static uint32_t
add_block(struct ptz_weights *weights, const struct unpacked *from, uint32_t template,
	uint32_t max, uint32_t times)
{
	uint32_t rows = 0;
	while (template != PTZ_SEVERAL && rows < max) {
		const uint32_t run = from->run_length[template], left = max - rows;
		const uint32_t n = run < left ? run : left;
		for (uint32_t t = template; t < template + n; t++) {
			if (!weights->times[t])
				weights->order[weights->count++] = t;
			weights->times[t] += times;
		}
		rows += n;
		template = from->follow[template + n - 1];
	}
	return rows;
}

/* Counts all executed blocks. Returns false if the streams do not specify them. */
static bool
count_rows(struct ptz_weights *weights, const struct unpacked *from)
{
	uint32_t left = from->rows;
	for (uint32_t i = 0; left; i++) {
		const uint32_t block = i < from->block_count ? from->blocks[i] : UINT32_MAX;
		if (block >= from->start_count)
			return false;
		const uint32_t length = weights->length[block];
		if (length && length <= left) {
			weights->repeats[block]++;
			left -= length;
			continue;
		}
		/* The last block may be truncated; the loop ends after it. */
		const uint32_t rows = add_block(weights, from, from->starts[block], left, 1);
		if (!length) {
			weights->executed[weights->executed_count++] = block;
			weights->length[block] = rows;
		}
		left -= rows;
	}
	return true;
}

/* Returns whether no loaded column varies. */
static bool
is_static(const struct unpacked *from)
{
	for (unsigned i = 0; i < from->columns; i++) {
		if (from->column[i].varying)
			return false;
	}
	return true;
}

enum poly_status
unpacked_count_rows(struct unpacked *from, struct poly_error *error)
{
	if (!is_static(from))
		return POLY_OK;
	if (!from->weights)
		from->weights = mem_new(1, sizeof *from->weights);
	struct ptz_weights *weights = from->weights;
	if (!weights || !make_room(weights, from))
		return err_memory(error);
	if (!count_rows(weights, from)) {
		ptz_weights_clear(weights);
		return POLY_OK;
	}
	for (uint32_t i = 0; i < weights->executed_count; i++) {
		const uint32_t block = weights->executed[i];
		if (weights->repeats[block])
			add_block(weights, from, from->starts[block], weights->length[block],
				weights->repeats[block]);
	}
	return POLY_OK;
}

bool
unpacked_has_weighted(const struct unpacked *from)
{
	return from->weights && from->weights->at < from->weights->count;
}

/* Returns the execution order of the rows, by the positions of their templates. */
static const struct poly_chain_graph *
set_order(struct ptz_weights *weights, const struct unpacked *from)
{
	for (uint32_t i = 0; i < weights->count; i++)
		weights->position[weights->order[i]] = i;
	for (uint32_t i = 0; i < weights->count; i++) {
		const uint32_t follow = from->follow[weights->order[i]];
		/* The template after the segment's last row may not have been executed. */
		const bool is_end = follow == PTZ_SEVERAL || !weights->times[follow];
		weights->next[i] = is_end ? CHAIN_NONE : weights->position[follow];
	}
	for (uint32_t i = 0; i < weights->executed_count; i++) {
		const uint32_t block = weights->executed[i];
		weights->first[block] = weights->position[from->starts[block]];
	}
	weights->order_view = (struct poly_chain_graph){.rows = weights->count,
		.next = weights->next,
		.chains = from->start_count,
		.first = weights->first,
		.length = weights->length,
		.executed = from->blocks,
		.records = from->rows};
	return &weights->order_view;
}

enum poly_status
unpacked_next_weighted(
	struct unpacked *from, struct batch *batch, size_t max, struct poly_error *error)
{
	struct ptz_weights *weights = from->weights;
	const uint32_t *order = weights->order + weights->at;
	const size_t left = weights->count - weights->at;
	max = max < from->rows_max ? max : from->rows_max;
	const size_t n = left < max ? left : max;
	const enum poly_status status = unpacked_emit_templates(from, batch, order, n, error);
	if (status != POLY_OK)
		return status;
	for (size_t row = 0; row < n; row++) {
		weights->weight[row] = weights->times[order[row]];
		from->delivered += weights->times[order[row]];
	}
	batch->view.internal = &batch->internal;
	batch->internal = (struct poly_batch_internal){.weight = weights->weight};
	weights->at += (uint32_t)n;
	if (weights->at == weights->count)
		batch->internal.order = set_order(weights, from);
	return POLY_OK;
}

void
ptz_weights_clear(struct ptz_weights *weights)
{
	if (weights)
		weights->count = weights->at = 0;
}

void
ptz_weights_free(struct ptz_weights *weights)
{
	if (weights)
		mem_free(weights->times);
	mem_free(weights);
}
