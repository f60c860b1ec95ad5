/* SPDX-License-Identifier: MIT */
/* Homeworks of courses. */
#include "cli/homework.h"

#include "cli/command.h"
#include "cli/describe.h"
#include "cli/say.h"

#include <string.h>

/* What is done with each input. */
struct homework {
	const struct poly_homework_info *info;
	const struct opt_list *settings;
};

/*
 * Does the homework with an input; false, and told, where that fails. What is wrong with
 * standard output is told when it is finished.
 */
static bool
work(struct source *source, struct poly_course *course)
{
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status =
		poly_course_begin(course, poly_reader_info(source->reader), &error);
	if (status == POLY_OK)
		source_want(source, poly_course_columns(course));
	while (status == POLY_OK && (batch = source_next(source)))
		status = poly_course_update(course, batch, &error);
	if (status == POLY_OK)
		status = poly_course_finish(course, &error);
	progress_clear(&source->progress);
	if (status == POLY_OK || status == POLY_ERR_IO)
		return true;
	say_error(source->name, &error);
	return false;
}

static int
homework_one(struct inputs *inputs, const char *path)
{
	const struct source_wants wants = {.columns = POLY_ALL_COLUMNS, .prints = true};
	const struct homework *homework = inputs->state;
	struct poly_course_options asked = POLY_COURSE_OPTIONS_INIT;
	struct poly_error error;
	struct poly_course *course;
	struct source source;
	int status = STATUS_TROUBLE;
	asked.course = homework->info->course;
	asked.homework = homework->info->name;
	asked.words = homework->settings->items;
	asked.trace = path;
	asked.sink = (struct poly_sink){output_write, inputs->output};
	if (poly_course_new(&asked, &course, &error) != POLY_OK) {
		say_error("sim", &error);
		return STATUS_TROUBLE;
	}
	if (source_open(&source, path, inputs->options, &wants)) {
		status = work(&source, course) ? STATUS_DONE : STATUS_TROUBLE;
		output_flush(inputs->output);
		const int ended = source_close(&source);
		status = status > ended ? status : ended;
	}
	poly_course_free(course);
	return status;
}

/* Whether there is a course of a name. */
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

int
homework_run(const struct source_options *options, const char *course,
	const struct opt_list *settings, char **operands)
{
	struct homework homework = {NULL, settings};
	struct inputs inputs = {.options = options, .state = &homework, .one = homework_one};
	if (options->json || options->csv) {
		say("sim", "the output of a course has one layout: --%s can't be with --course",
			options->json ? "json" : "csv");
		return STATUS_TROUBLE;
	}
	if (!is_course(course)) {
		say("sim", "there is no course '%s'; 'polytrace sim --list' shows them",
			course);
		return STATUS_TROUBLE;
	}
	if (!operands[0]) {
		say("sim", "no homework is named; 'polytrace sim --list' shows those of %s",
			course);
		return STATUS_TROUBLE;
	}
	homework.info = poly_homework_find(course, operands[0]);
	if (!homework.info) {
		say("sim", "there is no homework '%s' of %s; 'polytrace sim --list' shows them",
			operands[0], course);
		return STATUS_TROUBLE;
	}
	return inputs_run(&inputs, operands + 1);
}

static void
list_options(struct poly_report *report, const struct poly_homework_info *info)
{
	for (const struct poly_option *option = info->options; option->name; option++) {
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
	poly_report_heading(report, "Options of homeworks (-S NAME=VALUE)");
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
