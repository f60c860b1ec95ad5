/* SPDX-License-Identifier: MIT */
/*
 * A growable run of bytes. Lack of memory is sticky: appending then does nothing and failed
 * stays set, so a run of appends is checked once.
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
	bool failed;	 /* memory could not be had; cleared by buf_clear and buf_free */
};

/* Room for more bytes behind the used ones; the pointer to it, or NULL where memory failed. */
uint8_t *buf_reserve(struct buf *buf, size_t more);

/* Appends n bytes. */
void buf_append(struct buf *buf, const void *data, size_t n);

/* Appends a string without its NUL. */
void buf_string(struct buf *buf, const char *text);

/* Appends one byte. */
void buf_byte(struct buf *buf, uint8_t byte);

/* Appends formatted text. */
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The contents as a string: a NUL is kept behind them. "" where memory failed. */
const char *buf_text(struct buf *buf);

/* Empties the buffer and keeps its memory. */
void buf_clear(struct buf *buf);

/* Gives the memory back; the buffer may be used again. */
void buf_free(struct buf *buf);

#endif
