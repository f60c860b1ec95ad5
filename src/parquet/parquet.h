/* SPDX-License-Identifier: MIT */
/*
 * Files in the Parquet format. A table is a sequence of row groups; each column of a group is
 * encoded and compressed for itself, and the metadata are at the end of the file.
 *
 *     parquet_new(&options, columns, count, &file, error);
 *     while there are rows, at most parquet_room(file) in each turn:
 *         parquet_append(file, i, &cells) for each column i
 *         parquet_end_rows(file, rows, error)
 *     parquet_finish(file, error)
 *
 * Lack of memory in functions without a status is sticky and returned by the next one with one.
 */
#ifndef PARQUET_PARQUET_H
#define PARQUET_PARQUET_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parquet_type {
	PARQUET_BOOL,	  /* bytes, 0 or 1 */
	PARQUET_UNSIGNED, /* unsigned numbers */
	PARQUET_SIGNED,	  /* signed numbers of 8 bytes */
	PARQUET_REAL,	  /* doubles */
	PARQUET_NAME,	  /* unsigned numbers that stand for texts */
	PARQUET_TEXT,	  /* texts; what is not UTF-8 becomes U+FFFD */
	PARQUET_BYTES,	  /* any bytes */
};

/* Bytes for the text of a number. */
#define PARQUET_NAME_ROOM 24

/* The description of a column. The name is valid until the file is freed. */
struct parquet_column {
	const char *name;
	enum parquet_type type;
	unsigned size; /* of a number in bytes: 1, 2, 4 or 8 */
	bool always;   /* the file has the column even if it never has a value */
	/*
	 * PARQUET_NAME: returns the text of a number and its length; may store it in room.
	 * Several threads call it.
	 */
	const char *(*text)(const struct parquet_column *column, uint64_t number,
		char room[PARQUET_NAME_ROOM], size_t *length);
	const void *user; /* of text */
	unsigned id;	  /* of text */
};

struct parquet_options {
	size_t rows;	  /* maximum number of rows of a group, at least 1 */
	unsigned threads; /* that encode, including the caller's; at least 1 */
	/* Receives the bytes of the file. */
	void (*write)(void *user, const void *bytes, size_t n);
	void *user; /* passed to write */
};

struct parquet;

/*
 * Creates a file of these columns, at least one, and writes its beginning. On
 * failure *file is NULL. POLY_ERR_UNSUPPORTED: this build lacks libzstd. POLY_ERR_MEMORY.
 */
enum poly_status parquet_new(const struct parquet_options *options,
	const struct parquet_column *columns, size_t count, struct parquet **file,
	struct poly_error *error);

/* Returns the maximum number of rows of the next call of parquet_end_rows. */
size_t parquet_room(const struct parquet *file);

/* Cells of a column in consecutive rows. */
struct parquet_cells {
	const void *data;	 /* an array of numbers; unused for texts and bytes */
	const uint64_t *present; /* bitmap: rows with a value; NULL: none of them */
	size_t first, rows;	 /* the rows, as indices of both */
};

/* Appends cells. Those of texts and bytes follow by parquet_append_bytes. */
void parquet_append(struct parquet *file, size_t column, const struct parquet_cells *cells);

/* Appends the value of the next cell of texts or bytes that has one. */
void parquet_append_bytes(struct parquet *file, size_t column, const void *bytes, size_t n);

/* Ends rows that every column has cells of. POLY_ERR_MEMORY, POLY_ERR_LIMIT. */
enum poly_status parquet_end_rows(struct parquet *file, size_t rows, struct poly_error *error);

/* Adds a key and a value to the metadata of the file; both are copied. */
void parquet_property(struct parquet *file, const char *key, const char *value);

/* Returns the number of texts with bytes that were replaced, as they are not UTF-8. */
uint64_t parquet_replaced(const struct parquet *file);

/* Writes the pending rows and the metadata. POLY_ERR_MEMORY, POLY_ERR_LIMIT. */
enum poly_status parquet_finish(struct parquet *file, struct poly_error *error);

/* Frees everything. Accepts NULL. */
void parquet_free(struct parquet *file);

#endif
