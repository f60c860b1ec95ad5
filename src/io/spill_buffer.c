/* SPDX-License-Identifier: MIT */
/* Spill buffers: see spill_buffer.h. */
#include "io/spill_buffer.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are written to the file at once. */
#define BLOCK ((size_t)64 << 10)

struct spill_buffer {
	size_t memory_max; /* maximum bytes in memory at the front */
	struct buf first;  /* the bytes in memory at the front */
	FILE *file;	   /* the bytes after them; NULL: none yet */
	struct buf last;   /* the bytes after those in the file */
	uint64_t size;
	enum poly_status status;
	struct poly_error error;
};

struct spill_buffer *
spill_buffer_new(size_t memory_max)
{
	struct spill_buffer *spill = mem_new(1, sizeof *spill);
	if (spill)
		spill->memory_max = memory_max;
	return spill;
}

uint64_t
spill_buffer_size(const struct spill_buffer *spill)
{
	return spill->size;
}

static enum poly_status
open_file(struct spill_buffer *spill)
{
	if (spill->file)
		return POLY_OK;
	spill->file = tmpfile();
	if (!spill->file)
		return err_system(
			&spill->error, POLY_NO_OFFSET, "cannot create a temporary file");
	(void)fcntl(fileno(spill->file), F_SETFD, FD_CLOEXEC);
	return POLY_OK;
}

/* Writes the last bytes to the file. */
static enum poly_status
write_last(struct spill_buffer *spill)
{
	enum poly_status status = open_file(spill);
	const uint8_t *p = spill->last.data;
	size_t n = spill->last.size;
	uint64_t at = spill->size - spill->first.size - n;
	while (status == POLY_OK && n) {
		ssize_t done = pwrite(fileno(spill->file), p, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return err_system(
				&spill->error, POLY_NO_OFFSET, "cannot write a temporary file");
		p += done;
		at += (uint64_t)done;
		n -= (size_t)done;
	}
	buf_clear(&spill->last);
	return status;
}

/* Adds bytes after those in memory at the front. */
static enum poly_status
append_last(struct spill_buffer *spill, const uint8_t *p, size_t n)
{
	buf_append(&spill->last, p, n);
	if (spill->last.failed)
		return err_memory(&spill->error);
	spill->size += n;
	return spill->last.size < BLOCK ? POLY_OK : write_last(spill);
}

enum poly_status
spill_buffer_append(
	struct spill_buffer *spill, const void *data, size_t n, struct poly_error *error)
{
	const uint8_t *p = data;
	size_t room = spill->memory_max - spill->first.size, head = n < room ? n : room;
	if (spill->status == POLY_OK && head) {
		buf_append(&spill->first, p, head);
		if (spill->first.failed)
			spill->status = err_memory(&spill->error);
		else
			spill->size += head;
	}
	if (spill->status == POLY_OK && n > head)
		spill->status = append_last(spill, p + head, n - head);
	if (spill->status != POLY_OK && error)
		*error = spill->error;
	return spill->status;
}

enum poly_status
spill_buffer_read(const struct spill_buffer *spill, uint64_t offset, uint8_t *data, size_t n,
	struct poly_error *error)
{
	const uint64_t file_end = spill->size - spill->last.size;
	if (offset < spill->first.size) {
		size_t head = spill->first.size - (size_t)offset;
		head = head < n ? head : n;
		memcpy(data, spill->first.data + offset, head);
		data += head;
		offset += head;
		n -= head;
	}
	if (n && offset + n > file_end) {
		const uint64_t from = offset > file_end ? offset : file_end;
		const size_t tail = (size_t)(offset + n - from);
		n -= tail;
		memcpy(data + n, spill->last.data + (from - file_end), tail);
	}
	for (uint64_t at = offset - spill->first.size; n;) {
		ssize_t done = pread(fileno(spill->file), data, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return err_system(
				error, POLY_NO_OFFSET, "cannot read a temporary file");
		data += done;
		at += (uint64_t)done;
		n -= (size_t)done;
	}
	return POLY_OK;
}

void
spill_buffer_free(struct spill_buffer *spill)
{
	if (!spill)
		return;
	if (spill->file)
		fclose(spill->file);
	buf_free(&spill->first);
	buf_free(&spill->last);
	mem_free(spill);
}
