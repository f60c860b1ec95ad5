/* SPDX-License-Identifier: MIT */
/* What the reader, the writer and the rules of CIS 501 traces share. */
#ifndef FORMAT_CIS501_H
#define FORMAT_CIS501_H

#include "format/cis501/line.h"

extern const struct poly_rule cis501_rules[CIS501_RULE_COUNT + 1];

/* Most different names that are told apart by the rules. */
#define CIS501_NAMES_SEEN 4096

/* What must be remembered between rows. */
struct cis501_check {
	bool has_last; /* last is the micro-operation of the row before */
	bool has_rows; /* there was one at all */
	bool unended;  /* the last row has no newline */
	struct cis501 last;
	uint64_t newlines;    /* in the rows before this one */
	uint64_t line;	      /* of the row, from 1 */
	uint64_t last_line;   /* of last */
	bool jumped;	      /* its instruction has a branch that was taken */
	uint64_t next_pc;     /* where its instruction leads */
	int32_t saved_pc;     /* register that SAVE_PC filled in its instruction, or -1 */
	int64_t saved_offset; /* and the immediate of that SAVE_PC */
	/* Names that were judged as a macro and as a micro opcode. */
	uint64_t seen[2][CIS501_NAMES_SEEN / 64];
};

/* Tests the rules on a batch; NULL: the trace has ended. */
void cis501_check(
	struct reading *reading, struct cis501_check *check, const struct poly_batch *batch);

/* What stands at the front of an input. */
struct cis501_piece {
	const struct line *line; /* its bytes */
	enum cis501_record is;
	bool split; /* it is no line of its own, and keeps its bytes */
	struct cis501 op;
};

/* A reader's place where records are not bound to lines; zeroed before the first use. */
struct cis501_free {
	uint64_t newlines; /* passed so far */
	unsigned column;   /* bytes passed behind the last one */
	bool within;	   /* the front is inside of a line whose beginning was passed over */
	uint8_t text[CIS501_LINE_MOST + 1 + IN_PADDING]; /* a record as a line */
};

/* Makes a row of a piece. */
void cis501_put(struct reading *reading, struct batch *batch, size_t row,
	const struct cis501_piece *piece);

/* As struct format's read and resync, for records that are not bound to lines. */
enum poly_status cis501_free_read(struct reading *reading, struct cis501_free *free,
	struct batch *batch, struct poly_error *error);
enum poly_status cis501_free_resync(
	struct reading *reading, struct cis501_free *free, struct batch *batch);

/*
 * The micro-operation of a row as its columns have it. NULL, or the name of the column that it
 * lacks. The words hold as long as the trace.
 */
const char *cis501_of_row(const struct poly_batch *batch, size_t row, struct cis501 *op);

/* The name in a column of a row, empty where it has none. */
struct cis501_word cis501_word_of(
	const struct poly_batch *batch, enum poly_column column, size_t row);

/*
 * Parses a row's own bytes, where it has them and they are a micro-operation; the words point
 * into line.
 */
bool cis501_of_raw(const struct poly_batch *batch, size_t row,
	uint8_t line[CIS501_LINE_MOST + 1], struct cis501 *op);

#endif
