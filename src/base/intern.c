/* SPDX-License-Identifier: MIT */
/* Interned strings. */
#include "base/intern.h"

#include "base/mem.h"
#include "base/vec.h"

#include <stdbool.h>
#include <string.h>

/* Returns whether a string is n bytes of text. */
static bool
is_text(const char *held, const char *text, size_t n)
{
	return strncmp(held, text, n) == 0 && held[n] == 0;
}

/* Returns the length of a text of at most n bytes: different numbers have different texts. */
static size_t
text_length(const char *text, size_t n)
{
	const char *end = n ? memchr(text, 0, n) : NULL;
	return end ? (size_t)(end - text) : n;
}

/* Makes room for another string; false: out of memory. */
static bool
reserve(struct intern *intern)
{
	const uint32_t count = intern->count;
	uint32_t capacity = intern->capacity;
	char **old = intern->strings, **larger = NULL;
	if (count < capacity)
		return true;
	if (!VEC_ROOM(intern->former.list, intern->former.capacity, intern->former.count) ||
		!VEC_ROOM(larger, capacity, capacity))
		return false;
	if (old) {
		memcpy(larger, old, count * sizeof *larger);
		intern->former.list[intern->former.count++] = old;
	}
	intern->strings = larger;
	intern->capacity = capacity;
	return true;
}

/* Stores a copy of n bytes of text as the next string; false: out of memory. */
static bool
intern_copy(struct intern *intern, const char *text, size_t n)
{
	if (!reserve(intern))
		return false;
	char *copy = mem_new(n + 1, 1);
	intern->strings[intern->count] = copy;
	if (copy)
		memcpy(copy, text, n);
	return copy;
}

uint32_t
intern_add(struct intern *intern, const char *text, size_t n)
{
	bool added;
	n = text_length(text, n);
	for (uint64_t key = map_bytes(&intern->numbers, text, n);; key++) {
		const uint64_t *number = map_find(&intern->numbers, key);
		if (number && is_text(intern->strings[*number], text, n))
			return (uint32_t)*number;
		if (number)
			continue;
		if (!intern_copy(intern, text, n))
			return INTERN_FAILED;
		if (!map_get(&intern->numbers, key, intern->count, &added)) {
			mem_free(intern->strings[intern->count]);
			return INTERN_FAILED;
		}
		intern->bytes += n;
		return intern->count++;
	}
}

uint32_t
intern_find(const struct intern *intern, const char *text, size_t n)
{
	n = text_length(text, n);
	for (uint64_t key = hash_bytes(&intern->numbers.seed, text, n);; key++) {
		const uint64_t *number = map_find(&intern->numbers, key);
		if (!number)
			return INTERN_FAILED;
		if (is_text(intern->strings[*number], text, n))
			return (uint32_t)*number;
	}
}

const char *
intern_text(const struct intern *intern, uint32_t number)
{
	/* Not subscripted at once: some compilers do not load an atomic operand of [] so. */
	return number < intern->count ? atomic_load(&intern->strings)[number] : NULL;
}

void
intern_free(struct intern *intern)
{
	for (uint32_t i = 0; i < intern->count; i++)
		mem_free(intern->strings[i]);
	for (uint32_t i = 0; i < intern->former.count; i++)
		mem_free(intern->former.list[i]);
	mem_free(intern->former.list);
	mem_free(intern->strings);
	map_free(&intern->numbers);
	memset(intern, 0, sizeof *intern);
}
