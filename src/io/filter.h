/* SPDX-License-Identifier: MIT */
/* The interface of a compression: one file per library, registered by the build's list. */
#ifndef IO_FILTER_H
#define IO_FILTER_H

#include "io/in.h"
#include "io/out.h"

/* The destination of decoded bytes. */
struct filter_room {
	uint8_t *dst; /* size bytes */
	size_t size;  /* at least 1 */
	size_t got;   /* bytes decoded so far, 0 at first */
};

/* The destination of encoded bytes. */
struct filter_sink {
	out_fn write; /* a result other than 0: encoding ends with POLY_ERR_IO */
	void *user;
};

/* The framework allocates and zeroes the states. */
struct filter {
	const char *name;      /* "gzip" */
	const char *extension; /* "gz" */
	/*
	 * Returns the strength of the evidence in bits: 0 if the first n bytes are not of this
	 * filter. The magic must be present; the rest of the header is verified as far as n
	 * reaches. Pure.
	 */
	int (*probe)(const uint8_t *p, size_t n);
	/*
	 * The package of its library if this build lacks it: the other members are then unset.
	 */
	const char *missing;

	size_t decoder_size, encoder_size;

	enum poly_status (*decode_open)(void *state, struct poly_error *error);
	/*
	 * Decodes from the peekable source. POLY_OK: with at least one byte, or with none
	 * because the source is truncated (the framework reports it). POLY_END: the stream
	 * ended at the end of the source. POLY_ERR_FORMAT and POLY_ERR_LIMIT: corrupt data;
	 * what came before it may be in the room, and the framework adds the places to the
	 * message. Several members or frames one after another are one stream. Not called again
	 * after POLY_END and failures.
	 */
	enum poly_status (*decode)(void *state, struct in *source, struct filter_room *room,
		struct poly_error *error);
	void (*decode_close)(void *state);

	/* The encoder; NULL: streams of the filter can only be read. */
	enum poly_status (*encode_open)(void *state, struct poly_error *error);
	/*
	 * Compresses n bytes and writes the output. POLY_ERR_IO without a message if the sink
	 * failed.
	 */
	enum poly_status (*encode)(void *state, const uint8_t *data, size_t n,
		const struct filter_sink *sink, struct poly_error *error);
	/* Writes the pending output and the end of the stream. */
	enum poly_status (*encode_end)(
		void *state, const struct filter_sink *sink, struct poly_error *error);
	void (*encode_close)(void *state);
};

/* The i-th filter from 0; NULL after the last one. */
const struct filter *filter_at(size_t i);

#endif
