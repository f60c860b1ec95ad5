/* SPDX-License-Identifier: MIT */
/* Growable byte buffers. */
#include "base/buf.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint8_t *
buf_reserve(struct buf *buf, size_t n)
{
	if (buf->failed)
		return NULL;
	if (n <= buf->capacity - buf->size && buf->data)
		return buf->data + buf->size;
	size_t capacity = buf->capacity ? buf->capacity : 64;
	while (capacity - buf->size < n && capacity <= SIZE_MAX / 2)
		capacity *= 2;
	uint8_t *data = capacity - buf->size < n ? NULL : mem_resize(buf->data, capacity, 1);
	if (!data) {
		buf->failed = true;
		return NULL;
	}
	buf->data = data;
	buf->capacity = capacity;
	return data + buf->size;
}

void
buf_append(struct buf *buf, const void *data, size_t n)
{
	uint8_t *room = buf_reserve(buf, n);
	if (!room || !n)
		return;
	memcpy(room, data, n);
	buf->size += n;
}

void
buf_string(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text));
}

void
buf_byte(struct buf *buf, uint8_t byte)
{
	buf_append(buf, &byte, 1);
}

void
buf_printf(struct buf *buf, const char *format, ...)
{
	va_list list, again;
	va_start(list, format);
	va_copy(again, list);
	int n = vsnprintf(NULL, 0, format, list);
	va_end(list);
	char *dst = n < 0 ? NULL : (char *)buf_reserve(buf, (size_t)n + 1);
	if (dst) {
		vsnprintf(dst, (size_t)n + 1, format, again);
		buf->size += (size_t)n;
	}
	va_end(again);
}

const char *
buf_text(struct buf *buf)
{
	uint8_t *end = buf_reserve(buf, 1);
	if (!end)
		return "";
	*end = 0;
	return (const char *)buf->data;
}

void
buf_clear(struct buf *buf)
{
	buf->size = 0;
	buf->failed = false;
}

void
buf_free(struct buf *buf)
{
	mem_free(buf->data);
	memset(buf, 0, sizeof *buf);
}
