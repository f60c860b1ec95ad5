/* SPDX-License-Identifier: MIT */
/* Interned strings. */
#include "base/intern.h"

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

/* FNV-1a. */
static uint32_t
intern_hash(const char *text, size_t n)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash;
}

static uint32_t *
intern_slot(const struct intern *intern, const char *text, size_t n)
{
	uint32_t mask = 2 * intern->capacity - 1;
	uint32_t i = intern_hash(text, n) & mask;
	for (; intern->slots[i]; i = (i + 1) & mask) {
		const char *held = intern->strings[intern->slots[i] - 1];
		if (strncmp(held, text, n) == 0 && held[n] == 0)
			break;
	}
	return &intern->slots[i];
}

static bool
intern_grow(struct intern *intern)
{
	uint32_t capacity = intern->capacity ? 2 * intern->capacity : 64;
	char **strings = mem_resize(intern->strings, capacity, sizeof *strings);
	if (!strings)
		return false;
	intern->strings = strings;
	uint32_t *slots = mem_new(2 * (size_t)capacity, sizeof *slots);
	if (!slots)
		return false;
	mem_free(intern->slots);
	intern->slots = slots;
	intern->capacity = capacity;
	for (uint32_t i = 0; i < intern->count; i++)
		*intern_slot(intern, strings[i], strlen(strings[i])) = i + 1;
	return true;
}

uint32_t
intern_add(struct intern *intern, const char *text, size_t n)
{
	if (intern->count == intern->capacity && !intern_grow(intern))
		return INTERN_FAILED;
	uint32_t *slot = intern_slot(intern, text, n);
	if (*slot)
		return *slot - 1;
	char *copy = mem_new(n + 1, 1);
	if (!copy)
		return INTERN_FAILED;
	memcpy(copy, text, n);
	intern->strings[intern->count] = copy;
	intern->bytes += n;
	*slot = ++intern->count;
	return *slot - 1;
}

uint32_t
intern_find(const struct intern *intern, const char *text, size_t n)
{
	uint32_t *slot = intern->count ? intern_slot(intern, text, n) : NULL;
	return slot && *slot ? *slot - 1 : INTERN_FAILED;
}

const char *
intern_text(const struct intern *intern, uint32_t number)
{
	return number < intern->count ? intern->strings[number] : NULL;
}

void
intern_free(struct intern *intern)
{
	for (uint32_t i = 0; i < intern->count; i++)
		mem_free(intern->strings[i]);
	mem_free(intern->strings);
	mem_free(intern->slots);
	memset(intern, 0, sizeof *intern);
}
