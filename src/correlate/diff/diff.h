/* SPDX-License-Identifier: MIT */
/* What a comparison is made of, for the files that make it. */
#ifndef CORRELATE_DIFF_DIFF_H
#define CORRELATE_DIFF_DIFF_H

#include "correlate/diff/match.h"

/* Instructions within which a record that is elsewhere is called reordered. */
#define REACH 8

/* Most processors that are compared each by itself. */
#define STREAMS_MAX 1024

/* Most steps of a processor that wait for the other trace. */
#define PENDING_STEPS_MAX ((uint64_t)1 << 17)

/* A pair of steps that differ, while their records may still turn up in later steps. */
struct pending {
	uint64_t steps[2];
	uint64_t pair; /* pairs compared before it */
	uint64_t fields;
	bool opcode;
};

/* What is compared with each other: both traces, or what one processor did in them. */
struct step_builder {
	uint32_t cpu;
	struct stream_side sides[2];
	uint64_t at[2]; /* the next steps to compare */
	struct match_state state;
	struct pending *pending; /* a ring of as many as records may move, and one */
	size_t first, count;
	uint64_t pairs;		  /* compared */
	uint64_t reported;	  /* pairs up to the last difference */
	unsigned pause, patience; /* steps until whole rows are tried again, and the next */
	bool done;
};

/* A difference by the numbers of steps and records. */
struct difference {
	enum poly_diff_cause cause;
	struct step_builder *stream;
	uint64_t steps[2]; /* where a trace has ended: behind its last step */
	uint64_t pair;
	int64_t effects[2];  /* numbers of records; -1: none */
	uint64_t other_step; /* of FATE_MOVED: where the record is */
	unsigned field;	     /* of POLY_DIFF_FIELD; with state the number of a register */
	bool state;	     /* of POLY_DIFF_VALUE: it is a register of both payloads */
	uint64_t run[2];
	bool ends;
};

/* A line of what surrounds a difference; STEP_NONE: nothing on that side. */
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
	size_t reach;		    /* pairs that wait */
	struct difference current;  /* delivered last */
	struct context_line *lines; /* around it */
	size_t line_count, line_room;
	bool has_context; /* lines are made */
	struct poly_difference result;
	struct buf texts[3]; /* subject and values, or steps */
	struct buf steps[2];
	struct poly_diff_counts counts;
	enum poly_status status; /* POLY_OK while there is something to compare */
	struct poly_error error;
};

/* The steps of a lane and side. */
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

/* True where a lane has a step of a number. */
static inline bool
stream_has(struct step_builder *stream, unsigned side, uint64_t number)
{
	const struct ring *ring = &stream->sides[side].ring;
	return number >= ring->tail && number < ring->head;
}

/* Takes rows until a lane has steps up to, but not with, number, or the trace ends. */
void diff_fill(
	struct poly_diff *diff, struct step_builder *stream, unsigned side, uint64_t number);

/* Ends the comparison: POLY_END or a failure. */
void diff_stop(struct poly_diff *diff, enum poly_status status);

/* Adds a difference to those that are given; a failure stops the comparison. */
void diff_report(struct poly_diff *diff, const struct difference *difference);

/* Compares the next steps of a lane, which are of the same instruction. */
void compare_pair(struct poly_diff *diff, struct step_builder *stream);

/* Nothing that waits can turn up any more. */
void compare_resolve_pending(struct poly_diff *diff, struct step_builder *stream);

/* The next steps are of different instructions: finds where the traces agree again. */
void divergence_find(struct poly_diff *diff, struct step_builder *stream);

/* One trace has ended, the other has not. */
void divergence_report_tail(struct poly_diff *diff, struct step_builder *stream);

/*
 * Passes over rows that are the same in both traces, where all that was compared before is
 * settled and the same. Returns whether it did.
 */
bool skip_equal_rows(struct poly_diff *diff, struct step_builder *stream);

/* A register of the payloads of two steps. */
struct state_values {
	char name[16];
	char digits[2][33];
};

/*
 * The register of a number, from 0, in the states that two steps of the lane of diff->current
 * have as payload; false behind the last one, and where they have none.
 */
bool state_register(struct poly_diff *diff, const uint64_t steps[2], unsigned number,
	struct state_values *values);

/* Tells which registers of two steps' payloads differ; false where it cannot. */
bool state_report(struct poly_diff *diff, const struct difference *where);

/* Makes the texts of the difference found last. */
void render_difference(struct poly_diff *diff);

/* Makes the lines around the difference found last. */
void render_context(struct poly_diff *diff);

/* The text of a step, in diff->steps[side]. */
const char *render_step(struct poly_diff *diff, unsigned side, uint64_t number);

#endif
