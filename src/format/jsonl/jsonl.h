/* SPDX-License-Identifier: MIT */
/* What the reader and the writer of JSON Lines share. */
#ifndef FORMAT_JSONL_JSONL_H
#define FORMAT_JSONL_JSONL_H

#include "format/format.h"
#include "format/jsonl/object.h"

/*
 * Facts that hold what the trace's information has no other place for: the bytes of a header
 * that the writer would not make ("": there is none), and the format that the header names.
 * They are not written as facts.
 */
#define JSONL_OWN "jsonl."
#define JSONL_HEADER JSONL_OWN "header"
#define JSONL_FORMAT JSONL_OWN "format"

/* The key of the column row, which the reader ignores: a trace numbers its own records. */
#define JSONL_ROW "row"

/* Values of the column record in a trace; 255 means that there are no more. */
#define JSONL_RECORDS 255

/* The columns that are written where the user did not choose any. */
#define JSONL_CANONICAL \
	(POLY_ALL_COLUMNS & ~(POLY_HAS(origin) | POLY_HAS(site) | POLY_HAS(verbatim)))

/* Rules, in the order of the format's table. */
enum jsonl_rule {
	JSONL_DAMAGED,	/* J01 */
	JSONL_KEY,	/* J02 */
	JSONL_VALUE,	/* J03 */
	JSONL_TOO_MANY, /* J04 */
	JSONL_CUT,	/* J05 */
};

/* A column as the rows of a batch are written. */
struct jsonl_field {
	enum poly_column column;
	const struct column_traits *traits;
	const uint64_t *present; /* NULL: in every row */
	const void *data;	 /* NULL: the column row */
	size_t length;		 /* of prefix */
	char prefix[32];	 /* what stands before the value: a comma, the key, a quote */
};

/* The columns of a batch that are written, in order. */
struct jsonl_plan {
	struct jsonl_field fields[POLY_COLUMN_COUNT + 1];
	size_t count;
};

/* Plans the rows of a batch; skips columns that have a value in none of them. */
void jsonl_plan(struct jsonl_plan *plan, const struct poly_batch *batch, poly_columns columns);

/* Appends a row's line. */
void jsonl_row(struct buf *to, const struct jsonl_plan *plan, const struct poly_batch *batch,
	size_t row);

/* Appends a string, or {"hex":"..."} where its n bytes are not UTF-8. */
void jsonl_text(struct buf *to, const void *text, size_t n);

/* Appends the header line for a trace of which these columns are written, with such labels. */
void jsonl_header(struct buf *to, const struct poly_trace_info *info, poly_columns columns,
	const struct poly_trace_info *labels);

/* Whether the labels of an information are those that a header says. POLY_ERR_MEMORY. */
enum poly_status jsonl_compare_labels(const char *header, const struct poly_trace_info *labels,
	bool *same, struct poly_error *error);

struct jsonl_reader {
	struct object object;	   /* the line that was parsed last */
	struct batch row;	   /* its row, with every column */
	struct jsonl_plan plan;	   /* of that batch */
	struct buf text;	   /* what the writer would make of it */
	struct buf bytes;	   /* of the value that is decoded */
	struct buf header;	   /* the header's bytes; empty: there is none */
	poly_columns columns;	   /* that rows may have */
	const char **records;	   /* JSONL_RECORDS pointers, behind the information's */
	uint64_t lines;		   /* before the current one */
	uint64_t offset;	   /* of the current one */
	uint64_t told;		   /* offset of the last damage that is a finding, plus 1 */
	enum jsonl_rule rule;	   /* that the last failed line broke */
	enum poly_column expected; /* the column of the next key, most likely */
};

/* As err_set for a line that breaks a rule. */
enum poly_status jsonl_fail(struct jsonl_reader *state, struct poly_error *error,
	enum jsonl_rule rule, const char *message, ...) __attribute__((format(printf, 4, 5)));

/* The bytes of a string or of {"hex":"..."}. False: it is neither, or there is no memory. */
bool jsonl_bytes(struct buf *to, const struct member *member);

/* The number of a record's name, which is learned if it is new; -1: no memory, or too many. */
int jsonl_record(struct reading *reading, const char *name, size_t n);

/* Fills the information from a parsed header. POLY_ERR_FORMAT, POLY_ERR_MEMORY. */
enum poly_status jsonl_read_header(struct reading *reading, struct poly_error *error);

/* Fills state->row from the parsed line. POLY_ERR_FORMAT, POLY_ERR_MEMORY. */
enum poly_status jsonl_decode(struct reading *reading, struct poly_error *error);

/* The functions of the format's two halves. */
enum poly_status jsonl_open(struct reading *reading, struct poly_error *error);
enum poly_status jsonl_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
enum poly_status jsonl_resync(
	struct reading *reading, struct batch *batch, struct poly_error *error);
void jsonl_close(struct reading *reading);

struct jsonl_writer {
	struct jsonl_plan plan;
	struct buf text; /* lines to be written */
	poly_columns columns;
	bool verbatim;	   /* lines that are not canonical are written as they were */
	bool unterminated; /* the last line has no end */
};

enum poly_status jsonl_wopen(struct writing *writing, struct poly_error *error);
enum poly_status jsonl_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
void jsonl_wclose(struct writing *writing);

#endif
