/* SPDX-License-Identifier: MIT */
/*
 * Packing a trace, and what is gained by it: its size and time by level, and loading beside
 * parsing, unpacking beside decompressing the text from gzip, counting records beside looking
 * at each, in turn, by process CPU time of one thread (but for gzip, which has one that reads
 * ahead), medians.
 *
 * usage: pack ROUNDS TRACE GZIP-FILE PACKED-FILE (which is made)
 */
#include "measure.h"
#include "polytrace/polytrace.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const levels[] = {"ptz.level=fast", "ptz.level=small", "ptz.level=usual"};

enum { LEVELS = sizeof levels / sizeof *levels };

/* The last of the levels is what is loaded. */
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

/* Reads a trace for a writer, which it closes. */
static uint64_t
copy(struct poly_reader *reader, struct poly_writer *writer)
{
	struct poly_error error;
	const struct poly_batch *batch;
	uint64_t rows = 0;
	enum poly_status status;
	poly_reader_want(reader, poly_writer_columns(writer));
	poly_reader_defer(reader);
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
	return load(trace.path, POLY_ALL_COLUMNS & ~POLY_HAS(site));
}

static uint64_t
run_load(void)
{
	return load(trace.packed, POLY_ALL_COLUMNS & ~POLY_HAS(site));
}

static uint64_t
run_address(void)
{
	return load(trace.packed, POLY_HAS(address));
}

static uint64_t
run_pc(void)
{
	return load(trace.packed, POLY_HAS(pc));
}

/* Has an analysis look at all records, which are counted or not. */
static uint64_t
analyse(const char *analysis, bool tallies)
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
	poly_reader_want(reader, poly_stats_columns(stats));
	if (tallies && poly_stats_accepts_weights(stats))
		poly_reader_tally(reader);
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
take(void *user, const void *data, size_t size)
{
	uint64_t *bytes = user;
	*bytes += size;
	return data == NULL;
}

static uint64_t
run_unpack(void)
{
	uint64_t bytes = 0;
	const struct poly_sink sink = {take, &bytes};
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
	struct poly_content *content;
	struct poly_error error;
	const void *bytes;
	size_t size;
	uint64_t all = 0;
	enum poly_status status;
	check(trace.gzip, poly_content_open(trace.gzip, &content, &error), &error);
	while ((status = poly_content_next(content, &bytes, &size, &error)) == POLY_OK)
		all += size;
	check(trace.gzip, status, &error);
	poly_content_close(content);
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
	MIX_COUNTED,
	COVERAGE,
	COVERAGE_COUNTED,
	BLOCKS,
	BLOCKS_COUNTED,
	PHASES,
	PHASES_COUNTED,
	WORKS
};

static const struct work {
	const char *name;
	uint64_t (*run)(void); /* NULL: an analysis does it */
	int against;	       /* the work that it is measured against, or -1 */
	double target;	       /* times as fast, of the compiler's trace */
	poly_columns needs;
	const char *analysis;
	bool tallies;
} works[WORKS] = {
	[PARSE] = {"parsing", run_parse, -1, 0, 0, NULL, false},
	[LOAD] = {"loading, all columns", run_load, PARSE, 4, 0, NULL, false},
	[ADDRESS] = {"loading, address", run_address, PARSE, 10, POLY_HAS(address), NULL,
		false},
	[PC] = {"loading, pc", run_pc, PARSE, 10, POLY_HAS(pc), NULL, false},
	[GUNZIP] = {"gunzip", run_gunzip, -1, 0, 0, NULL, false},
	[UNPACK] = {"unpacking", run_unpack, GUNZIP, 4, 0, NULL, false},
#define ANALYSIS(number, name)                                                          \
	[number] = {name ", record by record", NULL, -1, 0, POLY_HAS(pc), name, false}, \
	[number##_COUNTED] = {name ", counted", NULL, number, 4, POLY_HAS(pc), name, true}
	ANALYSIS(MIX, "mix"),
	ANALYSIS(COVERAGE, "coverage"),
	ANALYSIS(BLOCKS, "blocks"),
	ANALYSIS(PHASES, "phases"),
#undef ANALYSIS
};

static uint64_t
do_work(const struct work *work)
{
	return work->run ? work->run() : analyse(work->analysis, work->tallies);
}

/* Columns that the trace does not have. */
static poly_columns
lacking(void)
{
	struct poly_reader *reader = open_trace(trace.packed, POLY_ALL_COLUMNS);
	const poly_columns columns = poly_reader_info(reader)->columns;
	poly_reader_close(reader);
	return ~columns;
}

static void
pack(const char *level)
{
	const char *const words[] = {level, NULL};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_reader *reader = open_trace(trace.path, POLY_ALL_COLUMNS & ~POLY_HAS(site));
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
	printf("%-16s %12zu bytes, %7.1f of gzip, %6.2f s, %6.1f M records/s\n", level,
		file_size(trace.packed),
		(double)file_size(trace.gzip) / (double)file_size(trace.packed), seconds,
		(double)rows / seconds / 1e6);
}

int
main(int argc, char **argv)
{
	static double seconds[WORKS][ROUNDS_MOST];
	const int rounds = argc == 5 ? atoi(argv[1]) : 0;
	uint64_t rows = 0;
	poly_columns lacks;
	if (rounds < 1 || rounds > ROUNDS_MOST) {
		fprintf(stderr, "usage: pack ROUNDS TRACE GZIP-FILE PACKED-FILE\n");
		return 2;
	}
	trace.path = argv[2];
	trace.gzip = argv[3];
	trace.packed = argv[4];
	for (size_t i = 0; i < LEVELS; i++)
		pack(levels[i]);
	lacks = lacking();
	for (int round = 0; round < rounds; round++) {
		for (int work = 0; work < WORKS; work++) {
			if (works[work].needs & lacks)
				continue;
			const double start = cpu_seconds();
			const uint64_t done = do_work(&works[work]);
			seconds[work][round] = cpu_seconds() - start;
			rows = work == PARSE ? done : rows;
		}
	}
	for (int work = 0; work < WORKS; work++) {
		const struct work *it = &works[work];
		if (it->needs & lacks)
			continue;
		const double time = median(seconds[work], rounds);
		printf("%-26s %7.3f s %6.1f ns a record", it->name, time,
			time / (double)rows * 1e9);
		if (it->against >= 0)
			printf(" %6.1fx of %s, target %.0fx",
				median(seconds[it->against], rounds) / time,
				works[it->against].name, it->target);
		putchar('\n');
	}
	return 0;
}
