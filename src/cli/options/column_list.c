/* SPDX-License-Identifier: MIT */
#include "cli/options/column_list.h"

#include "cli/files/ptz_files.h"
#include "cli/print/diagnostics.h"

#include <stdio.h>
#include <string.h>

enum poly_column
column_list_find(const char *name, size_t n)
{
	const char *row = poly_column_name(POLY_COLUMN_row);
	if (strlen(row) == n && memcmp(row, name, n) == 0)
		return POLY_COLUMN_row;
	const enum poly_column column = poly_column_find(name, n);
	char word[REGISTER_NAME] = "";
	if (column != POLY_COLUMN_COUNT || n >= sizeof word)
		return column;
	memcpy(word, name, n);
	return poly_isa_has_register(NULL, word) ? POLY_COLUMN_register : column;
}

enum poly_column
column_list_add_register(struct column_list *list, const char *name, size_t n)
{
	unsigned i = 0;
	while (i < list->register_count &&
		(strlen(list->registers[i]) != n || memcmp(list->registers[i], name, n) != 0))
		i++;
	if (i == POLY_REGISTERS_MAX) {
		diag_print(NULL, "more than %d registers", POLY_REGISTERS_MAX);
		return POLY_COLUMN_COUNT;
	}
	if (i == list->register_count) {
		memcpy(list->registers[i], name, n);
		list->registers[i][n] = 0;
		list->register_count++;
	}
	return (enum poly_column)(POLY_COLUMN_register + i);
}

bool
column_list_request(const struct column_list *list, struct command_input *input)
{
	for (unsigned i = 0; i < list->register_count; i++)
		input->registers[i] = list->registers[i];
	input->register_count = list->register_count;
	if (list->register_count)
		input_plan(input, POLY_ALL_COLUMNS, INPUT_READS);
	return input->status == POLY_OK;
}

bool
columns_print_unknown(const char *name, size_t n)
{
	char word[40];
	snprintf(word, sizeof word, "%.*s", (int)n, name);
	const char *nearest = poly_column_name(POLY_COLUMN_row);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const char *column = poly_column_name((enum poly_column)c);
		if (opt_distance(word, column) < opt_distance(word, nearest))
			nearest = column;
	}
	if (!n)
		diag_print(NULL, "missing column name (expected names separated by commas)");
	else if (strcmp(word, poly_column_name(POLY_COLUMN_row)) == 0)
		diag_print(NULL,
			"column 'row' differs in every record; name another column, or use "
			"'polytrace split --records=N'");
	else if (opt_near(word, opt_distance(word, nearest)))
		diag_print(NULL, "no such column '%s'; did you mean '%s'?", word, nearest);
	else
		diag_print(
			NULL, "no such column '%s'; 'polytrace help columns' lists them", word);
	return false;
}

bool
column_list_parse(struct column_list *list, const char *names)
{
	*list = (struct column_list){.set = POLY_NO_COLUMNS};
	if (!*names)
		return columns_print_unknown(names, 0);
	for (; *names; names += *names == ',') {
		const size_t n = strcspn(names, ",");
		enum poly_column column = column_list_find(names, n);
		if (column == POLY_COLUMN_COUNT)
			return columns_print_unknown(names, n);
		if (column == POLY_COLUMN_register)
			column = column_list_add_register(list, names, n);
		if (column == POLY_COLUMN_COUNT)
			return false;
		if (!poly_columns_has(list->set, column))
			list->columns[list->count++] = column;
		poly_columns_add(&list->set, column);
		names += n;
	}
	return true;
}

/* The columns that records of the trace can have. */
static poly_columns
columns_of_trace(const struct poly_trace_info *info)
{
	poly_columns columns = poly_columns_union(info->columns, POLY_COLUMNS(row));
	/* Each record is of a kind; its name is the format's. */
	if (POLY_HAS(columns, kind))
		poly_columns_add(&columns, POLY_COLUMN_record);
	return columns;
}

void
column_list_report_absent(const struct column_list *list, const char *command,
	const struct command_input *source, poly_columns derived)
{
	const poly_columns present =
		poly_columns_union(columns_of_trace(poly_reader_info(source->reader)), derived);
	for (size_t i = 0; i < list->count; i++) {
		if (list->columns[i] < POLY_COLUMN_COUNT &&
			!poly_columns_has(present, list->columns[i]))
			diag_print(command, "-c %s: %s traces do not have this column",
				poly_column_name(list->columns[i]),
				packed_records(source)->name);
	}
}

bool
columns_parse(const char *names, poly_columns *columns)
{
	struct column_list list;
	const bool known = column_list_parse(&list, names);
	*columns = list.set;
	return known;
}

bool
columns_name_site(const char *names)
{
	static const char name[] = "site";
	const size_t length = sizeof name - 1;
	for (; names && *names; names += *names == ',') {
		const size_t n = strcspn(names, ",");
		if (n == length && memcmp(names, name, n) == 0)
			return true;
		names += n;
	}
	return false;
}

poly_columns
columns_to_write(poly_columns columns)
{
	const poly_columns stored = poly_columns_common(columns, POLY_ALL_COLUMNS);
	bool sites = !poly_columns_equal(stored, POLY_ALL_COLUMNS) && POLY_HAS(stored, site);
	return sites ? POLY_ALL_COLUMNS : POLY_COLUMNS_EXCEPT(site);
}

void
columns_format_names(poly_columns columns, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT && used < size; c++) {
		if (poly_columns_has(columns, (enum poly_column)c))
			used += (size_t)snprintf(text + used, size - used, "%s%s",
				used ? ", " : "", poly_column_name((enum poly_column)c));
	}
}
