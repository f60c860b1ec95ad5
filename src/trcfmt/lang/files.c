/* SPDX-License-Identifier: MIT */
/* spec: IBM, trcfmt File Format (Built-in Macros); AIX trace reference 4.6. */
#include "trcfmt/lang/files.h"

#include "base/mem.h"

#include <string.h>

/* Keys of the same hash are stored under consecutive hashes, up to this many. */
#define HASH_TRIES 8

static uint64_t
files_mix(uint64_t hash, uint64_t part)
{
	hash = (hash ^ part) * 0xff51afd7ed558ccdu;
	return hash ^ hash >> 32;
}

static uint64_t
files_hash(const struct files_key *key)
{
	uint64_t hash = files_mix(key->relation + 1, key->a);
	return files_mix(files_mix(hash, key->b), key->c);
}

static bool
files_same(const struct files_key *x, const struct files_key *y)
{
	return x->relation == y->relation && x->a == y->a && x->b == y->b && x->c == y->c;
}

static struct files_link *
files_find(const struct files *files, const struct files_key *key)
{
	uint64_t hash = files_hash(key);
	for (unsigned i = 0; i < HASH_TRIES; i++) {
		const uint64_t *position = map_find(&files->places, hash + i);
		if (!position)
			return NULL;
		if (files_same(&files->links[*position].key, key))
			return &files->links[*position];
	}
	return NULL;
}

/* Makes room for one element after count; false: out of memory. */
static bool
files_grow(void **elements, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return true;
	size_t grown = *capacity ? 2 * *capacity : 64;
	void *larger = mem_resize(*elements, grown, size);
	if (!larger)
		return false;
	*elements = larger;
	*capacity = grown;
	return true;
}

static bool
files_add(struct files *files, const struct files_key *key, uint64_t value)
{
	void *links = files->links;
	if (!files_grow(&links, files->link_count, &files->link_capacity, sizeof *files->links))
		return false;
	files->links = links;
	uint64_t hash = files_hash(key);
	bool added = false;
	for (unsigned i = 0; i < HASH_TRIES && !added; i++) {
		if (!map_get(&files->places, hash + i, files->link_count, &added))
			return false;
	}
	if (added)
		files->links[files->link_count++] = (struct files_link){*key, value};
	return true;
}

bool
files_set(struct files *files, const struct files_key *key, uint64_t value)
{
	struct files_link *link = files_find(files, key);
	if (link) {
		link->value = value;
		return true;
	}
	return files->link_count >= FILES_LINKS || files_add(files, key, value);
}

bool
files_get(const struct files *files, const struct files_key *key, uint64_t *value)
{
	const struct files_link *link = files_find(files, key);
	if (link)
		*value = link->value;
	return link != NULL;
}

bool
files_set_name(struct files *files, const struct files_key *key, const void *name, size_t n)
{
	if (n > FILES_NAME || memchr(name, 0, n))
		return true;
	uint32_t number = intern_find(&files->names, name, n);
	if (number == INTERN_FAILED) {
		if (files->names.count >= FILES_NAMES || files->names.bytes > FILES_NAME_BYTES)
			return true;
		number = intern_add(&files->names, name, n);
	}
	return number != INTERN_FAILED && files_set(files, key, number);
}

const char *
files_get_name(const struct files *files, const struct files_key *key)
{
	uint64_t number;
	return files_get(files, key, &number) ? intern_text(&files->names, (uint32_t)number)
					      : NULL;
}

const char *
files_vnode_name(const struct files *files, uint64_t vnode)
{
	return files_get_name(files, &(struct files_key){FILES_NAME_OF, vnode, 0, 0});
}

/* Finds the stored range with the same pages, which the new one replaces; NULL: none. */
static struct files_range *
files_same_range(struct files *files, uint64_t newest, const struct files_range *range)
{
	for (unsigned i = 0; newest && i < FILES_CHAIN; i++) {
		struct files_range *old = &files->ranges[newest - 1];
		if (old->first == range->first && old->last == range->last)
			return old;
		newest = old->older;
	}
	return NULL;
}

bool
files_add_range(struct files *files, const struct files_range *range)
{
	const struct files_key key = {FILES_SEGMENT, range->segment, 0, 0};
	uint64_t newest = 0;
	files_get(files, &key, &newest);
	struct files_range *old = files_same_range(files, newest, range);
	if (old) {
		old->vnode = range->vnode;
		return true;
	}
	if (files->range_count >= FILES_RANGES)
		return true;
	void *ranges = files->ranges;
	if (!files_grow(
		    &ranges, files->range_count, &files->range_capacity, sizeof *files->ranges))
		return false;
	files->ranges = ranges;
	files->ranges[files->range_count] = *range;
	files->ranges[files->range_count].older = (uint32_t)newest;
	return files_set(files, &key, ++files->range_count);
}

bool
files_get_page(const struct files *files, uint64_t segment, uint64_t page, uint64_t *vnode)
{
	uint64_t newest = 0;
	files_get(files, &(struct files_key){FILES_SEGMENT, segment, 0, 0}, &newest);
	for (unsigned i = 0; newest && i < FILES_CHAIN; i++) {
		const struct files_range *range = &files->ranges[newest - 1];
		if (page >= range->first && page <= range->last) {
			*vnode = range->vnode;
			return true;
		}
		newest = range->older;
	}
	return false;
}

bool
files_get_segment(const struct files *files, uint64_t segment, uint64_t *vnode)
{
	uint64_t newest = 0;
	files_get(files, &(struct files_key){FILES_SEGMENT, segment, 0, 0}, &newest);
	if (newest)
		*vnode = files->ranges[newest - 1].vnode;
	return newest != 0;
}

void
files_free(struct files *files)
{
	map_free(&files->places);
	mem_free(files->links);
	mem_free(files->ranges);
	intern_free(&files->names);
	*files = (struct files){0};
}
