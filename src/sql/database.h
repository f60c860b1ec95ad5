/* SPDX-License-Identifier: MIT */
/*
 * A database in memory with the tables of traces, for SQL of users: statements can read traces
 * and change that database, but neither write files nor load code. Used by one thread.
 */
#ifndef SQL_DATABASE_H
#define SQL_DATABASE_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct poly_reader;
struct sql_database;

/* Properties of a database. */
struct sql_options {
	/* Called during long work; a result other than 0 ends the statement. */
	int (*interrupted)(void *user);
	/* Called when the reading of a file ends, before its reader is closed. NULL: not
	 * called. */
	void (*read)(void *user, const char *path, struct poly_reader *reader);
	void *user;	       /* passed to both */
	uint64_t memory_bytes; /* maximum of memory for SQL; 0: no limit */
};

/*
 * Opens a database, which the caller closes. POLY_ERR_UNSUPPORTED: the build lacks SQLite, or
 * it is too old. POLY_ERR_MEMORY.
 */
enum poly_status sql_open(const struct sql_options *options, struct sql_database **database,
	struct poly_error *error);

/* Closes a database. Accepts NULL. */
void sql_close(struct sql_database *database);

/*
 * Adds a trace as a table. options: as `trace` takes them, NULL at the end. POLY_ERR_USAGE: the
 * file cannot be opened, or the name is in use; POLY_ERR_MEMORY.
 */
enum poly_status sql_add_trace(struct sql_database *database, const char *name,
	const char *path, const char *const *options, struct poly_error *error);

/*
 * Prepares the first statement of *text and moves *text to the rest. POLY_END: there is none.
 * POLY_ERR_USAGE: it is not valid; the message states the position.
 */
enum poly_status sql_prepare(
	struct sql_database *database, const char **text, struct poly_error *error);

/* Returns the number of columns of the statement's rows; 0: it has none. */
int sql_column_count(const struct sql_database *database);

/* Returns the name of a column, valid until the next statement. */
const char *sql_column_name(const struct sql_database *database, int column);

/*
 * Gets the next row of the statement. POLY_END: after the last one. POLY_ERR_CANCELLED: by
 * interrupted. POLY_ERR_MEMORY: also at the limit of memory. POLY_ERR_LIMIT: a value is too
 * long. POLY_ERR_USAGE: every other failure, such as that of a file.
 */
enum poly_status sql_next(struct sql_database *database, struct poly_error *error);

/* Types of values. */
enum sql_type { SQL_NULL, SQL_INTEGER, SQL_REAL, SQL_TEXT, SQL_BLOB };

/* A value of the current row, valid until the next row. */
struct sql_value {
	enum sql_type type;
	double real;	   /* of numbers */
	const char *bytes; /* numbers as text (reals rounded), texts and blobs, not always
			      ending in NUL */
	size_t size;	   /* in bytes */
};

/* Returns the value of a column of the current row. */
struct sql_value sql_value_at(struct sql_database *database, int column);

#endif
