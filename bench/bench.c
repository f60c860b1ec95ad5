/* SPDX-License-Identifier: MIT */
/*
 * Ratios to plain baselines, all in one process and interleaved (A B C A B C …), by medians of
 * process CPU time, so that changes of the machine's speed affect both sides.
 *
 * usage: bench TT6E-FILE BACH-FILE [ROUNDS]
 */
#include "baseline/baseline.h"
#include "measure.h"
#include "polytrace/polytrace.h"

#include <stdlib.h>
#include <string.h>

#define VARIANTS 8

static const char *tt6e_path, *bach_path;

static int
discard(void *user, const void *data, size_t size)
{
	FILE *output = user;
	return fwrite(data, 1, size, output) == size ? 0 : 5;
}

static struct poly_reader *
open_or_die(const char *path, const char *format, poly_columns columns)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	options.format = format;
	options.columns = columns;
	if (poly_reader_open(path, &options, &reader, &error) != POLY_OK) {
		fprintf(stderr, "bench: %s: %s\n", path, error.message);
		exit(2);
	}
	return reader;
}

/* Decodes a trace of a named format, as the baseline also knows the format. */
static uint64_t
decode(const char *path, const char *format, poly_columns columns)
{
	struct poly_reader *reader = open_or_die(path, format, columns);
	const struct poly_batch *batch;
	struct poly_reader_counts counts;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
	poly_reader_count(reader, &counts);
	poly_reader_close(reader);
	return counts.records;
}

static uint64_t
run_tt6e_baseline(void)
{
	static struct baseline_record records[BASELINE_RECORDS];
	return baseline_tt6e(tt6e_path, records);
}

static uint64_t
run_tt6e(void)
{
	return decode(tt6e_path, "tt6e", POLY_COLUMNS(pc, opcode, address, next_pc, value));
}

static uint64_t
run_tt6e_all(void)
{
	return decode(tt6e_path, "tt6e", POLY_ALL_COLUMNS);
}

static uint64_t
run_bach_baseline(void)
{
	FILE *output = fopen("/dev/null", "w");
	uint64_t records = baseline_bach(bach_path, output);
	fclose(output);
	return records;
}

static uint64_t
run_bach_listing(void)
{
	struct poly_reader *reader = open_or_die(bach_path, NULL, POLY_ALL_COLUMNS);
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	struct poly_error error;
	const struct poly_batch *batch;
	FILE *output = fopen("/dev/null", "w");
	struct poly_sink sink = {discard, output};
	struct poly_reader_counts counts;
	options.format = "bach-text";
	if (poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, &error) !=
		POLY_OK)
		exit(2);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_writer_columns(writer)},
		NULL);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		poly_writer_write(writer, batch, NULL);
	poly_writer_finish(writer, NULL);
	poly_reader_count(reader, &counts);
	poly_writer_close(writer);
	poly_reader_close(reader);
	fclose(output);
	return counts.records;
}

static uint64_t
run_bach_info(void)
{
	static const char *const names[] = {"summary", NULL};
	struct poly_reader *reader = open_or_die(bach_path, NULL, POLY_ALL_COLUMNS);
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *summary;
	const struct poly_batch *batch;
	struct poly_reader_counts counts;
	options.analyses = names;
	if (poly_stats_new(&options, &summary, NULL) != POLY_OK ||
		poly_stats_begin(summary, poly_reader_info(reader), NULL) != POLY_OK)
		exit(2);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_stats_columns(summary)},
		NULL);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		poly_stats_update(summary, batch, NULL);
	poly_reader_count(reader, &counts);
	poly_stats_free(summary);
	poly_reader_close(reader);
	return counts.records;
}

/* Copies a buffer of a file's size in memory; returns nanoseconds. */
static uint64_t
copy(const char *path)
{
	static uint8_t *from, *to;
	static size_t held;
	size_t size = file_size(path);
	if (size > held) {
		from = realloc(from, size);
		to = realloc(to, size);
		memset(from, 1, size);
		memset(to, 2, size);
		held = size;
	}
	double start = cpu_seconds();
	memcpy(to, from, size);
	double seconds = cpu_seconds() - start;
	return (uint64_t)(seconds * 1e9) + to[size / 2];
}

static const struct variant {
	const char *name;
	uint64_t (*run)(void);
	const char **path;
	int baseline; /* index of the variant that it is compared with; -1: is a baseline */
} variants[] = {
	{"TT6E: fread and macros", run_tt6e_baseline, &tt6e_path, -1},
	{"TT6E: decode, core columns", run_tt6e, &tt6e_path, 0},
	{"TT6E: decode, every column", run_tt6e_all, &tt6e_path, 0},
	{"BACH: specification's program", run_bach_baseline, &bach_path, -1},
	{"BACH: view --style native", run_bach_listing, &bach_path, 3},
	{"BACH: info", run_bach_info, &bach_path, 3},
};
#define VARIANT_COUNT (sizeof variants / sizeof *variants)

int
main(int argc, char **argv)
{
	static double times[VARIANTS][ROUNDS_MAX], copies[2][ROUNDS_MAX];
	uint64_t records[VARIANTS] = {0};
	int rounds = argc > 3 ? atoi(argv[3]) : 5;
	if (argc < 3 || rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench TT6E-FILE BACH-FILE [ROUNDS]\n");
		return 2;
	}
	tt6e_path = argv[1];
	bach_path = argv[2];
	for (int round = -1; round < rounds; round++) {
		for (size_t v = 0; v < VARIANT_COUNT; v++) {
			double start = cpu_seconds();
			records[v] = variants[v].run();
			if (round >= 0)
				times[v][round] = cpu_seconds() - start;
		}
		for (int f = 0; f < 2; f++) {
			uint64_t ns = copy(argv[1 + f]);
			if (round >= 0)
				copies[f][round] = 1e-9 * (double)ns;
		}
	}
	printf("%-32s %12s %10s %8s %8s %10s\n", "benchmark", "records", "ns/record", "GB/s",
		"ratio", "memcpy (%)");
	for (size_t v = 0; v < VARIANT_COUNT; v++) {
		const struct variant *variant = &variants[v];
		double seconds = median(times[v], rounds);
		double bytes = (double)file_size(*variant->path);
		double ratios[ROUNDS_MAX];
		for (int r = 0; r < rounds; r++)
			ratios[r] = variant->baseline < 0
					    ? 1
					    : times[variant->baseline][r] / times[v][r];
		printf("%-32s %12llu %10.2f %8.2f %7.1fx %10.1f\n", variant->name,
			(unsigned long long)records[v], 1e9 * seconds / (double)records[v],
			bytes / seconds / 1e9, median(ratios, rounds),
			100 * median(copies[variant->path == &bach_path], rounds) / seconds);
	}
	return 0;
}
