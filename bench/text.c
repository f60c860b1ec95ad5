/* SPDX-License-Identifier: MIT */
/*
 * Text traces compared with typical hand-written loops, interleaved (A B C A B C …): medians of
 * process CPU time for one thread, of wall time for several. Decoding from memory is reported
 * relative to the speed of reading the same bytes.
 *
 * usage: text FORMAT TRACE BASELINE-PROGRAM ROUNDS [GZIP-FILE ZSTD-FILE]
 */
#include "baseline/baseline.h"
#include "measure.h"
#include "polytrace/polytrace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_ROOM 4096

/* The measured trace. */
static struct {
	const char *format, *path, *program, *gzip, *zstd;
	const struct baseline_text *loop;
	uint8_t *bytes, *copy; /* the trace in memory, and room for it */
	size_t size;
} trace;

static uint64_t
run_loop(unsigned threads)
{
	(void)threads;
	FILE *from = fopen(trace.path, "r");
	uint64_t records = from ? trace.loop->run(from) : 0;
	if (from)
		fclose(from);
	return records;
}

static uint64_t
run_pipe(const char *unpack, const char *path)
{
	char command[COMMAND_ROOM];
	uint64_t records = 0;
	snprintf(command, sizeof command, "%s '%s' | '%s' %s", unpack, path, trace.program,
		trace.format);
	FILE *from = popen(command, "r");
	if (!from || fscanf(from, "%" SCNu64, &records) != 1)
		records = 0;
	if (from)
		pclose(from);
	return records;
}

static uint64_t
run_gzip_loop(unsigned threads)
{
	(void)threads;
	return run_pipe("gzip -dc", trace.gzip);
}

static uint64_t
run_zstd_loop(unsigned threads)
{
	(void)threads;
	return run_pipe("zstd -dcq --long=27", trace.zstd);
}

/* Reads a file, or the trace in memory if path is NULL; returns the number of records. */
static uint64_t
decode(const char *path, unsigned threads, poly_columns columns)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	const struct poly_batch *batch;
	struct poly_reader_counts counts;
	options.format = trace.format;
	options.columns = columns;
	options.one_thread = threads == 1;
	options.threads = threads;
	enum poly_status status = path ? poly_reader_open(path, &options, &reader, &error)
				       : poly_reader_open_memory(trace.bytes, trace.size,
						 &options, &reader, &error);
	if (status != POLY_OK) {
		fprintf(stderr, "text: %s: %s\n", trace.path, error.message);
		exit(2);
	}
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
	poly_reader_count(reader, &counts);
	poly_reader_close(reader);
	return counts.records;
}

static poly_columns
every_column(void)
{
	return poly_format_find(trace.format)->columns;
}

static uint64_t
run_file(unsigned threads)
{
	return decode(trace.path, threads, every_column());
}

static uint64_t
run_gzip(unsigned threads)
{
	return decode(trace.gzip, threads, every_column());
}

static uint64_t
run_zstd(unsigned threads)
{
	return decode(trace.zstd, threads, every_column());
}

static uint64_t
run_memory(unsigned threads)
{
	return decode(NULL, threads, every_column());
}

static uint64_t
run_count(unsigned threads)
{
	return decode(NULL, threads, POLY_COLUMNS(kind));
}

/* Reads every byte of the trace in memory. */
static uint64_t
run_sum(unsigned threads)
{
	uint64_t sums[8] = {threads}, words[8];
	for (size_t i = 0; i + sizeof words <= trace.size; i += sizeof words) {
		memcpy(words, trace.bytes + i, sizeof words);
		for (size_t j = 0; j < 8; j++)
			sums[j] += words[j];
	}
	return sums[0] ^ sums[1] ^ sums[2] ^ sums[3] ^ sums[4] ^ sums[5] ^ sums[6] ^ sums[7];
}

static uint64_t
run_copy(unsigned threads)
{
	memcpy(trace.copy, trace.bytes, trace.size);
	return trace.copy[trace.size / 2] + threads;
}

enum { LOOP, GZIP_LOOP, ZSTD_LOOP, ONE, TWO, GZIP, ZSTD, MEMORY, COUNT, SUM, COPY, WORKS };

static const struct work {
	const char *name;
	uint64_t (*run)(unsigned threads);
	unsigned threads; /* 1: measured by CPU time; else by wall time */
	int against;	  /* the loop that it is compared with, or -1 */
	double target;	  /* target speedup for CIS 501 */
	double share;	  /* target share of the speed of reading memory, for other formats */
} works[WORKS] = {
	[LOOP] = {NULL, run_loop, 1, -1, 0, 0},
	[GZIP_LOOP] = {"gzip -dc | loop", run_gzip_loop, 2, -1, 0, 0},
	[ZSTD_LOOP] = {"zstd -dc | loop", run_zstd_loop, 2, -1, 0, 0},
	[ONE] = {"file, one thread", run_file, 1, LOOP, 25, 0},
	[TWO] = {"file, two threads", run_file, 2, LOOP, 35, 0},
	[GZIP] = {"gzip file, two threads", run_gzip, 2, GZIP_LOOP, 12, 0},
	[ZSTD] = {"zstd file, two threads", run_zstd, 2, ZSTD_LOOP, 18, 0},
	[MEMORY] = {"memory, one thread", run_memory, 1, LOOP, 0, 1.2 / 9},
	[COUNT] = {"memory, count records", run_count, 1, LOOP, 0, 0},
	[SUM] = {"reading memory", run_sum, 1, -1, 0, 0},
	[COPY] = {"copying memory", run_copy, 1, -1, 0, 0},
};

static double cpu[WORKS][ROUNDS_MAX], wall[WORKS][ROUNDS_MAX];
static uint64_t records[WORKS];

static bool
is_measured(int work)
{
	bool gzip = work == GZIP || work == GZIP_LOOP, zstd = work == ZSTD || work == ZSTD_LOOP;
	return (!gzip || trace.gzip) && (!zstd || trace.zstd);
}

/* Returns the times of a work by the clock of clock_of. */
static const double *
times(int work, int clock_of)
{
	return works[clock_of].threads == 1 ? cpu[work] : wall[work];
}

static void
load_trace(void)
{
	trace.size = file_size(trace.path);
	trace.bytes = malloc(trace.size);
	trace.copy = malloc(trace.size);
	FILE *from = fopen(trace.path, "rb");
	if (!trace.bytes || !trace.copy || !from ||
		fread(trace.bytes, 1, trace.size, from) != trace.size) {
		perror(trace.path);
		exit(2);
	}
	fclose(from);
	memset(trace.copy, 1, trace.size);
}

static void
print_work(int work, int rounds)
{
	const struct work *current = &works[work];
	const double bytes = (double)trace.size;
	double seconds = median(times(work, work), rounds), ratios[ROUNDS_MAX];
	double read = median(times(SUM, SUM), rounds) / seconds;
	char ratio[16] = "-", target[16] = "-";
	for (int r = 0; current->against >= 0 && r < rounds; r++)
		ratios[r] = times(current->against, work)[r] / times(work, work)[r];
	if (current->against >= 0)
		snprintf(ratio, sizeof ratio, "%.1fx", median(ratios, rounds));
	if (current->target > 0 && strcmp(trace.format, "cis501") == 0)
		snprintf(target, sizeof target, "%.0fx", current->target);
	else if (current->share > 0 && strcmp(trace.format, "cis501") != 0)
		snprintf(target, sizeof target, "%.1f%%", 100 * current->share);
	printf("%-24s %7s %7s %10.1f %10.1f %6.2f %8.2f %7.2f %7.2f\n",
		current->name ? current->name : trace.loop->name, ratio, target, 100 * read,
		100 * median(times(COPY, COPY), rounds) / seconds, bytes / seconds / 1e9,
		(double)records[LOOP] / seconds / 1e6, median(cpu[work], rounds),
		median(wall[work], rounds));
}

static void
measure(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		for (int work = 0; work < WORKS; work++) {
			if (!is_measured(work))
				continue;
			double cpu_start = cpu_seconds(), wall_start = wall_seconds();
			records[work] = works[work].run(works[work].threads);
			cpu[work][round] = cpu_seconds() - cpu_start;
			wall[work][round] = wall_seconds() - wall_start;
		}
	}
}

int
main(int argc, char **argv)
{
	int rounds = argc > 4 ? atoi(argv[4]) : 0;
	if (argc < 5 || rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: text FORMAT TRACE BASELINE-PROGRAM ROUNDS [GZIP-FILE "
				"ZSTD-FILE]\n");
		return 2;
	}
	trace.format = argv[1];
	trace.path = argv[2];
	trace.program = argv[3];
	trace.gzip = argc > 5 ? argv[5] : NULL;
	trace.zstd = argc > 6 ? argv[6] : NULL;
	trace.loop = baseline_text(trace.format);
	if (!trace.loop || !poly_format_find(trace.format)) {
		printf("%s: format not built\n", trace.format);
		return 0;
	}
	load_trace();
	measure(rounds);
	printf("%-24s %7s %7s %10s %10s %6s %8s %7s %7s\n", "benchmark", "speedup", "target",
		"reading(%)", "memcpy(%)", "GB/s", "M rec/s", "CPU s", "wall s");
	for (int work = 0; work < WORKS; work++) {
		if (is_measured(work))
			print_work(work, rounds);
		if (works[work].against >= 0 && is_measured(work) &&
			records[work] != records[LOOP])
			printf("  found %" PRIu64 " records, expected %" PRIu64 "\n",
				records[work], records[LOOP]);
	}
	return 0;
}
