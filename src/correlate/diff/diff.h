/* SPDX-License-Identifier: MIT */
/* Internals of a comparison. */
#ifndef CORRELATE_DIFF_DIFF_H
#define CORRELATE_DIFF_DIFF_H

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
struct step_builder {
	uint32_t cpu;
	struct stream_side sides[2];
	uint64_t at[2]; /* the next steps to compare */
	struct match_state state;
	struct pending *pending; /* a ring of reach + 1 elements */
	size_t first, count;
	uint64_t pairs;	   /* compared */
	uint64_t reported; /* pairs up to the last reported difference */
	unsigned pause,
		patience; /* steps until whole rows are compared again, and its next value */
	bool done;
};

/* A difference, by the numbers of steps and records. */
struct difference {
	enum poly_diff_cause cause;
	struct step_builder *stream;
	uint64_t steps[2]; /* after the last step of a trace that has ended */
	uint64_t pair;
	int64_t effects[2];  /* indices of records; -1: none */
	uint64_t other_step; /* of FATE_MOVED: the step that has the record */
	unsigned field;	     /* of POLY_DIFF_FIELD; with state the index of a register */
	bool state;	     /* of POLY_DIFF_VALUE: a register of both payloads */
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
	struct step_builder **streams;
	size_t stream_count;
	struct difference *queue;
	size_t first, count, room;
	size_t reach;		    /* maximum distance of pending pairs */
	struct difference current;  /* delivered last */
	struct context_line *lines; /* context of that */
	size_t line_count, line_room;
	bool needs_warmup; /* lines are computed */
	struct poly_difference result;
	struct buf texts[3]; /* subject and values, or steps */
	struct buf steps[2];
	struct poly_diff_counts counts;
	enum poly_status status; /* POLY_OK until the comparison ends */
	struct poly_error error;
};

/* Returns the steps of a stream and side. */
static inline struct ring *
stream_ring(struct step_builder *stream, unsigned side)
{
	return &stream->sides[side].ring;
}

static inline struct step *
stream_step(struct step_builder *stream, unsigned side, uint64_t number)
{
	return ring_at(&stream->sides[side].ring, number);
}

/* True if a stream has a step of a number. */
static inline bool
stream_has(struct step_builder *stream, unsigned side, uint64_t number)
{
	const struct ring *ring = &stream->sides[side].ring;
	return number >= ring->tail && number < ring->head;
}

/* Reads rows until a stream has the steps below number, or the trace ends. */
void diff_fill(
	struct poly_diff *diff, struct step_builder *stream, unsigned side, uint64_t number);

/* Ends the comparison with POLY_END or a failure. */
void diff_stop(struct poly_diff *diff, enum poly_status status);

/* Queues a difference for delivery; a failure stops the comparison. */
void diff_report(struct poly_diff *diff, const struct difference *difference);

/* Compares the next steps of a stream, which are of the same instruction. */
void compare_pair(struct poly_diff *diff, struct step_builder *stream);

/* Reports all pending pairs: no later step can resolve them. */
void compare_resolve_pending(struct poly_diff *diff, struct step_builder *stream);

/* Handles next steps of different instructions: finds where the traces realign. */
void divergence_find(struct poly_diff *diff, struct step_builder *stream);

/* Reports that one trace has ended and the other has not. */
void divergence_report_tail(struct poly_diff *diff, struct step_builder *stream);

/*
 * Skips rows that are equal in both traces, if no difference is pending. Returns whether it
 * skipped any.
 */
bool skip_equal_rows(struct poly_diff *diff, struct step_builder *stream);

/* A register of the payloads of two steps. */
struct state_values {
	char name[16];
	char digits[2][33];
};

/*
 * Gets the register of an index, from 0, from the states in the payloads of two steps of the
 * stream of diff->current; false after the last one, or without such payloads.
 */
bool state_register(struct poly_diff *diff, const uint64_t steps[2], unsigned number,
	struct state_values *values);

/* Reports the registers of two steps' payloads that differ; false if they are not states. */
bool state_report(struct poly_diff *diff, const struct difference *where);

/* Formats the texts of the current difference. */
void render_difference(struct poly_diff *diff);

/* Computes the lines of context around the current difference. */
void render_context(struct poly_diff *diff);

/* Formats a step in diff->steps[side]. */
const char *render_step(struct poly_diff *diff, unsigned side, uint64_t number);

#endif
