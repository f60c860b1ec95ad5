/* SPDX-License-Identifier: MIT */
/* The options of every command that reads. */
#include "cli/options/input_options.h"

static const char *const tail_limit[] = {"16777216", NULL};

#define FIELD(member) .field = offsetof(struct input_options, member)

const struct opt input_table[] = {
	{"from", 'f', OPT_TEXT, "FORMAT", FIELD(from),
		.help = "read as FORMAT (default: detected by content)"},
	{"option", 'O', OPT_LIST, "NAME=VALUE", FIELD(options),
		.help = "set an option of the input format, of an analysis or of a simulator; "
			"repeatable"},
	{"isa", 0, OPT_TEXT, "NAME", FIELD(isa),
		.help = "instruction set of the opcodes (default: as the format defines it)"},
	{"strict", FIELD(strict), .help = "treat warnings as errors"},
	{"on-error", 0, OPT_CHOICE, "stop|skip", .choices = opt_on_error, FIELD(on_error),
		.help = "on corrupt input, stop (default) or resume at the next valid record"},
	{"partial", FIELD(partial),
		.help = "accept truncated input: keep the records before its end, and exit "
			"with status 0; keep output written before other errors"},
	{"by-thread", FIELD(by_thread),
		.help = "read the files of a directory one after the other (default: merged by "
			"time)"},
	{"threads", 0, OPT_NUMBER, "N", .choices = opt_threads, FIELD(threads),
		.help = "number of threads (default 0: one per CPU, at most 16)"},
	{"max-line", 0, OPT_SIZE, "BYTES", .choices = opt_from_one, FIELD(max_line),
		.help = "treat longer lines of text as corrupt (default: the limit of the "
			"format)"},
	{"verbose", 'v', FIELD(verbose),
		.help = "if no format is recognized, print the evidence for each format"},
	{"help", 'h', OPT_HELP, .help = "print this help"},
	{0},
};

const struct opt bounds_table[] = {
	{"skip", 's', OPT_NUMBER, "N", FIELD(skip), .help = "skip the first N records"},
	{"count", 'n', OPT_NUMBER, "N", FIELD(count), .help = "read at most N records"},
	{"range", 0, OPT_RANGE, "FIRST-LAST", FIELD(range),
		.help = "read only records FIRST to LAST, numbered from 1; FIRST-: to the end"},
	{0},
};

const struct opt selection_table[] = {
	{"start-at", 0, OPT_TEXT, "EXPR", FIELD(start_at),
		.help = "start at the first record for which EXPR is true; see "
			"polytrace-filter(7)"},
	{"stop-at", 0, OPT_TEXT, "EXPR", FIELD(stop_at),
		.help = "stop after the first record for which EXPR is true"},
	{"from-time", 0, OPT_NUMBER, "T", FIELD(from_time),
		.help = "skip records before time T, in ticks of the trace's clock"},
	{"to-time", 0, OPT_NUMBER, "T", FIELD(to_time), .help = "skip records after time T"},
	{"where", 'w', OPT_TEXT, "EXPR", FIELD(where),
		.help = "select the records for which EXPR is true: 'access == write and pc < "
			"0x1000'"},
	{"symbols", 0, OPT_TEXT, "FILE", FIELD(symbols),
		.help = "read names of addresses from an ELF file or nm output: 'pc in main'"},
	{"every", 0, OPT_NUMBER, "N", .choices = opt_from_one, FIELD(every),
		.help = "select every Nth record, starting with the first"},
	{"sample", 0, OPT_NUMBER, "N", .choices = opt_from_one, FIELD(sample),
		.help = "select a random sample of 1/N of the records"},
	{"seed", 0, OPT_NUMBER, "N", FIELD(seed),
		.help = "random seed of --sample (default 0)"},
	{"head", 0, OPT_NUMBER, "N", FIELD(head), .help = "select the first N records"},
	{"tail", 0, OPT_NUMBER, "N", .choices = tail_limit, FIELD(tail),
		.help = "select the last N records, at most 16777216"},
	{0},
};

const struct opt rendering_table[] = {
	{"json", FIELD(json), .help = "print JSON Lines"},
	{"csv", FIELD(csv), .help = "print CSV"},
	{"csv-safe", FIELD(csv_safe),
		.help = "print CSV whose texts that spreadsheets would execute begin with an "
			"apostrophe"},
	{0},
};

#define TABLE_OPTION                                                                 \
	{                                                                            \
		.name = "table", .type = OPT_TEXT, .argument = "NAME", FIELD(table), \
		.help = "print this table alone, with one header in CSV; an "        \
			"unknown NAME lists the tables"                              \
	}

const struct opt one_table_table[] = {TABLE_OPTION, {0}};

const struct opt tables_table[] = {
	TABLE_OPTION,
	{"output", 'o', OPT_TEXT, "DIR/", FIELD(tables),
		.help = "write each table to a file in this folder, as CSV or with --json as "
			"JSON; with --table, to this file"},
	{"force", FIELD(force), .help = "replace output files that exist"},
	{0},
};
#undef TABLE_OPTION

/* Returns the number of an option, or the default. */
static uint64_t
number_or(const struct opt_number *number, uint64_t default_value)
{
	return number->is_set ? number->value : default_value;
}

bool
input_options_select(
	const struct input_options *options, struct poly_selection_options *selection)
{
	const struct poly_selection_options initial = POLY_SELECTION_OPTIONS_INIT;
	*selection = initial;
	selection->start_at = options->start_at;
	selection->stop_at = options->stop_at;
	selection->where = options->where;
	selection->has_times = options->from_time.is_set || options->to_time.is_set;
	selection->from_time = options->from_time.value;
	selection->to_time = number_or(&options->to_time, UINT64_MAX);
	selection->every = options->every.value;
	selection->sample = options->sample.value;
	selection->seed = options->seed.value;
	selection->head = number_or(&options->head, UINT64_MAX);
	selection->tail = number_or(&options->tail, UINT64_MAX);
	return options->start_at || options->stop_at || options->where ||
	       selection->has_times || options->every.is_set || options->sample.is_set ||
	       options->head.is_set || options->tail.is_set;
}

bool
input_is_selected(const struct input_options *options)
{
	struct poly_selection_options selection;
	return input_options_select(options, &selection) || options->skip.is_set ||
	       options->count.is_set || options->range.is_set;
}
