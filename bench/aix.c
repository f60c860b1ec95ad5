/* SPDX-License-Identifier: MIT */
/*
 * Reports of an AIX trace by templates against one printf an event, all in turn, and with
 * template files of several sizes: process CPU time, medians.
 *
 * usage: aix TRACE ROUNDS TEMPLATES...
 */
#include "baseline/baseline.h"
#include "measure.h"
#include "polytrace/trcrpt.h"

#include <stdlib.h>

#define FILES_MOST 8

static int
discard(void *user, const void *data, size_t size)
{
	return fwrite(data, 1, size, user) == size ? 0 : 5;
}

static void
give_up(const char *what, const struct poly_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->message);
	exit(1);
}

static struct poly_templates *
load(const char *path)
{
	struct poly_templates *templates;
	struct poly_error error;
	if (poly_templates_load(path, NULL, &templates, &error) != POLY_OK)
		give_up(path, &error);
	return templates;
}

static void
report(const char *path, const struct poly_templates *templates, FILE *to)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_trcrpt *report;
	struct poly_error error;
	const struct poly_sink sink = {discard, to};
	reading.format = "aix";
	reading.columns = poly_trcrpt_columns();
	reading.one_thread = true;
	if (poly_reader_open(path, &reading, &reader, &error) != POLY_OK)
		give_up(path, &error);
	const struct poly_trcrpt_inputs inputs = {&reader, &path, 1};
	if (poly_trcrpt_new(templates, NULL, &report, &error) != POLY_OK ||
		poly_trcrpt_write(report, &inputs, &sink, &error) != POLY_OK)
		give_up(path, &error);
	poly_trcrpt_free(report);
	poly_reader_close(reader);
}

int
main(int argc, char **argv)
{
	struct poly_templates *templates[FILES_MOST];
	static double baseline[ROUNDS_MOST], ours[FILES_MOST][ROUNDS_MOST];
	int files = argc - 3, rounds = argc > 3 ? atoi(argv[2]) : 0;
	FILE *to = fopen("/dev/null", "wb");
	uint64_t events = 0;
	if (files < 1 || files > FILES_MOST || rounds < 1 || rounds > ROUNDS_MOST || !to)
		return 2;
	for (int f = 0; f < files; f++)
		templates[f] = load(argv[3 + f]);
	for (int round = 0; round < rounds; round++) {
		double start = cpu_seconds();
		events = baseline_aix(argv[1], to);
		baseline[round] = cpu_seconds() - start;
		for (int f = 0; f < files; f++) {
			start = cpu_seconds();
			report(argv[1], templates[f], to);
			ours[f][round] = cpu_seconds() - start;
		}
	}
	double base = median(baseline, rounds), n = (double)events;
	printf("%-40s %8.1f ns an event\n", "fread and one printf", base / n * 1e9);
	for (int f = 0; f < files; f++) {
		double one = median(ours[f], rounds);
		printf("%-40s %8.1f ns an event, %.2f times\n", argv[3 + f], one / n * 1e9,
			one / base);
		poly_templates_free(templates[f]);
	}
	fclose(to);
	return 0;
}
