/* SPDX-License-Identifier: MIT */
/* Runs homeworks of the courses: finds one, passes it the records of a trace, and prints its
 * output. */
#include "analysis/course/model.h"

#include "analysis/facts/uops.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define CHOICES_ROOM 120 /* bytes of a list of choices */

static const struct model *const models[] = {
	&model_penn_hw1,
	&model_penn_hw2a,
	&model_penn_hw3,
	&model_penn_hw4,
	&model_penn_hw5,
	&model_penn_v2,
	&model_wustl_hw1,
	&model_wustl_hw2a,
	&model_wustl_hw3,
	&model_wustl_hw4,
	&model_wustl_hw5,
	&model_wustl_hw6,
	&model_sfsu_1b,
	&model_sfsu_2,
};

struct poly_course {
	const struct model *model;
	void *state;
	struct model_output output;
	char *trace;	 /* the name in the output */
	uint64_t number; /* of the last record */
	poly_columns columns;
};

const struct poly_homework_info *
poly_homework_at(size_t i)
{
	return i < sizeof models / sizeof *models ? &models[i]->info : NULL;
}

static const struct model *
find_model(const char *course, const char *name)
{
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		if (strcmp(models[i]->info.course, course) == 0 &&
			strcmp(models[i]->info.name, name) == 0)
			return models[i];
	}
	return NULL;
}

const struct poly_homework_info *
poly_homework_find(const char *course, const char *name)
{
	const struct model *model = find_model(course, name);
	return model ? &model->info : NULL;
}

enum poly_status
model_flush(struct model_output *output, struct poly_error *error)
{
	struct buf *lines = &output->lines;
	if (lines->failed)
		return err_memory(error);
	const int failure =
		lines->size ? output->sink.write(output->sink.user, lines->data, lines->size)
			    : 0;
	buf_clear(lines);
	if (!failure)
		return POLY_OK;
	enum poly_status status = err_set(
		error, POLY_ERR_IO, POLY_NO_OFFSET, "cannot write: %s", strerror(failure));
	if (error)
		error->sys_errno = failure;
	return status;
}

/* Appends a name to the choices of a message. */
static void
add_choice(char text[CHOICES_ROOM], const char *name)
{
	const size_t n = strlen(text);
	snprintf(text + n, CHOICES_ROOM - n, "%s%s", n ? ", " : "", name);
}

static enum poly_status
fail_option(const struct poly_homework_info *info, const char *word, int n,
	struct poly_error *error)
{
	char choices[CHOICES_ROOM] = "";
	for (const struct poly_option *option = info->options; option && option->name; option++)
		add_choice(choices, option->name);
	return err_usage(error, "homework '%s' of %s: no such option '%.*s', expected %s",
		info->name, info->course, n, word, *choices ? choices : "no option");
}

static enum poly_status
fail_homework(const struct poly_course_options *options, struct poly_error *error)
{
	char choices[CHOICES_ROOM] = "";
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		if (strcmp(models[i]->info.course, options->course) == 0)
			add_choice(choices, models[i]->info.name);
	}
	return err_usage(error, "no such homework '%.60s' of %.60s, expected %s",
		options->homework, options->course,
		*choices ? choices : "the course penn, wustl or sfsu");
}

/* Parses the values of the homework's options. */
static enum poly_status
parse_words(const struct poly_homework_info *info, const char *const *words,
	struct option_values *values, struct poly_error *error)
{
	enum poly_status status = option_values_init(info->options, values, error);
	for (; status == POLY_OK && words && *words; words++) {
		size_t n;
		status = option_name(*words, &n, error);
		if (status != POLY_OK)
			return status;
		const struct poly_option *option = option_find(info->options, *words, n);
		if (!option)
			return fail_option(info, *words, (int)n, error);
		status = option_take(values, info->options, option, *words + n + 1, error);
	}
	return status;
}

/* Returns the name of the trace in the output: that of the option, or the caller's. */
static const char *
trace_name(const struct poly_homework_info *info, const struct option_values *values,
	const char *name)
{
	const struct poly_option *option = option_find(info->options, "trace", 5);
	const char *text = option ? values->texts[option - info->options] : NULL;
	return text ? text : name;
}

/* Prepares the model. */
static enum poly_status
prepare(struct poly_course *course, const struct poly_course_options *options,
	struct poly_error *error)
{
	const struct model *model = course->model;
	struct option_values values = {0};
	enum poly_status status = parse_words(&model->info, options->words, &values, error);
	course->output.sink = options->sink;
	course->state = mem_new(1, model->state_size);
	if (status == POLY_OK && course->state)
		course->trace = mem_string(trace_name(&model->info, &values, options->trace));
	if (status == POLY_OK && !course->trace)
		status = err_memory(error);
	course->output.trace = course->trace;
	if (status == POLY_OK && model->init)
		status = model->init(course->state, &values, error);
	option_values_free(&values);
	return status;
}

enum poly_status
poly_course_new(const struct poly_course_options *options, struct poly_course **course,
	struct poly_error *error)
{
	struct poly_course_options request = POLY_COURSE_OPTIONS_INIT;
	*course = NULL;
	enum poly_status status = option_struct(&request, sizeof request, options, error);
	if (status != POLY_OK)
		return status;
	const struct model *model = find_model(request.course, request.homework);
	if (!model)
		return fail_homework(&request, error);
	struct poly_course *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	created->model = model;
	status = prepare(created, &request, error);
	if (status == POLY_OK)
		*course = created;
	else
		poly_course_free(created);
	return status;
}

enum poly_status
poly_course_begin(struct poly_course *course, const struct poly_trace_info *info,
	struct poly_error *error)
{
	const struct model *model = course->model;
	const poly_columns lacks = poly_columns_minus(model->info.needs, info->columns);
	if (!poly_columns_empty(lacks))
		return err_usage(error,
			"homework '%s' of %s requires the column '%s', which a trace of format "
			"'%s' does not have",
			model->info.name, model->info.course,
			poly_column_name(poly_columns_next(lacks, 0)), info->format);
	course->columns = poly_columns_common(
		poly_columns_union(model->info.needs, model->info.wants), info->columns);
	if (model->begin)
		model->begin(course->state, &course->output);
	return model_flush_if_full(&course->output, error);
}

poly_columns
poly_course_columns(const struct poly_course *course)
{
	return course->columns;
}

enum poly_status
poly_course_update(
	struct poly_course *course, const struct poly_batch *batch, struct poly_error *error)
{
	const struct model *model = course->model;
	enum poly_status status = POLY_OK;
	if (model->add_rows)
		return model->add_rows(course->state, batch, &course->output, error);
	for (size_t row = 0; row < batch->rows && status == POLY_OK; row++) {
		struct course_uop uop;
		if (!uop_of_row(batch, row, &uop))
			continue;
		uop.number = ++course->number;
		status = model->add_uop(course->state, &uop, &course->output, error);
		if (status == POLY_OK)
			status = model_flush_if_full(&course->output, error);
	}
	return status;
}

enum poly_status
poly_course_finish(struct poly_course *course, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (course->model->end)
		status = course->model->end(course->state, &course->output, error);
	return status == POLY_OK ? model_flush(&course->output, error) : status;
}

void
poly_course_free(struct poly_course *course)
{
	if (!course)
		return;
	if (course->state && course->model->fini)
		course->model->fini(course->state);
	mem_free(course->state);
	mem_free(course->trace);
	buf_free(&course->output.lines);
	mem_free(course);
}
