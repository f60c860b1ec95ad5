/* SPDX-License-Identifier: MIT */
/* A merge as its parts see it. */
#ifndef CORRELATE_MERGE_MERGE_H
#define CORRELATE_MERGE_MERGE_H

#include "polytrace/merge.h"

#include "correlate/merge/analysis.h"
#include "correlate/merge/batch_merger.h"
#include "correlate/merge/sync.h"

struct poly_merge {
	struct sync_state sync; /* threads, events and notes */
	struct merge_input *inputs;
	struct merger merger;
	struct merge_analysis *analysis; /* NULL: not asked for */
	struct poly_merge_run run;	 /* that rows are taken of */
	uint64_t *times;		 /* by input, of the row that comes next */
	bool *back;			 /* by input, its times were seen to go back */
	bool *over;			 /* by input, it has no more rows */
	size_t failed;			 /* input, or SIZE_MAX */
	enum poly_status status;	 /* what ended it */
	struct poly_error error;
};

/* Reads the next batch of an input. */
enum poly_status merge_read(struct poly_merge *merge, size_t input, struct poly_error *error);

/* Holds rows back in the order of time, until their batch is full or has to be read on. */
enum poly_status merge_next_by_time(struct poly_merge *merge, struct poly_error *error);

/* States the facts that all inputs share. False: no memory. */
bool metadata_share(struct poly_merge *merge);

#endif
