/* SPDX-License-Identifier: MIT */
/* The tables of a report by their paths: keys of the sections around them, joined by dots. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/tree.h"

/* The open sections on a walk over a report. Zero-initialise. */
struct report_path {
	struct buf text; /* keys joined by dots */
	unsigned depth;
	struct {
		size_t length;	/* of the path of its parent */
		size_t element; /* number of the next section of a list */
		bool list;
	} open[POLY_REPORT_DEPTH + 1];
};

/* Follows an item: opens a section, list or table. */
void report_path_enter(struct report_path *path, const struct report_item *item);

/* Follows an item, after its visit: closes the last one. */
void report_path_leave(struct report_path *path, const struct report_item *item);

/* The table that a rendering is about, as a report. */
struct report_table {
	struct poly_report view; /* of the items of the report */
	struct poly_report *own; /* built for it; NULL: a view */
};

/*
 * Finds the table of a path, or of the last parts of a path that only one table has; the name
 * of the values of all sections is "values". POLY_ERR_USAGE: none, or several; POLY_ERR_MEMORY.
 * The caller closes it in any case.
 */
enum poly_status report_table_open(struct report_table *table, const struct poly_report *report,
	const char *name, struct poly_error *error);
void report_table_close(struct report_table *table);

/* Returns the report that has only this table. */
const struct poly_report *report_table_report(const struct report_table *table);

#endif
