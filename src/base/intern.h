/* SPDX-License-Identifier: MIT */
/*
 * Interned strings: each has a number, dense from 0. Pointers to strings never change. While
 * one thread adds strings, others may call intern_text for numbers that were added before.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/map.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct intern {
	size_t bytes;		/* of text held */
	char **_Atomic strings; /* by number */
	struct map numbers;
	_Atomic uint32_t count; /* strings held */
	uint32_t capacity;	/* of strings */
	struct intern_array {
		char ***list;
		uint32_t count, capacity;
	} former; /* smaller arrays of strings, which other threads may still read */
};

#define INTERN_FAILED UINT32_MAX

/*
 * Returns the number of a text of n bytes, or up to a NUL before; adds new text. INTERN_FAILED:
 * out of memory.
 */
uint32_t intern_add(struct intern *intern, const char *text, size_t n);

/* Returns the number of a text, likewise; INTERN_FAILED: never added. */
uint32_t intern_find(const struct intern *intern, const char *text, size_t n);

/* Returns the string of a number; NULL: out of range. */
const char *intern_text(const struct intern *intern, uint32_t number);

/* Frees everything; may be used again. */
void intern_free(struct intern *intern);

#endif
