/* SPDX-License-Identifier: MIT */
/* The encoded rows of a chunk are those of an encoder, which later encodes other chunks. */
#include "format/core/writer_work.h"

#include "base/err.h"
#include "base/mem.h"
#include "format/core/row_encoder.h"
#include "model/batch_internal.h"
#include "model/decoder_work.h"
#include "model/info.h"

#include <pthread.h>

/* Bytes of a chunk: few, since its rows and what is written should fit the processor's cache.
 */
#define PART_MAX ((size_t)64 << 10)

struct chunk_encoder {
	struct chunk_encoder *next; /* spare one */
	struct row_encoder rows;
};

struct writer_work {
	struct poly_decoder_work work; /* first */
	struct writer_work *self;      /* not constant, as work is for decoders */
	const struct format *format;
	struct writing writing;	     /* as it was opened */
	struct info_copy trace;	     /* without names */
	pthread_mutex_t lock;	     /* guards spare */
	struct chunk_encoder *spare; /* without bytes */
};

static void
free_encoder(const struct writer_work *work, struct chunk_encoder *encoder)
{
	row_encoder_close(&encoder->rows, work->format);
	mem_free(encoder);
}

static struct chunk_encoder *
new_encoder(const struct writer_work *work)
{
	struct chunk_encoder *encoder = mem_new(1, sizeof *encoder);
	if (!encoder || row_encoder_open(&encoder->rows, work->format, &work->writing))
		return encoder;
	free_encoder(work, encoder);
	return NULL;
}

static void *
begin(const struct poly_decoder_work *user)
{
	struct writer_work *work = ((const struct writer_work *)user)->self;
	pthread_mutex_lock(&work->lock);
	struct chunk_encoder *encoder = work->spare;
	if (encoder)
		work->spare = encoder->next;
	pthread_mutex_unlock(&work->lock);
	return encoder ? encoder : new_encoder(work);
}

/* A failure is met again when the rows are written. */
static bool
add(const struct poly_decoder_work *user, void *part, const struct poly_batch *batch)
{
	const struct writer_work *work = (const struct writer_work *)user;
	struct chunk_encoder *encoder = part;
	const struct poly_trace_info info = info_of_batch(&work->trace, batch);
	struct poly_batch view = *batch;
	struct poly_error error;
	view.info = &info;
	return row_encoder_write(&encoder->rows, work->format, &view, &error) == POLY_OK;
}

static void
end(const struct poly_decoder_work *user, void *part)
{
	struct writer_work *work = ((const struct writer_work *)user)->self;
	struct chunk_encoder *encoder = part;
	row_encoder_discard(&encoder->rows);
	pthread_mutex_lock(&work->lock);
	encoder->next = work->spare;
	work->spare = encoder;
	pthread_mutex_unlock(&work->lock);
}

struct writer_work *
writer_work_new(const struct format *format, const struct writing *writing)
{
	struct writer_work *work = mem_new(1, sizeof *work);
	if (!work)
		return NULL;
	/* Formats may name the record of a failure, or write it. */
	work->work = (struct poly_decoder_work){.begin = begin,
		.add = add,
		.end = end,
		.gains = true,
		.needs_numbers = true,
		.part_max = PART_MAX};
	work->self = work;
	work->format = format;
	work->writing = *writing;
	work->writing.source = &work->trace.info.view;
	pthread_mutex_init(&work->lock, NULL);
	if (info_copy_without_names(&work->trace, writing->source))
		return work;
	writer_work_free(work);
	return NULL;
}

const struct poly_decoder_work *
writer_work_of(const struct writer_work *work)
{
	return &work->work;
}

enum poly_status
writer_work_write(struct writer_work *work, struct writing *writing,
	const struct poly_batch *batch, struct poly_error *error)
{
	struct chunk_encoder *encoder =
		work ? decoder_result_take(batch_decoded(batch), &work->work) : NULL;
	if (!encoder)
		return err_usage(error, "a batch without rows, whose records were passed to "
					"other handles");
	out_write(writing->out, encoder->rows.bytes.data, encoder->rows.bytes.size);
	notes_move(writing->notes, &encoder->rows.notes);
	end(&work->work, encoder);
	return POLY_OK;
}

void
writer_work_free(struct writer_work *work)
{
	if (!work)
		return;
	for (struct chunk_encoder *next, *encoder = work->spare; encoder; encoder = next) {
		next = encoder->next;
		free_encoder(work, encoder);
	}
	info_copy_fini(&work->trace);
	pthread_mutex_destroy(&work->lock);
	mem_free(work);
}
