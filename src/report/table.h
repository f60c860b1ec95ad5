/* SPDX-License-Identifier: MIT */
/* Tables of reports whose columns are listed in one text. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "polytrace/report.h"

/*
 * Adds columns to the open table: their keys, all of them terms, separated by blanks. A column
 * has numbers, unless ":text" follows its key.
 */
void table_columns(struct poly_report *report, const char *keys);

/* Opens a table with such columns in the open section. */
void table_open(struct poly_report *report, const char *key, const char *keys);

#endif
