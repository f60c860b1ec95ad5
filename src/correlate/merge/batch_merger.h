/* SPDX-License-Identifier: MIT */
/* Rows of several readers as batches of one trace: its facts, and the rows in an order. */
#ifndef CORRELATE_MERGE_BLEND_H
#define CORRELATE_MERGE_BLEND_H

#include "polytrace/reader.h"

#include "model/batch.h"
#include "model/info.h"
#include "model/slice.h"

/* A reader and what its numbers are in the blend. */
struct merge_input {
	struct poly_reader *reader;
	const struct poly_batch *batch; /* that is read; NULL: none yet */
	size_t at;			/* row of it that comes next */
	uint64_t thread;		/* its number */
	bool fills_thread;		/* the column thread gets it */
	uint32_t *names;		/* numbers of names, by its own */
	uint32_t name_count, name_capacity;
	bool names_differ, records_differ; /* some number is not its own */
	uint8_t records[256];		   /* names of records, by its own number */
};

/* Rows that stand together in the batch of an input. */
struct row_segment {
	uint32_t input, src, count;
};

struct merger {
	struct merge_input *inputs;
	size_t input_count;
	struct info info;
	const char *record_names[256];
	struct batch out;
	struct row_segment segments[POLY_BATCH_ROWS]; /* that go into out */
	size_t segment_count, rows;
	struct slice slice;	/* rows that are handed on as they stand */
	struct poly_batch view; /* what was given last */
	uint64_t *threads;	/* the column thread of such rows */
	size_t threads_of;	/* the input that it is filled for */
	uint64_t delivered;	/* rows */
};

/* Rows of an input's batch that are worth handing on as they stand. */
#define MERGER_PASS_ROWS 256

/*
 * Prepares for inputs whose readers are open: facts, and storage for the columns. The inputs
 * stay the caller's. POLY_ERR_MEMORY; POLY_ERR_LIMIT: more than 255 names of records.
 */
enum poly_status merger_open(struct merger *merger, struct merge_input *inputs, size_t count,
	struct poly_error *error);

/* True where rows of an input can be handed on as they stand, and none are held back. */
bool merger_can_pass(const struct merger *merger, size_t input, size_t rows);

/* Makes blend->view the next count rows of an input, as they stand. POLY_ERR_MEMORY. */
enum poly_status merger_pass(
	struct merger *merger, size_t input, size_t count, struct poly_error *error);

/* Holds the next count rows of an input back; the rows held back are at most a batch. */
void merger_add(struct merger *merger, size_t input, size_t count);

/*
 * Makes blend->view the rows held back. POLY_ERR_MEMORY; POLY_ERR_LIMIT: more names than a
 * trace can have.
 */
enum poly_status merger_flush(struct merger *merger, struct poly_error *error);

/* Gives everything back but the inputs. */
void merger_close(struct merger *merger);

/* Gives back what a blend keeps in an input. */
void merger_close_input(struct merge_input *input);

#endif
