/* SPDX-License-Identifier: MIT */
/* Internals of a merge. */
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
	struct merge_analysis *analysis; /* NULL: not requested */
	struct poly_merge_run run;	 /* current run */
	bool extends;			 /* its last rows may belong to further ones */
	uint64_t *times;		 /* by input, of its next row */
	bool *back;			 /* by input: its times decreased */
	bool *over;			 /* by input: it has ended */
	enum poly_status status;	 /* status at the end */
	struct poly_error error;
};

/* Appends rows in order of time until the batch is full or an input must be read. */
enum poly_status merge_next_by_time(struct poly_merge *merge, struct poly_error *error);

/* Sets the metadata that all inputs share. False: out of memory. */
bool metadata_share(struct poly_merge *merge);

#endif
