/* SPDX-License-Identifier: MIT */
/*
 * Encodes segments in threads: the caller copies rows and divides them into segments, threads
 * build their dictionaries and compress them, and the caller writes them in order. The bytes
 * do not depend on the number of threads. Memory: the rows of threads + 2 segments, and
 * threads + 1 segments that are being encoded.
 */
#ifndef FORMAT_PTZ_PARALLEL_ENCODER_H
#define FORMAT_PTZ_PARALLEL_ENCODER_H

#include "format/ptz/names.h"
#include "format/ptz/segment_encoder.h"

struct parallel_encoder;

/* An encoded segment. */
struct ptz_encoded {
	const struct ptz_packed *packed;
	struct ptz_begin begin;
	uint64_t rows;
	struct ptz_range range[PTZ_RANGES];
};

/* How segments are encoded, and what receives them. */
struct parallel_plan {
	unsigned threads; /* 2 or more, the caller's included */
	int level;
	size_t rows_max;	/* of a segment */
	struct ptz_begin begin; /* of the first segment */
	const struct poly_trace_info *info;
	/* Called by the caller's thread, in order. */
	enum poly_status (*write)(
		void *user, const struct ptz_encoded *encoded, struct poly_error *error);
	void *user;
};

/* Creates an encoder, which takes over the one for its first thread; NULL: out of memory. */
struct parallel_encoder *parallel_encoder_new(
	const struct parallel_plan *plan, struct segment_encoder *encoder);

/*
 * Adds the rows of a batch. Failures are those of earlier rows, too: POLY_ERR_MEMORY,
 * POLY_ERR_LIMIT (see segment_pack), those of write.
 */
enum poly_status parallel_encoder_add(struct parallel_encoder *parallel,
	const struct poly_batch *batch, struct poly_error *error);

/* Encodes and writes all rows that remain. */
enum poly_status parallel_encoder_finish(
	struct parallel_encoder *parallel, struct poly_error *error);

/* Stops the threads and frees the memory. Accepts NULL. */
void parallel_encoder_free(struct parallel_encoder *parallel);

#endif
