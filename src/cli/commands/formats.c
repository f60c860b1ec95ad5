/* SPDX-License-Identifier: MIT */
/* polytrace formats: lists the formats, or describes one. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/options/describe.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/print/rendering.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a list of required columns. */
#define NEEDS_SIZE 400

static const struct opt formats_table[] = {
	{"help", 'h', OPT_HELP, .help = "print this help"},
	{0},
};

static const struct opt *const formats_tables[] = {
	formats_table, rendering_table, tables_table, NULL};

static const char *
directions(const struct poly_format_info *format)
{
	if (format->can_read && format->can_write)
		return "read, write";
	return format->can_read ? "read" : "write";
}

/* Returns which traces a format stores without loss: any, or those that were read from it. */
static const char *
lossless_traces(const struct poly_format_info *format)
{
	const poly_columns all = POLY_COLUMNS_EXCEPT(origin, site, verbatim);
	if (!format->can_read || !format->can_write)
		return NULL;
	return poly_columns_subset(all, format->columns) ? "any" : "own";
}

/* Lists what writing requires: the instruction set and columns. */
static void
report_needs(struct poly_report *report, const struct poly_format_info *format)
{
	char text[NEEDS_SIZE] = "";
	size_t n = 0;
	if (format->needs_isa)
		n = (size_t)snprintf(text, sizeof text, "%s", format->needs_isa);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT && n < sizeof text; c++) {
		if (format->can_write && poly_columns_has(format->needs, (enum poly_column)c))
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "",
				poly_column_name((enum poly_column)c));
	}
	poly_report_cell_text(report, *text ? text : NULL);
}

static void
report_all(struct poly_report *report)
{
	poly_report_table(report, "formats");
	poly_report_heading(report, NULL);
	poly_report_column(report, "name", false);
	poly_report_column(report, "read", false);
	poly_report_column(report, "write", false);
	poly_report_column(report, "lossless", false);
	poly_report_column(report, "needs", false);
	poly_report_column(report, "users", false);
	const struct poly_format_info *format;
	for (size_t i = 0; (format = poly_format_at(i)); i++) {
		poly_report_cell_text(report, format->name);
		poly_report_cell_text(report, format->can_read ? "yes" : NULL);
		poly_report_cell_text(report, format->can_write ? "yes" : NULL);
		poly_report_cell_text(report, lossless_traces(format));
		report_needs(report, format);
		poly_report_cell_text(report, poly_format_content_of(format)->users);
	}
	poly_report_end(report);
}

static void
report_columns(struct poly_report *report, const struct poly_format_info *format)
{
	poly_report_table(report, "columns");
	poly_report_column(report, "column", false);
	poly_report_column(report, "required", false);
	poly_report_column(report, "meaning", false);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (!poly_columns_has(format->columns, (enum poly_column)c))
			continue;
		poly_report_cell_text(report, poly_column_name((enum poly_column)c));
		poly_report_cell_text(report,
			poly_columns_has(format->needs, (enum poly_column)c) ? "yes" : NULL);
		poly_report_cell_text(report, poly_column_doc((enum poly_column)c));
	}
	poly_report_end(report);
}

static const char *
option_use(const struct poly_option *option)
{
	if (option->use == (POLY_OPTION_READ | POLY_OPTION_WRITE))
		return "read, write";
	return option->use == POLY_OPTION_READ ? "read" : "write";
}

static void
report_options(struct poly_report *report, const struct poly_format_info *format)
{
	poly_report_table(report, "options");
	poly_report_heading(report, "Options (-O NAME=VALUE)");
	poly_report_column(report, "option", false);
	poly_report_column(report, "use", false);
	describe_columns(report);
	poly_report_column(report, "source", false);
	for (const struct poly_option *option = format->options; option && option->name;
		option++) {
		poly_report_cell_text(report, option->name);
		poly_report_cell_text(report, option_use(option));
		describe_cells(option, report);
		poly_report_cell_text(report, option->source);
	}
	poly_report_end(report);
}

static void
report_rules(struct poly_report *report, const struct poly_format_info *format)
{
	poly_report_table(report, "rules");
	poly_report_column(report, "rule", false);
	poly_report_column(report, "severity", false);
	poly_report_column(report, "condition", false);
	poly_report_column(report, "source", false);
	for (const struct poly_rule *rule = format->rules; rule && rule->code; rule++) {
		poly_report_cell_text(report, rule->code);
		poly_report_cell_text(report, severity_name(rule->severity));
		poly_report_cell_text(report, rule->title);
		poly_report_cell_text(report, rule->source);
	}
	poly_report_end(report);
}

static void
report_one(struct poly_report *report, const struct poly_format_info *format)
{
	poly_report_text(report, "name", format->name);
	poly_report_text(report, "title", format->title);
	poly_report_text(report, "family", format->family);
	poly_report_text(report, "users", poly_format_content_of(format)->users);
	poly_report_text(report, "use", directions(format));
	poly_report_text(report, "lossless", lossless_traces(format));
	poly_report_text(report, "extensions", format->extensions);
	poly_report_text(report, "isa", format->needs_isa);
	poly_report_text(report, "listing", format->listing);
	poly_report_text(report, "summary", format->summary);
	poly_report_bool(report, "labels", format->holds_labels);
	poly_report_text(report, "specification", format->spec);
	report_columns(report, format);
	if (format->options && format->options->name)
		report_options(report, format);
	if (format->rules && format->rules->code)
		report_rules(report, format);
}

static int
unknown_format(const char *name)
{
	const char *nearest = "";
	const struct poly_format_info *format;
	for (size_t i = 0; (format = poly_format_at(i)); i++) {
		if (opt_distance(name, format->name) < opt_distance(name, nearest))
			nearest = format->name;
	}
	if (*nearest && opt_near(name, opt_distance(name, nearest)))
		diag_print("formats", "no such format '%s'; did you mean '%s'?", name, nearest);
	else
		diag_print("formats",
			"no such format '%s'; 'polytrace formats' lists the formats", name);
	return STATUS_ERROR;
}

static int
formats_run(void *fields, char **operands)
{
	const struct input_options *options = fields;
	if (operands[0] && operands[1]) {
		diag_print("formats", "several names (found '%s', expected one)", operands[1]);
		return STATUS_ERROR;
	}
	const struct poly_format_info *format = NULL;
	if (operands[0] && !(format = poly_format_find(operands[0])))
		return unknown_format(operands[0]);
	if (!rendering_is_valid(options))
		return STATUS_ERROR;
	struct poly_report *report = report_new();
	if (format)
		report_one(report, format);
	else
		report_all(report);
	return report_print_list(report, options);
}

const struct command command_formats = {
	.name = "formats",
	.group = GROUP_INSPECT,
	.summary = "list the formats, or describe one",
	.usage = "[options] [NAME]",
	.examples = {"polytrace formats", "polytrace formats tt6e"},
	.options = formats_tables,
	.options_size = sizeof(struct input_options),
	.run = formats_run,
};
