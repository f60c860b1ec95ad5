/* SPDX-License-Identifier: MIT */
/* Next uses in two passes through a store. */
#include "sim/cache/next_use.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/memory/dense_index.h"

#include <string.h>

#define BLOCK 8192 /* uses */
#define WIDTH sizeof(uint64_t)

struct next_use {
	struct sim_store store;
	struct dense_index dense;
	uint64_t *block;
	uint32_t ids[BLOCK];
	uint64_t uses; /* learned */
	uint64_t read; /* given out again */
};

enum poly_status
next_use_new(const struct sim_store *store, uint32_t lines, struct next_use **next,
	struct poly_error *error)
{
	struct next_use *created = mem_new(1, sizeof *created);
	*next = NULL;
	if (!created)
		return err_memory(error);
	created->store = *store;
	created->block = mem_new(BLOCK, sizeof *created->block);
	if (!created->block || dense_index_init(&created->dense, lines, error) != POLY_OK) {
		next_use_free(created);
		return err_memory(error);
	}
	*next = created;
	return POLY_OK;
}

void
next_use_free(struct next_use *next)
{
	if (!next)
		return;
	dense_index_fini(&next->dense);
	mem_free(next->block);
	mem_free(next);
}

static enum poly_status
put(struct next_use *next, uint64_t first, size_t count, struct poly_error *error)
{
	if (next->store.put(next->store.user, first * WIDTH, next->block, count * WIDTH))
		return POLY_OK;
	return err_system(error, POLY_NO_OFFSET, "cannot write next uses");
}

static enum poly_status
get(struct next_use *next, uint64_t first, void *dst, size_t count, struct poly_error *error)
{
	if (next->store.get(next->store.user, first * WIDTH, dst, count * WIDTH))
		return POLY_OK;
	return err_system(error, POLY_NO_OFFSET, "cannot read next uses");
}

/* At most BLOCK uses. */
static enum poly_status
learn(struct next_use *next, const uint64_t *lines, size_t count, struct poly_error *error)
{
	const enum poly_status status =
		dense_index_find(&next->dense, lines, count, next->ids, error);
	if (status != POLY_OK)
		return status;
	for (size_t i = 0; i < count; i++)
		next->block[i] = next->ids[i];
	next->uses += count;
	return put(next, next->uses - count, count, error);
}

enum poly_status
next_use_add(
	struct next_use *next, const uint64_t *lines, size_t count, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t from = 0; from < count && status == POLY_OK; from += BLOCK)
		status = learn(
			next, lines + from, count - from < BLOCK ? count - from : BLOCK, error);
	return status;
}

/* Replaces the lines of a block by their next uses; later has the uses after it. */
static void
look_ahead(struct next_use *next, uint64_t first, size_t count, uint64_t *later)
{
	for (size_t i = count; i-- > 0;) {
		const uint64_t line = next->block[i];
		next->block[i] = later[line];
		later[line] = first + i;
	}
}

enum poly_status
next_use_resolve(struct next_use *next, struct poly_error *error)
{
	const size_t lines = next->dense.count;
	uint64_t *later = mem_new(lines, sizeof *later);
	if (!later)
		return err_memory(error);
	memset(later, 0xff, lines * sizeof *later);
	enum poly_status status = POLY_OK;
	for (uint64_t end = next->uses; end && status == POLY_OK;) {
		const size_t count = (size_t)((end - 1) % BLOCK + 1);
		end -= count;
		status = get(next, end, next->block, count, error);
		if (status != POLY_OK)
			break;
		look_ahead(next, end, count, later);
		status = put(next, end, count, error);
	}
	mem_free(later);
	return status;
}

enum poly_status
next_use_read(struct next_use *next, uint64_t *uses, size_t count, struct poly_error *error)
{
	if (count > next->uses - next->read)
		return err_usage(error, "more uses than in the first pass");
	next->read += count;
	return get(next, next->read - count, uses, count, error);
}
