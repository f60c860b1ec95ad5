/* SPDX-License-Identifier: MIT */
/*
 * The choice of a way to read the table of records. A plan is a text, which EXPLAIN QUERY PLAN
 * prints: the columns, then "/COLUMN.OPERATOR" per condition, with "*" after that of a list.
 */
#include "sql/plan.h"

#include <stdlib.h>

/* Costs, in rows: to open a trace, to find a record by the index of a packed one. */
#define COST_OPEN 500.0
#define COST_JUMP 20000.0

/* What conditions select of the rows that a scan delivers and reads. */
struct selectivity {
	double rows, read; /* shares */
	int64_t first, last;
	bool is_unique;	  /* one record by its number */
	bool has_numbers; /* the numbers of records are restricted */
};

/* Narrows the numbers of records by a condition whose value the statement states. */
static void
narrow_numbers(struct selectivity *share, sqlite3_index_info *info, int i)
{
	const int op = info->aConstraint[i].op;
	const bool is_list = sqlite3_vtab_in(info, i, -1);
	sqlite3_value *value = NULL;
	share->has_numbers = true;
	if (op == SQLITE_INDEX_CONSTRAINT_EQ) {
		share->is_unique |= !is_list;
		return;
	}
	if (sqlite3_vtab_rhs_value(info, i, &value) != SQLITE_OK || !value ||
		sqlite3_value_type(value) != SQLITE_INTEGER) {
		share->rows /= 4;
		return;
	}
	const int64_t number = sqlite3_value_int64(value);
	const bool is_min =
		op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE;
	if (is_min && number > share->first)
		share->first = number;
	if (!is_min && number < share->last)
		share->last = number < 0 ? 0 : number;
}

/* Narrows the share of rows by a condition on a column of traces. */
static void
narrow_values(struct selectivity *share, int column, int op)
{
	const enum poly_form form = poly_column_form(sql_column(column));
	if (op == SQLITE_INDEX_CONSTRAINT_ISNULL || op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL)
		share->rows *= 0.75;
	else if (op != SQLITE_INDEX_CONSTRAINT_EQ)
		share->rows /= 4;
	else
		share->rows /= form == POLY_FORM_HEX ? 1000 : 4;
}

/* Sets costs, rows and order by what the conditions select. */
static void
set_costs(
	sqlite3_index_info *info, const struct selectivity *share, const struct sql_size *size)
{
	double rows = size->rows * share->rows, read = size->rows;
	if (share->is_unique)
		rows = 1;
	else if (share->last - share->first < (int64_t)size->rows)
		rows = share->rows * (double)(share->last < share->first
						      ? 0
						      : share->last - share->first + 1);
	if (share->has_numbers) {
		read = share->is_unique ? size->rows / 2 : rows / share->rows;
		if (size->is_packed)
			read = share->is_unique || read < COST_JUMP ? COST_JUMP : read;
		read = read < size->rows ? read : size->rows;
	}
	if (share->is_unique)
		info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
	info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
	/* A row that the reader selects costs a few times one that it rejects. */
	info->estimatedCost = COST_OPEN + read / 4 + rows;
	info->orderByConsumed =
		info->nOrderBy == 1 && !info->aOrderBy[0].desc &&
		(info->aOrderBy[0].iColumn == SQL_COLUMN_ROW || info->aOrderBy[0].iColumn < 0);
}

/* Passes a condition to the reader. */
static void
pass_condition(sqlite3_index_info *info, int i, int column, int *count, sqlite3_str *text)
{
	const bool is_hidden = column < SQL_COLUMN_ROW;
	const bool is_list = !is_hidden && sqlite3_vtab_in(info, i, -1);
	if (is_list)
		sqlite3_vtab_in(info, i, 1);
	info->aConstraintUsage[i].argvIndex = ++*count;
	info->aConstraintUsage[i].omit = is_hidden;
	sqlite3_str_appendf(
		text, "/%d.%d%s", column, (int)info->aConstraint[i].op, is_list ? "*" : "");
}

/* Returns whether a text is compared as the library does it. */
static bool
is_binary(sqlite3_index_info *info, int i, int column)
{
	const enum poly_form form = poly_column_form(sql_column(column));
	return form == POLY_FORM_DEC || form == POLY_FORM_HEX || form == POLY_FORM_BOOL ||
	       info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
	       sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
}

int
sql_plan_make(sqlite3_index_info *info, const struct sql_size *size)
{
	struct selectivity share = {.rows = 1, .first = 1, .last = INT64_MAX};
	sqlite3_str *text = sqlite3_str_new(NULL);
	int count = 0, hidden = 0;
	sqlite3_str_appendf(text, "%llx", info->colUsed);
	for (int i = 0; i < info->nConstraint; i++) {
		const int op = info->aConstraint[i].op;
		int column = info->aConstraint[i].iColumn;
		column = column < 0 ? SQL_COLUMN_ROW : column;
		if (!info->aConstraint[i].usable)
			continue;
		if (column < SQL_COLUMN_ROW) {
			if (op != SQLITE_INDEX_CONSTRAINT_EQ ||
				sql_argument_is_repeated(info, i))
				continue;
			hidden++;
		} else if (!sql_condition_is_useful(column, op) ||
			   count - hidden == SQL_CONDITIONS_MAX ||
			   !is_binary(info, i, column)) {
			continue;
		}
		pass_condition(info, i, column, &count, text);
		if (column == SQL_COLUMN_ROW)
			narrow_numbers(&share, info, i);
		else if (column > SQL_COLUMN_ROW)
			narrow_values(&share, column, op);
	}
	set_costs(info, &share, size);
	const int code = sqlite3_str_errcode(text);
	info->idxStr = sqlite3_str_finish(text);
	info->needToFreeIdxStr = 1;
	return code;
}

void
sql_plan_parse(struct sql_plan *plan, const char *text, int count, sqlite3_value **values)
{
	char *at;
	plan->used = strtoull(text, &at, 16);
	plan->conditions = 0;
	for (; *at == '/' && plan->conditions < count; plan->conditions++) {
		struct sql_condition *condition = &plan->condition[plan->conditions];
		condition->column = (int)strtol(at + 1, &at, 10);
		condition->op = (int)strtol(at + 1, &at, 10);
		condition->in = *at == '*';
		condition->value = values[plan->conditions];
		at += condition->in;
	}
}
