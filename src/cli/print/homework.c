/* SPDX-License-Identifier: MIT */
/* Homeworks of courses: analyses named COURSE_HOMEWORK. */
#include "cli/print/homework.h"

#include "cli/files/query.h"
#include "cli/command.h"
#include "cli/options/describe.h"
#include "cli/print/diagnostics.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The job on each input. */
struct homework {
	const struct poly_analysis_info *info;
	struct analysis_words words; /* options */
};

/* Returns the homework from index *i on, and increments *i beyond it; NULL: none. */
static const struct poly_analysis_info *
next_homework(size_t *i)
{
	const struct poly_analysis_info *info;
	while ((info = poly_analysis_at((*i)++)) && info->kind != POLY_ANALYSIS_HOMEWORK)
		;
	return info;
}

/* Returns the name of a homework within its course. */
static const char *
name_of(const struct poly_analysis_info *info)
{
	return strchr(info->name, '_') + 1;
}

/* Returns whether a homework is one of a course. */
static bool
is_course(const struct poly_analysis_info *info, const char *course)
{
	const size_t n = strcspn(info->name, "_");
	return strlen(course) == n && strncmp(info->name, course, n) == 0;
}

static int
homework_one(struct inputs *inputs, const char *path)
{
	const struct homework *homework = inputs->state;
	struct query query = {
		.command = "sim", .analysis = homework->info->name, .streams = true};
	if (analysis_has_option(homework->info, "trace", strlen("trace")))
		query_set(&query, "trace", path);
	for (size_t i = 0; i < homework->words.count; i++)
		analysis_words_add(&query.words, "", homework->words.items[i]);
	return query_run(&query, inputs, path);
}

/* Lists the courses, or the homeworks of one, as "a, b"; false: no such course. */
static bool
list_names(const char *course, char *text, size_t size)
{
	const struct poly_analysis_info *info;
	const char *last = "";
	size_t used = 0;
	for (size_t i = 0; (info = next_homework(&i)) && used < size;) {
		const size_t n = strcspn(info->name, "_") + 1;
		if (course ? !is_course(info, course) : strncmp(last, info->name, n) == 0)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "",
			course ? 20 : (int)n - 1, course ? info->name + n : info->name);
		last = info->name;
	}
	return used;
}

/* Finds a homework; NULL: there is none, and a message has been printed. */
static const struct poly_analysis_info *
find_homework(const char *course, const char *name)
{
	const struct poly_analysis_info *info = NULL;
	char names[200], subject[80];
	snprintf(subject, sizeof subject, "--course=%s", course);
	for (size_t i = 0; name && (info = next_homework(&i));) {
		if (is_course(info, course) && strcmp(name_of(info), name) == 0)
			return info;
	}
	if (!list_names(course, names, sizeof names)) {
		list_names(NULL, names, sizeof names);
		diag_print(subject, "no such course (expected %s)", names);
	} else if (!name || access(name, F_OK) == 0) {
		diag_print(subject, "missing homework (expected %s) before the input", names);
	} else {
		diag_print(subject, "no such homework '%s' (expected %s)", name, names);
	}
	return NULL;
}

/* Returns whether the words of -O name options of a homework; prints a message otherwise. */
static bool
words_are_valid(const struct opt_list *list, const struct poly_analysis_info *info)
{
	char options[200];
	for (size_t i = 0; i < list->count; i++) {
		const char *word = list->items[i];
		const size_t n = strcspn(word, "=");
		if (memchr(word, '.', n) || analysis_has_option(info, word, n))
			continue;
		diag_print("sim", "homework '%s' of %.*s: no such option '%.*s', expected %s",
			name_of(info), (int)strcspn(info->name, "_"), info->name, (int)n, word,
			*analysis_list_options(info, options, sizeof options) ? options
									      : "no option");
		return false;
	}
	return true;
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
	const char *const names[] = {homework.info->name, NULL};
	int status = STATUS_ERROR;
	if (words_are_valid(&options->options, homework.info) &&
		analysis_words_take(&options->options, names, &homework.words))
		status = inputs_run(&inputs, operands + 1);
	analysis_words_free(&homework.words);
	return status;
}

/* Adds the cells of a homework's course and name. */
static void
name_cells(struct poly_report *report, const struct poly_analysis_info *info)
{
	char course[20];
	snprintf(course, sizeof course, "%.*s", (int)strcspn(info->name, "_"), info->name);
	poly_report_cell_text(report, course);
	poly_report_cell_text(report, name_of(info));
}

static void
list_options(struct poly_report *report, const struct poly_analysis_info *info)
{
	const size_t prefix = strlen(info->name) + 1;
	for (const struct poly_option *option = info->options; option && option->name;
		option++) {
		name_cells(report, info);
		poly_report_cell_text(report, option->name + prefix);
		describe_cells(option, report);
	}
}

void
homework_list(struct poly_report *report)
{
	const struct poly_analysis_info *info;
	poly_report_table(report, "homeworks");
	poly_report_heading(report, "Homeworks (--course=COURSE)");
	poly_report_column(report, "course", false);
	poly_report_column(report, "homework", false);
	poly_report_column(report, "title", false);
	for (size_t i = 0; (info = next_homework(&i));) {
		name_cells(report, info);
		poly_report_cell_text(report, info->summary);
	}
	poly_report_end(report);
	poly_report_table(report, "homework_options");
	poly_report_heading(report, "Options of homeworks (-O NAME=VALUE)");
	poly_report_column(report, "course", false);
	poly_report_column(report, "homework", false);
	poly_report_column(report, "option", false);
	describe_columns(report);
	for (size_t i = 0; (info = next_homework(&i));)
		list_options(report, info);
	poly_report_end(report);
}
