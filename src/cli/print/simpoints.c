/* SPDX-License-Identifier: MIT */
/* Reads SimPoint's lists of intervals, and writes the intervals as traces. */
#include "cli/print/simpoints.h"

#include "cli/command.h"
#include "cli/files/split_output.h"
#include "cli/print/diagnostics.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of intervals of a list. */
#define POINTS_MAX 4096

/* Maximum number of labels besides that of warm-up. */
#define LABELS_MAX 100

struct point {
	uint64_t interval, phase;
	/* Rows of the interval, counted from 0 in the selected ones; end 0: not found. */
	uint64_t first, end;
	/* With warm-up, whose files overlap; otherwise the state has the only one. */
	struct split_output part;
};

/* The state of writing intervals. */
struct cutting {
	const struct simpoints_job *job;
	struct command_input *source;
	struct point *points; /* by interval */
	size_t count, next;   /* next: the first one that is not complete */
	uint64_t instructions;
	uint64_t interval; /* of the last row */
	uint64_t row;	   /* number of rows before the batch */
	struct split_output part;
};

/* Parses a number and the following blanks. */
static bool
parse_number(char **text, uint64_t *number)
{
	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*number = strtoull(*text, text, 10);
	*text += strspn(*text, " \t\r\n");
	return errno == 0;
}

static int
by_interval(const void *left, const void *right)
{
	const struct point *a = left, *b = right;
	return a->interval < b->interval ? -1 : a->interval > b->interval;
}

/* Reads the lines of a list; false: an error, which was printed. */
static bool
read_lines(struct cutting *cutting, FILE *file)
{
	const char *path = cutting->job->path;
	char line[100];
	unsigned number = 0;
	while (fgets(line, sizeof line, file)) {
		char *text = line + strspn(line, " \t\r\n");
		struct point point = {.interval = 0};
		number++;
		if (!*text)
			continue;
		if (!parse_number(&text, &point.interval) ||
			!parse_number(&text, &point.phase) || *text) {
			diag_print(path, "line %u is '%.*s', expected an interval and a phase",
				number, (int)strcspn(line, "\r\n"), line);
			return false;
		}
		if (cutting->count == POINTS_MAX) {
			diag_print(path, "more than %d intervals", POINTS_MAX);
			return false;
		}
		cutting->points[cutting->count++] = point;
	}
	return true;
}

/* Returns false, and prints an error, if two points have the same interval or phase, or the
 * list is empty. */
static bool
check_points(struct cutting *cutting)
{
	const char *path = cutting->job->path;
	const struct point *points = cutting->points;
	qsort(cutting->points, cutting->count, sizeof *cutting->points, by_interval);
	for (size_t i = 0; i < cutting->count; i++) {
		for (size_t j = 0; j < i; j++) {
			const bool same = points[i].interval == points[j].interval;
			if (!same && points[i].phase != points[j].phase)
				continue;
			diag_print(path, "%s %" PRIu64 " occurs twice",
				same ? "interval" : "phase",
				same ? points[i].interval : points[i].phase);
			return false;
		}
	}
	if (!cutting->count)
		diag_print(path, "empty list, expected an interval and a phase per line");
	return cutting->count;
}

static bool
read_points(struct cutting *cutting)
{
	FILE *file = fopen(cutting->job->path, "r");
	if (!file) {
		diag_print(cutting->job->path, "cannot open: %s", strerror(errno));
		return false;
	}
	bool good = read_lines(cutting, file);
	if (good && ferror(file)) {
		diag_print(cutting->job->path, "cannot read: %s", strerror(errno));
		good = false;
	}
	fclose(file);
	return good && check_points(cutting);
}

/* Returns whether intervals of phases count a row: an instruction, neither synthetic nor a
 * further micro-operation. */
static bool
is_counted(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_kind, row) &&
	       batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]) &&
	       !(poly_present(batch, POLY_COLUMN_uop_index, row) && batch->uop_index[row] > 1);
}

/*
 * Returns the interval of a row: that of the last instruction. Other rows that describe the
 * next instruction (addresses, comments) belong to its interval.
 */
static uint64_t
interval_of(struct cutting *cutting, const struct poly_batch *batch, size_t row)
{
	const uint64_t length = cutting->job->length;
	const bool is_other = poly_present(batch, POLY_COLUMN_kind, row) &&
			      batch->kind[row] == POLY_KIND_OTHER;
	cutting->instructions += is_counted(batch, row);
	uint64_t interval = cutting->instructions / length;
	if (!is_other && cutting->instructions)
		interval = (cutting->instructions - 1) / length;
	if (interval > cutting->interval)
		cutting->interval = interval;
	return cutting->interval;
}

/* Opens the output of a point, unless it is open; false: an error, which was printed. */
static bool
open_part(const struct cutting *cutting, const struct point *point, struct split_output *part,
	const struct poly_write_options *options)
{
	char name[24];
	if (part->output.writer)
		return true;
	snprintf(name, sizeof name, "%" PRIu64, point->phase);
	split_output_name(part, cutting->job->output, name);
	return output_is_allowed(cutting->job->policy, part->path) &&
	       split_output_open(part, poly_reader_info(cutting->source->reader), options);
}

/* Writes rows of an interval, from first to before end. */
static bool
deal_rows(struct cutting *cutting, const struct poly_batch *batch, size_t first, size_t end,
	uint64_t interval)
{
	struct point *next = &cutting->points[cutting->next];
	if (cutting->next < cutting->count && interval > next->interval) {
		if (!split_output_finish(&cutting->part))
			return false;
		split_output_discard(&cutting->part);
		next = &cutting->points[++cutting->next];
	}
	if (cutting->next == cutting->count || interval != next->interval)
		return true;
	if (!next->end)
		next->first = cutting->row + first;
	next->end = cutting->row + end;
	return cutting->job->warmup ||
	       (open_part(cutting, next, &cutting->part, cutting->job->options) &&
		       split_output_write_rows(&cutting->part, batch, first, end));
}

static bool
deal(struct cutting *cutting, const struct poly_batch *batch)
{
	size_t first = 0;
	uint64_t interval = interval_of(cutting, batch, 0);
	for (size_t row = 1; row <= batch->rows; row++) {
		const uint64_t next =
			row < batch->rows ? interval_of(cutting, batch, row) : interval;
		if (row < batch->rows && next == interval)
			continue;
		if (!deal_rows(cutting, batch, first, row, interval))
			return false;
		first = row;
		interval = next;
	}
	cutting->row += batch->rows;
	return true;
}

/* Finishes the last output; false, and an error is printed, if the trace ends before the
 * intervals. */
static bool
finish(struct cutting *cutting)
{
	const uint64_t whole = cutting->instructions / cutting->job->length;
	if (cutting->next == cutting->count)
		return true;
	const struct point *next = &cutting->points[cutting->next];
	if (next->interval < whole && cutting->next + 1 == cutting->count)
		return split_output_finish(&cutting->part);
	diag_print(cutting->source->name,
		"no interval %" PRIu64 " of phase %" PRIu64 ": the trace has %" PRIu64
		" complete intervals of %" PRIu64 " instructions",
		cutting->points[cutting->count - 1].interval,
		cutting->points[cutting->count - 1].phase, whole, cutting->job->length);
	return false;
}

/* Returns the number of rows of warm-up that precede an interval. */
static uint64_t
warmup_of(const struct cutting *cutting, const struct point *point)
{
	const uint64_t warmup = cutting->job->warmup;
	return warmup < point->first ? warmup : point->first;
}

/* Opens the output of a point, with a label that states its warm-up if the format holds labels;
 * false: an error, which was printed. */
static bool
open_warm(const struct cutting *cutting, struct point *point)
{
	const struct simpoints_job *job = cutting->job;
	struct poly_write_options options = *job->options;
	const char *labels[LABELS_MAX + 2] = {NULL};
	char label[60];
	size_t n = 0;
	if (point->part.output.writer)
		return true;
	for (; options.labels && options.labels[n]; n++) {
		if (n == LABELS_MAX) {
			diag_print("--label", "more than %d labels", LABELS_MAX);
			return false;
		}
		labels[n] = options.labels[n];
	}
	snprintf(label, sizeof label, POLY_LABEL_WARMUP "=%" PRIu64, warmup_of(cutting, point));
	labels[n] = label;
	if (job->holds_labels)
		options.labels = labels;
	return open_part(cutting, point, &point->part, &options);
}

/* Writes the rows of a batch that belong to a point or to its warm-up. */
static bool
deal_to_point(
	const struct cutting *cutting, const struct poly_batch *batch, struct point *point)
{
	const uint64_t begin = point->first - warmup_of(cutting, point), row = cutting->row;
	if (begin >= row + batch->rows || point->end <= row)
		return true;
	const size_t first = begin > row ? (size_t)(begin - row) : 0;
	const bool ends = point->end <= row + batch->rows;
	const size_t end = ends ? (size_t)(point->end - row) : batch->rows;
	if (!open_warm(cutting, point) ||
		!split_output_write_rows(&point->part, batch, first, end))
		return false;
	if (!ends)
		return true;
	if (!cutting->job->holds_labels)
		diag_print(point->part.path,
			"the first %" PRIu64 " records are warm-up, which this format cannot "
			"mark; simulate with --warmup=%" PRIu64,
			warmup_of(cutting, point), warmup_of(cutting, point));
	return split_output_finish(&point->part);
}

/* Writes the intervals that were found, each with the records before it, from a source that
 * begins again. */
static bool
write_warm(struct cutting *cutting, struct command_input *source)
{
	const struct poly_batch *batch;
	bool good = true;
	cutting->source = source;
	cutting->row = 0;
	while (good && cutting->row < cutting->points[cutting->count - 1].end &&
		(batch = input_next(source))) {
		for (size_t i = 0; good && i < cutting->count; i++)
			good = deal_to_point(cutting, batch, &cutting->points[i]);
		cutting->row += batch->rows;
	}
	return good && !input_is_partial(source);
}

int
simpoints_cut(const struct simpoints_job *job, struct command_input *source,
	struct command_input *again)
{
	struct cutting cutting = {.job = job, .source = source};
	const struct poly_batch *batch;
	cutting.points = diag_allocate(POINTS_MAX, sizeof *cutting.points);
	bool good = read_points(&cutting);
	while (good && cutting.next < cutting.count && (batch = input_next(source)))
		good = deal(&cutting, batch);
	good = good && !input_is_partial(source) && finish(&cutting);
	if (good && job->warmup)
		good = write_warm(&cutting, again);
	else if (good)
		simpoints_print_cold(job->output);
	split_output_discard(&cutting.part);
	for (size_t i = 0; i < cutting.count; i++)
		split_output_discard(&cutting.points[i].part);
	free(cutting.points);
	return good ? STATUS_DONE : STATUS_ERROR;
}

void
simpoints_print_cold(const char *name)
{
	diag_print(name,
		"the intervals have no warm-up: simulations of them begin cold, with errors of "
		"tens of percent; write records before each of them by 'convert --simpoints "
		"--warmup=N'");
}
