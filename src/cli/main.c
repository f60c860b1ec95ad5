/* SPDX-License-Identifier: MIT */
/* The command: finds the sub-command, parses its options, runs it. */
#include "polytrace/format.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST(word) extern const struct command command_##word;
#include "command_list.def"
#undef LIST

static const struct command *const commands[] = {
#define LIST(word) &command_##word,
#include "command_list.def"
#undef LIST
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct command *
find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

static int
unknown_command(const char *name)
{
	if (*name == '-') {
		diag_print(NULL, "unknown option '%s'; 'polytrace help' tells what there is",
			name);
		return STATUS_TROUBLE;
	}
	const char *nearest = commands[0]->name;
	for (size_t i = 1; i < COMMAND_COUNT; i++) {
		if (opt_distance(name, commands[i]->name) < opt_distance(name, nearest))
			nearest = commands[i]->name;
	}
	if (opt_near(name, opt_distance(name, nearest)))
		diag_print(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest);
	else
		diag_print(NULL, "unknown command '%s'; 'polytrace help' lists them", name);
	return STATUS_TROUBLE;
}

static int
print_overview(void)
{
	struct output *output = output_new();
	output_text(output, "usage: polytrace COMMAND [options] [FILE...]\n"
			    "       polytrace help [COMMAND]\n"
			    "       polytrace --version\n\ncommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		char line[120];
		snprintf(line, sizeof line, "  %-10s %s\n", commands[i]->name,
			commands[i]->summary);
		output_text(output, line);
	}
	output_text(output, "\n'polytrace help COMMAND' lists the options of a command.\n");
	return output_finish(output);
}

static int
print_help(const struct command *command)
{
	struct output *output = output_new();
	char usage[200];
	snprintf(usage, sizeof usage, "usage: polytrace %s %s\n\n%s\n\noptions:\n",
		command->name, command->usage, command->summary);
	output_text(output, usage);
	opt_help(command->options, output_write, output);
	return output_finish(output);
}

static int
print_version(void)
{
	struct output *output = output_new();
	output_text(output, "polytrace ");
	output_text(output, poly_version());
	output_text(output, "\n");
	return output_finish(output);
}

static int
print_help_of(const char *name)
{
	const struct command *command = name ? find_command(name) : NULL;
	if (name && !command)
		return unknown_command(name);
	return command ? print_help(command) : print_overview();
}

static int
run_command(const struct command *command, char **arguments)
{
	char message[OPT_MESSAGE];
	int status = STATUS_TROUBLE;
	void *options = diag_allocate(1, command->options_size);
	switch (opt_parse(command->options, options, arguments, message)) {
	case OPT_PARSED:
		progress_catch_interrupt();
		status = command->run(options, arguments);
		break;
	case OPT_WANTS_HELP: status = print_help(command); break;
	case OPT_INVALID:
		diag_print(command->name, "%s", message);
		diag_print(
			command->name, "'polytrace help %s' lists the options", command->name);
		break;
	}
	opt_free(command->options, options);
	free(options);
	return status;
}

/* The command that the program is called by the name of, through a link; or NULL. */
static const struct command *
called_as(const char *program)
{
	const char *slash = strrchr(program, '/');
	return find_command(slash ? slash + 1 : program);
}

int
main(int argc, char **argv)
{
	const struct command *own = argc > 0 ? called_as(argv[0]) : NULL;
	if (own)
		return run_command(own, argv + 1);
	const char *word = argc > 1 ? argv[1] : "";
	if (strcmp(word, "--version") == 0)
		return print_version();
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return print_overview();
	if (strcmp(word, "help") == 0)
		return print_help_of(argv[2]);
	if (!*word) {
		diag_print(NULL, "no command; 'polytrace help' lists them");
		return STATUS_TROUBLE;
	}
	const struct command *command = find_command(word);
	return command ? run_command(command, argv + 2) : unknown_command(word);
}
