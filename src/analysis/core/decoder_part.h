/* SPDX-License-Identifier: MIT */
/* Parts of a trace that decoders analyse for a run (model/decoder_work.h). */
#ifndef ANALYSIS_DECODER_PART_H
#define ANALYSIS_DECODER_PART_H

#include "polytrace/stats.h"

struct decoder_part;
struct stats_work;

/* Returns the results of a part. */
struct poly_stats *decoder_part_stats(const struct decoder_part *part);

/* Takes the part of a run from a batch without rows; NULL: it has none. */
struct decoder_part *decoder_part_take(
	const struct poly_stats *stats, const struct poly_batch *batch);

/* Returns whether parts of a run are merged in less time than threads need to begin it. */
bool decoder_part_is_cheap(const struct poly_stats *stats);

/* Frees a part. Accepts NULL. */
void decoder_part_free(struct decoder_part *part);

/* Frees the work of a run, after all of its parts. Accepts NULL. */
void stats_work_free(struct stats_work *work);

#endif
