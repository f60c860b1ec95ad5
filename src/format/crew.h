/* SPDX-License-Identifier: MIT */
/*
 * A crew: the reader and more threads, who decode the chunks of a trace; their rows are given
 * out in order.
 *
 * Rows, numbers of names and sites, and counted lines are those of a single reader, whatever
 * the number of threads and the size of chunks: a chunk begins where nothing has to be known of
 * what came before, and the reader itself decodes every chunk that is not plain. Memory is
 * bounded by a few chunks a thread.
 */
#ifndef FORMAT_CREW_H
#define FORMAT_CREW_H

#include "format/hand.h"

/* Threads of a crew at most. */
#define CREW_MOST 64

struct crew;

/* Bytes of a chunk where blocks of that size are read; 0: the usual ones. */
size_t crew_chunk_size(size_t block_size);

/*
 * Starts the threads. plan->reading stays with the caller, who sets its input to crew_in; the
 * plan's input is the crew's until crew_free, progress apart. NULL: there is no memory, or no
 * thread to be had, and nothing was consumed.
 */
struct crew *crew_new(const struct crew_plan *plan);

/*
 * The next batch of plain rows; it holds until the next call. POLY_OK with *batch NULL: the
 * next rows are decoded by the reader, from crew_in until its end, and then this is called
 * again. POLY_END and failures of the input: nothing is left. POLY_ERR_MEMORY.
 */
enum poly_status crew_next(struct crew *crew, struct batch **batch, struct poly_error *error);

/* The input of what the reader decodes itself. */
struct in *crew_in(struct crew *crew);

/* Offset in the input behind what was given out, or decoded by the reader. */
uint64_t crew_offset(const struct crew *crew);

/* Stops the threads and gives everything back. Accepts NULL. */
void crew_free(struct crew *crew);

#endif
