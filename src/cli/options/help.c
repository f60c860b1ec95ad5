/* SPDX-License-Identifier: MIT */
/* The help of the command and of its sub-commands. */
#include "cli/options/help.h"

#include "cli/options/analysis_options.h"
#include "cli/print/fold.h"
#include "cli/print/term.h"

#include <stdio.h>
#include <string.h>

/* Columns of the texts beside names of commands and options. */
#define SUMMARY_COLUMN 13
#define OPTION_COLUMN 28
/* The latter on a narrow terminal, under the option. */
#define NARROW_COLUMN 8
#define NARROW_WIDTH 50

/* Headings of the options that several commands share, which follow the command's own. */
static const struct {
	const struct opt *table;
	const char *heading;
} shared_tables[] = {
	{analysis_options_table, "Analyses"},
	{rendering_table, "Output"},
	{tables_table, "Tables"},
	{one_table_table, "Tables"},
	{bounds_table, "Bounds: the records that are read"},
	{selection_table, "Selection among these, in this order"},
	{input_table, "Input"},
};

static const char *const groups[] = {
	[GROUP_RECORD] = "Record programs",
	[GROUP_INSPECT] = "Inspect traces",
	[GROUP_CONVERT] = "Convert, compress, split and merge traces",
	[GROUP_COMPARE] = "Compare traces",
	[GROUP_ANALYSE] = "Analyze traces",
	[GROUP_SIMULATE] = "Simulate processors on traces",
	[GROUP_AIX] = "AIX traces and their templates",
	[GROUP_COURSES] = "Courses (see also 'sim --course')",
};

static struct fold
new_fold(struct output *output)
{
	return (struct fold){output, term_width(), 0, 0};
}

/* Prints an indented word, and a text beside it or, if the word is long, below. */
static void
print_entry(struct fold *fold, const char *word, const char *text, size_t column)
{
	output_text(fold->output, word);
	fold->column = strlen(word);
	fold->indent = column;
	/* Two blanks at least stand between them. */
	if (fold->column + 2 > column)
		fold_end(fold);
	fold_to_column(fold, column);
	fold_text(fold, text);
	fold_end(fold);
}

static void
print_heading(struct fold *fold, const char *heading)
{
	output_text(fold->output, "\n");
	output_text(fold->output, heading);
	output_text(fold->output, ":\n");
}

static void
print_group(struct fold *fold, const struct command *const *commands, enum command_group group)
{
	print_heading(fold, groups[group]);
	for (; *commands; commands++) {
		char word[40];
		if ((*commands)->group != group)
			continue;
		snprintf(word, sizeof word, "  %s", (*commands)->name);
		print_entry(fold, word, (*commands)->summary, SUMMARY_COLUMN);
	}
}

int
help_overview(const struct command *const *commands)
{
	struct output *output = output_new();
	struct fold fold = new_fold(output);
	output_text(output, "usage: polytrace COMMAND [options] [FILE...]\n"
			    "       polytrace help [COMMAND | TOPIC]\n"
			    "       polytrace version\n");
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		print_group(&fold, commands, (enum command_group)i);
	fold.indent = 0;
	output_text(output, "\n");
	fold_text(&fold, "'polytrace help COMMAND' lists the options of a command.\n"
			 "Topics of help: columns, filters, analyses, simulators, keys.\n"
			 "Manual: polytrace(1), polytrace-COMMAND(1), polytrace-options(7).\n");
	return output_finish(output);
}

static const char *
heading_of(const struct opt *table)
{
	for (size_t i = 0; i < sizeof shared_tables / sizeof *shared_tables; i++) {
		if (shared_tables[i].table == table)
			return shared_tables[i].heading;
	}
	return NULL;
}

/* Prints the options of a table. */
static void
print_options(struct fold *fold, const struct opt *table)
{
	const size_t column = fold->width < NARROW_WIDTH ? NARROW_COLUMN : OPTION_COLUMN;
	for (const struct opt *opt = table; opt->name; opt++) {
		char names[80], letter[8] = "   ";
		if (opt->letter)
			snprintf(letter, sizeof letter, "-%c,", opt->letter);
		snprintf(names, sizeof names, "  %s --%s%s%s", letter, opt->name,
			opt->argument ? "=" : "", opt->argument ? opt->argument : "");
		print_entry(fold, names, opt->help, column);
	}
}

int
help_command(const struct command *command)
{
	struct output *output = output_new();
	struct fold fold = new_fold(output);
	char usage[200];
	snprintf(usage, sizeof usage, "usage: polytrace %s %s", command->name, command->usage);
	fold.indent = 7;
	fold_text(&fold, usage);
	fold_end(&fold);
	fold.indent = 0;
	output_text(output, "\n");
	fold_text(&fold, command->summary);
	fold_end(&fold);
	if (command->alias) {
		output_text(output, "alias: ");
		output_text(output, command->alias);
		fold_end(&fold);
	}
	print_heading(&fold, "Examples");
	for (size_t i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++) {
		output_text(output, "  ");
		output_text(output, command->examples[i]);
		output_text(output, "\n");
	}
	bool headed = false;
	for (const struct opt *const *table = command->options; *table; table++) {
		const char *heading = heading_of(*table);
		if (heading || !headed)
			print_heading(&fold, heading ? heading : "Options");
		headed = true;
		print_options(&fold, *table);
	}
	return output_finish(output);
}
