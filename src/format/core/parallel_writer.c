/* SPDX-License-Identifier: MIT */
/*
 * Splits a batch into a few slices per thread, so that one late thread does not stall the rest.
 * While the pool encodes a batch, the caller writes the bytes of the previous one.
 */
#include "format/core/parallel_writer.h"

#include "base/mem.h"
#include "base/thread_pool.h"
#include "format/core/row_encoder.h"
#include "model/slice.h"

#include <string.h>

#define SLICES_PER_THREAD 2

/* With fewer threads the caller encodes slices, too; with more it only reads and writes. */
#define THREADS_WITHOUT_CALLER 4

/* A slice of the rows, and its writer. */
struct slice_writer {
	struct row_encoder encoder;
	struct buf written; /* the encoded rows of the previous batch */
	struct slice rows;
	void *predicted; /* numbers of the state before the first row, if the format predicts */
	uint64_t predicted_context;
	enum poly_status status;
	struct poly_error error;
};

struct parallel_writer {
	const struct format *format;
	struct thread_pool *pool;
	const struct poly_batch *batch; /* the batch being written */
	size_t rows;			/* per slice, except the last one */
	size_t count;
	size_t pending; /* slices with written bytes */
	bool helps;	/* the caller encodes slices */
	struct slice_writer *slices;
};

static bool
open_slice(const struct format *format, struct slice_writer *slice, const struct writing *like)
{
	slice->predicted = mem_new(1, format->numbers_size + 1);
	return slice->predicted && row_encoder_open(&slice->encoder, format, like);
}

static void
close_slice(const struct format *format, struct slice_writer *slice)
{
	row_encoder_close(&slice->encoder, format);
	mem_free(slice->predicted);
	buf_free(&slice->written);
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
	parallel->helps = threads < THREADS_WITHOUT_CALLER;
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
	slice->status = slice_make(&slice->rows, parallel->batch, from, rows, &slice->error);
	if (slice->status == POLY_OK)
		slice->status = row_encoder_write(
			&slice->encoder, parallel->format, &slice->rows.view, &slice->error);
}

void
parallel_writer_flush(struct parallel_writer *parallel, struct out *out)
{
	for (size_t i = 0; parallel && i < parallel->pending; i++) {
		struct buf *written = &parallel->slices[i].written;
		out_write(out, written->data, written->size);
		buf_clear(written);
	}
	if (parallel)
		parallel->pending = 0;
}

static void
swap_states(struct writing *a, struct writing *b)
{
	void *state = a->state;
	const uint64_t context = a->context;
	a->state = b->state;
	a->context = b->context;
	b->state = state;
	b->context = context;
}

/*
 * Gives the writer's state to the first slice, and sets those of the others; false: the format
 * cannot predict them.
 */
static bool
predict_states(struct parallel_writer *parallel, struct writing *writing, size_t used)
{
	const struct format *format = parallel->format;
	const size_t size = format->numbers_size, rows = parallel->rows;
	struct slice_writer *slice = parallel->slices;
	swap_states(writing, &slice->encoder.writing);
	memcpy(slice->encoder.writing.copied, writing->copied, sizeof writing->copied);
	for (size_t i = 1; i < used; i++) {
		const struct writing *before = &slice->encoder.writing;
		slice++;
		memcpy(slice->encoder.writing.state, before->state, size);
		memcpy(slice->encoder.writing.copied, writing->copied, sizeof writing->copied);
		slice->encoder.writing.context = before->context;
		const bool predicted = format->predict_state(
			&slice->encoder.writing, parallel->batch, (i - 1) * rows, rows);
		row_encoder_discard(&slice->encoder);
		if (!predicted) {
			swap_states(writing, &parallel->slices->encoder.writing);
			return false;
		}
		memcpy(slice->predicted, slice->encoder.writing.state, size);
		slice->predicted_context = slice->encoder.writing.context;
	}
	return true;
}

/*
 * Encodes the slices again whose predicted numbers are not those that the slice before left,
 * and returns the last state to the writer.
 */
static void
correct_slices(struct parallel_writer *parallel, struct writing *writing, size_t used)
{
	const size_t size = parallel->format->numbers_size;
	struct slice_writer *last = parallel->slices;
	for (size_t i = 1; i < used && last->status == POLY_OK; i++) {
		struct slice_writer *slice = &parallel->slices[i];
		if (slice->predicted_context != last->encoder.writing.context ||
			memcmp(slice->predicted, last->encoder.writing.state, size) != 0) {
			row_encoder_discard(&slice->encoder);
			swap_states(&slice->encoder.writing, &last->encoder.writing);
			write_slice(parallel, i);
		}
		last = slice;
	}
	swap_states(writing, &last->encoder.writing);
}

/* Takes over the bytes and notes of the first used slices, up to one that failed. */
static enum poly_status
gather_slices(struct parallel_writer *parallel, struct writing *writing, size_t used,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < used; i++) {
		struct slice_writer *slice = &parallel->slices[i];
		if (status == POLY_OK) {
			const struct buf empty = slice->written;
			slice->written = slice->encoder.bytes;
			slice->encoder.bytes = empty;
			parallel->pending = i + 1;
			notes_move(writing->notes, &slice->encoder.notes);
			status = slice->status;
			if (status != POLY_OK && error)
				*error = slice->error;
		}
		row_encoder_discard(&slice->encoder);
	}
	return status;
}

enum poly_status
parallel_writer_write(struct parallel_writer *parallel, struct writing *writing,
	const struct poly_batch *batch, struct poly_error *error)
{
	/* A multiple of 64: slices share no word of the bitmaps. */
	parallel->rows = (batch->rows / parallel->count + 64) / 64 * 64;
	parallel->batch = batch;
	const size_t used = (batch->rows + parallel->rows - 1) / parallel->rows;
	const bool predicts = parallel->format->predict_state;
	if (predicts && !predict_states(parallel, writing, used)) {
		parallel_writer_flush(parallel, writing->out);
		return format_write_rows(parallel->format, writing, batch, error);
	}
	thread_pool_start(parallel->pool, write_slice, parallel, used);
	parallel_writer_flush(parallel, writing->out);
	thread_pool_wait(parallel->pool, parallel->helps);
	if (predicts)
		correct_slices(parallel, writing, used);
	const enum poly_status status = gather_slices(parallel, writing, used, error);
	if (status != POLY_OK)
		parallel_writer_flush(parallel, writing->out);
	return status;
}
