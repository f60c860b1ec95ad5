/* SPDX-License-Identifier: MIT */
/* Rows of a batch in parts, a few more than threads, as some of these may come late. */
#include "format/parallel_writer.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread_pool.h"
#include "model/slice.h"

#include <errno.h>

#define PARTS_A_THREAD 2

/* Neighbouring rows, and a writer of them. */
struct part {
	struct writing writing;
	struct buf bytes; /* what it has written */
	struct slice rows;
	bool opened;
	enum poly_status status;
	struct poly_error error;
};

struct parallel_writer {
	const struct format *format;
	struct thread_pool *team;
	const struct poly_batch *batch; /* that is written */
	size_t rows;			/* of a part but the last one */
	size_t count;
	struct part *parts;
};

static int
keep(void *user, const void *data, size_t size)
{
	struct part *part = user;
	buf_append(&part->bytes, data, size);
	return part->bytes.failed ? ENOMEM : 0;
}

/* Gives a part an output and a state as the format's wopen makes it; what that writes goes. */
static bool
open_part(const struct format *format, struct part *part, const struct writing *like)
{
	part->writing = *like;
	part->writing.out = NULL;
	part->writing.notes = NULL;
	part->writing.state = mem_new(1, format->writer_size);
	if (!part->writing.state ||
		out_open_function(keep, part, &part->writing.out, NULL) != POLY_OK)
		return false;
	part->opened = true;
	if (format->wopen && format->wopen(&part->writing, NULL) != POLY_OK)
		return false;
	out_flush(part->writing.out);
	const bool good = !part->bytes.failed;
	buf_clear(&part->bytes);
	return good;
}

static void
close_part(const struct format *format, struct part *part)
{
	if (part->opened && format->wclose)
		format->wclose(&part->writing);
	out_close(part->writing.out);
	mem_free(part->writing.state);
	buf_free(&part->bytes);
	slice_fini(&part->rows);
}

void
parallel_writer_free(struct parallel_writer *parallel)
{
	if (!parallel)
		return;
	thread_pool_free(parallel->team);
	for (size_t i = 0; parallel->parts && i < parallel->count; i++)
		close_part(parallel->format, &parallel->parts[i]);
	mem_free(parallel->parts);
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
	parallel->count = PARTS_A_THREAD * (size_t)threads;
	parallel->parts = mem_new(parallel->count, sizeof *parallel->parts);
	bool good = parallel->parts != NULL;
	for (size_t i = 0; good && i < parallel->count; i++)
		good = open_part(format, &parallel->parts[i], writing);
	parallel->team = good ? thread_pool_new(threads) : NULL;
	if (parallel->team)
		return parallel;
	parallel_writer_free(parallel);
	return NULL;
}

/* Writes the rows of a part to its bytes. */
static void
write_part(void *user, size_t i)
{
	const struct parallel_writer *parallel = user;
	struct part *part = &parallel->parts[i];
	const size_t from = i * parallel->rows, left = parallel->batch->rows - from;
	const size_t rows = left < parallel->rows ? left : parallel->rows;
	struct writing *writing = &part->writing;
	part->status = slice_make(&part->rows, parallel->batch, from, rows, &part->error);
	if (part->status == POLY_OK)
		part->status = parallel->format->write(writing, &part->rows.view, &part->error);
	out_flush(writing->out);
	if (part->bytes.failed)
		part->status = err_memory(&part->error);
	else if (part->status == POLY_OK)
		part->status = out_status(writing->out, &part->error);
}

enum poly_status
parallel_writer_write(struct parallel_writer *parallel, struct out *out,
	const struct poly_batch *batch, struct poly_error *error)
{
	/* Whole words of the bitmaps. */
	parallel->rows = (batch->rows / parallel->count + 64) / 64 * 64;
	parallel->batch = batch;
	const size_t used = (batch->rows + parallel->rows - 1) / parallel->rows;
	enum poly_status status = POLY_OK;
	thread_pool_run(parallel->team, write_part, parallel, used);
	for (size_t i = 0; i < used; i++) {
		struct part *part = &parallel->parts[i];
		if (status == POLY_OK) {
			out_write(out, part->bytes.data, part->bytes.size);
			status = part->status;
			if (status != POLY_OK && error)
				*error = part->error;
		}
		buf_clear(&part->bytes);
	}
	return status;
}
