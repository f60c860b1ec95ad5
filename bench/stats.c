/* SPDX-License-Identifier: MIT */
/*
 * Cost of analyses: decoding the columns of the default analyses, without sites, compared with
 * each analysis alone, with the default ones together, and with all. Interleaved runs, one
 * thread, medians of process CPU time; also the wall time of the default ones with one and two
 * threads.
 *
 * usage: stats ROUNDS TRACE
 */
#include "measure.h"
#include "polytrace/polytrace.h"

#include <stdio.h>
#include <stdlib.h>

#define VARIANTS_MAX 64

/* A measured set of analyses. */
struct variant {
	const char *name;
	const char *analyses[2]; /* NULL: the default ones, or all */
	bool all;
	double seconds[ROUNDS_MAX];
};

static void
die(const char *what, const struct poly_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->message);
	exit(1);
}

static struct poly_stats *
new_stats(const struct variant *variant, unsigned threads)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	struct poly_error error;
	options.analyses = variant->analyses[0] ? variant->analyses : NULL;
	options.all = variant->all;
	options.threads = threads;
	if (poly_stats_new(&options, &stats, &error) != POLY_OK)
		die(variant->name, &error);
	return stats;
}

static struct poly_reader *
open_trace(const char *path, unsigned threads)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	reading.one_thread = threads == 1;
	reading.threads = threads;
	if (poly_reader_open(path, &reading, &reader, &error) != POLY_OK)
		die(path, &error);
	return reader;
}

/* Runs analyses on a trace; false if they do not apply to it. */
static bool
analyse(const char *path, const struct variant *variant, unsigned threads)
{
	struct poly_reader *reader = open_trace(path, threads);
	struct poly_stats *stats = new_stats(variant, threads);
	const struct poly_batch *batch;
	struct poly_error error;
	const bool suits = poly_stats_begin(stats, poly_reader_info(reader), &error) == POLY_OK;
	if (suits)
		poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = poly_stats_columns(stats)},
			NULL);
	while (suits && poly_reader_next(reader, &batch, &error) == POLY_OK) {
		if (poly_stats_update(stats, batch, &error) != POLY_OK)
			die(path, &error);
	}
	poly_stats_free(stats);
	poly_reader_close(reader);
	return suits;
}

/* Decodes the columns of the default analyses; returns the number of rows. */
static uint64_t
decode(const char *path, bool sites)
{
	const struct variant defaults = {.name = "default"};
	struct poly_reader *reader = open_trace(path, 1);
	struct poly_stats *stats = new_stats(&defaults, 1);
	const struct poly_batch *batch;
	struct poly_error error;
	uint64_t rows = 0;
	if (poly_stats_begin(stats, poly_reader_info(reader), &error) != POLY_OK)
		die(path, &error);
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	plan.columns = poly_stats_columns(stats);
	if (!sites)
		poly_columns_remove(&plan.columns, POLY_COLUMN_site);
	poly_reader_plan(reader, &plan, NULL);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		rows += batch->rows;
	poly_stats_free(stats);
	poly_reader_close(reader);
	return rows;
}

/* Finds the variants that apply to a trace; returns their number. */
static size_t
find_variants(const char *path, struct variant *variants)
{
	const struct poly_analysis_info *info;
	size_t count = 0;
	for (size_t i = 0; (info = poly_analysis_at(i)) && count < VARIANTS_MAX - 2; i++) {
		struct poly_reader *reader = open_trace(path, 1);
		struct variant *variant = &variants[count];
		*variant = (struct variant){.name = info->name, .analyses = {info->name}};
		struct poly_stats *stats = new_stats(variant, 1);
		count += poly_stats_begin(stats, poly_reader_info(reader), NULL) == POLY_OK;
		poly_stats_free(stats);
		poly_reader_close(reader);
	}
	variants[count++] = (struct variant){.name = "all analyses", .all = true};
	variants[count++] = (struct variant){.name = "default analyses"};
	return count;
}

static double
cpu_of(const char *path, const struct variant *variant)
{
	const double start = cpu_seconds();
	analyse(path, variant, 1);
	return cpu_seconds() - start;
}

static void
compare_threads(int rounds, const char *path)
{
	static double single[ROUNDS_MAX], two[ROUNDS_MAX];
	const struct variant defaults = {.name = "default"};
	for (int round = 0; round < rounds; round++) {
		double start = wall_seconds();
		analyse(path, &defaults, 1);
		single[round] = wall_seconds() - start;
		start = wall_seconds();
		analyse(path, &defaults, 2);
		two[round] = wall_seconds() - start;
	}
	printf("stats: speedup of two threads %.2f (wall time)\n",
		median(single, rounds) / median(two, rounds));
}

int
main(int argc, char **argv)
{
	static struct variant variants[VARIANTS_MAX];
	static double plain[ROUNDS_MAX], sited[ROUNDS_MAX];
	const int rounds = argc == 3 ? atoi(argv[1]) : 0;
	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	const size_t count = find_variants(argv[2], variants);
	uint64_t rows = 0;
	for (int round = 0; round < rounds; round++) {
		double start = cpu_seconds();
		rows = decode(argv[2], false);
		plain[round] = cpu_seconds() - start;
		start = cpu_seconds();
		decode(argv[2], true);
		sited[round] = cpu_seconds() - start;
		for (size_t i = 0; i < count; i++)
			variants[i].seconds[round] = cpu_of(argv[2], &variants[i]);
	}
	const double base = median(plain, rounds), per = 1e9 / (double)rows;
	printf("stats: decoding %.1f ns/record, with sites %.1f ns/record\n", base * per,
		median(sited, rounds) * per);
	for (size_t i = 0; i < count; i++) {
		const double seconds = median(variants[i].seconds, rounds);
		printf("stats: decoding and %s %.1f ns/record: ratio %.2f\n", variants[i].name,
			seconds * per, seconds / base);
	}
	compare_threads(rounds, argv[2]);
	return 0;
}
