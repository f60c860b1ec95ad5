/* SPDX-License-Identifier: MIT */
/* Bytes put aside: see spool.h. */
#include "io/spool.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct spool {
	size_t most;	  /* bytes kept in memory */
	struct buf first; /* those */
	FILE *file;	  /* what comes behind them; NULL: nothing yet */
	uint64_t size;
	enum poly_status status;
	struct poly_error error;
};

struct spool *
spool_new(size_t most)
{
	struct spool *spool = mem_new(1, sizeof *spool);
	if (spool)
		spool->most = most;
	return spool;
}

uint64_t
spool_size(const struct spool *spool)
{
	return spool->size;
}

static enum poly_status
open_file(struct spool *spool)
{
	if (spool->file)
		return POLY_OK;
	spool->file = tmpfile();
	if (!spool->file)
		return err_system(
			&spool->error, POLY_NO_OFFSET, "a temporary file cannot be made");
	(void)fcntl(fileno(spool->file), F_SETFD, FD_CLOEXEC);
	return POLY_OK;
}

static enum poly_status
write_file(struct spool *spool, const uint8_t *p, size_t n)
{
	enum poly_status status = open_file(spool);
	uint64_t at = spool->size - spool->first.size;
	while (status == POLY_OK && n) {
		ssize_t done = pwrite(fileno(spool->file), p, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return err_system(&spool->error, POLY_NO_OFFSET,
				"a temporary file cannot be written");
		p += done;
		at += (uint64_t)done;
		n -= (size_t)done;
	}
	return status;
}

enum poly_status
spool_put(struct spool *spool, const void *data, size_t n, struct poly_error *error)
{
	const uint8_t *p = data;
	size_t room = spool->most - spool->first.size, head = n < room ? n : room;
	if (spool->status == POLY_OK && head) {
		buf_append(&spool->first, p, head);
		if (spool->first.failed)
			spool->status = err_memory(&spool->error);
		else
			spool->size += head;
	}
	if (spool->status == POLY_OK && n > head) {
		spool->status = write_file(spool, p + head, n - head);
		spool->size += n - head;
	}
	if (spool->status != POLY_OK && error)
		*error = spool->error;
	return spool->status;
}

enum poly_status
spool_take(const struct spool *spool, uint64_t place, uint8_t *to, size_t n,
	struct poly_error *error)
{
	if (place < spool->first.size) {
		size_t head = spool->first.size - (size_t)place;
		head = head < n ? head : n;
		memcpy(to, spool->first.data + place, head);
		to += head;
		place += head;
		n -= head;
	}
	for (uint64_t at = place - spool->first.size; n;) {
		ssize_t done = pread(fileno(spool->file), to, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return err_system(
				error, POLY_NO_OFFSET, "a temporary file cannot be read");
		to += done;
		at += (uint64_t)done;
		n -= (size_t)done;
	}
	return POLY_OK;
}

void
spool_free(struct spool *spool)
{
	if (!spool)
		return;
	if (spool->file)
		fclose(spool->file);
	buf_free(&spool->first);
	mem_free(spool);
}
