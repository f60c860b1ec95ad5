/* SPDX-License-Identifier: MIT */
/* Options of formats and analyses as text. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "polytrace/format.h"
#include "polytrace/report.h"

/* Returns the default of an option, in text or static; NULL: none. */
const char *describe_initial(const struct poly_option *option, char *text, size_t size);

/* Adds the columns "values", "default" and "meaning" to a table of options. */
void describe_columns(struct poly_report *report);

/* Adds their cells. */
void describe_cells(const struct poly_option *option, struct poly_report *report);

#endif
