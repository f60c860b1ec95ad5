/* SPDX-License-Identifier: MIT */
/* What a compression is: one file a library, registered by the build's list. */
#ifndef IO_FILTER_H
#define IO_FILTER_H

#include "io/in.h"
#include "io/out.h"

/*
 * The framework allocates and zeroes the states. A filter whose library is not in the build has
 * open functions that return POLY_ERR_UNSUPPORTED and name the library.
 */
struct filter {
	const char *name;      /* "gzip" */
	const char *extension; /* "gz" */
	size_t decoder_size, encoder_size;
	/* Bits verified: 0 where the first n bytes are not the filter's. Pure. */
	int (*probe)(const uint8_t *p, size_t n);

	enum poly_status (*decode_open)(void *state, struct poly_error *error);
	/*
	 * Decodes from the peekable source to at most size bytes at to; *got gets how many, at
	 * least 1 unless the stream ends (POLY_END, sticky) or fails. Several members or frames
	 * one after another are one stream.
	 */
	enum poly_status (*decode)(void *state, struct in *source, uint8_t *to, size_t size,
		size_t *got, struct poly_error *error);
	void (*decode_close)(void *state);

	enum poly_status (*encode_open)(void *state, struct poly_error *error);
	/* Compresses n bytes and writes what comes of it; finish: the last ones. */
	enum poly_status (*encode)(void *state, const uint8_t *data, size_t n, bool finish,
		out_fn sink, void *user, struct poly_error *error);
	void (*encode_close)(void *state);
};

/* The i-th filter from 0; NULL after the last one. */
const struct filter *filter_at(size_t i);

#endif
