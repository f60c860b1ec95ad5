/* SPDX-License-Identifier: MIT */
/* polytrace view: the records of a trace as a listing, JSON Lines or CSV. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/copy.h"
#include "cli/listing.h"
#include "cli/ptz_files.h"
#include "cli/say.h"
#include "cli/source.h"
#include "cli/term.h"

#include <string.h>

/* Answers of --style. */
enum { STYLE_TABLE, STYLE_NATIVE };

struct view_options {
	struct source_options source; /* first: the reading options are in it */
	const char *columns, *registers;
	unsigned color, style;
};

static const char *const styles[] = {"table", "native", NULL};

static const struct opt view_table[] = {
	{"columns", 'c', OPT_TEXT, "A,B,...", NULL, offsetof(struct view_options, columns),
		"show these columns, in this order; 'number' is the record's number"},
	{"registers", 'r', OPT_TEXT, "R,R,...", NULL, offsetof(struct view_options, registers),
		"show these registers of FULL records too: r3,lr,v2"},
	{"style", 0, OPT_CHOICE, "table|native", styles, offsetof(struct view_options, style),
		"native: as the format's own tools list it"},
	{"color", 0, OPT_CHOICE, "auto|always|never", term_colors,
		offsetof(struct view_options, color),
		"auto (the default): colours on a terminal, unless NO_COLOR is set"},
	{0},
};

static const struct opt *const view_tables[] = {
	view_table, rendering_table, selection_table, source_table, NULL};

/* Lists the records that are left in the source. */
static void
list_records(struct inputs *inputs, struct source *source)
{
	const struct view_options *options = inputs->command;
	const struct listing_options wanted = {
		options->columns, options->registers, term_colored(options->color)};
	struct listing *listing = listing_new(
		&wanted, poly_reader_info(source->reader), inputs->output, source->name);
	const struct poly_batch *batch;
	while (!output_failed(inputs->output) && (batch = source_next(source)))
		listing_batch(listing, batch);
	if (options->registers && !listing_had_registers(listing))
		say(source->name, "no record has registers, which FULL traces alone have");
	listing_free(listing);
}

static int
view_listing(struct inputs *inputs, const char *path)
{
	const struct view_options *options = inputs->command;
	const struct listing_options wanted = {options->columns, options->registers, false};
	struct source_wants wants = {
		.prints = true, .shows_sites = source_names_sites(options->columns)};
	struct source source;
	if (!listing_columns(&wanted, &wants.columns))
		return STATUS_TROUBLE;
	/* Encodings that no opcode can hold. */
	if (inputs->options->isa)
		wants.columns |= POLY_HAS(payload);
	if (!source_open(&source, path, inputs->options, &wants))
		return STATUS_TROUBLE;
	list_records(inputs, &source);
	output_flush(inputs->output);
	return source_close(&source);
}

/* The format whose writer makes what is wanted; NULL, and told, where there is none. */
static const char *
writer_format(const struct view_options *options, const struct source *source)
{
	if (options->source.json)
		return "jsonl";
	if (options->source.csv)
		return "csv";
	const struct poly_format_info *format = packed_records(source);
	if (!format->listing)
		say(source->name, "format '%s' has no listing of its own", format->name);
	return format->listing;
}

static int
view_written(struct inputs *inputs, const char *path)
{
	const struct view_options *options = inputs->command;
	poly_columns columns = POLY_ALL_COLUMNS;
	if (options->columns && !source_columns(options->columns, &columns))
		return STATUS_TROUBLE;
	const struct source_wants wants = {.columns = source_written_columns(columns),
		.prints = true,
		.shows_sites = source_names_sites(options->columns)};
	struct source source;
	if (!source_open(&source, path, inputs->options, &wants))
		return STATUS_TROUBLE;
	const char *format = writer_format(options, &source);
	int written = STATUS_TROUBLE;
	if (format)
		written = copy_records(&source, format, columns, inputs->output);
	output_flush(inputs->output);
	int status = source_close(&source);
	return written > status ? written : status;
}

static int
view_run(void *fields, char **operands)
{
	const struct view_options *options = fields;
	bool written = options->source.json || options->source.csv;
	bool native = options->style == STYLE_NATIVE;
	if (native && (written || options->columns || options->registers)) {
		say("view", "'--style native' takes no columns and no other form");
		return STATUS_TROUBLE;
	}
	if (written && options->registers) {
		say("view", "'--registers' is for the listing; '--json' and '--csv' give the "
			    "column payload");
		return STATUS_TROUBLE;
	}
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.headed = !native,
		.one = native || written ? view_written : view_listing};
	return inputs_run(&inputs, operands);
}

const struct command command_view = {
	.name = "view",
	.summary = "show the records of a trace",
	.usage = "[options] [FILE...]",
	.options = view_tables,
	.options_size = sizeof(struct view_options),
	.run = view_run,
};
