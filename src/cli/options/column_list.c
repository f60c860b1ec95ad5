/* SPDX-License-Identifier: MIT */
#include "cli/options/column_list.h"

#include "cli/files/ptz_files.h"
#include "cli/print/diagnostics.h"

#include <string.h>

enum poly_column
column_list_find(const char *name, size_t n)
{
	const char *row = poly_column_name(POLY_COLUMN_row);
	if (strlen(row) == n && memcmp(row, name, n) == 0)
		return POLY_COLUMN_row;
	return poly_column_find(name, n);
}

bool
column_list_parse(struct column_list *list, const char *names)
{
	list->count = 0;
	list->set = POLY_NO_COLUMNS;
	if (!*names)
		return columns_print_unknown(names, 0);
	for (; *names; names += *names == ',') {
		const size_t n = strcspn(names, ",");
		const enum poly_column column = column_list_find(names, n);
		if (column == POLY_COLUMN_COUNT)
			return columns_print_unknown(names, n);
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
		if (!poly_columns_has(present, list->columns[i]))
			diag_print(command, "-c %s: %s traces do not have this column",
				poly_column_name(list->columns[i]),
				packed_records(source)->name);
	}
}
