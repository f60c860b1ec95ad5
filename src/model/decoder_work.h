/* SPDX-License-Identifier: MIT */
/*
 * Work of consumers that is done where rows are decoded, while the processor's cache has them:
 * passing rows to another processor costs about as much as decoding them.
 */
#ifndef MODEL_DECODER_WORK_H
#define MODEL_DECODER_WORK_H

#include "polytrace/reader.h"

/* What numbers of names and sites refer to: a decoder, from 0, whose sites begin anew with each
 * generation. A decoder adds the rows of one part at a time. */
struct numbering {
	unsigned decoder, generation;
};

/* Functions that any thread may call, several at a time for different parts. */
struct poly_decoder_work {
	/* Begins a part of a trace, all whose rows have a numbering; NULL: out of memory. */
	void *(*begin)(const struct poly_decoder_work *work, struct numbering numbering);
	/*
	 * Adds the next rows of the part. Numbers of names and records are those of
	 * batch->info, and of the decoder, as those of sites; it gains more from batch to
	 * batch. Unless needs_numbers,
	 * numbers of rows lack an offset if the first row of the trace is not among them: the
	 * first one is not 1. False: the caller ends the part and delivers all its rows.
	 */
	bool (*add)(const struct poly_decoder_work *work, void *part,
		const struct poly_batch *batch);
	void (*end)(const struct poly_decoder_work *work, void *part); /* frees the part */
	bool needs_numbers; /* of rows in the trace */
	size_t part_max;    /* of the input, in bytes: more would make no part cheaper, or too
			       large */
};

/* Rows of a chunk, which were passed to the work of a plan. The batch has none of them. */
struct decoder_result {
	uint64_t records;
	const struct poly_decoder_work *const *work; /* count pointers */
	unsigned count;
	void *parts[POLY_DECODER_WORK_MAX]; /* by work; NULL: a consumer has taken it */
};

/* Begins the parts of a cleared result; false: out of memory. */
bool decoder_result_begin(struct decoder_result *result,
	const struct poly_decoder_work *const *work, unsigned count,
	struct numbering numbering);

/* Adds the next rows; false: the result must be cleared. */
bool decoder_result_add(struct decoder_result *result, const struct poly_batch *batch);

/* Takes the part of a work, which the caller owns; NULL: there is none. */
void *decoder_result_take(struct decoder_result *result, const struct poly_decoder_work *work);

/* Ends the parts that were not taken. */
void decoder_result_clear(struct decoder_result *result);

#endif
