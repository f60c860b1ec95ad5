/* SPDX-License-Identifier: MIT */
/* polytrace sql: SQL on traces. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/command_input.h"
#include "cli/print/diagnostics.h"
#include "cli/print/progress.h"
#include "cli/print/rendering.h"
#include "cli/print/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Maximum bytes of the name of a table, and of an option of one. */
#define NAME_SIZE 120
#define OPTION_SIZE 400

/* Maximum number of options of a table. */
#define OPTIONS_MAX 6

/* Default of --memory. */
#define MEMORY_DEFAULT ((uint64_t)1 << 30)

struct sql_command_options {
	struct input_options source; /* first: the options of the input */
	struct opt_number rows, timeout, memory;
};

#define FIELD(member) .field = offsetof(struct sql_command_options, member)

static const char *const timeouts[] = {"1000000000", "1", NULL};

static const struct opt sql_table[] = {
	{"rows", 0, OPT_NUMBER, "N", FIELD(rows),
		.help = "print at most N rows of each statement"},
	{"timeout", 0, OPT_NUMBER, "SECONDS", .choices = timeouts, FIELD(timeout),
		.help = "end a statement after this time"},
	{"memory", 0, OPT_SIZE, "SIZE", .choices = opt_from_one, FIELD(memory),
		.help = "memory limit of SQL, which excludes that of readers and analyses "
			"(default 1G)"},
	{0},
};

static const struct opt *const sql_tables[] = {sql_table, rendering_table, input_table, NULL};

/* A file that was read. */
struct read_file {
	struct read_file *next;
	bool is_reported; /* its warnings and errors were printed */
	char path[];
};

/* A run of the command. */
struct sql_run {
	const struct sql_command_options *options;
	struct sql_database *database;
	struct output *output;
	uint64_t deadline; /* of the statement in milliseconds; 0: none */
	bool timed_out;
	bool printed;	/* rows of a statement */
	int corruption; /* exit status for corrupt data of the files */
	struct read_file *files;
};

/* Returns the milliseconds of the monotonic clock. */
static uint64_t
milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Returns 1 to end a statement. */
static int
check_end(void *user)
{
	struct sql_run *run = user;
	run->timed_out = run->deadline && milliseconds() >= run->deadline;
	return run->timed_out || progress_interrupted();
}

/* Returns the entry of a file. */
static struct read_file *
find_file(struct sql_run *run, const char *path)
{
	struct read_file *file = run->files;
	while (file && strcmp(file->path, path) != 0)
		file = file->next;
	if (file)
		return file;
	file = diag_allocate(1, sizeof *file + strlen(path) + 1);
	strcpy(file->path, path);
	file->next = run->files;
	run->files = file;
	return file;
}

static void
free_files(struct read_file *file)
{
	while (file) {
		struct read_file *next = file->next;
		free(file);
		file = next;
	}
}

/* Reports what is wrong in a file that was read, once: a statement may read it several times.
 */
static void
check_read(void *user, const char *path, struct poly_reader *reader)
{
	struct sql_run *run = user;
	const int status = input_report_corruption(
		path, reader, &run->options->source, &find_file(run, path)->is_reported);
	run->corruption = status > run->corruption ? status : run->corruption;
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/*
 * Derives the name of a table: that of the file up to its first dot; what is not a letter or a
 * digit is '_'.
 */
static void
derive_name(const char *path, char name[NAME_SIZE])
{
	const char *slash = strrchr(path, '/');
	const char *stem = slash ? slash + 1 : path;
	stem += strspn(stem, ".");
	size_t n = strcspn(stem, ".");
	size_t used = 0;
	/* Names do not begin with a digit, and those that begin with "sqlite_" are reserved. */
	if (!n || (*stem >= '0' && *stem <= '9') || strncmp(stem, "sqlite_", 7) == 0)
		name[used++] = '_';
	n = n < NAME_SIZE - 10 ? n : NAME_SIZE - 10;
	for (size_t i = 0; i < n; i++)
		name[used++] = is_word(stem[i]) ? stem[i] : '_';
	name[used] = 0;
}

/* Derives the name of the i-th operand: that of an earlier one, in any case, gets a number. */
static void
name_operand(char **paths, size_t i, char name[NAME_SIZE])
{
	char other[NAME_SIZE];
	unsigned same = 1;
	derive_name(paths[i], name);
	for (size_t k = 0; k < i; k++) {
		derive_name(paths[k], other);
		same += strcasecmp(name, other) == 0;
	}
	const size_t used = strlen(name);
	if (same > 1)
		snprintf(name + used, NAME_SIZE - used, "_%u", same);
}

/* The options of a table. */
struct table_options {
	char text[OPTIONS_MAX][OPTION_SIZE];
	const char *items[OPTIONS_MAX + 1];
	size_t count;
};

/* Adds an option; false: there are too many, or it is too long, and a message was printed. */
static bool
add_option(struct table_options *list, const char *name, const char *value)
{
	if (list->count == OPTIONS_MAX) {
		diag_print("sql", "more than %d options of the input", OPTIONS_MAX);
		return false;
	}
	char *text = list->text[list->count];
	if (snprintf(text, OPTION_SIZE, "%s%s%s", name, *name && value ? "=" : "",
		    value ? value : "") >= OPTION_SIZE) {
		diag_print("sql", "an option is longer than %d bytes", OPTION_SIZE - 1);
		return false;
	}
	list->items[list->count++] = text;
	return true;
}

/* Collects the options of the input as those of a table. */
static bool
collect_options(const struct input_options *options, struct table_options *list)
{
	char number[24];
	bool valid =
		(!options->from || add_option(list, "from", options->from)) &&
		(!options->isa || add_option(list, "isa", options->isa)) &&
		(!options->strict || add_option(list, "strict", NULL)) &&
		(!options->partial || add_option(list, "partial", NULL)) &&
		(!options->by_thread || add_option(list, "by-thread", NULL)) &&
		(options->on_error != ON_ERROR_SKIP || add_option(list, "on-error", "skip"));
	for (size_t i = 0; valid && i < options->options.count; i++)
		valid = add_option(list, "", options->options.items[i]);
	snprintf(number, sizeof number, "%llu", (unsigned long long)options->threads.value);
	valid = valid && (!options->threads.is_set || add_option(list, "threads", number));
	snprintf(number, sizeof number, "%llu", (unsigned long long)options->max_line.value);
	return valid && (!options->max_line.is_set || add_option(list, "max-line", number));
}

/* Adds an operand as a table; false: an error, which was printed. */
static bool
add_table(struct sql_run *run, char **paths, size_t i, const struct table_options *options)
{
	const struct input_needs needs = {.columns = POLY_COLUMNS_INIT(0)};
	struct command_input input;
	struct poly_error error;
	char name[NAME_SIZE];
	if (strcmp(paths[i], "-") == 0) {
		diag_print("standard input", "a query may read its files several times; "
					     "write it to a file");
		return false;
	}
	/* Prints errors as other commands do, with --verbose, too. */
	if (!input_open(&input, paths[i], &run->options->source, &needs))
		return false;
	input_discard(&input);
	name_operand(paths, i, name);
	if (sql_add_trace(run->database, name, paths[i], options->items, &error) == POLY_OK)
		return true;
	diag_error(NULL, &error);
	return false;
}

/* Adds the operands as tables; false: an error, which was printed. */
static bool
add_tables(struct sql_run *run, char **paths)
{
	struct table_options options = {.count = 0};
	if (!collect_options(&run->options->source, &options))
		return false;
	for (size_t i = 0; paths[i]; i++) {
		if (!add_table(run, paths, i, &options))
			return false;
	}
	return true;
}

/* Prints why a statement ended early; returns the exit status. */
static int
print_failure(const struct sql_run *run, const struct poly_error *error)
{
	if (run->timed_out)
		diag_print("--timeout",
			"the statement did not end within %llu s; the result "
			"is partial",
			(unsigned long long)run->options->timeout.value);
	else if (error->status == POLY_ERR_CANCELLED)
		diag_print("sql", "interrupted; the result is partial");
	else if (error->status == POLY_ERR_MEMORY)
		diag_print("sql", "out of memory; --memory raises the limit");
	else
		diag_error("sql", error);
	return STATUS_ERROR;
}

/* Runs the current statement and prints its rows; returns the exit status. */
static int
run_statement(struct sql_run *run)
{
	const struct opt_number *limit = &run->options->rows;
	struct row_printer *printer = NULL;
	enum poly_status status = POLY_OK;
	struct poly_error error;
	if (run->options->timeout.is_set)
		run->deadline = milliseconds() + 1000 * run->options->timeout.value;
	if (sql_column_count(run->database)) {
		if (run->printed && !run->options->source.json)
			output_text(run->output, "\n");
		run->printed = true;
		printer = rows_new(&run->options->source, run->database, run->output);
	}
	for (uint64_t rows = 0; !output_failed(run->output); rows++) {
		if (limit->is_set && printer && rows == limit->value)
			break;
		status = sql_next(run->database, &error);
		if (status != POLY_OK)
			break;
		if (printer)
			rows_print(printer);
	}
	run->deadline = 0;
	if (printer)
		rows_finish(printer, status < 0);
	output_flush(run->output);
	return status < 0 ? print_failure(run, &error) : STATUS_DONE;
}

/* Runs all statements of a text; returns the exit status. */
static int
run_statements(struct sql_run *run, const char *text)
{
	enum poly_status status;
	struct poly_error error;
	while ((status = sql_prepare(run->database, &text, &error)) == POLY_OK) {
		if (run_statement(run) != STATUS_DONE)
			return STATUS_ERROR;
		if (output_failed(run->output))
			return STATUS_DONE;
	}
	return status < 0 ? print_failure(run, &error) : STATUS_DONE;
}

static int
sql_run(void *fields, char **operands)
{
	const struct sql_command_options *options = fields;
	struct sql_run run = {.options = options};
	const struct sql_options settings = {.interrupted = check_end,
		.read = check_read,
		.user = &run,
		.memory_bytes =
			options->memory.is_set ? options->memory.value : MEMORY_DEFAULT};
	struct poly_error error;
	int status = STATUS_ERROR;
	if (!operands[0]) {
		diag_print("sql", "missing statement; write polytrace sql 'SELECT ...' FILE");
		return STATUS_ERROR;
	}
	if (!rendering_is_valid(&options->source))
		return STATUS_ERROR;
	if (sql_open(&settings, &run.database, &error) != POLY_OK) {
		diag_error("sql", &error);
		return STATUS_ERROR;
	}
	run.output = output_new();
	if (add_tables(&run, operands + 1))
		status = run_statements(&run, operands[0]);
	sql_close(run.database);
	free_files(run.files);
	status = run.corruption > status ? run.corruption : status;
	const int written = output_finish(run.output);
	return written > status ? written : status;
}

const struct command command_sql = {
	.name = "sql",
	.group = GROUP_ANALYSE,
	.summary = "query traces with SQL",
	.usage = "[options] SQL [FILE...]",
	.examples = {"polytrace sql 'SELECT count(*) FROM trace' trace.tt6e",
		"polytrace sql --csv 'SELECT hex(pc) FROM trace' trace.gz"},
	.options = sql_tables,
	.options_size = sizeof(struct sql_command_options),
	.run = sql_run,
};
