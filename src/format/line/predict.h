/* SPDX-License-Identifier: MIT */
/*
 * Predictive parsing: creates the rows of lines that equal a template except for the numbers,
 * without parsing them. Every byte of every line is compared or converted; the plain parser
 * handles all other lines.
 */
#ifndef FORMAT_LINE_PREDICT_H
#define FORMAT_LINE_PREDICT_H

#include "format/line/template.h"

/* Maximum number of lines predicted before their rows are filled. */
#define RUN_LINES_MAX 64

/* Consecutive lines that match templates; their rows are not filled yet. */
struct predicted_run {
	size_t row;	    /* of the first one */
	size_t lines;	    /* number of lines */
	const uint8_t *end; /* after the last one */
	uint64_t numbers;   /* lines added last that have windows: one bit per line */
	uint64_t breaks; /* lines whose template is not the next neighbour: one bit per line */
	uint32_t last;	 /* number of the last one's template */
	uint32_t number[RUN_LINES_MAX];	    /* templates */
	const uint8_t *text[RUN_LINES_MAX]; /* the lines */
};

/* Adds the predicted lines from run->end on, up to max; the input ends at end. */
typedef void predict_walk(const struct templates *templates, struct predicted_run *run,
	const uint8_t *end, size_t max);

/* The implementations: none, plain C, vector instructions. */
enum predict_way {
	PREDICT_BEST,
	PREDICT_NEVER,
	PREDICT_PLAIN,
	PREDICT_SSE2,
	PREDICT_AVX2,
	PREDICT_WAYS
};

/* Returns an implementation; NULL: the CPU does not support it, or PREDICT_NEVER. */
predict_walk *predict_walk_by(enum predict_way way);

/* As predict_walk_by, for the vector instructions of x86-64. */
predict_walk *predict_walk_x86(enum predict_way way);

/* Bytes of the input that can be read. */
struct extent {
	const uint8_t *start, *end;
	uint64_t base; /* offset of start in the input */
};

/* The state of prediction; zeroed before the first use. */
struct predictor {
	predict_walk *walk;
	struct templates templates;
	poly_columns wanted;	/* requested columns at the start */
	bool started, off;	/* off: permanently */
	uint32_t lines, missed; /* of the current run */
	uint32_t rest;		/* lines left without prediction */
	struct line_context context;
	/* Of the batch being filled. */
	struct batch *batch;
	/* Columns of the windows' numbers; that of WINDOW_NO_COLUMN is NULL. */
	uint64_t *windows[POLY_COLUMN_COUNT + 1];
	void *columns[TEMPLATE_COLUMNS]; /* columns of the templates' values */
	struct extent window;		 /* contains the lines of the run; set by the caller */
	struct predicted_run run;
};

/* Prepares for a batch, before lines are read into it. */
void predict_begin(struct predictor *predictor, struct batch *batch,
	const struct predict_format *format, enum predict_way way);

/*
 * Predicts lines from *p on, for the rows from row on, and advances *p. Returns their number.
 */
size_t predict_lines(struct predictor *predictor, size_t row, const uint8_t **p);

/*
 * Returns whether the predictor learns the shape of the next line, which the plain parser
 * parses: then the caller calls predict_learn. Otherwise fills the predicted rows, as
 * predict_fill.
 */
bool predict_wants(struct predictor *predictor);

/* Learns a line that the plain parser parsed; shape->repeats is false if parsing failed. */
void predict_learn(struct predictor *predictor, size_t row, const struct line_shape *shape);

/*
 * Fills the predicted rows. Call it before their lines leave the window, and at the end. Rows
 * from limit on, up to POLY_BATCH_ROWS, are not overwritten.
 */
void predict_fill(struct predictor *predictor, size_t limit);

/* Frees the memory. */
void predict_free(struct predictor *predictor);

#endif
