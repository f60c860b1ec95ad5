/* SPDX-License-Identifier: MIT */
/* A filter as a source: counts bytes, applies the expansion limit, adds offsets to messages. */
#include "base/err.h"
#include "base/mem.h"
#include "io/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Output exempt from the expansion limit: a small output is harmless. */
#define EXPANSION_FREE ((uint64_t)1 << 20)

struct decoder {
	const struct filter *filter;
	struct in *below;
	uint64_t expansion_limit, decoded; /* bytes delivered so far */
	void *state;
};

/* Appends the compressed offset and the number of decompressed bytes to a message. */
static enum poly_status
append_position(const struct decoder *decoder, struct poly_error *error)
{
	size_t n = strlen(error->message);
	snprintf(error->message + n, sizeof error->message - n,
		" (compressed offset %" PRIu64 "; %" PRIu64 " bytes recovered)",
		in_offset(decoder->below), decoder->decoded);
	return error->status;
}

/* Returns why the decoder stopped: the failure of the lowest layer that failed. */
static enum poly_status
find_cause(const struct decoder *decoder, enum poly_status status, struct poly_error *error)
{
	enum poly_status below = POLY_OK;
	if (status == POLY_OK || status == POLY_END)
		below = in_status(decoder->below, error);
	if (below < 0) {
		status = below;
	} else if (status == POLY_OK) {
		status = err_set(error, POLY_ERR_TRUNCATED, decoder->decoded,
			"truncated %s stream", decoder->filter->name);
		append_position(decoder, error);
	} else if (status == POLY_ERR_FORMAT || status == POLY_ERR_LIMIT) {
		append_position(decoder, error);
	}
	if (status < 0)
		error->offset = decoder->decoded;
	return status;
}

static enum poly_status
decoder_read(void *self, uint8_t *data, size_t size, size_t *got, struct poly_error *error)
{
	struct decoder *decoder = self;
	struct filter_room room = {data, size, 0};
	enum poly_status status =
		decoder->filter->decode(decoder->state, decoder->below, &room, error);
	*got = room.got;
	decoder->decoded += *got;
	if (status != POLY_OK || !*got)
		return find_cause(decoder, status, error);
	uint64_t limit = decoder->expansion_limit;
	if (!limit || decoder->decoded <= EXPANSION_FREE ||
		decoder->decoded / limit <= in_offset(decoder->below))
		return POLY_OK;
	err_set(error, POLY_ERR_LIMIT, decoder->decoded,
		"%s stream expands more than %" PRIu64 " times", decoder->filter->name, limit);
	return append_position(decoder, error);
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
