/* SPDX-License-Identifier: MIT */
/* Rendering of reports by the options of a command. */
#include "cli/print/rendering.h"

#include "polytrace/byte_output.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Maximum bytes of the name of a table, and of a file of one. */
#define TABLE_NAME 300
#define FILE_NAME 4096

/* Rows of a table with plots on a terminal, at most. */
#define TERMINAL_ROWS 40

enum poly_rendering
rendering_of_options(const struct input_options *options)
{
	if (options->json)
		return POLY_RENDER_JSON_LINE;
	return options->csv || options->csv_safe || options->tables ? POLY_RENDER_CSV
								    : POLY_RENDER_TEXT;
}

bool
rendering_is_valid(const struct input_options *options)
{
	const bool csv = options->csv || options->csv_safe;
	if (options->json && csv)
		diag_print(NULL, "--json conflicts with --csv; use one of them");
	return !(options->json && csv);
}

struct poly_report *
report_new(void)
{
	struct poly_report *report = poly_report_new();
	if (!report)
		diag_no_memory();
	return report;
}

/* Renders a report with options to an output, and frees the report. */
static int
render_with(struct poly_report *report, const struct poly_render_options *options,
	struct output *output)
{
	struct poly_error error;
	const struct poly_sink sink = {output_write, output};
	enum poly_status status = poly_report_render_with(report, options, &sink, &error);
	poly_report_free(report);
	/* output_finish reports a failure of the output. */
	if (status == POLY_OK || output_failed(output))
		return STATUS_DONE;
	diag_print(NULL, "%s", error.message);
	return STATUS_ERROR;
}

/* Returns how a report is printed by the options. */
static struct poly_render_options
rendering_options(const struct input_options *options)
{
	struct poly_render_options rendering = POLY_RENDER_OPTIONS_INIT;
	rendering.rendering = rendering_of_options(options);
	rendering.csv_safe = options->csv_safe;
	if (rendering.rendering == POLY_RENDER_TEXT && term_draws()) {
		rendering.rendering = POLY_RENDER_TERMINAL;
		rendering.width = term_width();
		rendering.color = term_colored(TERM_AUTO);
		rendering.rows = TERMINAL_ROWS;
	}
	return rendering;
}

/* Returns how a table is rendered to a file: by the options, or by the ending of its name. */
static enum poly_rendering
rendering_of_file(const struct input_options *options, const char *path)
{
	static const char ending[] = ".parquet";
	const size_t n = strlen(path), size = sizeof ending - 1;
	if (options->json)
		return POLY_RENDER_JSON_LINE;
	return n > size && strcmp(path + n - size, ending) == 0 && !options->csv &&
			       !options->csv_safe
		       ? POLY_RENDER_PARQUET
		       : POLY_RENDER_CSV;
}

/* Prints the names of all tables. */
static void
print_names(const struct poly_report *report)
{
	char name[TABLE_NAME];
	for (size_t i = 0; poly_report_table_at(report, i, name, sizeof name); i++)
		diag_print("--table", "expected %s", name);
}

/* How tables are written to files. */
struct table_saving {
	bool force;   /* replace files */
	bool partial; /* of a partial input, which was not accepted */
};

/* Renders a table to a file; returns the exit status. */
static int
save_table(const struct poly_report *report, const struct poly_render_options *options,
	const char *path, const struct table_saving *saving)
{
	const bool force = saving->force;
	const struct output_policy policy = {force, NULL, {NULL}};
	struct poly_byte_output *file = NULL;
	struct poly_error error;
	if (!output_is_allowed(&policy, path) ||
		(saving->partial && !output_accepts_partial(path)))
		return STATUS_ERROR;
	enum poly_status status = poly_byte_output_open(path, force, &file, &error);
	if (status == POLY_OK) {
		const struct poly_sink sink = {poly_byte_output_write, file};
		status = poly_report_render_with(report, options, &sink, &error);
	}
	if (status == POLY_OK)
		status = poly_byte_output_finish(file, &error);
	if (status != POLY_OK)
		diag_error(path, &error);
	if (status == POLY_ERR_USAGE)
		print_names(report);
	poly_byte_output_close(file);
	return status == POLY_OK ? STATUS_DONE : STATUS_ERROR;
}

/* Formats the name of the file of a table: after the input, if there are several. False: it is
 * too long. */
static bool
format_file_name(const struct input_options *options, const char *input, const char *name,
	char path[FILE_NAME])
{
	const char *slash = input ? strrchr(input, '/') : NULL;
	const char *stem = slash ? slash + 1 : input;
	const size_t n = strlen(options->tables);
	const int used = snprintf(path, FILE_NAME, "%s%s%s%s%s%s", options->tables,
		n && options->tables[n - 1] == '/' ? "" : "/", input ? stem : "",
		input ? "." : "", name, options->json ? ".json" : ".csv");
	return used > 0 && used < FILE_NAME;
}

/* Creates the folder of the tables if it does not exist; false: a message was printed. */
static bool
create_folder(const char *path)
{
	struct stat file;
	if (mkdir(path, 0777) == 0)
		return true;
	if (errno != EEXIST)
		diag_print(path, "cannot create folder: %s", strerror(errno));
	else if (stat(path, &file) == 0 && S_ISDIR(file.st_mode))
		return true;
	else
		diag_print(path, "not a folder; name one with '-o DIR/', or a table with "
				 "--table");
	return false;
}

/* Writes each table to a file of a folder; returns the exit status. */
static int
save_tables(const struct poly_report *report, const struct input_options *options,
	const struct output *output)
{
	struct poly_render_options rendering = POLY_RENDER_OPTIONS_INIT;
	const struct table_saving saving = {options->force, output->tables.partial};
	char name[TABLE_NAME], path[FILE_NAME];
	int worst = STATUS_DONE;
	rendering.rendering = options->json ? POLY_RENDER_JSON_LINE : POLY_RENDER_CSV;
	rendering.csv_safe = options->csv_safe;
	rendering.table = name;
	if (rendering_of_file(options, options->tables) == POLY_RENDER_PARQUET) {
		diag_print(options->tables, "a Parquet file has one table; name it with "
					    "--table, or a folder with '-o DIR/'");
		print_names(report);
		return STATUS_ERROR;
	}
	if (!create_folder(options->tables))
		return STATUS_ERROR;
	for (size_t i = 0; poly_report_table_at(report, i, name, sizeof name); i++) {
		int status = STATUS_ERROR;
		if (format_file_name(options, output->tables.input, name, path))
			status = save_table(report, &rendering, path, &saving);
		else
			diag_print(name, "the name of its file is longer than %d bytes",
				FILE_NAME - 1);
		worst = status > worst ? status : worst;
	}
	return worst;
}

/* Prints a table, or writes it to a file; returns the exit status. */
static int
render_one_table(
	struct poly_report *report, const struct input_options *options, struct output *output)
{
	struct poly_render_options rendering = rendering_options(options);
	const struct poly_sink sink = {output_write, output};
	struct poly_error error;
	rendering.table = options->table;
	rendering.file = output->tables.input;
	rendering.no_header = output->tables.headed;
	if (options->json || rendering.rendering == POLY_RENDER_CSV)
		output_quote(output);
	if (options->tables && output->tables.input) {
		diag_print(options->tables,
			"several inputs; name a folder with '-o DIR/', without "
			"--table");
		return STATUS_ERROR;
	}
	if (options->tables) {
		const struct table_saving saving = {options->force, output->tables.partial};
		rendering.rendering = rendering_of_file(options, options->tables);
		return save_table(report, &rendering, options->tables, &saving);
	}
	const enum poly_status status =
		poly_report_render_with(report, &rendering, &sink, &error);
	output->tables.headed = true;
	if (status == POLY_OK || output_failed(output))
		return STATUS_DONE;
	diag_error("--table", &error);
	if (status == POLY_ERR_USAGE)
		print_names(report);
	return STATUS_ERROR;
}

/* Names the switches of tables, once, if there are several in one CSV. */
static void
advise_tables(const struct poly_report *report, struct output *output)
{
	char name[TABLE_NAME];
	if (output->tables.advised || !poly_report_table_at(report, 1, name, sizeof name))
		return;
	diag_print(NULL, "the CSV has several tables; --table NAME prints one, and '-o DIR/' "
			 "writes each to a file");
	output->tables.advised = true;
}

int
report_render(
	struct poly_report *report, const struct input_options *options, struct output *output)
{
	if (options->table || options->tables) {
		const int status = options->table ? render_one_table(report, options, output)
						  : save_tables(report, options, output);
		output->tables.partial = false;
		poly_report_free(report);
		return status;
	}
	const struct poly_render_options rendering = rendering_options(options);
	output->tables.partial = false;
	if (options->json || rendering.rendering == POLY_RENDER_CSV)
		output_quote(output);
	if (rendering.rendering == POLY_RENDER_CSV)
		advise_tables(report, output);
	return render_with(report, &rendering, output);
}

int
report_print_list(struct poly_report *report, const struct input_options *options)
{
	struct output *output = output_new();
	struct poly_render_options rendering = POLY_RENDER_OPTIONS_INIT;
	int status;
	rendering.rendering = rendering_of_options(options);
	rendering.width = term_width();
	if (rendering.rendering == POLY_RENDER_TEXT && !options->table && !options->tables)
		status = render_with(report, &rendering, output);
	else
		status = report_render(report, options, output);
	const int written = output_finish(output);
	return written > status ? written : status;
}
