/* SPDX-License-Identifier: MIT */
/*
 * Reports of an AIX trace by templates, with template files of several sizes, compared with one
 * printf per event. Interleaved runs, medians of process CPU time.
 *
 * usage: aix TRACE ROUNDS TEMPLATES...
 */
#include "baseline/baseline.h"
#include "measure.h"
#include "polytrace/reader.h"
#include "polytrace/trcrpt.h"

#include <stdlib.h>

#define FILES_MAX 8

static int
discard(void *user, const void *data, size_t size)
{
	return fwrite(data, 1, size, user) == size ? 0 : 5;
}

static void
die(const char *what, const struct poly_error *error)
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
		die(path, &error);
	return templates;
}

static void
report(const char *path, const struct poly_templates *templates, FILE *output)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_trcrpt *report;
	struct poly_error error;
	const struct poly_sink sink = {discard, output};
	reading.format = "aix";
	reading.columns = poly_trcrpt_columns();
	reading.one_thread = true;
	if (poly_reader_open(path, &reading, &reader, &error) != POLY_OK)
		die(path, &error);
	const struct poly_source source = poly_reader_source(reader);
	const struct poly_trcrpt_inputs inputs = {.sources = &source, .names = &path, .count = 1};
	if (poly_trcrpt_new(templates, NULL, &report, &error) != POLY_OK ||
		poly_trcrpt_write(report, &inputs, &sink, &error) != POLY_OK)
		die(path, &error);
	poly_trcrpt_free(report);
	poly_reader_close(reader);
}

int
main(int argc, char **argv)
{
	struct poly_templates *templates[FILES_MAX];
	static double baseline[ROUNDS_MAX], ours[FILES_MAX][ROUNDS_MAX];
	int files = argc - 3, rounds = argc > 3 ? atoi(argv[2]) : 0;
	FILE *output = fopen("/dev/null", "wb");
	uint64_t events = 0;
	if (files < 1 || files > FILES_MAX || rounds < 1 || rounds > ROUNDS_MAX || !output)
		return 2;
	for (int f = 0; f < files; f++)
		templates[f] = load(argv[3 + f]);
	for (int round = 0; round < rounds; round++) {
		double start = cpu_seconds();
		events = baseline_aix(argv[1], output);
		baseline[round] = cpu_seconds() - start;
		for (int f = 0; f < files; f++) {
			start = cpu_seconds();
			report(argv[1], templates[f], output);
			ours[f][round] = cpu_seconds() - start;
		}
	}
	double base = median(baseline, rounds), n = (double)events;
	printf("%-40s %8.1f ns/event\n", "fread and one printf", base / n * 1e9);
	for (int f = 0; f < files; f++) {
		double seconds = median(ours[f], rounds);
		printf("%-40s %8.1f ns/event, %.2fx the baseline's time\n", argv[3 + f],
			seconds / n * 1e9, seconds / base);
		poly_templates_free(templates[f]);
	}
	fclose(output);
	return 0;
}
