/* SPDX-License-Identifier: MIT */
/* A comparison: its streams, which are steps of both traces, and the queue of differences. */
#ifndef CORRELATE_DIFF_STREAMS_H
#define CORRELATE_DIFF_STREAMS_H

#include "correlate/diff/match.h"

/* Distance in instructions within which a moved record is reported as reordered. */
#define REACH 8

/* Maximum number of processors compared separately. */
#define STREAMS_MAX 1024

/* Maximum number of steps of a processor that wait for the other trace. */
#define PENDING_STEPS_MAX ((uint64_t)1 << 17)

/* A pair of steps that differ, kept while their records may still occur in later steps. */
struct pending {
	uint64_t steps[2];
	uint64_t pair; /* number of pairs compared before */
	uint64_t fields;
	bool opcode;
};

/* A comparison stream: both whole traces, or one CPU of both (each_cpu). */
struct diff_stream {
	uint32_t cpu;
	struct stream_side sides[2];
	uint64_t at[2]; /* the next steps to compare */
	struct match_state state;
	struct pending *pending; /* a ring of reach + 1 elements */
	size_t first, count;
	uint64_t pairs;	   /* compared */
	uint64_t reported; /* pairs up to the last reported difference */
	bool has_reported; /* there is one */
	unsigned pause,
		patience; /* steps until whole rows are compared again, and its next value */
	bool done;
};

/* A difference, by the numbers of steps and records. */
struct difference {
	enum poly_diff_cause cause;
	struct diff_stream *stream;
	uint64_t steps[2]; /* after the last step of a trace that has ended */
	uint64_t pair;
	int64_t effects[2];  /* indices of records; -1: none */
	uint64_t other_step; /* of FATE_MOVED: the step that has the record */
	unsigned field;	     /* of POLY_DIFF_FIELD */
	uint64_t run[2];
	bool ends;
};

/* A line of context around a difference; STEP_NONE: no step on that side. */
struct context_line {
	uint64_t steps[2], skipped;
	char mark;
	bool here;
};

struct poly_diff {
	struct diff_rules rules;
	struct builder builders[2];
	bool has_begun; /* rows were read */
	struct diff_stream **streams;
	size_t stream_count;
	struct difference *queue;
	size_t first, count, room;
	size_t reach;		    /* maximum distance of pending pairs */
	struct difference current;  /* delivered last */
	struct context_line *lines; /* context of that */
	size_t line_count, line_room;
	bool has_context; /* lines are computed */
	struct poly_difference result;
	bool is_first;	     /* the last delivered difference is the first of its stream */
	struct buf texts[3]; /* subject and values, or steps */
	struct buf steps[2];
	struct poly_diff_counts counts;
	enum poly_status status; /* POLY_OK until the comparison ends */
	struct poly_error error;
};

/* Returns the steps of a stream and side. */
static inline struct ring *
stream_ring(struct diff_stream *stream, unsigned side)
{
	return &stream->sides[side].ring;
}

static inline struct step *
stream_step(struct diff_stream *stream, unsigned side, uint64_t number)
{
	return ring_at(&stream->sides[side].ring, number);
}

/* True if a stream has a step of a number. */
static inline bool
stream_has(struct diff_stream *stream, unsigned side, uint64_t number)
{
	const struct ring *ring = &stream->sides[side].ring;
	return number >= ring->tail && number < ring->head;
}

/* Ends the comparison with POLY_END or a failure. */
void diff_stop(struct poly_diff *diff, enum poly_status status);

/* Queues a difference for delivery; a failure stops the comparison. */
void diff_report(struct poly_diff *diff, const struct difference *difference);

/* Adds a stream; NULL: no room, which stops the comparison. */
struct diff_stream *streams_add(struct poly_diff *diff, uint32_t cpu);

/* Adds one row of a trace to its stream; false at the end of the trace. */
bool streams_add_row(struct poly_diff *diff, unsigned side);

/* Reads rows until a stream has the steps below number, or the trace ends. */
void stream_fill(
	struct poly_diff *diff, struct diff_stream *stream, unsigned side, uint64_t number);

/* Frees a stream. */
void stream_free(struct diff_stream *stream);

#endif
