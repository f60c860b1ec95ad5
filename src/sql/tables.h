/* SPDX-License-Identifier: MIT */
/*
 * The tables and functions that a connection of SQLite gets. A table is a function of a file
 * and options, which are hidden columns; `create virtual table` fixes them.
 */
#ifndef SQL_TABLES_H
#define SQL_TABLES_H

#include "polytrace/reader.h"

#include "sql/sqlite.h"

/* Maximum number of options of a table. */
#define SQL_OPTIONS_MAX 6

/* The program around a connection; it must stay valid as long as the connection. */
struct sql_host {
	/* Called during long work; a result other than 0 ends the statement. NULL: not called.
	 */
	int (*interrupted)(void *user);
	/* Called when the reading of a file ends, before its reader is closed. NULL: not
	 * called. */
	void (*read)(void *user, const char *path, struct poly_reader *reader);
	void *user; /* passed to both */
};

struct sql_table;

/* Closes the reader of the file at path, after the host; reader may be NULL. */
void sql_close_reader(
	const struct sql_table *table, const char *path, struct poly_reader *reader);

/*
 * Adds trace, trace_stats, trace_sim, trace_calls, trace_symbols, hex and addr to a connection.
 * host may be NULL. Returns a result code of SQLite.
 */
int sql_register(sqlite3 *db, const struct sql_host *host);

/* Adds the functions hex and addr to a connection. Returns a result code of SQLite. */
int sql_register_functions(sqlite3 *db);

/* A module: what its tables contain. */
struct sql_module {
	const char *name;	     /* of the function */
	const char *analysis;	     /* the only analysis; NULL: the second argument names it */
	bool simulates;		     /* the analyses are simulators */
	const struct sql_host *host; /* NULL: none */
};

/* The records of traces, the tables of analyses, and symbols. */
extern const sqlite3_module sql_trace_module, sql_report_module, sql_symbols_module;

/* A file and the options that it is read with. Set it to zero first. */
struct sql_request {
	char *path; /* NULL: none yet */
	char *options[SQL_OPTIONS_MAX];
	size_t count; /* number of options */
};

/* Copies and frees a request. The functions return a result code of SQLite. */
int sql_request_set_path(struct sql_request *request, const char *path);
int sql_request_add(struct sql_request *request, const char *option);
void sql_request_free(struct sql_request *request);

/* Returns whether two requests are the same. */
bool sql_request_equal(const struct sql_request *a, const struct sql_request *b);

/* How a request reads its file; refers to the request. */
struct sql_reading {
	struct poly_read_options options;
	const char *format_options[SQL_OPTIONS_MAX + 1];
	const char *others[SQL_OPTIONS_MAX + 1]; /* options that are not of the reader; NULL at
						    the end */
};

/* Derives how to read; false: an option has an invalid value, and *message states that. */
bool sql_request_resolve(
	const struct sql_request *request, struct sql_reading *reading, char **message);

/* A virtual table, the first member of those of the modules. */
struct sql_table {
	sqlite3_vtab base;
	sqlite3 *db;
	const struct sql_module *module;
	struct sql_request request; /* of `create virtual table`; else without a path */
};

/* The arguments of xConnect. */
struct sql_arguments {
	const char *const *items;
	int count;
};

/*
 * Creates a table of size bytes, whose other members are those of initial. On failure *message,
 * to be freed by sqlite3_free, may state why. Returns a result code of SQLite.
 */
int sql_table_new(size_t size, const struct sql_table *initial, struct sql_arguments arguments,
	struct sql_table **table, char **message);

/* Frees a table; the xDisconnect of the modules without further members. */
int sql_table_free(sqlite3_vtab *table);

/* Declares the columns of a table by a statement, which it frees. */
int sql_declare(sqlite3 *db, sqlite3_str *statement);

/*
 * Returns whether a later condition names the same argument: those of a function come after
 * those of WHERE. Only the last one is passed to the table, with which SQLite compares others.
 */
bool sql_argument_is_repeated(const sqlite3_index_info *info, int i);

/* Creates a cursor of size bytes, which are 0 and begin with the cursor of SQLite. */
int sql_cursor_new(size_t size, sqlite3_vtab_cursor **cursor);

/* Returns whether the program requests that the statement ends. */
bool sql_is_interrupted(const struct sql_table *table);

/* The callback poly_read_options.progress with a table as its user. */
int sql_progress(void *table, uint64_t input_bytes, uint64_t input_total);

/* Sets the message of a table to an error of the library; returns the result code. */
int sql_fail(struct sql_table *table, const char *path, const struct poly_error *error);

/* Sets the message of a table; returns SQLITE_ERROR. */
int sql_refuse(struct sql_table *table, const char *message, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns an error of the library as text, to be freed by sqlite3_free; NULL: no memory. */
char *sql_error_text(const char *path, const struct poly_error *error);

/*
 * Returns why a file cannot be a table, as text to be freed by sqlite3_free: it is not one that
 * can be read several times. NULL: it can be.
 */
char *sql_file_refusal(const char *path);

#endif
