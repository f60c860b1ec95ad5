/* SPDX-License-Identifier: MIT */
/* polytrace grade: finds the first difference between outputs of a course's simulators. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/print/rendering.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the two outputs. */
struct side {
	const char *name;
	FILE *file;
	char *line;
	size_t room;
};

static const struct opt grade_table[] = {
	{"help", 'h', OPT_HELP, .help = "print this help"},
	{0},
};

static const struct opt *const grade_tables[] = {
	grade_table, rendering_table, tables_table, NULL};

static bool
open_side(struct side *side, const char *path)
{
	side->name = diag_input_name(path);
	side->file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	if (!side->file)
		diag_print(side->name, "cannot open: %s", strerror(errno));
	return side->file != NULL;
}

static void
close_side(struct side *side)
{
	if (side->file && side->file != stdin)
		fclose(side->file);
	free(side->line);
}

/* Reads the next line without its line feed, or NULL at the end; false: an error, which was
 * printed.
 */
static bool
next_line(struct side *side, const char **line, size_t *size)
{
	ssize_t n = getline(&side->line, &side->room, side->file);
	*line = NULL;
	*size = 0;
	if (n < 0 && !feof(side->file)) {
		diag_print(side->name, "cannot read: %s", strerror(errno));
		return false;
	}
	if (n >= 0) {
		*line = side->line;
		*size = (size_t)n - (n > 0 && side->line[n - 1] == '\n');
	}
	return true;
}

/* Compares line by line until one differs; false: an error, which was printed. */
static bool
compare(struct poly_grade *grade, struct side sides[2])
{
	struct poly_error error;
	enum poly_status status = POLY_OK;
	const char *line;
	size_t size;
	while (status == POLY_OK) {
		if (!next_line(&sides[0], &line, &size))
			return false;
		status = poly_grade_expected(grade, line, size, &error);
		if (status == POLY_OK && !next_line(&sides[1], &line, &size))
			return false;
		if (status == POLY_OK)
			status = poly_grade_actual(grade, line, size, &error);
	}
	if (status != POLY_END)
		diag_error("grade", &error);
	return status == POLY_END;
}

static void
report_verdict(struct poly_report *report, const struct poly_grade_verdict *verdict)
{
	poly_report_bool(report, "equal", !verdict->line);
	if (!verdict->line)
		return;
	poly_report_section(report, "difference");
	poly_report_count(report, "line", verdict->line);
	poly_report_count(report, "column", verdict->column);
	poly_report_text(report, "layout", verdict->layout);
	poly_report_text(report, "field", verdict->field);
	poly_report_text(
		report, "expected", verdict->expected ? verdict->expected : "(the end)");
	poly_report_text(report, "actual", verdict->actual ? verdict->actual : "(the end)");
	poly_report_text(report, "explanation", verdict->why);
	poly_report_end(report);
}

static int
grade_sides(const struct input_options *options, struct side sides[2])
{
	struct poly_grade *grade;
	struct poly_error error;
	if (poly_grade_new(&grade, &error) != POLY_OK) {
		diag_error("grade", &error);
		return STATUS_ERROR;
	}
	int status = STATUS_ERROR;
	if (compare(grade, sides)) {
		const struct poly_grade_verdict *verdict = poly_grade_get_verdict(grade);
		struct poly_report *report = report_new();
		struct output *output = output_new();
		report_verdict(report, verdict);
		status = report_render(report, options, output);
		int written = output_finish(output);
		status = written > status ? written : status;
		if (status == STATUS_DONE && verdict->line)
			status = STATUS_NEGATIVE;
	}
	poly_grade_free(grade);
	return status;
}

static int
grade_run(void *fields, char **operands)
{
	const struct input_options *options = fields;
	struct side sides[2] = {{0}};
	if (!rendering_is_valid(options))
		return STATUS_ERROR;
	if (!operands[0]) {
		diag_print("grade", "no input: name the files EXPECTED and ACTUAL, or '-' for "
				    "standard input");
		return STATUS_ERROR;
	}
	if (!operands[1] || operands[2]) {
		diag_print("grade", "expected two files, EXPECTED and ACTUAL");
		return STATUS_ERROR;
	}
	int status = STATUS_ERROR;
	if (open_side(&sides[0], operands[0]) && open_side(&sides[1], operands[1]))
		status = grade_sides(options, sides);
	close_side(&sides[0]);
	close_side(&sides[1]);
	return status;
}

const struct command command_grade = {
	.name = "grade",
	.group = GROUP_COURSES,
	.summary = "find the first difference between outputs of a course's simulators",
	.usage = "[options] EXPECTED ACTUAL",
	.examples = {"polytrace grade bimodal3.output mine.output",
		"polytrace grade --json bimodal3.output mine.output"},
	.options = grade_tables,
	.options_size = sizeof(struct input_options),
	.run = grade_run,
};
