/* SPDX-License-Identifier: MIT */
/* Decides when to predict lines, and learns lines that were not predicted. */
#include "format/line/predict.h"

#include "format/line/number.h"
#include "format/line/walk.h"

#include <string.h>

/* Interval in lines at which the benefit of prediction is evaluated. */
#define INTERVAL ((uint32_t)16 << 10)

/* Lines without prediction after an interval in which it did not pay. */
#define REST ((uint32_t)256 << 10)

/* Returns whether a line differs from a template, byte by byte. */
static bool
differs_plain(const uint8_t *line, const uint8_t *text, const struct template *template)
{
	for (size_t i = 0; i < TEMPLATE_TEXT / 64; i++) {
		for (uint64_t left = template->care[i]; left; left &= left - 1) {
			const size_t at = 64 * i + (size_t)__builtin_ctzll(left);
			if (line[at] != text[at])
				return true;
		}
	}
	return false;
}

static void
walk_plain(const struct templates *templates, struct predicted_run *run, const uint8_t *end,
	size_t max)
{
	walk(templates, run, end, max, differs_plain);
}

predict_walk *
predict_walk_by(enum predict_way way)
{
	predict_walk *best = NULL;
	if (way == PREDICT_NEVER)
		return NULL;
	if (way == PREDICT_PLAIN)
		return walk_plain;
	if (way != PREDICT_BEST)
		return predict_walk_x86(way);
	for (way = PREDICT_AVX2; !best && way > PREDICT_PLAIN; way--)
		best = predict_walk_x86(way);
	return best ? best : walk_plain;
}

void
predict_begin(struct predictor *predictor, struct batch *batch,
	const struct predict_format *format, enum predict_way way)
{
	if (predictor->started && !poly_columns_equal(predictor->wanted, batch->wanted)) {
		const struct line_context context = predictor->context;
		predict_free(predictor);
		predictor->context = context;
	}
	if (!predictor->started) {
		predictor->started = true;
		predictor->walk = predict_walk_by(way);
		predictor->wanted = batch->wanted;
		predictor->off = !predictor->walk ||
				 !templates_start(&predictor->templates, batch->wanted, format);
	}
	predictor->batch = batch;
	FOR_COLUMNS(c, format->windows)
	predictor->windows[c] = batch_column(batch, c);
	for (size_t i = 0; i < predictor->templates.columns; i++)
		predictor->columns[i] =
			batch_column(batch, predictor->templates.column[i].column);
	predictor->run.lines = 0;
}

/* Returns whether a line increments the counter. */
static bool
is_counted(const struct template *template)
{
	for (unsigned w = 0; w < template->windows; w++) {
		if (template->window[w].form & WINDOW_COUNTER)
			return true;
	}
	return false;
}

/* Stores a number that is not in the line. */
static void
put_derived(struct predictor *predictor, const struct window *window, size_t row)
{
	uint64_t *dst = predictor->windows[window->column];
	if (dst)
		dst[row] = window->form & WINDOW_COUNTER ? predictor->context.counter
							 : dst[row - 1];
}

/* Stores the numbers of a line in their columns; false if one does not have its form. */
static bool
put_numbers(struct predictor *predictor, const struct template *template, size_t i)
{
	const struct predicted_run *run = &predictor->run;
	bool counts = false;
	for (unsigned w = 0; w < template->windows; w++) {
		const struct window *window = &template->window[w];
		uint64_t *dst = predictor->windows[window->column], value;
		if (window->form & WINDOW_DERIVED) {
			put_derived(predictor, window, run->row + i);
			counts |= window->form & WINDOW_COUNTER;
			continue;
		}
		if (!window_number(predictor->window.start, run->text[i], window, &value))
			return false;
		if (dst)
			dst[run->row + i] = value;
	}
	predictor->context.counter += counts;
	return true;
}

/*
 * Parses the numbers of the lines that were added to a run after a line of template last; ends
 * the run at the first one that is not a number.
 */
static void
take_numbers(struct predictor *predictor, size_t added, uint32_t last)
{
	struct predicted_run *run = &predictor->run;
	for (uint64_t left = run->numbers; left; left &= left - 1) {
		const size_t i = (size_t)__builtin_ctzll(left);
		const struct template *template =
			template_at(&predictor->templates, run->number[i]);
		if (put_numbers(predictor, template, i))
			continue;
		run->lines = i;
		run->end = run->text[i];
		run->last = i == added ? last : run->number[i - 1];
		return;
	}
}

/*
 * Ends the run where a line ends: of the lines that were added after one of template last, the
 * parts of an incomplete line are removed.
 */
static void
end_line(struct predictor *predictor, size_t added, uint32_t last)
{
	struct predicted_run *run = &predictor->run;
	while (run->lines > added && template_end(&predictor->templates, run->last)) {
		predictor->context.counter -=
			is_counted(template_at(&predictor->templates, run->last));
		run->end = run->text[--run->lines];
		run->last = run->lines == added ? last : run->number[run->lines - 1];
	}
}

size_t
predict_lines(struct predictor *predictor, size_t row, const uint8_t **p)
{
	struct predicted_run *run = &predictor->run;
	const size_t room = predictor->batch->capacity - row;
	size_t lines = 0;
	if (predictor->off || predictor->rest)
		return 0;
	run->end = *p;
	/* A line that was not learned to its end. */
	if (template_end(&predictor->templates, run->last))
		run->last = TEMPLATE_NONE;
	for (bool is_full = run->lines == RUN_LINES_MAX;;) {
		if (is_full)
			predict_fill(predictor, POLY_BATCH_ROWS);
		if (run->lines == 0)
			run->row = row + lines;
		/* Breaks after the end of the shortened run do not count. */
		run->breaks &= ((uint64_t)1 << run->lines) - 1;
		const size_t before = run->lines, max = before + room - lines;
		const uint32_t last = run->last;
		predictor->walk(&predictor->templates, run, predictor->window.end,
			max < RUN_LINES_MAX ? max : RUN_LINES_MAX);
		take_numbers(predictor, before, last);
		is_full = run->lines == RUN_LINES_MAX;
		end_line(predictor, before, last);
		lines += run->lines - before;
		if (!is_full || run->lines == 0 || lines == room)
			break;
	}
	*p = run->end;
	if (lines)
		predictor->context.key = predictor->templates.positions[run->last].key;
	predictor->lines += (uint32_t)lines;
	return lines;
}

bool
predict_wants(struct predictor *predictor)
{
	if (!predictor->off && !predictor->rest)
		return true;
	predict_fill(predictor, POLY_BATCH_ROWS);
	predictor->run.last = TEMPLATE_NONE;
	predictor->rest -= predictor->rest != 0;
	return false;
}

/* Evaluates an interval of lines at its end. */
static void
judge(struct predictor *predictor)
{
	const bool full = predictor->templates.count == TEMPLATES_MAX;
	const uint64_t missed = predictor->missed;
	if (predictor->lines < INTERVAL)
		return;
	if (2 * missed > predictor->lines)
		predictor->rest = REST;
	if (full && 8 * missed > predictor->lines) {
		predict_fill(predictor, POLY_BATCH_ROWS);
		templates_forget(&predictor->templates);
		predictor->run.last = TEMPLATE_NONE;
	}
	predictor->lines = predictor->missed = 0;
}

void
predict_learn(struct predictor *predictor, size_t row, const struct line_shape *shape)
{
	struct predicted_run *run = &predictor->run;
	/* A part follows the one that ends where it begins. */
	if (template_end(&predictor->templates, run->last) != shape->at)
		run->last = TEMPLATE_NONE;
	const uint32_t last = run->last;
	const uint32_t number =
		templates_learn(&predictor->templates, predictor->batch, row, shape, last);
	templates_follow(&predictor->templates, last, number);
	/* The row of this line follows those of the run. */
	if (number == TEMPLATE_NONE || run->lines == RUN_LINES_MAX)
		predict_fill(predictor, row);
	if (number != TEMPLATE_NONE) {
		const uint64_t bit = (uint64_t)1 << run->lines;
		run->breaks = number == last + 1 ? run->breaks & ~bit : run->breaks | bit;
		/* The row is filled again, so that a new line does not end the run. */
		run->row = run->lines ? run->row : row;
		run->text[run->lines] = shape->line;
		run->number[run->lines++] = number;
		/* The successor of a line without template is linked to the line before it. */
		run->last = number;
	} else if (predictor->templates.positions[last].key != predictor->context.key) {
		/* It changed what the successors depend on. */
		run->last = TEMPLATE_NONE;
	}
	predictor->lines++;
	predictor->missed++;
	judge(predictor);
}

void
predict_free(struct predictor *predictor)
{
	templates_free(&predictor->templates);
	memset(predictor, 0, sizeof *predictor);
}
