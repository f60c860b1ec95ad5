/* SPDX-License-Identifier: MIT */
/* Conditions of SQLite as filters. */
#include "sql/constraints.h"

#include <string.h>

/* Maximum bytes of a filter, which is below that of the library, and of a text in it. */
#define FILTER_MAX 50000
#define TEXT_MAX 1000

/* Numbers from min to max, as SQLite orders them. */
struct signed_interval {
	int64_t min, max;
};

enum poly_column
sql_column(int column)
{
	return column == SQL_COLUMN_ROW ? POLY_COLUMN_row
					: (enum poly_column)(column - SQL_COLUMN_FIRST);
}

/* Returns whether the values of a column are numbers. */
static bool
is_number(enum poly_form form)
{
	return form == POLY_FORM_DEC || form == POLY_FORM_HEX || form == POLY_FORM_BOOL;
}

bool
sql_condition_is_useful(int column, int op)
{
	const enum poly_form form = poly_column_form(sql_column(column));
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ: return form != POLY_FORM_BYTES;
	case SQLITE_INDEX_CONSTRAINT_ISNULL:
	case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: return column != SQL_COLUMN_ROW;
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE: return is_number(form);
	default: return false;
	}
}

/* Restricts an interval by a comparison with a number; false: the operator is another one. */
static bool
restrict_interval(struct signed_interval *interval, int op, int64_t value)
{
	const bool above = op == SQLITE_INDEX_CONSTRAINT_GT;
	const bool below = op == SQLITE_INDEX_CONSTRAINT_LT;
	if ((above && value == INT64_MAX) || (below && value == INT64_MIN)) {
		*interval = (struct signed_interval){1, 0};
		return true;
	}
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		*interval = (struct signed_interval){value, value};
		return true;
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE: interval->min = value + above; return true;
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE: interval->max = value - below; return true;
	default: return false;
	}
}

/* Finds the least interval with all integers of a list; false: it has other values. */
static bool
list_interval(sqlite3_value *list, struct signed_interval *interval)
{
	sqlite3_value *value;
	int code;
	*interval = (struct signed_interval){INT64_MAX, INT64_MIN};
	for (code = sqlite3_vtab_in_first(list, &value); code == SQLITE_OK && value;
		code = sqlite3_vtab_in_next(list, &value)) {
		if (sqlite3_value_type(value) != SQLITE_INTEGER)
			return false;
		const int64_t number = sqlite3_value_int64(value);
		interval->min = number < interval->min ? number : interval->min;
		interval->max = number > interval->max ? number : interval->max;
	}
	return code == SQLITE_DONE || code == SQLITE_OK;
}

/* Finds the interval that a condition of a number selects; false: unknown. */
static bool
condition_interval(const struct sql_condition *condition, struct signed_interval *interval)
{
	if (condition->in)
		return list_interval(condition->value, interval);
	*interval = (struct signed_interval){INT64_MIN, INT64_MAX};
	return sqlite3_value_type(condition->value) == SQLITE_INTEGER &&
	       restrict_interval(
		       interval, condition->op, sqlite3_value_int64(condition->value));
}

void
sql_filter_bound(
	struct sql_filter *filter, const struct sql_condition *conditions, size_t count)
{
	filter->first = 1;
	filter->last = INT64_MAX;
	for (size_t i = 0; i < count; i++) {
		struct signed_interval interval;
		if (conditions[i].column != SQL_COLUMN_ROW ||
			!condition_interval(&conditions[i], &interval))
			continue;
		if (interval.min > filter->first)
			filter->first = interval.min;
		if (interval.max < filter->last)
			filter->last = interval.max;
	}
	filter->none |= filter->first > filter->last;
}

/* Begins the next term of a filter. */
static void
begin_term(sqlite3_str *text)
{
	if (sqlite3_str_length(text))
		sqlite3_str_appendall(text, " and ");
}

/* Appends the term of a column of numbers. */
static void
add_interval(sqlite3_str *text, enum poly_column column, struct signed_interval interval)
{
	const char *name = poly_column_name(column);
	const uint64_t min = (uint64_t)interval.min, max = (uint64_t)interval.max;
	begin_term(text);
	/* The one column of signed numbers. */
	if (column == POLY_COLUMN_immediate)
		sqlite3_str_appendf(text, "(%s >= %lld and %s <= %lld)", name, interval.min,
			name, interval.max);
	else if (interval.min < 0 && interval.max >= 0)
		sqlite3_str_appendf(
			text, "%s in {0..%llu, %llu..%llu}", name, max, min, UINT64_MAX);
	else
		sqlite3_str_appendf(text, "%s in %llu..%llu", name, min, max);
}

/* Appends a text in quotes. */
static void
add_quoted(sqlite3_str *text, const char *value, size_t n)
{
	sqlite3_str_appendchar(text, 1, '"');
	for (size_t i = 0; i < n; i++) {
		if (value[i] == '"' || value[i] == '\\')
			sqlite3_str_appendchar(text, 1, '\\');
		sqlite3_str_append(text, value + i, 1);
	}
	sqlite3_str_appendchar(text, 1, '"');
}

/* Returns whether a column can have a text in a trace. */
static bool
is_value(const struct poly_trace_info *info, enum poly_form form, const char *value, size_t n)
{
	if (form == POLY_FORM_NAME || form == POLY_FORM_TEXT)
		return true;
	if (form != POLY_FORM_RECORD)
		return poly_enum_find(form, value, n) >= 0;
	for (unsigned i = 0; i < info->record_count; i++) {
		const char *name = info->records[i];
		if (name && strlen(name) == n && memcmp(name, value, n) == 0)
			return true;
	}
	return false;
}

/* Texts that a condition compares a column with. */
struct texts {
	const struct poly_trace_info *info;
	enum poly_column column;
	sqlite3_str *set; /* those that the column can have */
	size_t count;	  /* number of these */
	bool known;	  /* all values are texts that a filter can have */
};

/* Adds a value to the texts. */
static void
add_text(struct texts *texts, sqlite3_value *value)
{
	const enum poly_form form = poly_column_form(texts->column);
	const char *text = (const char *)sqlite3_value_text(value);
	const size_t n = text ? (size_t)sqlite3_value_bytes(value) : 0;
	if (sqlite3_value_type(value) != SQLITE_TEXT || !text || n > TEXT_MAX ||
		strlen(text) != n) {
		texts->known = false;
		return;
	}
	if (!is_value(texts->info, form, text, n))
		return;
	if (texts->count++)
		sqlite3_str_appendall(texts->set, ", ");
	add_quoted(texts->set, text, n);
}

/* Appends the term of a column of texts, or finds that no record is selected. */
static void
add_texts(struct sql_filter *filter, sqlite3_str *text, const struct sql_condition *condition,
	const struct poly_trace_info *info)
{
	struct texts texts = {.info = info,
		.column = sql_column(condition->column),
		.set = sqlite3_str_new(NULL),
		.known = true};
	sqlite3_value *value;
	if (condition->in) {
		int code = sqlite3_vtab_in_first(condition->value, &value);
		for (; code == SQLITE_OK && value;
			code = sqlite3_vtab_in_next(condition->value, &value))
			add_text(&texts, value);
		texts.known &= code == SQLITE_OK || code == SQLITE_DONE;
	} else {
		add_text(&texts, condition->value);
	}
	const int n = sqlite3_str_length(texts.set);
	if (texts.known && texts.count && n < FILTER_MAX - sqlite3_str_length(text)) {
		begin_term(text);
		sqlite3_str_appendf(text, "%s in {%.*s}", poly_column_name(texts.column), n,
			sqlite3_str_value(texts.set));
	}
	filter->none |= texts.known && !texts.count;
	sqlite3_free(sqlite3_str_finish(texts.set));
}

/* Appends the numbers of a list as a set; false: a filter cannot have them. */
static bool
add_numbers(sqlite3_str *text, enum poly_column column, sqlite3_value *list)
{
	sqlite3_str *set = sqlite3_str_new(NULL);
	sqlite3_value *value;
	int code = sqlite3_vtab_in_first(list, &value);
	for (; code == SQLITE_OK && value; code = sqlite3_vtab_in_next(list, &value))
		sqlite3_str_appendf(set, "%s%llu", sqlite3_str_length(set) ? ", " : "",
			sqlite3_value_int64(value));
	const int n = sqlite3_str_length(set);
	const bool fits = n && n < FILTER_MAX - sqlite3_str_length(text);
	if (fits) {
		begin_term(text);
		sqlite3_str_appendf(text, "%s in {%.*s}", poly_column_name(column), n,
			sqlite3_str_value(set));
	}
	sqlite3_free(sqlite3_str_finish(set));
	return fits;
}

/* Appends the term of a condition. */
static void
add_condition(struct sql_filter *filter, sqlite3_str *text,
	const struct sql_condition *condition, const struct poly_trace_info *info)
{
	const enum poly_column column = sql_column(condition->column);
	const bool exists =
		column == POLY_COLUMN_row || poly_columns_has(info->columns, column);
	struct signed_interval interval;
	if (condition->op == SQLITE_INDEX_CONSTRAINT_ISNULL) {
		if (exists) {
			begin_term(text);
			sqlite3_str_appendf(text, "not has(%s)", poly_column_name(column));
		}
		return;
	}
	filter->none |= !exists;
	if (!exists)
		return;
	if (condition->op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL) {
		begin_term(text);
		sqlite3_str_appendf(text, "has(%s)", poly_column_name(column));
	} else if (!is_number(poly_column_form(column))) {
		add_texts(filter, text, condition, info);
	} else if (condition_interval(condition, &interval)) {
		filter->none |= interval.min > interval.max;
		const bool is_list = condition->in && column != POLY_COLUMN_immediate;
		if (!filter->none && !(is_list && add_numbers(text, column, condition->value)))
			add_interval(text, column, interval);
	}
}

int
sql_filter_build(struct sql_filter *filter, const struct sql_condition *conditions,
	size_t count, const struct poly_trace_info *info, bool with_rows)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	for (size_t i = 0; i < count && sqlite3_str_length(text) < FILTER_MAX; i++) {
		/* Arguments are not conditions; a list of numbers is more than its bounds. */
		if (conditions[i].column > SQL_COLUMN_ROW ||
			(conditions[i].column == SQL_COLUMN_ROW &&
				(with_rows || conditions[i].in)))
			add_condition(filter, text, &conditions[i], info);
	}
	const int code = sqlite3_str_errcode(text);
	filter->where = sqlite3_str_finish(text);
	return code;
}

void
sql_filter_free(struct sql_filter *filter)
{
	sqlite3_free(filter->where);
	filter->where = NULL;
}
