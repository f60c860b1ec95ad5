/* SPDX-License-Identifier: MIT */
/* Finds the sub-command, parses the options and runs the command. */
#include "polytrace/format.h"

#include "cli/print/diagnostics.h"
#include "cli/options/help.h"
#include "cli/files/output.h"
#include "cli/print/progress.h"
#include "cli/programs/agreement.h"
#include "cli/programs/ranks.h"

#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define LIST(word) extern const struct command command_##word;
#include "command_list.def"
#undef LIST

static const struct command *const commands[] = {
#define LIST(word) &command_##word,
#include "command_list.def"
#undef LIST
	NULL,
};

static const struct command *
find_command(const char *name)
{
	for (const struct command *const *command = commands; *command; command++) {
		const char *alias = (*command)->alias;
		if (strcmp((*command)->name, name) == 0 || (alias && strcmp(alias, name) == 0))
			return *command;
	}
	return NULL;
}

/* Returns the name of the command that a word is most similar to. */
static const char *
find_nearest(const char *word)
{
	const char *nearest = commands[0]->name;
	for (const struct command *const *command = commands; *command; command++) {
		if (opt_distance(word, (*command)->name) < opt_distance(word, nearest))
			nearest = (*command)->name;
	}
	return nearest;
}

static int
unknown_command(const char *name)
{
	const char *nearest = help_synonym(name);
	if (*name == '-') {
		diag_print(
			NULL, "unknown option '%s'; 'polytrace help' lists the commands", name);
		return STATUS_ERROR;
	}
	if (!nearest)
		nearest = find_nearest(name);
	if (help_synonym(name) || opt_near(name, opt_distance(name, nearest)))
		diag_print(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest);
	else
		diag_print(NULL, "unknown command '%s'; 'polytrace help' lists the commands",
			name);
	return STATUS_ERROR;
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
run_command(const struct command *command, char **arguments)
{
	char message[OPT_MESSAGE];
	int status = STATUS_ERROR;
	if (command->is_divided && !ranks_join())
		return STATUS_ERROR;
	const uint64_t digest = agreement_begin(arguments);
	void *options = diag_allocate(1, command->options_size);
	switch (opt_parse(command->options, options, arguments, message)) {
	case OPT_PARSED:
		progress_catch_signals();
		if (agreement_check(digest, arguments))
			status = command->run(options, arguments);
		break;
	case OPT_WANTS_HELP: status = help_command(command); break;
	case OPT_INVALID: diag_print(command->name, "%s", message); break;
	case OPT_UNKNOWN:
		diag_print(command->name, "%s; 'polytrace help %s' lists the options", message,
			command->name);
		break;
	}
	opt_free(command->options, options);
	free(options);
	const bool has_failed = ranks_leave(status == STATUS_ERROR);
	progress_finish();
	return has_failed ? STATUS_ERROR : status;
}

/* Topics that a command with an option prints. */
static const char *const lists[][3] = {
	{"analyses", "stats", "--list"},
	{"analysis", "stats", "--list"},
	{"simulators", "sim", "--list"},
	{"simulator", "sim", "--list"},
	{"courses", "sim", "--list"},
};

static int
print_help(const char *name)
{
	const struct command *command = name ? find_command(name) : NULL;
	if (!name)
		return help_overview(commands);
	if (command)
		return help_command(command);
	if (help_is_topic(name))
		return help_topic(name);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		char option[20] = "", *arguments[] = {option, NULL};
		if (strcmp(lists[i][0], name) != 0)
			continue;
		strcpy(option, lists[i][2]);
		return run_command(find_command(lists[i][1]), arguments);
	}
	return unknown_command(name);
}

/* Returns the command that a link to the program is named after; NULL: none. */
static const struct command *
find_by_link(const char *program)
{
	const char *slash = strrchr(program, '/');
	return find_command(slash ? slash + 1 : program);
}

static bool
is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* Keeps some memory that was freed: pages that are returned to the system and requested again
 * cost up to a fifth of the time of several threads. */
static void
keep_freed_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 32 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
#endif
}

int
main(int argc, char **argv)
{
	keep_freed_memory();
	const struct command *linked = argc > 0 ? find_by_link(argv[0]) : NULL;
	if (linked)
		return run_command(linked, argv + 1);
	const char *word = argc > 1 ? argv[1] : "";
	if (is_one_of(word, "--version", "-V", "version"))
		return print_version();
	if (is_one_of(word, "--help", "-h", "help"))
		return print_help(strcmp(word, "help") == 0 ? argv[2] : NULL);
	if (!*word) {
		diag_print(NULL, "missing command; 'polytrace help' lists the commands");
		return STATUS_ERROR;
	}
	const struct command *command = find_command(word);
	return command ? run_command(command, argv + 2) : unknown_command(word);
}
