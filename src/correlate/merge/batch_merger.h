/* SPDX-License-Identifier: MIT */
/* Merges rows of several sources into batches of one trace, and maps their names. */
#ifndef CORRELATE_MERGE_BLEND_H
#define CORRELATE_MERGE_BLEND_H

#include "polytrace/source.h"

#include "model/batch.h"
#include "model/info.h"
#include "model/slice.h"

/* A source, and the mapping of its names. */
struct merge_input {
	struct poly_source source;
	const struct poly_batch *batch; /* current; NULL: none yet */
	size_t at;			/* next row of the batch */
	uint64_t thread;		/* its number */
	bool fills_thread;		/* set the column thread to it */
	bool open;	/* the last row is, or precedes, the next instruction's */
	uint64_t ahead; /* rows delivered before the run that the order has them in */
	uint32_t *names;		/* merged numbers of names, by the input's own */
	uint32_t name_count, name_capacity;
	bool names_differ, records_differ; /* the mapping is not the identity */
	uint8_t records[256]; /* merged numbers of record names, by the input's own */
};

/* Consecutive rows of an input's batch. */
struct row_segment {
	uint32_t input, src, count;
};

struct merger {
	struct merge_input *inputs;
	size_t input_count;
	struct info info;
	const char *record_names[256];
	struct batch out;
	struct row_segment segments[POLY_BATCH_ROWS]; /* that are merged into out */
	size_t segment_count, rows;
	struct slice slice;	/* rows that are passed unchanged */
	struct poly_batch view; /* the last result */
	uint64_t *threads;	/* the column thread of passed rows */
	size_t threads_of;	/* the input that threads is filled for */
	uint64_t delivered;	/* rows so far */
	size_t failed;		/* input, or SIZE_MAX */
};

/* Minimum number of rows of an input's batch to pass unchanged. */
#define MERGER_PASS_ROWS 256

/*
 * Prepares the metadata and the storage for inputs with sources. The caller owns the
 * inputs. POLY_ERR_MEMORY; POLY_ERR_LIMIT: more than 255 names of records.
 */
enum poly_status merger_open(struct merger *merger, struct merge_input *inputs, size_t count,
	struct poly_error *error);

/* Reads the next batch of an input, or fails as its source does. */
enum poly_status merger_read(struct merger *merger, size_t input, struct poly_error *error);

/* True if rows of an input can be passed unchanged, and no rows are pending. */
bool merger_can_pass(const struct merger *merger, size_t input, size_t rows);

/* Sets merger->view to the next count rows of an input, unchanged. POLY_ERR_MEMORY. */
enum poly_status merger_pass(
	struct merger *merger, size_t input, size_t count, struct poly_error *error);

/* Appends the next count rows of an input to the pending rows, at most a batch. */
void merger_add(struct merger *merger, size_t input, size_t count);

/*
 * Sets merger->view to the pending rows. POLY_ERR_MEMORY; POLY_ERR_LIMIT: too many names.
 */
enum poly_status merger_flush(struct merger *merger, struct poly_error *error);

/* Frees everything except the inputs. */
void merger_close(struct merger *merger);

/* Frees the merger's data of an input. */
void merger_close_input(struct merge_input *input);

#endif
