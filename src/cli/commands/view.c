/* SPDX-License-Identifier: MIT */
/* polytrace view: the records of a trace as a listing, JSON Lines or CSV. */
#include "polytrace/polytrace.h"

#include "cli/options/column_list.h"
#include "cli/command.h"
#include "cli/files/trace_output.h"
#include "cli/print/listing.h"
#include "cli/files/ptz_files.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/print/term.h"
#include "cli/files/inputs.h"

#include <string.h>

/* Values of --style. */
enum { STYLE_TABLE, STYLE_NATIVE };

struct view_options {
	struct input_options source; /* first: the reading options are in it */
	const char *columns, *registers;
	unsigned color, style;
};

static const char *const styles[] = {"table", "native", NULL};

#define FIELD(member) .field = offsetof(struct view_options, member)

static const struct opt view_table[] = {
	{"columns", 'c', OPT_TEXT, "A,B,...", FIELD(columns),
		.help = "print these columns in this order; 'row' is the record's number"},
	{"registers", 'r', OPT_TEXT, "R,R,...", FIELD(registers),
		.help = "also print these registers: r3,lr; v2 and others of more than 64 bits "
			"only of FULL records, in the table"},
	{"style", 0, OPT_CHOICE, "table|native", .choices = styles, FIELD(style),
		.help = "native: the listing of the format's own tools (default table)"},
	{"color", 0, OPT_CHOICE, "auto|always|never", .choices = term_colors, FIELD(color),
		.help = "color records by kind (default auto: on a terminal, unless NO_COLOR "
			"is set)"},
	{0},
};

static const struct opt *const view_tables[] = {
	view_table, rendering_table, bounds_table, selection_table, input_table, NULL};

/* Prints the remaining records of the source; returns the exit status. *used: what the reader
 * uses until it is closed. */
static int
list_records(struct inputs *inputs, struct command_input *source, struct listing **used)
{
	const struct view_options *options = inputs->command;
	const struct listing_options wanted = {options->columns, options->registers,
		term_colored(options->color), (unsigned)inputs->options->threads.value};
	const struct poly_batch *batch;
	struct column_list list;
	const bool has_list = options->columns && column_list_parse(&list, options->columns);
	if (has_list && !column_list_request(&list, source))
		return STATUS_DONE;
	struct listing *listing = *used = listing_new(
		&wanted, poly_reader_info(source->reader), inputs->output, source->name);
	if (has_list)
		column_list_report_absent(&list, "view", source, listing_derived(listing));
	bool good = true;
	if (!source->selection) {
		input_add_work(source, listing_work(listing));
		input_plan(source, POLY_ALL_COLUMNS, INPUT_READS);
	}
	while (good && (batch = input_next(source)))
		good = listing_batch(listing, batch);
	good = good && listing_finish(listing);
	if (options->registers && !listing_had_registers(listing))
		diag_print(
			source->name, "no record has registers (only FULL traces have them)");
	return good || output_failed(inputs->output) ? STATUS_DONE : STATUS_ERROR;
}

static int
view_listing(struct inputs *inputs, const char *path)
{
	const struct view_options *options = inputs->command;
	const struct listing_options wanted = {options->columns, options->registers, false, 1};
	struct input_needs wants = {
		.prints = true, .shows_sites = columns_name_site(options->columns)};
	struct command_input source;
	if (!listing_columns(&wanted, &wants.columns))
		return STATUS_ERROR;
	/* Encodings longer than an opcode. */
	if (inputs->options->isa)
		poly_columns_add(&wants.columns, POLY_COLUMN_payload);
	if (!input_open(&source, path, inputs->options, &wants))
		return STATUS_ERROR;
	struct listing *listing = NULL;
	const int listed = list_records(inputs, &source, &listing);
	output_flush(inputs->output);
	const int status = input_close(&source);
	if (listing)
		listing_free(listing);
	return listed > status ? listed : status;
}

/* The format to write; reports its absence and returns NULL. */
static const char *
writer_format(const struct view_options *options, const struct command_input *source)
{
	if (options->source.json)
		return "jsonl";
	if (options->source.csv || options->source.csv_safe)
		return "csv";
	const struct poly_format_info *format = packed_records(source);
	if (!format->listing)
		diag_print(source->name, "format '%s' has no native listing", format->name);
	return format->listing;
}

/* Adds registers by their names separated by commas. */
static bool
add_registers(struct column_list *list, const char *names)
{
	for (; *names; names += *names == ',') {
		const size_t n = strcspn(names, ",");
		if (column_list_find(names, n) != POLY_COLUMN_register &&
			!(n == 2 && memcmp(names, "pc", n) == 0)) {
			diag_print("view", "no such register: '%.*s'", (int)n, names);
			return false;
		}
		const enum poly_column column = column_list_add_register(list, names, n);
		if (column == POLY_COLUMN_COUNT)
			return false;
		poly_columns_add(&list->set, column);
		names += n;
	}
	return true;
}

static int
view_written(struct inputs *inputs, const char *path)
{
	const struct view_options *options = inputs->command;
	struct column_list list = {
		.set = poly_columns_union(POLY_ALL_COLUMNS, POLY_COLUMNS(row))};
	if ((options->columns && !column_list_parse(&list, options->columns)) ||
		(options->registers && !add_registers(&list, options->registers)))
		return STATUS_ERROR;
	const struct input_needs wants = {.columns = columns_to_write(list.set),
		.prints = true,
		.shows_sites = columns_name_site(options->columns)};
	struct command_input source;
	if (!input_open(&source, path, inputs->options, &wants))
		return STATUS_ERROR;
	column_list_report_absent(&list, "view", &source, POLY_NO_COLUMNS);
	const char *format = writer_format(options, &source);
	int written = STATUS_ERROR;
	if (format && column_list_request(&list, &source))
		written = pump_records(&source, format, &list, inputs->options, inputs->output);
	output_flush(inputs->output);
	int status = input_close(&source);
	return written > status ? written : status;
}

static int
view_run(void *fields, char **operands)
{
	const struct view_options *options = fields;
	bool written = options->source.json || options->source.csv || options->source.csv_safe;
	bool native = options->style == STYLE_NATIVE;
	if (native && (written || options->columns || options->registers)) {
		diag_print("view",
			"--style native: cannot be combined with --columns, --registers, "
			"--json or --csv");
		return STATUS_ERROR;
	}
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.headed = !native,
		.process = native || written ? view_written : view_listing};
	return inputs_run(&inputs, operands);
}

const struct command command_view = {
	.name = "view",
	.group = GROUP_INSPECT,
	.summary = "print the records of a trace",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace view --skip 9 --count 10 trace.tt6e",
		"polytrace view -w 'has(address)' -c pc,address trace.tt6"},
	.options = view_tables,
	.options_size = sizeof(struct view_options),
	.run = view_run,
};
