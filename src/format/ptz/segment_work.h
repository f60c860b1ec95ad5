/* SPDX-License-Identifier: MIT */
/* Work on the rows of a segment (model/decoder_work.h) in the thread that loaded it. */
#ifndef FORMAT_PTZ_SEGMENT_WORK_H
#define FORMAT_PTZ_SEGMENT_WORK_H

#include "format/ptz/decode.h"
#include "model/decoder_work.h"
#include "model/site.h"

struct segment_work_plan {
	const struct poly_decoder_work *const *work;
	unsigned count;	      /* number of pointers; 0: no work */
	poly_columns columns; /* of batches */
	size_t batch_rows;
	const char *const *records; /* of the trace */
	unsigned record_count;	    /* before its first row */
};

/* What a thread needs besides. Zero-initialise. */
struct segment_worker {
	unsigned index; /* of the thread */
	struct info info;
	struct sites sites;
	struct batch batch;
};

/*
 * Passes all rows of a loaded segment, whose section begins at an offset, to the work of the
 * plan. False: the segment must be loaded again, and result is cleared.
 */
bool segment_work_on(struct segment_worker *worker, const struct segment_work_plan *plan,
	struct unpacked *segment, uint64_t offset, struct decoder_result *result);

/* Frees what a thread needed. */
void segment_worker_fini(struct segment_worker *worker);

#endif
