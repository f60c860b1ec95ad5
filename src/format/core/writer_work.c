/* SPDX-License-Identifier: MIT */
/* Each decoder has an encoder, since states of formats may refer to its numbers of names and
 * sites. */
#include "format/core/writer_work.h"

#include "base/err.h"
#include "base/mem.h"
#include "format/core/row_encoder.h"
#include "model/batch_internal.h"
#include "model/decoder_work.h"
#include "model/info.h"

#include <pthread.h>
#include <string.h>

/* Bytes of a chunk: few, since its rows and what is written should fit the processor's cache.
 */
#define PART_MAX ((size_t)64 << 10)

/* An encoder of a decoder, whose state may refer to its numbers. */
struct decoder_encoder {
	struct decoder_encoder *next;
	unsigned decoder, generation;
	bool is_open;
	struct row_encoder rows;
};

/* The encoded rows of a chunk. */
struct encoded {
	struct encoded *next; /* spare one */
	struct decoder_encoder *encoder;
	struct buf bytes;
	struct notes notes;
};

struct writer_work {
	struct poly_decoder_work work; /* first */
	struct writer_work *self;      /* not constant, as work is for decoders */
	const struct format *format;
	struct writing writing; /* as it was opened */
	struct info_copy trace; /* without names */
	pthread_mutex_t lock;	/* guards the lists */
	struct decoder_encoder *encoders;
	struct encoded *spare; /* without bytes */
};

/* Opens an encoder for numbers of a generation. */
static bool
open_encoder(
	const struct writer_work *work, struct decoder_encoder *encoder, unsigned generation)
{
	row_encoder_close(&encoder->rows, work->format);
	memset(&encoder->rows, 0, sizeof encoder->rows);
	encoder->generation = generation;
	encoder->is_open = row_encoder_open(&encoder->rows, work->format, &work->writing);
	return encoder->is_open;
}

/* Returns the encoder of a decoder; NULL: out of memory. */
static struct decoder_encoder *
find_encoder(struct writer_work *work, struct numbering numbering)
{
	pthread_mutex_lock(&work->lock);
	struct decoder_encoder *encoder = work->encoders;
	while (encoder && encoder->decoder != numbering.decoder)
		encoder = encoder->next;
	if (!encoder && (encoder = mem_new(1, sizeof *encoder))) {
		encoder->decoder = numbering.decoder;
		encoder->next = work->encoders;
		work->encoders = encoder;
	}
	pthread_mutex_unlock(&work->lock);
	if (!encoder || (encoder->is_open && encoder->generation == numbering.generation))
		return encoder;
	return open_encoder(work, encoder, numbering.generation) ? encoder : NULL;
}

/* Returns encoded rows without any; NULL: out of memory. */
static struct encoded *
get_encoded(struct writer_work *work)
{
	pthread_mutex_lock(&work->lock);
	struct encoded *encoded = work->spare;
	if (encoded)
		work->spare = encoded->next;
	pthread_mutex_unlock(&work->lock);
	return encoded ? encoded : mem_new(1, sizeof *encoded);
}

static void
end(const struct poly_decoder_work *user, void *part)
{
	struct writer_work *work = ((const struct writer_work *)user)->self;
	struct encoded *encoded = part;
	buf_clear(&encoded->bytes);
	encoded->notes = (struct notes){{{NULL, 0}}};
	pthread_mutex_lock(&work->lock);
	encoded->next = work->spare;
	work->spare = encoded;
	pthread_mutex_unlock(&work->lock);
}

static void *
begin(const struct poly_decoder_work *user, struct numbering numbering)
{
	struct writer_work *work = ((const struct writer_work *)user)->self;
	struct encoded *encoded = get_encoded(work);
	if (!encoded)
		return NULL;
	encoded->encoder = find_encoder(work, numbering);
	if (encoded->encoder)
		return encoded;
	end(user, encoded);
	return NULL;
}

/* Moves what an encoder wrote to the encoded rows of its chunk; false: out of memory. */
static bool
move_bytes(struct encoded *encoded, struct row_encoder *rows)
{
	if (encoded->bytes.size) {
		buf_append(&encoded->bytes, rows->bytes.data, rows->bytes.size);
	} else {
		const struct buf empty = encoded->bytes;
		encoded->bytes = rows->bytes;
		rows->bytes = empty;
	}
	notes_move(&encoded->notes, &rows->notes);
	row_encoder_discard(rows);
	return !encoded->bytes.failed;
}

/* A failure is met again when the rows are written. */
static bool
add(const struct poly_decoder_work *user, void *part, const struct poly_batch *batch)
{
	const struct writer_work *work = (const struct writer_work *)user;
	struct encoded *encoded = part;
	struct row_encoder *rows = &encoded->encoder->rows;
	const struct poly_trace_info info = info_of_batch(&work->trace, batch);
	struct poly_batch view = *batch;
	struct poly_error error;
	view.info = &info;
	if (row_encoder_write(rows, work->format, &view, &error) == POLY_OK)
		return move_bytes(encoded, rows);
	row_encoder_discard(rows);
	return false;
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
	struct encoded *encoded =
		work ? decoder_result_take(batch_decoded(batch), &work->work) : NULL;
	if (!encoded)
		return err_usage(error, "a batch without rows, whose records were passed to "
					"other handles");
	out_write(writing->out, encoded->bytes.data, encoded->bytes.size);
	notes_move(writing->notes, &encoded->notes);
	end(&work->work, encoded);
	return POLY_OK;
}

void
writer_work_free(struct writer_work *work)
{
	if (!work)
		return;
	for (struct encoded *next, *encoded = work->spare; encoded; encoded = next) {
		next = encoded->next;
		buf_free(&encoded->bytes);
		mem_free(encoded);
	}
	for (struct decoder_encoder *next, *encoder = work->encoders; encoder; encoder = next) {
		next = encoder->next;
		row_encoder_close(&encoder->rows, work->format);
		mem_free(encoder);
	}
	info_copy_fini(&work->trace);
	pthread_mutex_destroy(&work->lock);
	mem_free(work);
}
