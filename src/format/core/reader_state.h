/* SPDX-License-Identifier: MIT */
/*
 * The state of a reader, and what its parts share: reader_open.c opens it, reader_plan.c
 * decides what is decoded and by whom, reader_end.c ends it, reader_next.c fills and delivers
 * batches, and reader_facts.c answers questions.
 */
#ifndef FORMAT_READER_STATE_H
#define FORMAT_READER_STATE_H

#include "format/core/reader.h"

#include "format/core/decode_pool.h"
#include "format/core/encodings.h"
#include "format/core/option.h"
#include "format/core/probe.h"
#include "effects/registers.h"
#include "model/batch_gather.h"
#include "model/decoder_work.h"
#include "model/site.h"
#include "model/slice.h"

struct poly_reader {
	struct format_list formats; /* the caller's, too */
	const struct format *format;
	struct poly_read_options
		options; /* strings in it belong to the caller until open returns */
	struct poly_read_plan plan;
	const struct poly_decoder_work *work[POLY_DECODER_WORK_MAX]; /* of the plan */
	struct registers *registers;				     /* of the plan; or NULL */
	struct in *in;
	struct info info;
	struct findings findings;
	struct batch batch;
	struct batch *shown;	  /* the rows filled last; NULL: none */
	struct decode_pool *pool; /* NULL: one thread decodes */
	bool alone; /* the reader decodes the present chunk itself, although it has a pool */
	struct sites sites;
	struct slice slice;	  /* of the batch, if not all its rows are selected */
	struct batch_gather kept; /* rows of the batch that are not corrupt */
	struct poly_batch bare;	  /* the batch without its lazy columns */
	struct reading reading;
	struct encodings encodings;  /* of options.symbols */
	struct option_values values; /* of the format */
	bool planned;		     /* the plan is set */
	bool begun;		     /* the first batch was requested */
	bool opened;		     /* the format's open was called: close it */
	enum poly_status ended;	     /* POLY_OK while records may follow */
	struct poly_error failure;   /* what ended it */
	bool truncated;		     /* it ended because the input is truncated */
	struct poly_reader_counts counts;
	bool corrupt;		    /* the last row delivered is corrupt data */
	uint64_t corrupt_records;   /* delivered */
	struct probe_result probed; /* the format's evidence */
};

/* Returns the columns that get storage: those requested that the trace can have. */
poly_columns reader_columns(const struct poly_reader *reader);

/* Returns the columns that consumers may read, row among them if it was requested. */
poly_columns reader_requested(const struct poly_reader *reader);

/* Returns the number of the last selected record, counted from 1. */
uint64_t reader_last_record(const struct poly_reader *reader);

/* Starts decoding, by a pool if it pays: the plan is final now. */
void reader_start_decoding(struct poly_reader *reader);

/* Returns the number of rows filled last. */
static inline size_t
reader_shown_rows(const struct poly_reader *reader)
{
	return reader->shown ? reader->shown->view.rows : 0;
}

/* Returns the number of records in a batch, weights included. */
uint64_t reader_count_records(const struct poly_batch *batch);

/* Returns the number of records filled last; 0: none. */
uint64_t reader_shown_records(const struct poly_reader *reader);

/* Returns the offset after the rows decoded and delivered. */
uint64_t reader_offset(const struct poly_reader *reader);

/* Ends the trace at the first warning (strict), after the record that the warning is about. */
enum poly_status reader_apply_strict(struct poly_reader *reader, struct poly_error *failure);

/* Returns POLY_END only if the input below ended without a failure. */
enum poly_status reader_check_end(struct poly_reader *reader, struct poly_error *failure);

/* Ends the reader for good, with the failure if status is negative. */
void reader_end(
	struct poly_reader *reader, enum poly_status status, const struct poly_error *failure);

#endif
