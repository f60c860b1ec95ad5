/* SPDX-License-Identifier: MIT */
/* Encoding numbers as bytes, in the codings of ptz.h, and decoding them. */
#ifndef FORMAT_PTZ_CODE_H
#define FORMAT_PTZ_CODE_H

#include "format/ptz/ptz.h"

/* Numbers to encode. */
struct ptz_values {
	const uint64_t *values;
	size_t count;
	const uint32_t *template; /* per number, for PTZ_TEMPLATE; or NULL */
	const uint64_t *pc;	  /* per number, for PTZ_PC; or NULL */
	uint32_t templates;
};

/* Appends the encoded numbers. Returns false if out of memory. */
bool ptz_encode(const struct ptz_values *values, enum ptz_coding coding, struct buf *out);

/* Consecutive templates, to which the next count numbers belong. */
struct ptz_span {
	uint32_t first, count;
};

/* A decoder of consecutive numbers. */
struct ptz_decoder {
	enum ptz_coding coding;
	unsigned size;	    /* bytes per number, for PTZ_PLANES */
	uint32_t count, at; /* numbers, and those already decoded */
	struct ptz_bytes bytes;
	uint64_t previous;
	/* For PTZ_TEMPLATE: the last value of each template, a bitmap of the templates that
	 * have one, and the number of leading templates that all have one. */
	uint64_t *last, *known;
	uint32_t all_known;
};

/*
 * Prepares zeroed storage for decoding a stream from its bytes at p, which must outlive it.
 * Returns false if out of memory.
 */
bool ptz_decoder_init(struct ptz_decoder *decoder, const struct ptz_stream *stream,
	const uint8_t *p, uint32_t templates);

/*
 * Decodes n numbers; spans: their templates, n in total, for PTZ_TEMPLATE. Missing numbers are
 * 0 and set bad. For PTZ_PC the results are differences.
 */
void ptz_decode(
	struct ptz_decoder *decoder, uint64_t *dst, size_t n, const struct ptz_span *spans);

/* Frees all memory. */
void ptz_decoder_fini(struct ptz_decoder *decoder);

#endif
