/* SPDX-License-Identifier: MIT */
/* Tasks of ranks: each result is an exit status and the bytes of saved results. */
#include "cli/files/spread_stats.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/programs/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a result. */
struct spread_result {
	int status;
	char *bytes; /* NULL: none */
	size_t size;
};

/* The records of segments whose bounds a file states. */
struct counted {
	uint64_t records;
};

/* Counts the records of a segment, and skips it. */
static bool
count_segment(void *user, const struct poly_bounds *bounds)
{
	struct counted *counted = user;
	if (bounds->first + bounds->rows > counted->records)
		counted->records = bounds->first + bounds->rows;
	return false;
}

/* Returns the number of records of a file that states it, so that ranges of it are found
 * without reading what precedes them; else 0. */
static uint64_t
count_records(const char *path, const struct input_options *options)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	const struct poly_batch *batch;
	struct poly_reader *reader;
	struct counted counted = {0};
	reading.format = options->from;
	reading.options = options->options.items;
	reading.threads = 1;
	if (poly_reader_open(path, &reading, &reader, NULL) != POLY_OK)
		return 0;
	plan.may_match = count_segment;
	plan.user = &counted;
	enum poly_status status = poly_reader_plan(reader, &plan, NULL);
	if (status == POLY_OK)
		status = poly_reader_next(reader, &batch, NULL);
	poly_reader_close(reader);
	return status == POLY_END ? counted.records : 0;
}

/* Returns whether an input can be divided into ranges of records. */
static bool
may_divide(const struct spread *spread)
{
	const struct input_options *options = spread->options;
	struct poly_selection_options selection;
	const bool is_selected = input_options_select(options, &selection) || options->symbols;
	return !options->range.is_set && !options->skip.is_set && !options->count.is_set &&
	       !is_selected && !options->partial && options->on_error != ON_ERROR_SKIP;
}

/* Adds the tasks of an input. */
static void
add_tasks(struct spread *spread, size_t input)
{
	const uint64_t records =
		may_divide(spread) ? count_records(spread->paths[input], spread->options) : 0;
	const unsigned parts = records < spread->ranks ? 1 : spread->ranks;
	for (unsigned i = 0; i < parts; i++) {
		struct spread_task *task = &spread->tasks[spread->count++];
		task->input = input;
		task->range = (struct opt_range){.is_set = parts > 1,
			.first = records / parts * i + 1,
			.last = i + 1 < parts ? records / parts * (i + 1) : UINT64_MAX};
	}
}

void
spread_init(struct spread *spread, const struct poly_stats_options *request,
	const struct input_options *options, char **paths)
{
	size_t inputs = 0;
	while (paths[inputs])
		inputs++;
	*spread = (struct spread){
		.request = request, .options = options, .paths = paths, .ranks = ranks_count()};
	spread->tasks = diag_allocate(inputs * spread->ranks + 1, sizeof *spread->tasks);
	for (size_t i = 0; i < inputs; i++)
		add_tasks(spread, i);
}

/* Analyses an open input, and saves the results. */
static int
save_input(const struct command_input *input, struct poly_stats *stats,
	const struct input_options *options, struct spread_result *result)
{
	struct saved_parts parts = {.count = 0};
	const bool ok = saved_add(&parts, input, options) &&
			saved_write_bytes(stats, &parts, &result->bytes, &result->size);
	saved_parts_free(&parts);
	return ok ? STATUS_DONE : STATUS_ERROR;
}

/* Processes a task. */
static struct spread_result
run_task(const struct spread *spread, const struct spread_task *task)
{
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS_INIT};
	struct spread_result result = {.status = STATUS_ERROR};
	struct input_options options = *spread->options;
	struct command_input input;
	struct poly_stats *stats;
	struct poly_error error;
	if (task->range.is_set)
		options.range = task->range;
	if (poly_stats_new(spread->request, &stats, &error) != POLY_OK) {
		diag_error("stats", &error);
		return result;
	}
	if (input_open(&input, spread->paths[task->input], &options, &wants)) {
		if (input_analyse(&input, stats, NULL))
			result.status = save_input(&input, stats, &options, &result);
		const int ended = input_close(&input);
		result.status = result.status > ended ? result.status : ended;
	}
	poly_stats_free(stats);
	return result;
}

int
spread_work(const struct spread *spread)
{
	for (size_t i = ranks_number(); i < spread->count; i += spread->ranks) {
		struct spread_result result = run_task(spread, &spread->tasks[i]);
		if (result.status == STATUS_ERROR) {
			free(result.bytes);
			return STATUS_ERROR;
		}
		ranks_send(&result.status, sizeof result.status);
		ranks_send(result.bytes, result.size);
		free(result.bytes);
	}
	return STATUS_DONE;
}

/* Receives the result of a rank. */
static struct spread_result
receive(unsigned rank)
{
	struct spread_result result = {.status = STATUS_ERROR};
	size_t size;
	unsigned char *status = ranks_receive(rank, &size);
	if (size == sizeof result.status)
		memcpy(&result.status, status, size);
	free(status);
	result.bytes = (char *)ranks_receive(rank, &result.size);
	return result;
}

/* Merges a result into *stats, NULL at first; false: a message was printed. */
static bool
merge_result(struct poly_stats **stats, const struct spread_result *result, const char *path)
{
	struct poly_stats *next = NULL;
	struct poly_error error;
	enum poly_status status = poly_stats_load(result->bytes, result->size, &next, &error);
	if (status == POLY_OK && *stats)
		status = poly_stats_merge(*stats, next, &error);
	if (status != POLY_OK)
		diag_error(path, &error);
	if (*stats)
		poly_stats_free(next);
	else
		*stats = next;
	return status == POLY_OK;
}

struct poly_stats *
spread_collect(const struct spread *spread, size_t input, int *status)
{
	struct poly_stats *stats = NULL;
	const char *path = spread->paths[input];
	*status = STATUS_DONE;
	for (size_t i = 0; i < spread->count && *status != STATUS_ERROR; i++) {
		if (spread->tasks[i].input != input)
			continue;
		const unsigned rank = (unsigned)(i % spread->ranks);
		struct spread_result result =
			rank ? receive(rank) : run_task(spread, &spread->tasks[i]);
		*status = result.status > *status ? result.status : *status;
		if (!result.size ||
			(*status != STATUS_ERROR && !merge_result(&stats, &result, path)))
			*status = STATUS_ERROR;
		free(result.bytes);
	}
	if (*status != STATUS_ERROR)
		return stats;
	poly_stats_free(stats);
	return NULL;
}

void
spread_free(struct spread *spread)
{
	free(spread->tasks);
}
