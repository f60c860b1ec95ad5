/* SPDX-License-Identifier: MIT */
/* What a reader knows about the rows of a batch, besides their values. */
#ifndef MODEL_BATCH_INTERNAL_H
#define MODEL_BATCH_INTERNAL_H

#include "polytrace/batch.h"

struct poly_patterns;
struct poly_chain_graph;
struct stored_batch;
struct decoder_result;

/* Valid as long as the batch. */
struct poly_batch_internal {
	/*
	 * Pattern ids by row; NULL: unknown. Rows of the same pattern, in this batch and in
	 * every other one of the same epoch, have values in the same columns, and equal values
	 * in all columns that are not in varying. (Names are equal as texts.) Ids are small:
	 * they count the patterns of one epoch.
	 */
	const uint32_t *pattern;
	uint64_t pattern_epoch;		/* a new epoch redefines the pattern ids */
	poly_columns varying;		/* columns that vary among rows of a pattern */
	struct poly_patterns *patterns; /* for poly_writer_write; or NULL */
	const uint64_t *weight;		/* records that each row represents; NULL: one each */
	/*
	 * With the last batch of an interval of weighted rows: the control flow among them;
	 * else NULL.
	 */
	const struct poly_chain_graph *order;
	/* Rows that are attached to an instruction precede or follow it, in whatever batch. */
	bool keeps_attached;
	struct stored_batch *stored; /* for batch_hold; or NULL */
	/* Of records that decoders have passed to consumers, instead of rows; or NULL. */
	struct decoder_result *decoded;
};

/* Returns the patterns of a batch; NULL: it has none. */
static inline struct poly_patterns *
batch_patterns(const struct poly_batch *batch)
{
	return batch->internal ? batch->internal->patterns : NULL;
}

/* Returns the control flow among the rows of an interval that ends here, or NULL. */
static inline const struct poly_chain_graph *
batch_order(const struct poly_batch *batch)
{
	return batch->internal ? batch->internal->order : NULL;
}

/* Returns what decoders have done with the records of a batch without rows, or NULL. */
static inline struct decoder_result *
batch_decoded(const struct poly_batch *batch)
{
	return batch->internal ? batch->internal->decoded : NULL;
}

#endif
