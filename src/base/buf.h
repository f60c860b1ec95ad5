/* SPDX-License-Identifier: MIT */
/*
 * A growable byte buffer. Out of memory is sticky: appending then does nothing and failed stays
 * set, so a series of appends is checked once.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;	 /* NULL while the capacity is 0 */
	size_t size;	 /* bytes used */
	size_t capacity; /* bytes allocated */
	bool failed;	 /* out of memory; cleared by buf_clear and buf_free */
};

/* Returns room for n bytes after the used ones; NULL: out of memory. */
uint8_t *buf_reserve(struct buf *buf, size_t n);

/* Appends n bytes. */
void buf_append(struct buf *buf, const void *data, size_t n);

/* Appends a string without its NUL. */
void buf_string(struct buf *buf, const char *text);

/* Appends one byte. */
void buf_byte(struct buf *buf, uint8_t byte);

/* Appends formatted text. */
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the contents as a string, with a NUL after them; "": out of memory. */
const char *buf_text(struct buf *buf);

/* Empties the buffer, without freeing its memory. */
void buf_clear(struct buf *buf);

/* Frees the memory; the buffer may be used again. */
void buf_free(struct buf *buf);

#endif
