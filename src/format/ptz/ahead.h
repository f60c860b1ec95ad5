/* SPDX-License-Identifier: MIT */
/*
 * Segments that threads load while the reader gives the rows of those before.
 *
 * What they load is a guess of what the reader will meet, and nothing else: it goes through the
 * file as it would alone, and only takes a segment that is there already instead of loading it.
 * What is wrong with a segment is for the reader to find.
 */
#ifndef FORMAT_PTZ_AHEAD_H
#define FORMAT_PTZ_AHEAD_H

#include "format/ptz/decode.h"
#include "io/in.h"

/* Threads at most. */
#define PTZ_AHEAD_THREADS 64

struct ptz_ahead;

/* What is loaded. */
struct ptz_ahead_plan {
	const struct in *in;	  /* random, and there until ptz_ahead_free */
	poly_columns wanted;	  /* columns */
	const uint8_t *of_column; /* as of struct ptz_unpacker */
	unsigned of_count;
	uint64_t end;	  /* segments that begin at this record or behind it are not loaded */
	unsigned threads; /* that load, the reader's among them */
};

/* A segment that the reader has met. */
struct ptz_met {
	uint64_t offset; /* of its part */
	const struct ptz_part *part;
};

/* True where a part that is whole stands at an offset, and is a segment. */
bool ptz_ahead_pays(const struct in *in, uint64_t offset);

/* Starts the threads. NULL: there is no memory, or no thread to be had. */
struct ptz_ahead *ptz_ahead_new(const struct ptz_ahead_plan *plan);

/*
 * Loads a segment that was met, or takes the one that a thread has loaded, but for
 * unpacked_adopt; and lets the threads go on behind it, only as far as segments were taken one
 * after the other, since others are passed over. False: it can't be loaded, and the
 * storage is as it was. segment: cleared.
 */
bool ptz_ahead_take(
	struct ptz_ahead *ahead, const struct ptz_met *met, struct unpacked *segment);

/* Stops the threads and gives everything back. Accepts NULL. */
void ptz_ahead_free(struct ptz_ahead *ahead);

#endif
