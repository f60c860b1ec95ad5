/* SPDX-License-Identifier: MIT */
/* Declarations shared by the reader, the writer and the rules of CIS 501 traces. */
#ifndef FORMAT_CIS501_H
#define FORMAT_CIS501_H

#include "format/cis501/line.h"

extern const struct poly_rule cis501_rules[CIS501_RULE_COUNT + 1];

/* Maximum number of different names that the rules distinguish. */
#define CIS501_NAMES_MAX 4096

/*
 * State of the rules between rows. A decoder of chunks counts newlines, and lines from them,
 * from the start of the batch, or from the first row after the prefix that it defers.
 */
struct cis501_check {
	bool is_known; /* in decoders: the state does not depend on rows before the chunk */
	bool has_last; /* last is the micro-operation of the previous row */
	bool has_rows; /* at least one row was seen */
	bool unended;  /* the last row has no newline */
	struct cis501 last;
	uint64_t newlines;    /* in the rows before this one */
	uint64_t line;	      /* of the row, from 1 */
	uint64_t last_line;   /* of last */
	bool jumped;	      /* its instruction has a taken branch */
	uint64_t next_pc;     /* address of the next instruction */
	int32_t saved_pc;     /* register that SAVE_PC filled in its instruction, or -1 */
	int64_t saved_offset; /* and the immediate of that SAVE_PC */
	/*
	 * The reader's, after all that decoders have: names that were already checked as a
	 * macro and as a micro opcode.
	 */
	uint64_t seen[2][CIS501_NAMES_MAX / 64];
};

/* Size of what decoders of chunks keep. */
#define CIS501_CHECK_SIZE offsetof(struct cis501_check, seen)

/* Checks the rules on a batch; NULL: end of the trace. */
void cis501_check(
	struct reading *reading, struct cis501_check *check, const struct poly_batch *batch);

/* As struct format's check_deferred and check_adopt. */
void cis501_check_deferred(struct reading *reading, struct cis501_check *check,
	const struct poly_batch *batch, size_t prefix, size_t row);
void cis501_check_adopt(struct cis501_check *check, const struct cis501_check *state);

/* The parsed line or record at the front of an input. */
struct cis501_parsed {
	const struct line *line; /* its bytes */
	enum cis501_record is;
	bool split; /* not a line by itself; the row stores its bytes */
	struct cis501 op;
};

/* Position of a reader with cis501.lines=free; zero before the first use. */
struct cis501_free {
	uint64_t newlines; /* consumed so far */
	unsigned column;   /* bytes consumed after the last newline */
	bool within;	   /* the front is inside a line whose beginning was skipped */
	uint8_t text[CIS501_LINE_MAX + 1 + IN_PADDING]; /* a record as a line */
};

/* Stores a parsed record as a row. */
void cis501_put_row(struct reading *reading, struct batch *batch, size_t row,
	const struct cis501_parsed *parsed);

/* Implement struct format's read and resync for cis501.lines=free. */
enum poly_status cis501_free_read(struct reading *reading, struct cis501_free *free,
	struct batch *batch, struct poly_error *error);
enum poly_status cis501_free_resync(
	struct reading *reading, struct cis501_free *free, struct batch *batch);

/*
 * Builds the micro-operation of a row from its columns. Returns NULL, or the name of a missing
 * column. The words are valid as long as the trace.
 */
const char *cis501_of_row(const struct poly_batch *batch, size_t row, struct cis501 *op);

/* Returns the name in a column of a row, empty if absent. */
struct cis501_word cis501_word_of(
	const struct poly_batch *batch, enum poly_column column, size_t row);

/*
 * Parses a row's own bytes; false if it has none or they are not a micro-operation. The words
 * point into line.
 */
bool cis501_of_raw(const struct poly_batch *batch, size_t row,
	uint8_t line[CIS501_LINE_MAX + 1], struct cis501 *op);

#endif
