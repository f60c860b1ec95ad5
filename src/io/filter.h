/* SPDX-License-Identifier: MIT */
/* What a compression is: one file a library, registered by the build's list. */
#ifndef IO_FILTER_H
#define IO_FILTER_H

#include "io/in.h"
#include "io/out.h"

/* Where decoded bytes go. */
struct filter_room {
	uint8_t *to; /* size bytes */
	size_t size; /* at least 1 */
	size_t got;  /* bytes decoded so far, 0 at first */
};

/* Where encoded bytes go. */
struct filter_sink {
	out_fn write; /* a result other than 0: encoding ends with POLY_ERR_IO */
	void *user;
};

/* The framework allocates and zeroes the states. */
struct filter {
	const char *name;      /* "gzip" */
	const char *extension; /* "gz" */
	/*
	 * Bits verified: 0 where the first n bytes are not the filter's. The magic must be
	 * there; what else the header promises is verified as far as n reaches. Pure.
	 */
	int (*probe)(const uint8_t *p, size_t n);
	/* The package of its library, where that is not in the build: there is nothing else. */
	const char *missing;

	size_t decoder_size, encoder_size;

	enum poly_status (*decode_open)(void *state, struct poly_error *error);
	/*
	 * Decodes from the peekable source. POLY_OK: with at least one byte, or with none
	 * because the source ended too early (the framework says so). POLY_END: the stream
	 * ended where the source does. POLY_ERR_FORMAT and POLY_ERR_LIMIT: damage; what came
	 * before it may be in the room, and the framework adds the places to the message.
	 * Several members or frames one after another are one stream. Not called again after
	 * POLY_END and failures.
	 */
	enum poly_status (*decode)(void *state, struct in *source, struct filter_room *room,
		struct poly_error *error);
	void (*decode_close)(void *state);

	enum poly_status (*encode_open)(void *state, struct poly_error *error);
	/*
	 * Compresses n bytes and writes what comes of it. POLY_ERR_IO without a message where
	 * the sink failed.
	 */
	enum poly_status (*encode)(void *state, const uint8_t *data, size_t n,
		const struct filter_sink *sink, struct poly_error *error);
	/* Writes what is left and the end of the stream. */
	enum poly_status (*encode_end)(
		void *state, const struct filter_sink *sink, struct poly_error *error);
	void (*encode_close)(void *state);
};

/* The i-th filter from 0; NULL after the last one. */
const struct filter *filter_at(size_t i);

#endif
