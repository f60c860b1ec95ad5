/* SPDX-License-Identifier: MIT */
/* spec: IBM, trcfmt File Format (Built-in Macros); AIX trace reference 4.6. */
#include "trcfmt/lang/files.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

static bool
files_same(const struct files_key *x, const struct files_key *y)
{
	return x->relation == y->relation && x->a == y->a && x->b == y->b && x->c == y->c;
}

/* Returns the first of the keys of the map to try. */
static uint64_t
files_hash(const struct files *files, const struct files_key *key)
{
	const struct hash_seed *seed = &files->places.seed;
	return hash_pair(
		seed, hash_pair(seed, key->relation, key->a), hash_pair(seed, key->b, key->c));
}

/* Returns the link of a key; else NULL, and the free key of the map. */
static struct files_link *
files_find(const struct files *files, const struct files_key *key, uint64_t *free_key)
{
	for (*free_key = files_hash(files, key);; ++*free_key) {
		const uint64_t *position = map_find(&files->places, *free_key);
		if (!position)
			return NULL;
		if (files_same(&files->links[*position].key, key))
			return &files->links[*position];
	}
}

bool
files_set(struct files *files, const struct files_key *key, uint64_t value)
{
	bool added;
	uint64_t free_key;
	if (!VEC_RESERVE(files->links, files->link_capacity, files->link_count + 1) ||
		!map_reserve(&files->places, files->link_count + 1))
		return false;
	struct files_link *link = files_find(files, key, &free_key);
	if (!link && files->link_count == FILES_LINKS)
		return true;
	if (!link) {
		map_get(&files->places, free_key, files->link_count, &added);
		link = &files->links[files->link_count++];
	}
	*link = (struct files_link){*key, value};
	return true;
}

bool
files_get(const struct files *files, const struct files_key *key, uint64_t *value)
{
	uint64_t free_key;
	const struct files_link *link = files_find(files, key, &free_key);
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
	if (!VEC_RESERVE(files->ranges, files->range_capacity, files->range_count + 1))
		return false;
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
