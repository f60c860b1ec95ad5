/* SPDX-License-Identifier: MIT */
/*
 * Predictive parsing: rows of lines that are templates with other numbers, without parsing
 * them. Every byte of every line is compared or converted; whatever is not as predicted is left
 * to the plain parser.
 */
#ifndef FORMAT_LINE_PREDICT_H
#define FORMAT_LINE_PREDICT_H

#include "format/line/template.h"

/* Lines that are predicted before their rows are filled. */
#define RUN_MOST 64

/* Lines that are templates, one behind the other, and whose rows are to be filled. */
struct run {
	size_t row;	    /* of the first one */
	size_t lines;	    /* how many there are */
	const uint8_t *end; /* behind the last one */
	uint64_t numbers;   /* lines added last that have windows: a bit each */
	uint64_t breaks;    /* lines whose template is not next to the one before: a bit each */
	uint32_t last;	    /* number of the last one's template */
	uint32_t number[RUN_MOST];     /* templates */
	const uint8_t *text[RUN_MOST]; /* where the lines stand */
};

/* Adds the lines from run->end on that are as predicted, up to most; input ends at end. */
typedef void predict_walk(
	const struct templates *templates, struct run *run, const uint8_t *end, size_t most);

/* The ways to do it: not at all, in plain C, by the vectors of the processor. */
enum predict_way {
	PREDICT_BEST,
	PREDICT_NEVER,
	PREDICT_PLAIN,
	PREDICT_SSE2,
	PREDICT_AVX2,
	PREDICT_WAYS
};

/* NULL where the processor can't do it that way; PREDICT_BEST always can, PREDICT_NEVER never.
 */
predict_walk *predict_walk_by(enum predict_way way);

/* As predict_walk_by, for the vectors of x86-64. */
predict_walk *predict_walk_x86(enum predict_way way);

/* Bytes of the input that can be looked at. */
struct extent {
	const uint8_t *start, *end;
	uint64_t base; /* offset of start in the input */
};

/* What is known of lines; zeroed before the first use. */
struct predictor {
	predict_walk *walk;
	struct templates templates;
	poly_columns wanted;	/* for which it was started */
	bool started, off;	/* off: for good */
	uint32_t lines, missed; /* of the present stretch */
	uint32_t rest;		/* lines that are not to be predicted */
	/* Of the batch that is filled. */
	struct batch *batch;
	uint64_t *windows[POLY_COLUMN_COUNT]; /* columns that windows go to */
	void *columns[TEMPLATE_COLUMNS];      /* columns that values go to */
	struct extent window;		      /* in which the lines of the run stand */
	struct run run;
};

/* Before lines are read into a batch. */
void predict_begin(struct predictor *predictor, struct batch *batch,
	const struct predict_format *format, enum predict_way way);

/*
 * Predicts lines from *p on, for the rows from row on; *p is moved behind them. Returns how
 * many there were.
 */
size_t predict_lines(struct predictor *predictor, size_t row, const uint8_t **p,
	const struct extent *window);

/*
 * True where the shape of the next line, which the plain parser is to take, will be learned:
 * then predict_learn is called. Otherwise what was predicted is filled, as predict_fill.
 */
bool predict_wants(struct predictor *predictor);

/* Learns a line of which the plain parser made a row; repeats is false where it made none. */
void predict_learn(struct predictor *predictor, size_t row, const struct line_shape *shape);

/*
 * Fills the rows that were predicted: to be called before their lines go, and at the end. Rows
 * from limit on, up to POLY_BATCH_ROWS, are not touched.
 */
void predict_fill(struct predictor *predictor, size_t limit);

/* Gives the memory back. */
void predict_free(struct predictor *predictor);

#endif
