/* SPDX-License-Identifier: MIT */
/* Homeworks of courses. */
#include "cli/print/homework.h"

#include "cli/options/analysis_words.h"
#include "cli/command.h"
#include "cli/options/describe.h"
#include "cli/print/diagnostics.h"
#include "cli/files/inputs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The job on each input. */
struct homework {
	const struct poly_homework_info *info;
	struct analysis_words words;
};

/*
 * Runs a homework on an input; false: an error, which was printed. output_finish reports errors
 * of standard output.
 */
static bool
run_homework(struct command_input *source, struct poly_course *course)
{
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status =
		poly_course_begin(course, poly_reader_info(source->reader), &error);
	if (status == POLY_OK)
		input_project(source, poly_course_columns(course));
	while (status == POLY_OK && (batch = input_next(source)))
		status = poly_course_update(course, batch, &error);
	if (status == POLY_OK)
		status = poly_course_finish(course, &error);
	progress_clear(&source->progress);
	if (status == POLY_OK || status == POLY_ERR_IO)
		return true;
	diag_error(source->name, &error);
	return false;
}

static int
homework_one(struct inputs *inputs, const char *path)
{
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS_INIT, .prints = true};
	const struct homework *homework = inputs->state;
	struct poly_course_options course_options = POLY_COURSE_OPTIONS_INIT;
	struct poly_error error;
	struct poly_course *course;
	struct command_input source;
	int status = STATUS_ERROR;
	course_options.course = homework->info->course;
	course_options.homework = homework->info->name;
	course_options.words = (const char *const *)homework->words.items;
	course_options.trace = path;
	course_options.sink = (struct poly_sink){output_write, inputs->output};
	if (poly_course_new(&course_options, &course, &error) != POLY_OK) {
		diag_error("sim", &error);
		return STATUS_ERROR;
	}
	if (input_open(&source, path, inputs->options, &wants)) {
		status = run_homework(&source, course) ? STATUS_DONE : STATUS_ERROR;
		output_flush(inputs->output);
		const int ended = input_close(&source);
		status = status > ended ? status : ended;
	}
	poly_course_free(course);
	return status;
}

/* Returns whether there is a course of this name. */
static bool
is_course(const char *course)
{
	const struct poly_homework_info *info;
	for (size_t i = 0; (info = poly_homework_at(i)); i++) {
		if (strcmp(info->course, course) == 0)
			return true;
	}
	return false;
}

/* Lists the courses, or the homeworks of one, as "a, b". */
static void
list_names(const char *course, char *text, size_t size)
{
	const struct poly_homework_info *info;
	const char *last = "";
	size_t used = 0;
	*text = 0;
	for (size_t i = 0; (info = poly_homework_at(i)) && used < size; i++) {
		const char *name = course ? info->name : info->course;
		if ((course && strcmp(info->course, course) != 0) || strcmp(name, last) == 0)
			continue;
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", used ? ", " : "", name);
		last = name;
	}
}

/* Finds a homework; NULL: there is none, and a message has been printed. */
static const struct poly_homework_info *
find_homework(const char *course, const char *name)
{
	char names[200], subject[80];
	const struct poly_homework_info *info = name ? poly_homework_find(course, name) : NULL;
	snprintf(subject, sizeof subject, "--course=%s", course);
	list_names(is_course(course) ? course : NULL, names, sizeof names);
	if (info)
		return info;
	if (!is_course(course))
		diag_print(subject, "no such course (expected %s)", names);
	else if (!name || access(name, F_OK) == 0)
		diag_print(subject, "missing homework (expected %s) before the input", names);
	else
		diag_print(subject, "no such homework '%s' (expected %s)", name, names);
	return NULL;
}

int
homework_run(struct input_options *options, const char *course, char **operands)
{
	struct homework homework = {.info = NULL};
	struct inputs inputs = {
		.options = options, .state = &homework, .process = homework_one};
	if (options->json || options->csv) {
		diag_print("sim",
			"--%s conflicts with --course: the output has the layout of the course",
			options->json ? "json" : "csv");
		return STATUS_ERROR;
	}
	homework.info = find_homework(course, operands[0]);
	if (!homework.info)
		return STATUS_ERROR;
	analysis_words_take_homework(&options->options, &homework.words);
	const int status = inputs_run(&inputs, operands + 1);
	analysis_words_free(&homework.words);
	return status;
}

static void
list_options(struct poly_report *report, const struct poly_homework_info *info)
{
	for (const struct poly_option *option = info->options; option && option->name;
		option++) {
		char values[200], initial[60];
		describe_values(option, values, sizeof values);
		poly_report_cell_text(report, info->course);
		poly_report_cell_text(report, info->name);
		poly_report_cell_text(report, option->name);
		poly_report_cell_text(report, values);
		poly_report_cell_text(
			report, describe_initial(option, initial, sizeof initial));
		poly_report_cell_text(report, option->help);
	}
}

void
homework_list(struct poly_report *report)
{
	const struct poly_homework_info *info;
	poly_report_table(report, "homeworks");
	poly_report_heading(report, "Homeworks (--course=COURSE)");
	poly_report_column(report, "course", false);
	poly_report_column(report, "homework", false);
	poly_report_column(report, "title", false);
	for (size_t i = 0; (info = poly_homework_at(i)); i++) {
		poly_report_cell_text(report, info->course);
		poly_report_cell_text(report, info->name);
		poly_report_cell_text(report, info->title);
	}
	poly_report_end(report);
	poly_report_table(report, "homework_options");
	poly_report_heading(report, "Options of homeworks (-O NAME=VALUE)");
	poly_report_column(report, "course", false);
	poly_report_column(report, "homework", false);
	poly_report_column(report, "option", false);
	poly_report_column(report, "values", false);
	poly_report_column(report, "default", false);
	poly_report_column(report, "meaning", false);
	for (size_t i = 0; (info = poly_homework_at(i)); i++)
		list_options(report, info);
	poly_report_end(report);
}
