/* SPDX-License-Identifier: MIT */
/*
 * Sources and sinks of batches. Selections, comparisons, merges and reports take rows from any
 * source: a reader (poly_reader_source), another one of them, or the caller's own batches.
 */
#ifndef POLYTRACE_SOURCE_H
#define POLYTRACE_SOURCE_H

#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A source of batches. Callers fill it, or poly_reader_source does. */
struct poly_source {
	const struct poly_trace_info *info; /* its metadata, valid as long as it is used */
	/*
	 * Gets the next batch, with at least one row; valid until the next call. POLY_END after
	 * the last one, and from then on. A failure is returned with *error filled.
	 */
	enum poly_status (*next)(
		void *user, const struct poly_batch **batch, struct poly_error *error);
	void *user; /* passed to next */
};

/* A sink of batches. Callers fill it. */
struct poly_batch_sink {
	/* Takes a batch, which is valid during the call, as poly_writer_write does. */
	enum poly_status (*write)(
		void *user, const struct poly_batch *batch, struct poly_error *error);
	void *user; /* passed to write */
};

#ifdef __cplusplus
}
#endif

#endif
