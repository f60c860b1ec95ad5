/* SPDX-License-Identifier: MIT */
/*
 * Rows of a segment, counted: how often each template is executed follows from how often each
 * block is, so that blocks are gone through instead of rows.
 */
#include "format/ptz/decode.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/chain_graph.h"

#include <string.h>

struct ptz_tally {
	uint32_t capacity;  /* templates that there is room for */
	uint32_t *times;    /* by template: rows of it */
	uint32_t *order;    /* templates that have any, by their first */
	uint32_t count, at; /* of these, and how many were given */
	uint32_t *met;	    /* blocks in the order of their first execution */
	uint32_t met_count;
	uint32_t *length; /* by block: its rows; 0: not executed yet */
	uint32_t *again;  /* by block: executions behind the first */
	uint32_t *place;  /* by template: where it is in order */
	uint32_t *next;	  /* by place: that of the template behind it */
	uint32_t *first;  /* by block: the place of its first template */
	struct poly_chain_graph told;
	uint64_t weight[POLY_BATCH_ROWS]; /* of the rows that were given last */
};

/* Makes room for a segment, and empties it. False: no memory. */
static bool
make_room(struct ptz_tally *tally, const struct unpacked *from)
{
	/* There are no more blocks than templates. */
	const size_t n = (size_t)from->templates + 1;
	if (n > tally->capacity) {
		uint32_t *room = mem_new(8 * n, sizeof *room);
		if (!room)
			return false;
		mem_free(tally->times);
		tally->times = room;
		tally->capacity = (uint32_t)n;
	}
	const size_t size = tally->capacity;
	tally->length = tally->times + size;
	tally->again = tally->length + size;
	tally->order = tally->again + size;
	tally->met = tally->order + size;
	tally->place = tally->met + size;
	tally->next = tally->place + size;
	tally->first = tally->next + size;
	memset(tally->times, 0, 3 * size * sizeof *tally->times);
	tally->count = tally->at = tally->met_count = 0;
	return true;
}

/* Counts up to most rows of a block that begins with a template, so many times; how many. */
static uint32_t
add_block(struct ptz_tally *tally, const struct unpacked *from, uint32_t template,
	uint32_t most, uint32_t times)
{
	uint32_t rows = 0;
	while (template != PTZ_SEVERAL && rows < most) {
		const uint32_t run = from->run[template], left = most - rows;
		const uint32_t n = run < left ? run : left;
		for (uint32_t t = template; t < template + n; t++) {
			if (!tally->times[t])
				tally->order[tally->count++] = t;
			tally->times[t] += times;
		}
		rows += n;
		template = from->follow[template + n - 1];
	}
	return rows;
}

/* Goes through all blocks. False: the streams do not say them. */
static bool
count_rows(struct ptz_tally *tally, const struct unpacked *from)
{
	uint32_t left = from->rows;
	for (uint32_t i = 0; left; i++) {
		const uint32_t block = i < from->block_count ? from->blocks[i] : UINT32_MAX;
		if (block >= from->start_count)
			return false;
		const uint32_t length = tally->length[block];
		if (length && length <= left) {
			tally->again[block]++;
			left -= length;
			continue;
		}
		/* The last block may be cut; then no further one is looked at. */
		const uint32_t rows = add_block(tally, from, from->starts[block], left, 1);
		if (!length) {
			tally->met[tally->met_count++] = block;
			tally->length[block] = rows;
		}
		left -= rows;
	}
	return true;
}

/* True where no column that was loaded has other values from row to row of a template. */
static bool
is_static(const struct unpacked *from)
{
	for (unsigned i = 0; i < from->columns; i++) {
		if (from->column[i].moves)
			return false;
	}
	return true;
}

enum poly_status
unpacked_count(struct unpacked *from, struct poly_error *error)
{
	if (!is_static(from))
		return POLY_OK;
	if (!from->tally)
		from->tally = mem_new(1, sizeof *from->tally);
	struct ptz_tally *tally = from->tally;
	if (!tally || !make_room(tally, from))
		return err_memory(error);
	if (!count_rows(tally, from)) {
		ptz_tally_clear(tally);
		return POLY_OK;
	}
	for (uint32_t i = 0; i < tally->met_count; i++) {
		const uint32_t block = tally->met[i];
		if (tally->again[block])
			add_block(tally, from, from->starts[block], tally->length[block],
				tally->again[block]);
	}
	return POLY_OK;
}

bool
unpacked_counted(const struct unpacked *from)
{
	return from->tally && from->tally->at < from->tally->count;
}

/* In which order the rows were executed, by the places of their templates. */
static const struct poly_chain_graph *
tell_order(struct ptz_tally *tally, const struct unpacked *from)
{
	for (uint32_t i = 0; i < tally->count; i++)
		tally->place[tally->order[i]] = i;
	for (uint32_t i = 0; i < tally->count; i++) {
		const uint32_t follow = from->follow[tally->order[i]];
		/* Nothing behind the last row of the segment was executed. */
		const bool is_end = follow == PTZ_SEVERAL || !tally->times[follow];
		tally->next[i] = is_end ? CHAIN_NONE : tally->place[follow];
	}
	for (uint32_t i = 0; i < tally->met_count; i++) {
		const uint32_t block = tally->met[i];
		tally->first[block] = tally->place[from->starts[block]];
	}
	tally->told = (struct poly_chain_graph){.rows = tally->count,
		.next = tally->next,
		.chains = from->start_count,
		.first = tally->first,
		.length = tally->length,
		.executed = from->blocks,
		.records = from->rows};
	return &tally->told;
}

enum poly_status
unpacked_tally(
	struct unpacked *from, struct batch *batch, size_t most, struct poly_error *error)
{
	struct ptz_tally *tally = from->tally;
	const uint32_t *order = tally->order + tally->at;
	const size_t left = tally->count - tally->at;
	most = most < from->rows_most ? most : from->rows_most;
	const size_t n = left < most ? left : most;
	const enum poly_status status = unpacked_templates(from, batch, order, n, error);
	if (status != POLY_OK)
		return status;
	for (size_t row = 0; row < n; row++) {
		tally->weight[row] = tally->times[order[row]];
		from->given += tally->times[order[row]];
	}
	batch->view.weight = tally->weight;
	tally->at += (uint32_t)n;
	if (tally->at == tally->count)
		batch->view.order = tell_order(tally, from);
	return POLY_OK;
}

void
ptz_tally_clear(struct ptz_tally *tally)
{
	if (tally)
		tally->count = tally->at = 0;
}

void
ptz_tally_free(struct ptz_tally *tally)
{
	if (tally)
		mem_free(tally->times);
	mem_free(tally);
}
