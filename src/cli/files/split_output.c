/* SPDX-License-Identifier: MIT */
/* Files of a trace that is split. */
#include "cli/files/split_output.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
split_output_name(struct split_output *file, const char *output, const char *value)
{
	const char *slash = strrchr(output, '/');
	const char *name = slash ? slash + 1 : output;
	const size_t stem = (size_t)(name - output) + strcspn(name, ".");
	const size_t size = strlen(output) + strlen(value) + 2;
	char *path = diag_allocate(size, 1);
	snprintf(path, size, "%.*s.%s%s", (int)stem, output, value, output + stem);
	for (char *p = path + stem + 1; p < path + stem + 1 + strlen(value); p++) {
		if (!isalnum((unsigned char)*p) && !strchr("_-+.", *p))
			*p = '_';
	}
	file->path = path;
}

bool
split_output_open(struct split_output *file, const struct poly_trace_info *info,
	const struct poly_write_options *options)
{
	return trace_output_open(&file->output, file->path, info, options);
}

bool
split_value(const struct poly_batch *batch, size_t row, enum poly_column column,
	char value[SPLIT_VALUE_MAX + 1])
{
	size_t n = 0;
	strcpy(value, "without");
	if (poly_present(batch, column, row))
		n = poly_batch_format(batch, column, row, value, SPLIT_VALUE_MAX + 1);
	if (n > SPLIT_VALUE_MAX)
		diag_print(poly_column_name(column),
			"value '%s...' is too long for a file name", value);
	return n <= SPLIT_VALUE_MAX;
}

void
split_expression(enum poly_column column, const char *value, char expression[SPLIT_EXPRESSION])
{
	const char *name = poly_column_name(column);
	const enum poly_form form = poly_column_form(column);
	const bool is_quoted =
		form != POLY_FORM_DEC && form != POLY_FORM_HEX && form != POLY_FORM_BOOL;
	if (!value) {
		snprintf(expression, SPLIT_EXPRESSION, "not has(%s)", name);
		return;
	}
	size_t used = (size_t)snprintf(
		expression, SPLIT_EXPRESSION, "%s == %s", name, is_quoted ? "'" : "");
	for (; *value; value++) {
		if (is_quoted && (*value == '\'' || *value == '\\'))
			expression[used++] = '\\';
		expression[used++] = *value;
	}
	snprintf(expression + used, 2, "%s", is_quoted ? "'" : "");
}

bool
split_output_write(
	struct split_output *file, const char *expression, const struct poly_batch *batch)
{
	struct poly_filter *filter;
	struct poly_error error;
	const struct poly_batch *chosen = NULL;
	enum poly_status status = poly_filter_new(expression, &filter, &error);
	if (status == POLY_OK)
		status = poly_filter_bind(filter, batch->info, &error);
	if (status == POLY_OK)
		chosen = poly_filter_apply(filter, batch, &error);
	if (chosen)
		status = poly_writer_write(file->output.writer, chosen, &error);
	if (!chosen || status != POLY_OK)
		diag_error(file->path, &error);
	poly_filter_free(filter);
	return chosen && status == POLY_OK;
}

bool
split_output_write_rows(
	struct split_output *file, const struct poly_batch *batch, size_t first, size_t end)
{
	char expression[80];
	snprintf(expression, sizeof expression, "row in %" PRIu64 "..%" PRIu64,
		poly_batch_number(batch, first), poly_batch_number(batch, end - 1));
	return split_output_write(file, expression, batch);
}

bool
split_output_finish(struct split_output *file)
{
	const bool done = !file->output.writer ||
			  trace_output_finish(&file->output, file->path) == STATUS_DONE;
	trace_output_close(&file->output);
	return done;
}

void
split_output_discard(struct split_output *file)
{
	trace_output_close(&file->output);
	free(file->path);
	*file = (struct split_output){.path = NULL};
}
