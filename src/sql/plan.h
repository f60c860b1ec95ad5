/* SPDX-License-Identifier: MIT */
/* The choice of a way to read the table of records, for the planner of SQLite. */
#ifndef SQL_PLAN_H
#define SQL_PLAN_H

#include "sql/constraints.h"

/* What is known of a trace without reading it. */
struct sql_size {
	double rows;	/* number of records, exact or estimated */
	bool is_packed; /* it has an index: records need not be read to be skipped */
};

/* What is in the plan for a scan: columns of the table, and the conditions in order. */
struct sql_plan {
	uint64_t used;	/* columns as colUsed of sqlite3_index_info */
	int conditions; /* number of conditions */
	struct sql_condition condition[SQL_OPTIONS_MAX + 1 + SQL_CONDITIONS_MAX];
};

/* Stores the conditions that the reader can use, costs and rows. Returns a result code. */
int sql_plan_make(sqlite3_index_info *info, const struct sql_size *size);

/* Parses the plan that sql_plan_make stored; values: those of xFilter. */
void sql_plan_parse(struct sql_plan *plan, const char *text, int count, sqlite3_value **values);

#endif
