/* SPDX-License-Identifier: MIT */
/* Results of analyses as rows: each row of each table is a JSON object. */
#ifndef SQL_ANALYSIS_H
#define SQL_ANALYSIS_H

#include "sql/tables.h"

/* A row of a table of results. */
struct sql_row {
	size_t name;	       /* offset of the table's name in the text */
	size_t number;	       /* of the row in its table, from 1 */
	size_t offset, length; /* of its object in the text */
};

/* The rows of the tables of an analysis. Set it to zero first. */
struct sql_result {
	char *text; /* names, and what the library renders */
	size_t size;
	struct sql_row *rows;
	size_t count;
	char *keys; /* columns of the only table, separated by commas; NULL: several tables */
};

/*
 * Runs an analysis on the file of a request, and appends the rows of its tables. The option
 * table=NAME selects one. Returns a result code of SQLite; on failure the table has a message.
 */
int sql_result_run(struct sql_result *result, struct sql_table *table,
	const struct sql_request *request, const char *analysis);

/* Frees the members. */
void sql_result_free(struct sql_result *result);

/* Returns the value of the i-th member of the object of a row, as SQL has it. */
void sql_result_value(const struct sql_result *result, const struct sql_row *row, int i,
	sqlite3_context *context);

#endif
