/* SPDX-License-Identifier: MIT */
/* Next uses in two passes through stores. */
#include "sim/cache/next_use.h"

#include "base/err.h"
#include "base/mem.h"

#define BLOCK 8192 /* uses */
#define WIDTH sizeof(uint64_t)

/* Lines whose entries are loaded before the first is searched. */
#define AHEAD 16

enum { LINES, USES, STORES };

struct next_use {
	struct sim_store stores[STORES];
	struct line_table
		table; /* of lines, while they are traversed: the latest use of each */
	uint64_t uses; /* added */
	uint64_t read; /* in the second pass */
	uint64_t block[BLOCK];
};

enum poly_status
next_use_new(const struct sim_store stores[2], struct next_use **next, struct poly_error *error)
{
	struct next_use *created = mem_new(1, sizeof *created);
	*next = created;
	if (!created)
		return err_memory(error);
	created->stores[LINES] = stores[LINES];
	created->stores[USES] = stores[USES];
	return POLY_OK;
}

void
next_use_free(struct next_use *next)
{
	mem_free(next);
}

static enum poly_status
put(const struct sim_store *store, uint64_t first, const uint64_t *numbers, size_t count,
	struct poly_error *error)
{
	if (store->put(store->user, first * WIDTH, numbers, count * WIDTH))
		return POLY_OK;
	return err_system(error, POLY_NO_OFFSET, "cannot store accesses");
}

static enum poly_status
get(const struct sim_store *store, uint64_t first, uint64_t *numbers, size_t count,
	struct poly_error *error)
{
	if (store->get(store->user, first * WIDTH, numbers, count * WIDTH))
		return POLY_OK;
	return err_system(error, POLY_NO_OFFSET, "cannot read stored accesses");
}

enum poly_status
next_use_add(
	struct next_use *next, const uint64_t *lines, size_t count, struct poly_error *error)
{
	next->uses += count;
	return put(&next->stores[LINES], next->uses - count, lines, count, error);
}

/* Replaces the lines of a block, whose first access is numbered, by their next uses; false: out
 * of memory. */
static bool
look_ahead(struct next_use *next, uint64_t first, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		const uint64_t line = next->block[i];
		if (i >= AHEAD)
			line_table_prefetch(&next->table, next->block[i - AHEAD]);
		next->block[i] = NEXT_USE_NONE;
		if (line_table_swap(&next->table, line, first + i, &next->block[i]) != POLY_OK)
			return false;
	}
	return true;
}

/* Finds the next uses of a table's lines, from the last block to the first; POLY_ERR_LIMIT:
 * the rate is lower than max_rate. */
static enum poly_status
traverse(struct next_use *next, unsigned max_rate, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (uint64_t end = next->uses; end && status == POLY_OK;) {
		const size_t count = (size_t)((end - 1) % BLOCK + 1);
		end -= count;
		status = get(&next->stores[LINES], end, next->block, count, error);
		if (status == POLY_OK && !look_ahead(next, end, count))
			status = err_memory(error);
		if (status == POLY_OK && next->table.sample.rate > max_rate)
			status = POLY_ERR_LIMIT;
		if (status == POLY_OK)
			status = put(&next->stores[USES], end, next->block, count, error);
	}
	return status;
}

enum poly_status
next_use_resolve(struct next_use *next, uint64_t memory, struct line_sample *sample,
	struct poly_error *error)
{
	static const struct line_sample all_lines = {0};
	enum poly_status status =
		line_table_init(&next->table, memory, sample ? sample : &all_lines, error);
	next->read = 0;
	if (status == POLY_OK)
		status = traverse(next, sample ? UINT32_MAX : 0, error);
	if (status == POLY_OK && sample)
		*sample = next->table.sample;
	line_table_fini(&next->table);
	return status;
}

enum poly_status
next_use_read(struct next_use *next, uint64_t *lines, uint64_t *uses, size_t count,
	struct poly_error *error)
{
	if (count > next->uses - next->read)
		return err_usage(error, "more uses than in the first pass");
	const uint64_t first = next->read;
	next->read += count;
	const enum poly_status status = get(&next->stores[LINES], first, lines, count, error);
	return status == POLY_OK ? get(&next->stores[USES], first, uses, count, error) : status;
}
