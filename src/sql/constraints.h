/* SPDX-License-Identifier: MIT */
/*
 * Conditions that SQLite passes to the table of records, as a filter of the library and as
 * bounds of record numbers. SQLite tests every condition again, so that a filter may select too
 * many rows, but never too few.
 */
#ifndef SQL_CONSTRAINTS_H
#define SQL_CONSTRAINTS_H

#include "polytrace/trace.h"

#include "sql/sqlite.h"
#include "sql/tables.h"

/*
 * Columns of the table: the arguments, the number of the record, those of traces. Arguments are
 * the first hidden columns, and those that a trace lacks are hidden, too.
 */
enum {
	SQL_COLUMN_FILE,
	SQL_COLUMN_OPTION,
	SQL_COLUMN_ROW = SQL_COLUMN_OPTION + SQL_OPTIONS_MAX,
	SQL_COLUMN_FIRST,
};

/* Bit of sqlite3_index_info.colUsed for all columns from that number on. */
#define SQL_COLUMN_SHARED 63

/* Sites prevent skipping, so that they must not be requested with another column. */
_Static_assert(SQL_COLUMN_FIRST + (int)POLY_COLUMN_site < SQL_COLUMN_SHARED,
	"the column site has a bit of its own");

/* Returns the column of the library of a column of the table. */
enum poly_column sql_column(int column);

/* A condition: the column, the operator as SQLite numbers it, and its value. */
struct sql_condition {
	int column, op;
	bool in; /* the value is a list */
	sqlite3_value *value;
};

/* Maximum number of conditions that are passed to the reader; others are only SQLite's. */
#define SQL_CONDITIONS_MAX 32

/* Returns whether the reader can use a condition of this operator and column. */
bool sql_condition_is_useful(int column, int op);

/* What conditions select. Set it to zero first; sql_filter_free frees it. */
struct sql_filter {
	int64_t first, last; /* numbers of records, from 1 */
	bool none;	     /* no record is selected */
	char *where;	     /* the filter; NULL: no further restriction */
};

/* Derives the numbers of records that conditions select, before the trace is open. */
void sql_filter_bound(
	struct sql_filter *filter, const struct sql_condition *conditions, size_t count);

/*
 * Derives the filter for an open trace. with_rows: it restricts the numbers of records, too.
 * Returns a result code of SQLite.
 */
int sql_filter_build(struct sql_filter *filter, const struct sql_condition *conditions,
	size_t count, const struct poly_trace_info *info, bool with_rows);

/* Frees the members. */
void sql_filter_free(struct sql_filter *filter);

#endif
