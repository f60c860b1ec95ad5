/* SPDX-License-Identifier: MIT */
/*
 * Size and time of packing a trace by level, and the speed of loading compared with parsing, of
 * unpacking compared with decompressing the text from gzip, and of weighted rows compared with
 * single records. Interleaved runs, medians of process CPU time of one thread (gzip has a
 * second thread that reads ahead).
 *
 * usage: pack ROUNDS TRACE GZIP-FILE PACKED-FILE (output)
 */
#include "measure.h"
#include "polytrace/polytrace.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const levels[] = {"ptz.level=fast", "ptz.level=small", "ptz.level=default"};

enum { LEVELS = sizeof levels / sizeof *levels };

/* The file of the last level is loaded. */
static struct {
	const char *path, *gzip, *packed;
} trace;

static void
check(const char *path, enum poly_status status, const struct poly_error *error)
{
	if (status >= 0)
		return;
	fprintf(stderr, "pack: %s: %s\n", path, error->message);
	exit(2);
}

static struct poly_reader *
open_trace(const char *path, poly_columns columns)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	options.columns = columns;
	options.one_thread = true;
	options.skip_errors = true;
	check(path, poly_reader_open(path, &options, &reader, &error), &error);
	return reader;
}

static uint64_t
load(const char *path, poly_columns columns)
{
	struct poly_reader *reader = open_trace(path, columns);
	struct poly_error error;
	const struct poly_batch *batch;
	uint64_t rows = 0;
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK)
		rows += batch->rows;
	check(path, status, &error);
	poly_reader_close(reader);
	return rows;
}

/* Copies a trace to a writer and closes both. */
static uint64_t
copy(struct poly_reader *reader, struct poly_writer *writer)
{
	struct poly_error error;
	const struct poly_batch *batch;
	uint64_t rows = 0;
	enum poly_status status;
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_writer_columns(writer),
			.lazy = true},
		NULL);
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		rows += batch->rows;
		check("output", poly_writer_write(writer, batch, &error), &error);
	}
	check("input", status, &error);
	check("output", poly_writer_finish(writer, &error), &error);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return rows;
}

static uint64_t
run_parse(void)
{
	return load(trace.path, POLY_COLUMNS_EXCEPT(site));
}

static uint64_t
run_load(void)
{
	return load(trace.packed, POLY_COLUMNS_EXCEPT(site));
}

static uint64_t
run_address(void)
{
	return load(trace.packed, POLY_COLUMNS(address));
}

static uint64_t
run_pc(void)
{
	return load(trace.packed, POLY_COLUMNS(pc));
}

/* Runs an analysis on all records, as weighted rows or one by one. */
static uint64_t
analyse(const char *analysis, bool weighted)
{
	const char *names[] = {analysis, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_reader *reader = open_trace(trace.packed, POLY_ALL_COLUMNS);
	struct poly_stats *stats;
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status;
	uint64_t rows = 0;
	options.analyses = names;
	check(trace.packed, poly_stats_new(&options, &stats, &error), &error);
	check(trace.packed, poly_stats_begin(stats, poly_reader_info(reader), &error), &error);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_stats_columns(stats),
			.weights = weighted && poly_stats_accepts_weights(stats)},
		NULL);
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		check(trace.packed, poly_stats_update(stats, batch, &error), &error);
		rows += batch->rows;
	}
	check(trace.packed, status, &error);
	poly_stats_free(stats);
	poly_reader_close(reader);
	return rows;
}

static int
count_bytes(void *user, const void *data, size_t size)
{
	uint64_t *bytes = user;
	*bytes += size;
	return data == NULL;
}

static uint64_t
run_unpack(void)
{
	uint64_t bytes = 0;
	const struct poly_sink sink = {count_bytes, &bytes};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_reader *reader = open_trace(trace.packed, POLY_ALL_COLUMNS);
	struct poly_writer *writer;
	struct poly_error error;
	options.format = poly_trace_fact(poly_reader_info(reader), "ptz.format");
	check(trace.packed,
		poly_writer_open_sink(
			&sink, poly_reader_info(reader), &options, &writer, &error),
		&error);
	return copy(reader, writer);
}

static uint64_t
run_gunzip(void)
{
	struct poly_byte_stream *content;
	struct poly_error error;
	const void *bytes;
	size_t size;
	uint64_t all = 0;
	enum poly_status status;
	check(trace.gzip, poly_byte_stream_open(trace.gzip, &content, &error), &error);
	while ((status = poly_byte_stream_next(content, &bytes, &size, &error)) == POLY_OK)
		all += size;
	check(trace.gzip, status, &error);
	poly_byte_stream_close(content);
	return all;
}

enum {
	PARSE,
	LOAD,
	ADDRESS,
	PC,
	GUNZIP,
	UNPACK,
	MIX,
	MIX_WEIGHTED,
	COVERAGE,
	COVERAGE_WEIGHTED,
	BLOCKS,
	BLOCKS_WEIGHTED,
	PHASES,
	PHASES_WEIGHTED,
	WORKS
};

static const struct work {
	const char *name;
	uint64_t (*run)(void); /* NULL: run the analysis */
	int against;	       /* the work that it is compared with, or -1 */
	double target;	       /* target speedup for the compiler's trace */
	poly_columns needs;
	const char *analysis;
	bool weighted;
} works[WORKS] = {
	[PARSE] = {"parsing", run_parse, -1, 0, {{0}}, NULL, false},
	[LOAD] = {"loading, all columns", run_load, PARSE, 4, {{0}}, NULL, false},
	[ADDRESS] = {"loading, address", run_address, PARSE, 10, POLY_COLUMNS_INIT(address),
		NULL, false},
	[PC] = {"loading, pc", run_pc, PARSE, 10, POLY_COLUMNS_INIT(pc), NULL, false},
	[GUNZIP] = {"gunzip", run_gunzip, -1, 0, {{0}}, NULL, false},
	[UNPACK] = {"unpacking", run_unpack, GUNZIP, 4, {{0}}, NULL, false},
#define ANALYSIS(number, name)                                                                 \
	[number] = {name ", single records", NULL, -1, 0, POLY_COLUMNS_INIT(pc), name, false}, \
	[number##_WEIGHTED] = {                                                                \
		name ", weighted rows", NULL, number, 4, POLY_COLUMNS_INIT(pc), name, true}
	ANALYSIS(MIX, "mix"),
	ANALYSIS(COVERAGE, "coverage"),
	ANALYSIS(BLOCKS, "blocks"),
	ANALYSIS(PHASES, "phases"),
#undef ANALYSIS
};

static uint64_t
run_work(const struct work *work)
{
	return work->run ? work->run() : analyse(work->analysis, work->weighted);
}

/* Returns the columns that the trace does not have. */
static poly_columns
absent_columns(void)
{
	struct poly_reader *reader = open_trace(trace.packed, POLY_ALL_COLUMNS);
	const poly_columns columns = poly_reader_info(reader)->columns;
	poly_reader_close(reader);
	return poly_columns_minus(POLY_ALL_COLUMNS, columns);
}

static void
pack(const char *level)
{
	const char *const words[] = {level, NULL};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_reader *reader = open_trace(trace.path, POLY_COLUMNS_EXCEPT(site));
	struct poly_writer *writer;
	struct poly_error error;
	options.format = "ptz";
	options.options = words;
	const double start = cpu_seconds();
	check(trace.packed,
		poly_writer_open(
			trace.packed, poly_reader_info(reader), &options, &writer, &error),
		&error);
	const uint64_t rows = copy(reader, writer);
	const double seconds = cpu_seconds() - start;
	printf("%-16s %12zu bytes, gzip/packed %7.1f, %6.2f s, %6.1f M records/s\n", level,
		file_size(trace.packed),
		(double)file_size(trace.gzip) / (double)file_size(trace.packed), seconds,
		(double)rows / seconds / 1e6);
}

int
main(int argc, char **argv)
{
	static double seconds[WORKS][ROUNDS_MAX];
	const int rounds = argc == 5 ? atoi(argv[1]) : 0;
	uint64_t rows = 0;
	poly_columns absent;
	if (rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: pack ROUNDS TRACE GZIP-FILE PACKED-FILE\n");
		return 2;
	}
	trace.path = argv[2];
	trace.gzip = argv[3];
	trace.packed = argv[4];
	for (size_t i = 0; i < LEVELS; i++)
		pack(levels[i]);
	absent = absent_columns();
	for (int round = 0; round < rounds; round++) {
		for (int work = 0; work < WORKS; work++) {
			if (poly_columns_overlap(works[work].needs, absent))
				continue;
			const double start = cpu_seconds();
			const uint64_t done = run_work(&works[work]);
			seconds[work][round] = cpu_seconds() - start;
			rows = work == PARSE ? done : rows;
		}
	}
	for (int work = 0; work < WORKS; work++) {
		const struct work *current = &works[work];
		if (poly_columns_overlap(current->needs, absent))
			continue;
		const double time = median(seconds[work], rounds);
		printf("%-26s %7.3f s %6.1f ns/record", current->name, time,
			time / (double)rows * 1e9);
		if (current->against >= 0)
			printf(" speedup over %s %.1f, target %.0f",
				works[current->against].name,
				median(seconds[current->against], rounds) / time,
				current->target);
		putchar('\n');
	}
	return 0;
}
