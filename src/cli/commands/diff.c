/* SPDX-License-Identifier: MIT */
/* polytrace diff: compares traces instruction by instruction. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/print/term.h"
#include "cli/print/rendering.h"
#include "cli/options/column_list.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Default of --max. */
#define MAX_SHOWN 1000

/* Maximum width of the first column of steps. */
#define WIDTH_MAX 100

struct diff_options {
	struct input_options source; /* first: the reading options are in it */
	const char *start_a, *start_b, *from_b;
	struct opt_number skip_a, skip_b, context, window, resync, max;
	struct opt_list ignore, also, alias, tolerate;
	bool all, summary, ordered, each_cpu;
	unsigned color;
};

static const char *const window_limits[] = {"1024", "1", NULL};
static const char *const context_limits[] = {"1024", NULL};
static const char *const resync_limits[] = {"262144", NULL};

#define FIELD(name) .field = offsetof(struct diff_options, name)
static const struct opt diff_table[] = {
	{"all", 'a', FIELD(all), .help = "print every difference, not only the first"},
	{"max", 'm', OPT_NUMBER, "N", .choices = opt_from_one, FIELD(max),
		.help = "with --all, stop after N differences (default 1000)"},
	{"summary", FIELD(summary), .help = "print only the number of differences by cause"},
	{"context", 'C', OPT_NUMBER, "N", .choices = context_limits, FIELD(context),
		.help = "print N instructions of context before and after each difference "
			"(default 3)"},
	{"ignore", 'i', OPT_LIST, "WORD,...", FIELD(ignore),
		.help = "ignore columns, reg:NAME, registers, memory, read, LO..HI, tail"},
	{"also", 0, OPT_LIST, "COLUMN,...", FIELD(also),
		.help = "also compare these columns of instructions: cpu,mode"},
	{"alias", 0, OPT_LIST, "A=B,...", FIELD(alias),
		.help = "treat registers as aliases (arm, mips, riscv: their ABI names)"},
	{"tolerate", 't', OPT_LIST, "WORD,...", FIELD(tolerate),
		.help = "tolerate redundant-writes, repeated-writes, repeated-reads, "
			"split-accesses, unknown-values, skipped"},
	{"window", 'W', OPT_NUMBER, "N", .choices = window_limits, FIELD(window),
		.help = "match records within N consecutive instructions (default 1)"},
	{"ordered", FIELD(ordered),
		.help = "compare the order of an instruction's records, too"},
	{"resync", 'r', OPT_NUMBER, "N", .choices = resync_limits, FIELD(resync),
		.help = "search at most N instructions for a realignment (default 4096)"},
	{"each-cpu", FIELD(each_cpu),
		.help = "compare the instructions of each processor separately"},
	{"skip-a", 0, OPT_NUMBER, "N", FIELD(skip_a),
		.help = "skip the first N instructions of the first trace"},
	{"skip-b", 0, OPT_NUMBER, "N", FIELD(skip_b),
		.help = "skip the first N instructions of the other traces"},
	{"start-a", 0, OPT_TEXT, "EXPR", FIELD(start_a),
		.help = "set --start-at for the first trace"},
	{"start-b", 0, OPT_TEXT, "EXPR", FIELD(start_b),
		.help = "set --start-at for the other traces"},
	{"from-b", 0, OPT_TEXT, "FORMAT", FIELD(from_b),
		.help = "set --from for the other traces"},
	{"color", 0, OPT_CHOICE, "auto|always|never", .choices = term_colors, FIELD(color),
		.help = "auto (the default): colors on a terminal, unless NO_COLOR is set"},
	{0},
};
#undef FIELD

static const struct opt *const diff_tables[] = {diff_table, rendering_table, tables_table,
	bounds_table, selection_table, input_table, NULL};

/* A comparison of two traces. */
struct diff_job {
	const struct diff_options *options;
	struct output *output;
	struct command_input sources[2];
	struct poly_diff *diff;
	struct poly_report *report; /* NULL: differences are printed as text */
	bool colored;
	uint64_t shown;
	enum poly_status status; /* status at the end */
	struct poly_error error;
};

static unsigned
number_or(const struct opt_number *number, unsigned initial)
{
	return number->is_set ? (unsigned)number->value : initial;
}

static enum poly_status
next_batch(void *user, const struct poly_batch **batch, struct poly_error *error)
{
	struct command_input *source = user;
	*batch = input_next(source);
	if (source->status < 0 && error)
		*error = source->error;
	return source->status;
}

/* Prints the columns that only one of the traces has, and what is not recorded in one. */
static void
print_uncompared(const struct diff_job *comparison)
{
	for (unsigned side = 0; side < 2; side++) {
		char names[300];
		poly_columns columns = poly_diff_uncompared(comparison->diff, side);
		columns_format_names(columns, names, sizeof names);
		if (!poly_columns_empty(columns))
			diag_print(comparison->sources[!side].name,
				"lacks columns of %s, which are not compared: %s",
				comparison->sources[side].name, names);
		const char *unrecorded = poly_trace_fact(
			poly_reader_info(comparison->sources[side].reader), "unrecorded");
		if (unrecorded)
			diag_print(comparison->sources[side].name,
				"does not record all of these, which are not compared: %s",
				unrecorded);
	}
}

static bool
open_diff(struct diff_job *comparison)
{
	const struct diff_options *options = comparison->options;
	struct poly_diff_options diff_options = POLY_DIFF_OPTIONS_INIT;
	struct poly_diff_side sides[2];
	diff_options.ignore = options->ignore.items;
	diff_options.also = options->also.items;
	diff_options.aliases = options->alias.items;
	diff_options.tolerate = options->tolerate.items;
	diff_options.window = number_or(&options->window, diff_options.window);
	diff_options.resync = number_or(&options->resync, diff_options.resync);
	diff_options.context = number_or(&options->context, diff_options.context);
	diff_options.ordered = options->ordered;
	diff_options.each_cpu = options->each_cpu;
	for (unsigned side = 0; side < 2; side++) {
		struct command_input *source = &comparison->sources[side];
		sides[side] = (struct poly_diff_side){
			{poly_reader_info(source->reader), next_batch, source}, 0};
	}
	if (!input_isas_agree(&comparison->sources[1], &comparison->sources[0]))
		return false;
	sides[0].skip = options->skip_a.value;
	sides[1].skip = options->skip_b.value;
	if (poly_diff_new(&diff_options, sides, &comparison->diff, &comparison->error) !=
		POLY_OK) {
		diag_print("diff", "%s", comparison->error.message);
		return false;
	}
	for (unsigned side = 0; side < 2; side++)
		input_plan(&comparison->sources[side],
			poly_diff_columns(comparison->diff, side), INPUT_READS);
	print_uncompared(comparison);
	return true;
}

/* Returns the number of threads that decode each of two traces. */
static struct opt_number
half_of(const struct opt_number *threads)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t all = threads->value   ? threads->value
			     : processors > 0 ? (uint64_t)processors
					      : 1;
	return (struct opt_number){true, all > 1 ? all / 2 : 1};
}

static bool
open_sources(struct diff_job *comparison, const char *const paths[2])
{
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS_INIT};
	for (unsigned side = 0; side < 2; side++) {
		struct input_options options = comparison->options->source;
		options.threads = half_of(&options.threads);
		const char *start =
			side ? comparison->options->start_b : comparison->options->start_a;
		if (start)
			options.start_at = start;
		if (side && comparison->options->from_b)
			options.from = comparison->options->from_b;
		if (!input_open(&comparison->sources[side], paths[side], &options, &wants)) {
			if (side)
				input_discard(&comparison->sources[0]);
			return false;
		}
	}
	/* Show only one progress bar. */
	comparison->sources[1].progress.shown = false;
	return true;
}

static void
print_number(struct output *output, uint64_t number, int width)
{
	char text[40];
	if (number)
		snprintf(text, sizeof text, "%*llu", width, (unsigned long long)number);
	else
		snprintf(text, sizeof text, "%*s", width, "-");
	output_text(output, text);
}

/* Prints a number with a comma before each group of three digits. */
static void
print_count(struct output *output, uint64_t number)
{
	char digits[24], text[32];
	const int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
	int used = 0;
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = 0;
	output_text(output, text);
}

/* Prints where a difference is: "instruction 3 (A record 3, B record 4)". */
static void
print_position(struct output *output, const struct poly_difference *difference)
{
	const uint64_t *instruction = difference->instruction, *record = difference->record;
	static const char *const names[] = {"A", "B"};
	const char *separator = " (";
	const unsigned first = instruction[0] ? 0 : 1;
	output_text(output, "instruction ");
	print_count(output, instruction[first]);
	if (instruction[0] && instruction[1] && instruction[0] != instruction[1]) {
		output_text(output, " of A, ");
		print_count(output, instruction[1]);
		output_text(output, " of B");
	}
	for (unsigned side = 0; side < 2; side++) {
		output_text(output, separator);
		output_text(output, names[side]);
		output_text(output, record[side] ? " record " : " has ended");
		if (record[side])
			print_count(output, record[side]);
		separator = ", ";
	}
	if (difference->has_cpu) {
		output_text(output, ", processor ");
		print_count(output, difference->cpu);
	}
	output_text(output, ")");
}

/* Prints the values of a difference: "0x2 in A, not written in B". */
static void
print_values(struct output *output, const struct poly_difference *difference)
{
	const char *const *values = difference->values;
	const bool is_record = difference->cause == POLY_DIFF_MISSING_RECORD ||
			       difference->cause == POLY_DIFF_EXTRA_RECORD;
	const bool is_register = strncmp(difference->subject, "register ", 9) == 0;
	const char *separator = ": ";
	for (unsigned side = 0; side < 2 && (values[0] || values[1]); side++) {
		if (!values[side] && !is_record)
			continue;
		output_text(output, separator);
		output_visible(output, values[side]  ? values[side]
				       : is_register ? "not written"
						     : "no such record");
		output_text(output, side ? " in B" : " in A");
		separator = ", ";
	}
}

/* Prints the number of matching instructions, and from where it counts. */
static void
print_matching(const struct diff_job *comparison, const struct poly_difference *difference)
{
	struct output *output = comparison->output;
	output_text(output, "; ");
	print_count(output, difference->matching);
	output_text(output,
		difference->matching == 1 ? " matching instruction" : " matching instructions");
	output_text(output, poly_diff_is_first(comparison->diff)
				    ? " since the start"
				    : " since the previous difference");
	output_text(output, difference->has_cpu ? " of the processor\n" : "\n");
}

static void
print_heading(struct diff_job *comparison, const struct poly_difference *difference)
{
	struct output *output = comparison->output;
	if (comparison->shown > 1) {
		output_text(output, "\nDifference ");
		print_count(output, comparison->shown);
	} else {
		output_text(output, "First divergence");
	}
	output_text(output, " at ");
	print_position(output, difference);
	output_text(output, ": ");
	output_visible(output, difference->subject);
	print_values(output, difference);
	output_text(output, "\n  ");
	output_text(output, poly_diff_cause_name(difference->cause));
	print_matching(comparison, difference);
	if (difference->run[0] && difference->run[1]) {
		output_text(output, "  instructions in one trace only: ");
		print_count(output, difference->run[0]);
		output_text(output, " in A, ");
		print_count(output, difference->run[1]);
		output_text(output, " in B\n");
	}
	if (difference->ends)
		output_text(output, "  the traces do not realign\n");
}

/* Widths of the columns of the lines around a difference. */
struct widths {
	int numbers[2], text;
};

static struct widths
measure_lines(struct poly_diff *diff)
{
	struct widths widths = {{1, 1}, 0};
	struct poly_diff_line line;
	for (size_t i = 0; poly_diff_line_at(diff, i, &line); i++) {
		size_t n = strlen(line.steps[0].text);
		if (n > WIDTH_MAX)
			n = WIDTH_MAX;
		if ((int)n > widths.text)
			widths.text = (int)n;
		for (unsigned side = 0; side < 2; side++) {
			char number[24];
			int digits = snprintf(number, sizeof number, "%llu",
				(unsigned long long)line.steps[side].instruction);
			if (digits > widths.numbers[side])
				widths.numbers[side] = digits;
		}
	}
	return widths;
}

/* Prints one side of a line; color: the terminal's code, or NULL. */
static void
print_side(struct diff_job *comparison, const struct poly_diff_step *step, int width, int pad,
	const char *color)
{
	if (color)
		output_text(comparison->output, color);
	if (step->instruction)
		print_number(comparison->output, step->instruction, width);
	else
		print_number(comparison->output, 0, width);
	if (*step->text)
		output_text(comparison->output, " ");
	output_visible(comparison->output, step->text);
	if (color)
		output_text(comparison->output, "\033[0m");
	for (int n = (int)strlen(step->text) + (*step->text != 0); n <= pad; n++)
		output_text(comparison->output, " ");
}

static void
print_context(struct diff_job *comparison)
{
	struct poly_diff_line line;
	const struct widths widths = measure_lines(comparison->diff);
	for (size_t i = 0; poly_diff_line_at(comparison->diff, i, &line); i++) {
		const bool differs = comparison->colored && line.mark != ' ';
		const char mark[4] = {' ', line.mark, ' ', 0};
		output_text(comparison->output, line.here ? "* " : "  ");
		print_side(comparison, &line.steps[0], widths.numbers[0], widths.text,
			differs ? "\033[31m" : NULL);
		output_text(comparison->output, mark);
		print_side(comparison, &line.steps[1], widths.numbers[1], -1,
			differs ? "\033[32m" : NULL);
		output_text(comparison->output, "\n");
		if (line.skipped) {
			char text[60];
			snprintf(text, sizeof text, "  ... %llu more\n",
				(unsigned long long)line.skipped);
			output_text(comparison->output, text);
		}
	}
}

/* Adds a number to a report; 0 is absent. */
static void
report_number(struct poly_report *report, const char *key, uint64_t number)
{
	if (number)
		poly_report_count(report, key, number);
	else
		poly_report_text(report, key, NULL);
}

static void
report_steps(struct diff_job *comparison)
{
	struct poly_report *report = comparison->report;
	struct poly_diff_line line;
	poly_report_table(report, "context");
	poly_report_column(report, "mark", false);
	poly_report_column(report, "first_instruction", true);
	poly_report_column(report, "first_step", false);
	poly_report_column(report, "second_instruction", true);
	poly_report_column(report, "second_step", false);
	for (size_t i = 0; poly_diff_line_at(comparison->diff, i, &line); i++) {
		const char mark[2] = {line.mark, 0};
		poly_report_cell_text(report, line.mark == ' ' ? NULL : mark);
		for (unsigned side = 0; side < 2; side++) {
			const struct poly_diff_step *step = &line.steps[side];
			if (step->instruction)
				poly_report_cell_count(report, step->instruction);
			else
				poly_report_cell_text(report, NULL);
			poly_report_cell_text(report, *step->text ? step->text : NULL);
		}
	}
	poly_report_end(report);
}

static void
report_difference(struct diff_job *comparison, const struct poly_difference *difference)
{
	struct poly_report *report = comparison->report;
	poly_report_section(report, "difference");
	poly_report_text(report, "cause", poly_diff_cause_name(difference->cause));
	poly_report_text(report, "subject", difference->subject);
	for (unsigned side = 0; side < 2; side++) {
		poly_report_section(report, side ? "second" : "first");
		poly_report_text(report, "value", difference->values[side]);
		report_number(report, "instruction", difference->instruction[side]);
		report_number(report, "record", difference->record[side]);
		poly_report_count(report, "unique_instructions", difference->run[side]);
		poly_report_end(report);
	}
	if (difference->has_cpu)
		poly_report_count(report, "cpu", difference->cpu);
	poly_report_count(report, "matching_instructions", difference->matching);
	poly_report_text(report, "matching_since",
		poly_diff_is_first(comparison->diff) ? "start" : "previous-difference");
	poly_report_bool(report, "ends_comparison", difference->ends);
	report_steps(comparison);
	poly_report_end(report);
}

static void
print_difference(struct diff_job *comparison, const struct poly_difference *difference)
{
	if (comparison->options->summary)
		return;
	if (comparison->report) {
		report_difference(comparison, difference);
		return;
	}
	print_heading(comparison, difference);
	print_context(comparison);
	/* It replaces the progress bar. */
	progress_clear(&comparison->sources[0].progress);
	output_flush(comparison->output);
}

/* True if no further difference is requested. */
static bool
is_enough(const struct diff_job *comparison)
{
	const struct diff_options *options = comparison->options;
	if (options->summary)
		return false;
	const uint64_t limit = options->max.is_set ? options->max.value : MAX_SHOWN;
	return comparison->shown >= (options->all ? limit : 1);
}

static void
compare(struct diff_job *comparison)
{
	const struct poly_difference *difference;
	comparison->status = POLY_OK;
	while (!output_failed(comparison->output) &&
		(!comparison->shown || !is_enough(comparison)) &&
		(comparison->status = poly_diff_next(
			 comparison->diff, &difference, &comparison->error)) == POLY_OK) {
		comparison->shown++;
		print_difference(comparison, difference);
	}
	progress_clear(&comparison->sources[0].progress);
}

static const char *
verdict(const struct diff_job *comparison)
{
	if (comparison->shown)
		return "different";
	return comparison->status == POLY_END ? "same" : "unknown";
}

/* Formats the causes that occurred: "opcode 1, value 2". */
static void
list_causes(const struct poly_diff_counts *counts, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (unsigned c = 0; c < POLY_DIFF_CAUSE_COUNT && used < size; c++) {
		if (counts->causes[c])
			used += (size_t)snprintf(text + used, size - used, "%s%s %llu",
				used ? ", " : "", poly_diff_cause_name((enum poly_diff_cause)c),
				(unsigned long long)counts->causes[c]);
	}
}

/* Prints the outcome in one line. */
static void
print_verdict(struct diff_job *comparison)
{
	struct poly_diff_counts counts;
	char causes[600];
	struct output *output = comparison->output;
	poly_diff_count(comparison->diff, &counts);
	list_causes(&counts, causes, sizeof causes);
	output_text(output, comparison->shown ? "\nA = " : "A = ");
	output_visible(output, comparison->sources[0].name);
	output_text(output, ", B = ");
	output_visible(output, comparison->sources[1].name);
	output_text(output, comparison->shown		     ? ": traces differ"
			    : comparison->status == POLY_END ? ": traces match"
							     : ": traces match as far as "
							       "they could be compared");
	if (comparison->shown && is_enough(comparison)) {
		output_text(output, "; comparison stopped after ");
		print_count(output, comparison->shown);
		output_text(
			output, comparison->shown == 1 ? " difference\n" : " differences\n");
		return;
	}
	output_text(output, "; ");
	print_count(output, counts.pairs);
	output_text(
		output, counts.pairs == 1 ? " instruction compared" : " instructions compared");
	if (comparison->shown) {
		output_text(output, ", ");
		print_count(output, comparison->shown);
		output_text(
			output, comparison->shown == 1 ? " difference: " : " differences: ");
		output_text(output, causes);
	}
	output_text(output, "\n");
}

static void
report_verdict(struct diff_job *comparison)
{
	struct poly_report *report = comparison->report;
	struct poly_diff_counts counts;
	poly_diff_count(comparison->diff, &counts);
	poly_report_text(report, "verdict", verdict(comparison));
	/* After the last requested difference the number is not meaningful. */
	report_number(report, "compared_instructions",
		comparison->status == POLY_END ? counts.pairs : 0);
	poly_report_count(report, "first_trace_instructions", counts.instructions[0]);
	poly_report_count(report, "second_trace_instructions", counts.instructions[1]);
	poly_report_bool(report, "complete", comparison->status == POLY_END);
	poly_report_table(report, "causes");
	poly_report_column(report, "cause", false);
	poly_report_column(report, "count", true);
	for (unsigned c = 0; c < POLY_DIFF_CAUSE_COUNT; c++) {
		if (!counts.causes[c])
			continue;
		poly_report_cell_text(report, poly_diff_cause_name((enum poly_diff_cause)c));
		poly_report_cell_count(report, counts.causes[c]);
	}
	poly_report_end(report);
}

/* Compares the open traces and prints the outcome; returns an exit status. */
static int
compare_opened(struct diff_job *comparison)
{
	const struct input_options *options = &comparison->options->source;
	bool listed = options->json || options->csv;
	int rendered = STATUS_DONE;
	if (listed || comparison->options->summary)
		comparison->report = report_new();
	if (comparison->report) {
		poly_report_text(
			comparison->report, "first_trace", comparison->sources[0].name);
		poly_report_text(
			comparison->report, "second_trace", comparison->sources[1].name);
		if (listed)
			poly_report_list(comparison->report, "differences");
	}
	compare(comparison);
	if (comparison->report) {
		if (listed)
			poly_report_end(comparison->report);
		report_verdict(comparison);
		rendered = report_render(comparison->report, options, comparison->output);
	} else {
		print_verdict(comparison);
	}
	output_flush(comparison->output);
	return comparison->shown && rendered == STATUS_DONE ? STATUS_NEGATIVE : rendered;
}

/*
 * Warns if a trace that could have instructions has none, such as JSON Lines without a header:
 * its records were compared as those of one instruction. Returns an exit status.
 */
static int
warn_no_instructions(const struct diff_job *comparison)
{
	struct poly_diff_counts counts;
	poly_diff_count(comparison->diff, &counts);
	for (unsigned side = 0; side < 2; side++) {
		const struct poly_selection *selection = comparison->sources[side].selection;
		if (selection && !poly_selection_count(selection))
			return STATUS_DONE;
	}
	if (comparison->status < 0 || !POLY_HAS(poly_diff_compared(comparison->diff), pc) ||
		counts.instructions[0] || counts.instructions[1])
		return STATUS_DONE;
	diag_print("diff",
		"no instructions found: the order of records was not compared; it is "
		"compared if "
		"the headers of the traces list no column pc");
	return comparison->options->source.strict ? STATUS_ERROR : STATUS_DONE;
}

/* Prints why a comparison failed, unless the failure is that of a trace. */
static int
print_failure(const struct diff_job *comparison)
{
	if (comparison->status >= 0)
		return STATUS_DONE;
	if (comparison->sources[0].status >= 0 && comparison->sources[1].status >= 0)
		diag_print("diff", "%s", comparison->error.message);
	return STATUS_ERROR;
}

static int
compare_two(
	const struct diff_options *options, struct output *output, const char *const paths[2])
{
	struct diff_job comparison = {.options = options, .output = output};
	comparison.colored = term_colored((enum term_color)options->color);
	if (!open_sources(&comparison, paths))
		return STATUS_ERROR;
	int status = STATUS_ERROR;
	if (open_diff(&comparison)) {
		status = compare_opened(&comparison);
		int failed = print_failure(&comparison);
		status = failed > status ? failed : status;
		failed = warn_no_instructions(&comparison);
		status = failed > status ? failed : status;
	}
	poly_diff_free(comparison.diff);
	for (unsigned side = 0; side < 2; side++) {
		int closed = input_close(&comparison.sources[side]);
		status = closed > status ? closed : status;
	}
	return status;
}

/* Compares the first trace with each of the others. */
static int
compare_all(const struct diff_options *options, struct output *output, char **paths)
{
	int worst = STATUS_DONE;
	const bool headed =
		paths[2] && rendering_of_options(&options->source) == POLY_RENDER_TEXT;
	for (char **path = paths + 1; *path && !output_failed(output); path++) {
		const char *const pair[2] = {paths[0], *path};
		output->tables.input = paths[2] ? diag_input_name(*path) : NULL;
		if (path != paths + 1 && !options->source.json && !options->source.table)
			output_text(output, "\n");
		if (headed) {
			output_text(output, "==> ");
			output_visible(output, diag_input_name(*path));
			output_text(output, " <==\n");
		}
		int status = compare_two(options, output, pair);
		worst = status > worst ? status : worst;
		if (progress_interrupted())
			break;
	}
	return worst;
}

/* Checks the operands; false, after a message, if they are not valid. */
static bool
operands_are_valid(char **operands)
{
	size_t count = 0, standard = 0;
	for (; operands[count]; count++)
		standard += strcmp(operands[count], "-") == 0;
	if (count < 2)
		diag_print("diff",
			"expected two or more traces (found %zu); name a file, or '-' for "
			"standard "
			"input, for each",
			count);
	else if (standard > 1)
		diag_print("diff", "only one of the traces can be standard input");
	else if (count > 2 && strcmp(operands[0], "-") == 0)
		diag_print("diff",
			"the first of more than two traces is read repeatedly; it cannot be "
			"standard input");
	else
		return true;
	return false;
}

static int
diff_run(void *fields, char **operands)
{
	const struct diff_options *options = fields;
	if (!rendering_is_valid(&options->source) || !operands_are_valid(operands))
		return STATUS_ERROR;
	struct output *output = output_new();
	int status = compare_all(options, output, operands);
	int written = output_finish(output);
	return written > status ? written : status;
}

const struct command command_diff = {
	.name = "diff",
	.group = GROUP_COMPARE,
	.summary = "compare traces instruction by instruction",
	.usage = "[options] FILE FILE...",
	.examples = {"polytrace diff trace.tarmac trace.tarmac",
		"polytrace diff --all --context 5 trace.q4v trace.q4v"},
	.options = diff_tables,
	.options_size = sizeof(struct diff_options),
	.run = diff_run,
};
