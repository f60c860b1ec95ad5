/* SPDX-License-Identifier: MIT */
/*
 * Queries compared with decoding alone: a filter with decoding, a comparison of a trace with
 * itself with decoding it twice, a merge with decoding all its traces. Interleaved runs, one
 * thread, medians of process CPU time.
 *
 * usage: query filter ROUNDS EXPR TRACE
 *        query diff ROUNDS TRACE
 *        query merge ROUNDS TRACE TRACE...
 */
#include "measure.h"
#include "polytrace/polytrace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
die(const char *what, const struct poly_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->message);
	exit(1);
}

static struct poly_reader *
open_trace(const char *path, poly_columns columns)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	reading.columns = columns;
	reading.one_thread = true;
	if (poly_reader_open(path, &reading, &reader, &error) != POLY_OK)
		die(path, &error);
	return reader;
}

/* Reads a trace, through a filter if not NULL; returns the number of selected rows. */
static uint64_t
read_trace(const char *path, poly_columns columns, struct poly_filter *filter)
{
	struct poly_reader *reader = open_trace(path, columns);
	const struct poly_batch *batch;
	struct poly_error error;
	uint64_t rows = 0;
	if (filter && poly_filter_bind(filter, poly_reader_info(reader), &error) != POLY_OK)
		die(path, &error);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		if (filter)
			batch = poly_filter_apply(filter, batch, &error);
		rows += batch ? batch->rows : 0;
	}
	poly_reader_close(reader);
	return rows;
}

static void
measure_filter(int rounds, const char *expression, const char *path)
{
	static double plain[ROUNDS_MAX], filtered[ROUNDS_MAX];
	struct poly_filter *filter;
	struct poly_error error;
	uint64_t all = 0, left = 0;
	if (poly_filter_new(expression, &filter, &error) != POLY_OK)
		die(expression, &error);
	const poly_columns columns =
		poly_columns_union(POLY_COLUMNS(pc), poly_filter_columns(filter));
	for (int round = 0; round < rounds; round++) {
		double start = cpu_seconds();
		all = read_trace(path, columns, NULL);
		plain[round] = cpu_seconds() - start;
		start = cpu_seconds();
		left = read_trace(path, columns, filter);
		filtered[round] = cpu_seconds() - start;
	}
	const double decode = median(plain, rounds), both = median(filtered, rounds);
	printf("filter: decoding %.1f ns/record, decoding and selecting %.2f %% %.1f "
	       "ns/record: filter/decoding %.2f\n",
		decode / (double)all * 1e9, 100 * (double)left / (double)all,
		both / (double)all * 1e9, (both - decode) / decode);
	poly_filter_free(filter);
}

/* Compares a trace with itself; returns the number of compared instructions. */
static uint64_t
compare(const char *path)
{
	struct poly_reader *a = open_trace(path, POLY_ALL_COLUMNS);
	struct poly_reader *b = open_trace(path, POLY_ALL_COLUMNS);
	const struct poly_diff_side sides[2] = {
		{poly_reader_source(a), 0}, {poly_reader_source(b), 0}};
	const struct poly_difference *difference;
	struct poly_diff *diff;
	struct poly_error error;
	struct poly_diff_counts counts;
	if (poly_diff_new(NULL, sides, &diff, &error) != POLY_OK)
		die(path, &error);
	poly_reader_plan(a,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_diff_columns(diff, 0)},
		NULL);
	poly_reader_plan(b,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_diff_columns(diff, 1)},
		NULL);
	if (poly_diff_next(diff, &difference, &error) != POLY_END)
		die("a trace differs from itself", &error);
	poly_diff_count(diff, &counts);
	poly_diff_free(diff);
	poly_reader_close(a);
	poly_reader_close(b);
	return counts.pairs;
}

static void
measure_diff(int rounds, const char *path)
{
	static double reading[ROUNDS_MAX], comparing[ROUNDS_MAX];
	uint64_t pairs = 0;
	for (int round = 0; round < rounds; round++) {
		double start = cpu_seconds();
		read_trace(path, POLY_COLUMNS_EXCEPT(site), NULL);
		read_trace(path, POLY_COLUMNS_EXCEPT(site), NULL);
		reading[round] = cpu_seconds() - start;
		start = cpu_seconds();
		pairs = compare(path);
		comparing[round] = cpu_seconds() - start;
	}
	const double read = median(reading, rounds), both = median(comparing, rounds);
	printf("diff: decoding both %.1f ns/instruction, comparing %.1f ns/instruction: ratio "
	       "%.2f\n",
		read / (double)pairs * 1e9, both / (double)pairs * 1e9, both / read);
}

/* Merges the traces of threads; returns the number of rows. */
static uint64_t
merge_traces(char **paths)
{
	struct poly_merge *merge;
	struct poly_error error;
	const struct poly_batch *batch;
	uint64_t rows = 0;
	size_t count = 0;
	struct poly_reader *readers[16];
	if (poly_merge_new(NULL, &merge, &error) != POLY_OK)
		die("merge", &error);
	for (; paths[count] && count < 16; count++) {
		struct poly_reader *reader =
			open_trace(paths[count], poly_merge_columns(merge));
		if (poly_merge_add(merge, count + 1, paths[count], &error) != POLY_OK)
			die(paths[count], &error);
		while (poly_reader_next(reader, &batch, &error) == POLY_OK)
			poly_merge_read_events(merge, count, batch, &error);
		poly_reader_close(reader);
	}
	if (poly_merge_resolve(merge, &error) != POLY_OK)
		die("merge", &error);
	for (size_t i = 0; i < count; i++) {
		readers[i] = open_trace(paths[i], POLY_COLUMNS_EXCEPT(site));
		const struct poly_source source = poly_reader_source(readers[i]);
		poly_merge_set_source(merge, i, &source);
	}
	if (poly_merge_start(merge, &error) != POLY_OK)
		die("merge", &error);
	while (poly_merge_next(merge, &batch, &error) == POLY_OK)
		rows += batch->rows;
	poly_merge_free(merge);
	for (size_t i = 0; i < count; i++)
		poly_reader_close(readers[i]);
	return rows;
}

static void
measure_merge(int rounds, char **paths)
{
	static double reading[ROUNDS_MAX], merging[ROUNDS_MAX];
	uint64_t rows = 0;
	for (int round = 0; round < rounds; round++) {
		double start = cpu_seconds();
		for (char **path = paths; *path; path++)
			read_trace(*path, POLY_COLUMNS_EXCEPT(site), NULL);
		reading[round] = cpu_seconds() - start;
		start = cpu_seconds();
		rows = merge_traces(paths);
		merging[round] = cpu_seconds() - start;
	}
	const double read = median(reading, rounds), both = median(merging, rounds);
	printf("merge: decoding %.1f ns/record, merging %.1f ns/record: relative speed %.2f\n",
		read / (double)rows * 1e9, both / (double)rows * 1e9, read / both);
}

int
main(int argc, char **argv)
{
	const int rounds = argc > 3 ? atoi(argv[2]) : 0;
	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	if (strcmp(argv[1], "filter") == 0 && argc == 5)
		measure_filter(rounds, argv[3], argv[4]);
	else if (strcmp(argv[1], "diff") == 0)
		measure_diff(rounds, argv[3]);
	else if (strcmp(argv[1], "merge") == 0)
		measure_merge(rounds, argv + 3);
	else
		return 2;
	return 0;
}
