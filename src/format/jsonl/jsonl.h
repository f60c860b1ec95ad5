/* SPDX-License-Identifier: MIT */
/* Declarations shared by the reader and the writer of JSON Lines. */
#ifndef FORMAT_JSONL_JSONL_H
#define FORMAT_JSONL_JSONL_H

#include "format/core/format.h"
#include "format/jsonl/object.h"

/*
 * Facts for what the trace's information has no field for: the bytes of a header that the
 * writer would not produce ("": no header), and the format that the header names. They are not
 * written as facts.
 */
#define JSONL_OWN "jsonl."
#define JSONL_HEADER JSONL_OWN "header"
#define JSONL_FORMAT JSONL_OWN "format"

/* The key of the column row, which the reader ignores: a trace numbers its own records. */
#define JSONL_ROW "row"

/* Maximum number of record names in a trace, and of other names, which stay in memory. */
#define JSONL_RECORDS 255
#define JSONL_NAMES 65536

/* The columns that are written by default. */
#define JSONL_CANONICAL POLY_COLUMNS_EXCEPT(origin, site, verbatim)

/* Rules, in the order of the format's table. */
enum jsonl_rule {
	JSONL_SYNTAX,	 /* J01 */
	JSONL_KEY,	 /* J02 */
	JSONL_VALUE,	 /* J03 */
	JSONL_TOO_MANY,	 /* J04 */
	JSONL_TRUNCATED, /* J05 */
};

/* A column in the rows of a batch to be written. */
struct jsonl_field {
	enum poly_column column;
	const struct column_traits *traits;
	const uint64_t *present; /* NULL: in every row */
	const void *data;	 /* NULL: the column row */
	size_t length;		 /* of prefix */
	char prefix[32];	 /* text before the value: a comma, the key, a quote */
};

/* The columns of a batch to be written, in order. */
struct jsonl_plan {
	struct jsonl_field fields[POLY_COLUMN_COUNT + POLY_REGISTERS_MAX + 1];
	size_t count;
};

/* Plans the rows of a batch; skips columns that have a value in none of them. */
void jsonl_plan(struct jsonl_plan *plan, const struct poly_batch *batch, poly_columns columns);

/* Appends a row's line. */
void jsonl_row(struct buf *dst, const struct jsonl_plan *plan, const struct poly_batch *batch,
	size_t row);

/* Appends a string, or {"hex":"..."} if its n bytes are not UTF-8. */
void jsonl_text(struct buf *dst, const void *text, size_t n);

/* Appends the header line for a trace with these columns and labels. */
void jsonl_header(struct buf *dst, const struct poly_trace_info *info, poly_columns columns,
	const struct poly_trace_info *labels);

/* Compares labels with those of a header. POLY_ERR_MEMORY. */
enum poly_status jsonl_compare_labels(const char *header, const struct poly_trace_info *labels,
	bool *same, struct poly_error *error);

struct jsonl_reader {
	struct object object;	   /* the line parsed last */
	struct batch row;	   /* its row, with every column */
	struct jsonl_plan plan;	   /* of that batch */
	struct buf text;	   /* the line that the writer would produce */
	struct buf bytes;	   /* of the value being decoded */
	struct buf header;	   /* the header's bytes; empty: no header */
	poly_columns columns;	   /* that rows can have */
	const char **records;	   /* JSONL_RECORDS pointers: storage of the information's */
	unsigned known;		   /* records that the header names */
	uint64_t lines;		   /* before the current one */
	uint64_t offset;	   /* of the current one */
	enum jsonl_rule rule;	   /* that the last invalid line violates */
	enum poly_column expected; /* the column of the next key, most likely */
};

/* As err_set, for a line that violates a rule. */
enum poly_status jsonl_fail(struct jsonl_reader *state, struct poly_error *error,
	enum jsonl_rule rule, const char *message, ...) __attribute__((format(printf, 4, 5)));

/* Decodes a string or {"hex":"..."}. False: neither, or out of memory. */
bool jsonl_bytes(struct buf *dst, const struct json_member *member);

/* Finds or adds a record's name; returns its number, -1: out of memory, or too many. */
int jsonl_record(struct reading *reading, const char *name, size_t n);

/* Fills the information from a parsed header. POLY_ERR_FORMAT, POLY_ERR_MEMORY. */
enum poly_status jsonl_read_header(struct reading *reading, struct poly_error *error);

/* Fills state->row from the parsed line. POLY_ERR_FORMAT, POLY_ERR_MEMORY. */
enum poly_status jsonl_decode(struct reading *reading, struct poly_error *error);

/* Reader and writer. */
enum poly_status jsonl_open(struct reading *reading, struct poly_error *error);
enum poly_status jsonl_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
enum poly_status jsonl_resync(
	struct reading *reading, struct batch *batch, struct poly_error *error);
void jsonl_close(struct reading *reading);

/* Split points: line ends. See struct format. */
size_t jsonl_find_split(
	const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);
bool jsonl_open_decoder(struct reading *reading, const struct reading *opened);

struct jsonl_writer {
	struct jsonl_plan plan;
	struct buf text; /* lines to be written */
	poly_columns columns;
	bool verbatim;	   /* lines that are not canonical are written as they were read */
	bool unterminated; /* the last line has no line feed */
};

enum poly_status jsonl_wopen(struct writing *writing, struct poly_error *error);
enum poly_status jsonl_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
void jsonl_wclose(struct writing *writing);

#endif
