/* SPDX-License-Identifier: MIT */
/* Digests of rows (struct analysis_parts) by the threads that decode (model/decoder_work.h),
 * for a run of one analysis that has a pipeline of parts. */
#ifndef ANALYSIS_DIGEST_WORK_H
#define ANALYSIS_DIGEST_WORK_H

#include "polytrace/stats.h"

struct digest_work;

/* Creates the work of a run; NULL: out of memory. */
struct digest_work *digest_work_new(struct poly_stats *stats);

/* Returns what decoders do. */
const struct poly_decoder_work *digest_work_of(const struct digest_work *work);

/* Advances the state over the records of a batch without rows. POLY_ERR_USAGE: they were
 * digested for other handles. POLY_ERR_MEMORY. */
enum poly_status digest_work_advance(
	struct digest_work *work, const struct poly_batch *batch, struct poly_error *error);

/* Frees the work of a run, after all of its parts. Accepts NULL. */
void digest_work_free(struct digest_work *work);

#endif
