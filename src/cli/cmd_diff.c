/* SPDX-License-Identifier: MIT */
/* polytrace diff: where two or more traces differ, instruction by instruction. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/say.h"
#include "cli/source.h"
#include "cli/term.h"

#include <stdio.h>
#include <string.h>

/* Differences that --all shows where --max does not say. */
#define MAX_SHOWN 1000

/* Widest text of a step that the other column is aligned behind. */
#define WIDTH_MOST 100

struct diff_options {
	struct source_options source; /* first: the reading options are in it */
	const char *start_a, *start_b, *from_b;
	struct opt_number skip_a, skip_b, context, window, resync, max;
	struct opt_list ignore, also, alias, tolerate;
	bool all, summary, ordered, each_cpu;
	unsigned color;
};

static const char *const window_limits[] = {"1024", "1", NULL};
static const char *const context_most[] = {"1024", NULL};
static const char *const resync_most[] = {"262144", NULL};

#define FIELD(name) offsetof(struct diff_options, name)
static const struct opt diff_table[] = {
	{"all", 'a', OPT_FLAG, NULL, NULL, FIELD(all),
		"show every difference, not the first alone"},
	{"max", 'm', OPT_NUMBER, "N", opt_from_one, FIELD(max),
		"with --all stop after N differences (1000)"},
	{"summary", 0, OPT_FLAG, NULL, NULL, FIELD(summary),
		"count all differences by cause, and show none"},
	{"context", 'C', OPT_NUMBER, "N", context_most, FIELD(context),
		"show N instructions before and behind a difference (3)"},
	{"ignore", 'i', OPT_LIST, "WORD,...", NULL, FIELD(ignore),
		"leave out columns, reg:NAME, registers, memory, read, LO..HI, tail"},
	{"also", 0, OPT_LIST, "COLUMN,...", NULL, FIELD(also),
		"compare these columns of instructions too: cpu,mode"},
	{"alias", 0, OPT_LIST, "A=B,...", NULL, FIELD(alias),
		"take registers for the same; arm, mips and riscv name whole sets"},
	{"tolerate", 't', OPT_LIST, "WORD,...", NULL, FIELD(tolerate),
		"redundant-writes, repeated-writes, split-accesses, unknown-values, skipped"},
	{"window", 'W', OPT_NUMBER, "N", window_limits, FIELD(window),
		"let records belong to any of N instructions in a row (1)"},
	{"ordered", 0, OPT_FLAG, NULL, NULL, FIELD(ordered),
		"the order of an instruction's records counts"},
	{"resync", 'r', OPT_NUMBER, "N", resync_most, FIELD(resync),
		"look N instructions ahead for where the traces agree again (4096)"},
	{"each-cpu", 0, OPT_FLAG, NULL, NULL, FIELD(each_cpu),
		"compare the instructions of each processor by themselves"},
	{"skip-a", 0, OPT_NUMBER, "N", NULL, FIELD(skip_a),
		"leave out the first N instructions of the first trace"},
	{"skip-b", 0, OPT_NUMBER, "N", NULL, FIELD(skip_b),
		"leave out the first N instructions of the other traces"},
	{"start-a", 0, OPT_TEXT, "EXPR", NULL, FIELD(start_a),
		"as --start-at, for the first trace"},
	{"start-b", 0, OPT_TEXT, "EXPR", NULL, FIELD(start_b),
		"as --start-at, for the other traces"},
	{"from-b", 0, OPT_TEXT, "FORMAT", NULL, FIELD(from_b),
		"as --from, for the other traces"},
	{"color", 0, OPT_CHOICE, "auto|always|never", term_colors, FIELD(color),
		"auto (the default): colours on a terminal, unless NO_COLOR is set"},
	{0},
};
#undef FIELD

static const struct opt *const diff_tables[] = {
	diff_table, rendering_table, selection_table, source_table, NULL};

/* Two traces that are compared. */
struct comparison {
	const struct diff_options *options;
	struct output *output;
	struct source sources[2];
	struct poly_diff *diff;
	struct poly_report *report; /* NULL: differences are shown as text at once */
	bool colored;
	uint64_t shown;
	enum poly_status status; /* what ended it */
	struct poly_error error;
};

static unsigned
number_or(const struct opt_number *number, unsigned none)
{
	return number->given ? (unsigned)number->value : none;
}

static enum poly_status
next_batch(void *user, const struct poly_batch **batch, struct poly_error *error)
{
	struct source *source = user;
	*batch = source_next(source);
	if (source->status < 0 && error)
		*error = source->error;
	return source->status;
}

/* Says once what only one of the traces has. */
static void
tell_uncompared(const struct comparison *it)
{
	for (unsigned side = 0; side < 2; side++) {
		char names[300];
		poly_columns columns = poly_diff_uncompared(it->diff, side);
		source_column_names(columns, names, sizeof names);
		if (columns)
			say(it->sources[!side].name, "has no %s, as %s has: not compared",
				names, it->sources[side].name);
	}
}

static bool
open_diff(struct comparison *it)
{
	const struct diff_options *options = it->options;
	struct poly_diff_options how = POLY_DIFF_OPTIONS_INIT;
	struct poly_diff_side sides[2];
	how.ignore = options->ignore.items;
	how.also = options->also.items;
	how.aliases = options->alias.items;
	how.tolerate = options->tolerate.items;
	how.window = number_or(&options->window, how.window);
	how.resync = number_or(&options->resync, how.resync);
	how.context = number_or(&options->context, how.context);
	how.ordered = options->ordered;
	how.each_cpu = options->each_cpu;
	for (unsigned side = 0; side < 2; side++) {
		struct source *source = &it->sources[side];
		sides[side] = (struct poly_diff_side){
			poly_reader_info(source->reader), next_batch, source, 0};
	}
	sides[0].skip = options->skip_a.value;
	sides[1].skip = options->skip_b.value;
	if (poly_diff_new(&how, sides, &it->diff, &it->error) != POLY_OK) {
		say("diff", "%s", it->error.message);
		return false;
	}
	for (unsigned side = 0; side < 2; side++)
		source_want(&it->sources[side], poly_diff_columns(it->diff, side));
	tell_uncompared(it);
	return true;
}

static bool
open_sources(struct comparison *it, const char *const paths[2])
{
	const struct source_wants wants = {.columns = POLY_ALL_COLUMNS};
	for (unsigned side = 0; side < 2; side++) {
		struct source_options options = it->options->source;
		const char *start = side ? it->options->start_b : it->options->start_a;
		if (start)
			options.start_at = start;
		if (side && it->options->from_b)
			options.from = it->options->from_b;
		if (!source_open(&it->sources[side], paths[side], &options, &wants)) {
			if (side)
				source_drop(&it->sources[0]);
			return false;
		}
	}
	/* One bar of progress is enough. */
	it->sources[1].progress.shown = false;
	return true;
}

/* Text without what a terminal would obey. */
static void
put_text(struct output *output, const char *text)
{
	for (; *text; text++) {
		char c = *text;
		if ((unsigned char)c < ' ' || c == 0x7f)
			c = '?';
		output_write(output, &c, 1);
	}
}

static void
put_number(struct output *output, uint64_t number, int width)
{
	char text[40];
	if (number)
		snprintf(text, sizeof text, "%*llu", width, (unsigned long long)number);
	else
		snprintf(text, sizeof text, "%*s", width, "-");
	output_text(output, text);
}

/* "NAME A | B" of a pair of numbers. */
static void
put_pair(struct output *output, const char *name, const uint64_t numbers[2])
{
	output_text(output, name);
	put_number(output, numbers[0], 0);
	output_text(output, " | ");
	put_number(output, numbers[1], 0);
}

static void
show_heading(struct comparison *it, const struct poly_difference *found)
{
	struct output *output = it->output;
	const char *const *values = found->values;
	char text[80];
	output_text(output, it->shown > 1 ? "\n" : "");
	const char *cause = poly_diff_cause_name(found->cause);
	output_text(output, cause);
	if (strcmp(cause, found->subject) != 0) {
		output_text(output, ": ");
		put_text(output, found->subject);
	}
	if (values[0] || values[1]) {
		output_text(output, ": ");
		put_text(output, values[0] ? values[0] : "-");
		output_text(output, " | ");
		put_text(output, values[1] ? values[1] : "-");
	}
	put_pair(output, "\n  at instruction ", found->instruction);
	put_pair(output, ", record ", found->record);
	if (found->has_cpu) {
		snprintf(text, sizeof text, ", processor %lu", (unsigned long)found->cpu);
		output_text(output, text);
	}
	snprintf(text, sizeof text, "; %llu before it agree%s\n",
		(unsigned long long)found->agreed, found->agreed == 1 ? "s" : "");
	output_text(output, text);
	if (found->run[0] && found->run[1]) {
		put_pair(output, "  instructions that only one has ", found->run);
		output_text(output, "\n");
	}
	if (found->ends)
		output_text(output, "  the traces do not agree again\n");
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
		if (n > WIDTH_MOST)
			n = WIDTH_MOST;
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

/* One side of a line; colour: the code of a terminal, or NULL. */
static void
show_side(struct comparison *it, const struct poly_diff_step *step, int width, int pad,
	const char *color)
{
	if (color)
		output_text(it->output, color);
	if (step->instruction)
		put_number(it->output, step->instruction, width);
	else
		put_number(it->output, 0, width);
	if (*step->text)
		output_text(it->output, " ");
	put_text(it->output, step->text);
	if (color)
		output_text(it->output, "\033[0m");
	for (int n = (int)strlen(step->text) + (*step->text != 0); n <= pad; n++)
		output_text(it->output, " ");
}

static void
show_lines(struct comparison *it)
{
	struct poly_diff_line line;
	const struct widths widths = measure_lines(it->diff);
	for (size_t i = 0; poly_diff_line_at(it->diff, i, &line); i++) {
		const bool differs = it->colored && line.mark != ' ';
		const char mark[4] = {' ', line.mark, ' ', 0};
		output_text(it->output, line.here ? "* " : "  ");
		show_side(it, &line.steps[0], widths.numbers[0], widths.text,
			differs ? "\033[31m" : NULL);
		output_text(it->output, mark);
		show_side(
			it, &line.steps[1], widths.numbers[1], -1, differs ? "\033[32m" : NULL);
		output_text(it->output, "\n");
		if (line.left_out) {
			char text[60];
			snprintf(text, sizeof text, "  ... %llu more\n",
				(unsigned long long)line.left_out);
			output_text(it->output, text);
		}
	}
}

/* A number in a report, absent where it is 0. */
static void
report_number(struct poly_report *report, const char *key, uint64_t number)
{
	if (number)
		poly_report_count(report, key, number);
	else
		poly_report_text(report, key, NULL);
}

static void
report_steps(struct comparison *it)
{
	struct poly_report *report = it->report;
	struct poly_diff_line line;
	poly_report_table(report, "context");
	poly_report_column(report, "mark", false);
	poly_report_column(report, "first_instruction", true);
	poly_report_column(report, "first", false);
	poly_report_column(report, "second_instruction", true);
	poly_report_column(report, "second", false);
	for (size_t i = 0; poly_diff_line_at(it->diff, i, &line); i++) {
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
report_difference(struct comparison *it, const struct poly_difference *found)
{
	struct poly_report *report = it->report;
	poly_report_section(report, "difference");
	poly_report_text(report, "cause", poly_diff_cause_name(found->cause));
	poly_report_text(report, "subject", found->subject);
	for (unsigned side = 0; side < 2; side++) {
		poly_report_section(report, side ? "second" : "first");
		poly_report_text(report, "value", found->values[side]);
		report_number(report, "instruction", found->instruction[side]);
		report_number(report, "record", found->record[side]);
		poly_report_count(report, "alone", found->run[side]);
		poly_report_end(report);
	}
	if (found->has_cpu)
		poly_report_count(report, "cpu", found->cpu);
	poly_report_count(report, "agreed", found->agreed);
	poly_report_bool(report, "ends", found->ends);
	report_steps(it);
	poly_report_end(report);
}

static void
show_one(struct comparison *it, const struct poly_difference *found)
{
	if (it->options->summary)
		return;
	if (it->report) {
		report_difference(it, found);
		return;
	}
	show_heading(it, found);
	show_lines(it);
	/* It appears where the bar of progress was. */
	progress_clear(&it->sources[0].progress);
	output_flush(it->output);
}

/* True where no further difference is asked for. */
static bool
is_enough(const struct comparison *it)
{
	const struct diff_options *options = it->options;
	if (options->summary)
		return false;
	const uint64_t most = options->max.given ? options->max.value : MAX_SHOWN;
	return it->shown >= (options->all ? most : 1);
}

static void
compare(struct comparison *it)
{
	const struct poly_difference *found;
	it->status = POLY_OK;
	while (!output_failed(it->output) && (!it->shown || !is_enough(it)) &&
		(it->status = poly_diff_next(it->diff, &found, &it->error)) == POLY_OK) {
		it->shown++;
		show_one(it, found);
	}
	progress_clear(&it->sources[0].progress);
}

static const char *
verdict(const struct comparison *it)
{
	if (it->shown)
		return "different";
	return it->status == POLY_END ? "same" : "unknown";
}

/* "opcode 1, value 2": the causes that were met. */
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

/* The outcome in one line. */
static void
show_verdict(struct comparison *it)
{
	struct poly_diff_counts counts;
	char causes[600], text[160];
	struct output *output = it->output;
	const bool stopped = it->shown && is_enough(it);
	poly_diff_count(it->diff, &counts);
	list_causes(&counts, causes, sizeof causes);
	output_text(output, it->shown ? "\n" : "");
	output_text(output, it->sources[0].name);
	output_text(output, " and ");
	output_text(output, it->sources[1].name);
	if (stopped) {
		snprintf(text, sizeof text, " differ; not compared behind difference %llu\n",
			(unsigned long long)it->shown);
		output_text(output, text);
		return;
	}
	snprintf(text, sizeof text, "%s: %llu instructions",
		it->shown		 ? " differ"
		: it->status == POLY_END ? " are the same"
					 : " are the same as far as they could be compared",
		(unsigned long long)counts.pairs);
	output_text(output, text);
	if (it->shown) {
		snprintf(text, sizeof text,
			", %llu difference%s: ", (unsigned long long)it->shown,
			it->shown == 1 ? "" : "s");
		output_text(output, text);
		output_text(output, causes);
	}
	output_text(output, "\n");
}

static void
report_verdict(struct comparison *it)
{
	struct poly_report *report = it->report;
	struct poly_diff_counts counts;
	poly_diff_count(it->diff, &counts);
	poly_report_text(report, "verdict", verdict(it));
	/* Behind the last difference that was asked for some were looked at already. */
	report_number(report, "compared", it->status == POLY_END ? counts.pairs : 0);
	poly_report_count(report, "first_read", counts.instructions[0]);
	poly_report_count(report, "second_read", counts.instructions[1]);
	poly_report_bool(report, "complete", it->status == POLY_END);
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

/* Compares what was opened and tells the outcome; returns an exit status. */
static int
compare_opened(struct comparison *it)
{
	const struct source_options *options = &it->options->source;
	bool listed = options->json || options->csv;
	int rendered = STATUS_DONE;
	if (listed || it->options->summary)
		it->report = source_report();
	if (it->report) {
		poly_report_text(it->report, "first", it->sources[0].name);
		poly_report_text(it->report, "second", it->sources[1].name);
		if (listed)
			poly_report_list(it->report, "differences");
	}
	compare(it);
	if (it->report) {
		if (listed)
			poly_report_end(it->report);
		report_verdict(it);
		rendered = source_render(it->report, options, it->output);
	} else {
		show_verdict(it);
	}
	output_flush(it->output);
	return it->shown && rendered == STATUS_DONE ? STATUS_NEGATIVE : rendered;
}

/*
 * Warns where a trace that could have instructions has none, as JSON Lines without a header:
 * its records were compared as those of one instruction are. An exit status.
 */
static int
tell_no_instructions(const struct comparison *it)
{
	struct poly_diff_counts counts;
	poly_diff_count(it->diff, &counts);
	for (unsigned side = 0; side < 2; side++) {
		const struct poly_selection *selection = it->sources[side].selection;
		if (selection && !poly_selection_count(selection))
			return STATUS_DONE;
	}
	if (it->status < 0 || !(poly_diff_compared(it->diff) & POLY_HAS(pc)) ||
		counts.instructions[0] || counts.instructions[1])
		return STATUS_DONE;
	say("diff",
		"there is no instruction: the order of records was not compared; it is where "
		"the traces say that they have no pc");
	return it->options->source.strict ? STATUS_TROUBLE : STATUS_DONE;
}

/* Tells why a comparison failed, where its traces do not tell it themselves. */
static int
tell_failure(const struct comparison *it)
{
	if (it->status >= 0)
		return STATUS_DONE;
	if (it->sources[0].status >= 0 && it->sources[1].status >= 0)
		say("diff", "%s", it->error.message);
	return STATUS_TROUBLE;
}

static int
compare_two(
	const struct diff_options *options, struct output *output, const char *const paths[2])
{
	struct comparison it = {.options = options, .output = output};
	it.colored = term_colored((enum term_color)options->color);
	if (!open_sources(&it, paths))
		return STATUS_TROUBLE;
	int status = STATUS_TROUBLE;
	if (open_diff(&it)) {
		status = compare_opened(&it);
		int failed = tell_failure(&it);
		status = failed > status ? failed : status;
		failed = tell_no_instructions(&it);
		status = failed > status ? failed : status;
	}
	poly_diff_free(it.diff);
	for (unsigned side = 0; side < 2; side++) {
		int closed = source_close(&it.sources[side]);
		status = closed > status ? closed : status;
	}
	return status;
}

/* The first trace against each of the others. */
static int
compare_all(const struct diff_options *options, struct output *output, char **paths)
{
	int worst = STATUS_DONE;
	const bool headed = paths[2] && !options->source.json && !options->source.csv;
	for (char **path = paths + 1; *path && !output_failed(output); path++) {
		const char *const pair[2] = {paths[0], *path};
		if (path != paths + 1 && !options->source.json)
			output_text(output, "\n");
		if (headed) {
			output_text(output, "==> ");
			output_text(output, say_input(*path));
			output_text(output, " <==\n");
		}
		int status = compare_two(options, output, pair);
		worst = status > worst ? status : worst;
		if (progress_interrupted())
			break;
	}
	return worst;
}

/* False, and told, where the operands cannot be compared. */
static bool
operands_sound(char **operands)
{
	size_t count = 0, standard = 0;
	for (; operands[count]; count++)
		standard += strcmp(operands[count], "-") == 0;
	if (count < 2)
		say("diff",
			"%zu trace%s, expected two or more: name a file, or '-' for "
			"standard input, for each",
			count, count == 1 ? "" : "s");
	else if (standard > 1)
		say("diff", "standard input can be one of the traces only");
	else if (count > 2 && strcmp(operands[0], "-") == 0)
		say("diff", "the first of several traces is read again for each: it cannot be "
			    "standard input");
	else
		return true;
	return false;
}

static int
diff_run(void *fields, char **operands)
{
	const struct diff_options *options = fields;
	if (!source_rendering_sound(&options->source) || !operands_sound(operands))
		return STATUS_TROUBLE;
	struct output *output = output_new();
	int status = compare_all(options, output, operands);
	int written = output_finish(output);
	return written > status ? written : status;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare traces instruction by instruction",
	.usage = "[options] FILE FILE...",
	.options = diff_tables,
	.options_size = sizeof(struct diff_options),
	.run = diff_run,
};
