/* SPDX-License-Identifier: MIT */
/*
 * A decode pool: the reader and other threads decode the chunks of a trace; the rows are
 * delivered in order.
 *
 * Rows, numbers of names and sites, and counted lines are those of a single reader, whatever
 * the number of threads and the chunk size: a chunk begins where decoding needs no preceding
 * record, and the reader itself decodes every irregular chunk. Memory is bounded by a few
 * chunks per thread.
 */
#ifndef FORMAT_DECODE_POOL_H
#define FORMAT_DECODE_POOL_H

#include "format/core/chunk_decoder.h"

struct decode_pool;

/* Returns the chunk size in bytes for blocks of block_size bytes; 0: the default size. */
size_t decode_pool_chunk_size(size_t block_size);

/* Returns the size of chunks of an input that decoders work on, of at most max bytes. */
size_t decode_pool_work_size(const struct in *in, unsigned threads, size_t max);

/*
 * Starts the threads. plan->reading stays with the caller, who sets its input to
 * decode_pool_input. The plan's input belongs to the pool until decode_pool_free, except for
 * in_progress. NULL: out of memory, or no thread could be started; nothing was consumed.
 */
struct decode_pool *decode_pool_new(const struct decode_plan *plan);

/*
 * Returns the next batch of regular rows, or without rows the result of work on them, valid
 * until the next call. POLY_OK with *batch NULL:
 * the reader decodes the next rows itself, from decode_pool_input until its end, then calls
 * this again. POLY_END and failures of the input: no rows follow. POLY_ERR_MEMORY.
 */
enum poly_status decode_pool_next(
	struct decode_pool *pool, struct batch **batch, struct poly_error *error);

/*
 * Checks the batch that decode_pool_next returned last, as the format's check does, of which
 * decoders have done most if the plan has checks.
 */
void decode_pool_check(struct decode_pool *pool);

/* Passes on to decoders what the reader's check has found in the rows up to now. */
void decode_pool_share_check(struct decode_pool *pool);

/* Returns the input that the reader decodes itself. */
struct in *decode_pool_input(struct decode_pool *pool);

/* Returns the offset in the input after the rows delivered, or decoded by the reader. */
uint64_t decode_pool_offset(const struct decode_pool *pool);

/* Stops the threads and frees the pool. Accepts NULL. */
void decode_pool_free(struct decode_pool *pool);

#endif
