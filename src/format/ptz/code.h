/* SPDX-License-Identifier: MIT */
/* Numbers as bytes, by the codings of ptz.h, and back. */
#ifndef FORMAT_PTZ_CODE_H
#define FORMAT_PTZ_CODE_H

#include "format/ptz/ptz.h"

/* Numbers to be coded. */
struct ptz_values {
	const uint64_t *values;
	size_t count;
	const uint32_t *template; /* of each, for PTZ_TEMPLATE; or NULL */
	const uint64_t *pc;	  /* of each, for PTZ_PC; or NULL */
	uint32_t templates;
};

/* Appends numbers in a coding. False: no memory. */
bool ptz_code(const struct ptz_values *values, enum ptz_coding coding, struct buf *to);

/* Neighbouring templates, of which the next count numbers are. */
struct ptz_span {
	uint32_t first, count;
};

/* Numbers that are taken one after the other. */
struct ptz_decoder {
	enum ptz_coding coding;
	unsigned size;	    /* bytes of a number, for PTZ_PLANES */
	uint32_t count, at; /* values, and those that were taken */
	struct ptz_bytes bytes;
	uint64_t before;
	/* For PTZ_TEMPLATE the last value of each template, a bit where there is one, and
	 * before which template all have one. */
	uint64_t *last, *known;
	uint32_t all_known;
};

/*
 * Prepares zeroed storage to take a stream's numbers from its bytes at p, which must stay.
 * False: no memory.
 */
bool ptz_decoder_init(struct ptz_decoder *decoder, const struct ptz_stream *stream,
	const uint8_t *p, uint32_t templates);

/*
 * Takes n numbers; spans: their templates, as many as n, for PTZ_TEMPLATE. What is not there is
 * 0, and bad. PTZ_PC gives differences.
 */
void ptz_decode(
	struct ptz_decoder *decoder, uint64_t *to, size_t n, const struct ptz_span *spans);

/* Gives the memory back. */
void ptz_decoder_fini(struct ptz_decoder *decoder);

#endif
