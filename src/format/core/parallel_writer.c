/* SPDX-License-Identifier: MIT */
/*
 * Splits a batch into a few slices per thread, so that one late thread does not stall the rest.
 */
#include "format/core/parallel_writer.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread_pool.h"
#include "model/slice.h"

#include <errno.h>

#define SLICES_PER_THREAD 2

/* A slice of the rows, and its writer. */
struct slice_writer {
	struct writing writing;
	struct buf bytes; /* the encoded rows */
	struct slice rows;
	bool opened;
	enum poly_status status;
	struct poly_error error;
};

struct parallel_writer {
	const struct format *format;
	struct thread_pool *pool;
	const struct poly_batch *batch; /* the batch being written */
	size_t rows;			/* per slice, except the last one */
	size_t count;
	struct slice_writer *slices;
};

static int
keep(void *user, const void *data, size_t size)
{
	struct slice_writer *slice = user;
	buf_append(&slice->bytes, data, size);
	return slice->bytes.failed ? ENOMEM : 0;
}

/* Opens the output and the state of a slice by the format's wopen, and discards the header. */
static bool
open_slice(const struct format *format, struct slice_writer *slice, const struct writing *like)
{
	slice->writing = *like;
	slice->writing.out = NULL;
	slice->writing.notes = NULL;
	slice->writing.state = mem_new(1, format->writer_size);
	if (!slice->writing.state ||
		out_open_function(keep, slice, &slice->writing.out, NULL) != POLY_OK)
		return false;
	slice->opened = true;
	if (format->wopen && format->wopen(&slice->writing, NULL) != POLY_OK)
		return false;
	out_flush(slice->writing.out);
	const bool good = !slice->bytes.failed;
	buf_clear(&slice->bytes);
	return good;
}

static void
close_slice(const struct format *format, struct slice_writer *slice)
{
	if (slice->opened && format->wclose)
		format->wclose(&slice->writing);
	out_close(slice->writing.out);
	mem_free(slice->writing.state);
	buf_free(&slice->bytes);
	slice_fini(&slice->rows);
}

void
parallel_writer_free(struct parallel_writer *parallel)
{
	if (!parallel)
		return;
	thread_pool_free(parallel->pool);
	for (size_t i = 0; parallel->slices && i < parallel->count; i++)
		close_slice(parallel->format, &parallel->slices[i]);
	mem_free(parallel->slices);
	mem_free(parallel);
}

struct parallel_writer *
parallel_writer_new(
	const struct format *format, const struct writing *writing, unsigned threads)
{
	struct parallel_writer *parallel = mem_new(1, sizeof *parallel);
	if (!parallel)
		return NULL;
	parallel->format = format;
	parallel->count = SLICES_PER_THREAD * (size_t)threads;
	parallel->slices = mem_new(parallel->count, sizeof *parallel->slices);
	bool good = parallel->slices != NULL;
	for (size_t i = 0; good && i < parallel->count; i++)
		good = open_slice(format, &parallel->slices[i], writing);
	parallel->pool = good ? thread_pool_new(threads) : NULL;
	if (parallel->pool)
		return parallel;
	parallel_writer_free(parallel);
	return NULL;
}

/* Encodes the rows of a slice. */
static void
write_slice(void *user, size_t i)
{
	const struct parallel_writer *parallel = user;
	struct slice_writer *slice = &parallel->slices[i];
	const size_t from = i * parallel->rows, left = parallel->batch->rows - from;
	const size_t rows = left < parallel->rows ? left : parallel->rows;
	struct writing *writing = &slice->writing;
	slice->status = slice_make(&slice->rows, parallel->batch, from, rows, &slice->error);
	if (slice->status == POLY_OK)
		slice->status =
			parallel->format->write(writing, &slice->rows.view, &slice->error);
	out_flush(writing->out);
	if (slice->bytes.failed)
		slice->status = err_memory(&slice->error);
	else if (slice->status == POLY_OK)
		slice->status = out_status(writing->out, &slice->error);
}

enum poly_status
parallel_writer_write(struct parallel_writer *parallel, struct out *out,
	const struct poly_batch *batch, struct poly_error *error)
{
	/* A multiple of 64: slices share no word of the bitmaps. */
	parallel->rows = (batch->rows / parallel->count + 64) / 64 * 64;
	parallel->batch = batch;
	const size_t used = (batch->rows + parallel->rows - 1) / parallel->rows;
	enum poly_status status = POLY_OK;
	thread_pool_run(parallel->pool, write_slice, parallel, used);
	for (size_t i = 0; i < used; i++) {
		struct slice_writer *slice = &parallel->slices[i];
		if (status == POLY_OK) {
			out_write(out, slice->bytes.data, slice->bytes.size);
			status = slice->status;
			if (status != POLY_OK && error)
				*error = slice->error;
		}
		buf_clear(&slice->bytes);
	}
	return status;
}
