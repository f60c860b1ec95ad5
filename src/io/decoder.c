/* SPDX-License-Identifier: MIT */
/* A filter as a source: keeps the counts, the expansion limit and the places in messages. */
#include "base/err.h"
#include "base/mem.h"
#include "io/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Output that is not held against the expansion limit: small inputs are no bombs. */
#define EXPANSION_FREE ((uint64_t)1 << 20)

struct decoder {
	const struct filter *filter;
	struct in *below;
	uint64_t expansion_limit, made; /* bytes given so far */
	void *state;
};

/* Says in a message about damage where it stands, before and after decompression. */
static enum poly_status
name_place(const struct decoder *decoder, struct poly_error *error)
{
	size_t n = strlen(error->message);
	snprintf(error->message + n, sizeof error->message - n,
		" at byte %" PRIu64 " of the compressed input, after %" PRIu64
		" bytes were decompressed",
		in_offset(decoder->below), decoder->made);
	return error->status;
}

/* Why the decoder stopped, told as a failure of the layer that failed first. */
static enum poly_status
judge(const struct decoder *decoder, enum poly_status status, struct poly_error *error)
{
	enum poly_status below = POLY_OK;
	if (status == POLY_OK || status == POLY_END)
		below = in_status(decoder->below, error);
	if (below < 0) {
		status = below;
	} else if (status == POLY_OK) {
		status = err_set(error, POLY_ERR_FORMAT, decoder->made, "%s data is cut off",
			decoder->filter->name);
		name_place(decoder, error);
	} else if (status == POLY_ERR_FORMAT || status == POLY_ERR_LIMIT) {
		name_place(decoder, error);
	}
	if (status < 0)
		error->offset = decoder->made;
	return status;
}

static enum poly_status
decoder_read(void *self, uint8_t *to, size_t size, size_t *got, struct poly_error *error)
{
	struct decoder *decoder = self;
	struct filter_room room = {to, size, 0};
	enum poly_status status =
		decoder->filter->decode(decoder->state, decoder->below, &room, error);
	*got = room.got;
	decoder->made += *got;
	if (status != POLY_OK || !*got)
		return judge(decoder, status, error);
	uint64_t limit = decoder->expansion_limit;
	if (!limit || decoder->made <= EXPANSION_FREE ||
		decoder->made / limit <= in_offset(decoder->below))
		return POLY_OK;
	err_set(error, POLY_ERR_LIMIT, decoder->made,
		"%s data expands more than %" PRIu64 " times", decoder->filter->name, limit);
	return name_place(decoder, error);
}

static void
decoder_close(void *self)
{
	struct decoder *decoder = self;
	decoder->filter->decode_close(decoder->state);
	mem_free(decoder->state);
	in_close(decoder->below);
	mem_free(decoder);
}

enum poly_status
source_decoder_open(const struct filter *filter, struct in *below, uint64_t expansion_limit,
	struct source *source, struct poly_error *error)
{
	if (filter->missing)
		return err_missing(error, filter->name, filter->missing);
	struct decoder *decoder = mem_new(1, sizeof *decoder);
	void *state = mem_new(1, filter->decoder_size);
	if (!decoder || !state) {
		mem_free(decoder);
		mem_free(state);
		return err_memory(error);
	}
	enum poly_status status = filter->decode_open(state, error);
	if (status != POLY_OK) {
		mem_free(decoder);
		mem_free(state);
		return status;
	}
	*decoder = (struct decoder){filter, below, expansion_limit, 0, state};
	*source = (struct source){decoder_read, decoder_close, decoder, NULL};
	return POLY_OK;
}
