/* SPDX-License-Identifier: MIT */
/* spec: AIX <sys/trchdr.h>. */
#include "format/aix/log.h"

#include "base/bits.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

size_t
aix_header_size(uint32_t magic)
{
	if (magic == AIX_MAGIC_OLD || magic == AIX_MAGIC_32)
		return 36;
	return magic == AIX_MAGIC_64 ? 48 : 0;
}

static uint64_t
load_number(const struct aix_header *header, const uint8_t *p)
{
	return header->magic == AIX_MAGIC_64 ? load_be64(p) : load_be32(p);
}

static void
store_number(const struct aix_header *header, uint8_t *p, uint64_t v)
{
	if (header->magic == AIX_MAGIC_64) {
		store_be32(p, (uint32_t)(v >> 32));
		p += 4;
	}
	store_be32(p, (uint32_t)v);
}

/* header = magic nentries currentry mode wrapcount fd(4) fp ic.offset ic.size(4 or 8) */
void
aix_header_load(struct aix_header *header, const uint8_t *p)
{
	*header = (struct aix_header){load_be32(p), load_be32(p + 4), load_be32(p + 8),
		load_be32(p + 12), load_be32(p + 16), 0, 0, 0, 0};
	header->size = aix_header_size(header->magic);
	header->entry = header->magic == AIX_MAGIC_64 ? 16 : 8;
	header->initial = load_number(header, p + header->size - header->entry);
	header->initial_size = load_number(header, p + header->size - header->entry / 2);
}

void
aix_header_store(const struct aix_header *header, uint8_t *p)
{
	const uint32_t words[5] = {
		header->magic, header->entries, header->current, header->mode, header->wraps};
	memset(p, 0, header->size);
	for (size_t i = 0; i < 5; i++)
		store_be32(p + 4 * i, words[i]);
	aix_entry_store(header, p + header->size - header->entry, header->initial,
		header->initial_size);
}

void
aix_entry_store(const struct aix_header *header, uint8_t *p, uint64_t offset, uint64_t size)
{
	store_number(header, p, offset);
	store_number(header, p + header->entry / 2, size);
}

uint64_t
aix_front_size(const struct aix_header *header)
{
	return header->size + (uint64_t)header->entries * header->entry;
}

static int
by_offset(const void *first, const void *second)
{
	const struct aix_block *a = first, *b = second;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	/* The initial conditions precede a directory entry of the same offset. */
	return (a->index + 1 > b->index + 1) - (a->index + 1 < b->index + 1);
}

static void
add_block(struct aix_blocks *blocks, uint64_t offset, uint64_t size, uint32_t index)
{
	/* Clip the block at the largest offset. */
	if (size > UINT64_MAX - offset)
		size = UINT64_MAX - offset;
	if (size)
		blocks->list[blocks->count++] =
			(struct aix_block){.offset = offset, .size = size, .index = index};
}

/* Removes blocks that begin within the header, the directory or another block. */
static void
drop_overlaps(struct aix_blocks *blocks, uint64_t front)
{
	size_t kept = 0;
	uint64_t end = front;
	for (size_t i = 0; i < blocks->count; i++) {
		const struct aix_block *block = &blocks->list[i];
		if (block->offset >= end) {
			end = block->offset + block->size;
			blocks->list[kept++] = *block;
		} else if (blocks->overlaps++ == 0) {
			blocks->overlap = block->offset;
		}
	}
	blocks->count = kept;
}

/*
 * Returns the rank of a block in reading order: the initial conditions, then entries from
 * `current` on.
 */
static uint32_t
rank_of(const struct aix_header *header, uint32_t index)
{
	uint32_t first =
		header->wraps && header->current < header->entries ? header->current : 0;
	if (index == AIX_INITIAL)
		return 0;
	return 1 + (index >= first ? index - first : header->entries - first + index);
}

static bool
build_order(const struct aix_header *header, struct aix_blocks *blocks, uint32_t entries)
{
	/* Index into the list by rank, plus 1. */
	uint32_t *positions = mem_new((size_t)entries + 2, sizeof *positions);
	blocks->order = mem_new(blocks->count + 1, sizeof *blocks->order);
	if (!positions || !blocks->order) {
		mem_free(positions);
		return false;
	}
	struct aix_header read_header = *header;
	read_header.entries = entries;
	for (size_t i = 0; i < blocks->count; i++)
		positions[rank_of(&read_header, blocks->list[i].index)] = (uint32_t)i + 1;
	size_t n = 0;
	for (size_t rank = 0; rank <= entries; rank++) {
		if (positions[rank])
			blocks->order[n++] = positions[rank] - 1;
	}
	mem_free(positions);
	return true;
}

bool
aix_blocks_find(const struct aix_header *header, const uint8_t *p, uint32_t entries,
	struct aix_blocks *blocks)
{
	memset(blocks, 0, sizeof *blocks);
	blocks->list = mem_new((size_t)entries + 1, sizeof *blocks->list);
	if (!blocks->list)
		return false;
	add_block(blocks, header->initial, header->initial_size, AIX_INITIAL);
	for (uint32_t i = 0; i < entries; i++, p += header->entry)
		add_block(blocks, load_number(header, p),
			load_number(header, p + header->entry / 2), i);
	qsort(blocks->list, blocks->count, sizeof *blocks->list, by_offset);
	drop_overlaps(blocks, aix_front_size(header));
	return build_order(header, blocks, entries);
}

void
aix_blocks_fini(struct aix_blocks *blocks)
{
	mem_free(blocks->list);
	mem_free(blocks->order);
	memset(blocks, 0, sizeof *blocks);
}
