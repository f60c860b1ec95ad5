/* SPDX-License-Identifier: MIT */
/*
 * Pipelines by time stamps compared with pipelines that are stepped cycle by cycle, on the
 * micro-operations of a CIS 501 trace. Runs are interleaved per chunk of the trace; each begins
 * with an empty pipeline and finds the chunk in the nearest caches, like a batch that was just
 * decoded. One thread, medians of process CPU time; the cycles must be equal.
 *
 * usage: pipeline ROUNDS TRACE
 */
#include "baseline/pipeline.h"
#include "measure.h"
#include "polytrace/polytrace.h"
#include "sim/pipeline/pipeline.h"
#include "sim/pipeline/pipeline_simd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UOPS_MAX = 4000000, FLAGS = 49, BATCH = 4096, WIDTH = 4, LOAD = 2, SIZE = 128 };
enum { CHUNK = 32768, VARIANTS_MAX = 8 };

static struct baseline_uop *all_uops;
static struct pipeline_op *all_ops;
static size_t all;

/* The current chunk. */
static struct baseline_uop uops[CHUNK];
static struct pipeline_op ops[CHUNK];
static size_t count;

static int
register_at(const struct poly_batch *batch, enum poly_column column, const uint8_t *values,
	size_t row)
{
	return poly_present(batch, column, row) && values[row] < FLAGS ? values[row] : -1;
}

static uint8_t
op_register(int reg)
{
	return reg < 0 ? PIPELINE_NONE : (uint8_t)reg;
}

static void
add_row(const struct poly_batch *batch, size_t row)
{
	const bool flags = poly_present(batch, POLY_COLUMN_flags, row);
	const bool branch = poly_present(batch, POLY_COLUMN_branch, row);
	const bool access = poly_present(batch, POLY_COLUMN_access, row);
	struct baseline_uop uop = {
		.src1 = register_at(batch, POLY_COLUMN_src1, batch->src1, row),
		.src2 = register_at(batch, POLY_COLUMN_src2, batch->src2, row),
		.dest = register_at(batch, POLY_COLUMN_dest, batch->dest, row),
		.flags = flags ? "-RW-"[batch->flags[row]] : '-',
		.branch = branch ? "NT"[batch->branch[row]] : '-',
		.ldst = access ? batch->access[row] == POLY_ACCESS_READ ? 'L' : 'S' : '-'};
	struct pipeline_op op = {{op_register(uop.src1), op_register(uop.src2),
					 uop.flags == 'R' ? FLAGS : PIPELINE_NONE},
		{op_register(uop.dest), uop.flags == 'W' ? FLAGS : PIPELINE_NONE},
		(uint8_t)((uop.ldst == 'L' ? PIPELINE_LOADS : 0) |
			  (uop.ldst == 'S' ? PIPELINE_STORE : 0) |
			  (uop.branch == 'T' ? PIPELINE_TAKEN : 0)),
		0};
	all_uops[all] = uop;
	all_ops[all++] = op;
}

static void
read_trace(const char *path)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error;
	reading.format = "cis501";
	reading.columns = POLY_COLUMNS(src1, src2, dest, flags, branch, access);
	if (poly_reader_open(path, &reading, &reader, &error) != POLY_OK) {
		fprintf(stderr, "pipeline: %s: %s\n", path, error.message);
		exit(2);
	}
	all_uops = calloc(UOPS_MAX, sizeof *all_uops);
	all_ops = calloc(UOPS_MAX, sizeof *all_ops);
	if (!all_uops || !all_ops)
		exit(2);
	while (all < UOPS_MAX && poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows && all < UOPS_MAX; row++)
			add_row(batch, row);
	}
	poly_reader_close(reader);
}

static struct pipeline_inorder_config
inorder_config(unsigned width, unsigned load)
{
	return (struct pipeline_inorder_config){.width = width,
		.latency = {1, load, 1, 1, 1, 1, 1, 1},
		.order = PIPELINE_ORDER_ALL,
		.taken_ends = true};
}

static uint64_t
run_inorder_stepped(void)
{
	return baseline_inorder(uops, count, WIDTH, LOAD);
}

static uint64_t
run_inorder_of(bool cycles_only)
{
	struct pipeline_inorder_config config = inorder_config(WIDTH, LOAD);
	config.cycles_only = cycles_only;
	struct pipeline_inorder *pipeline = pipeline_inorder_new(&config, NULL);
	struct pipeline_result result;
	if (!pipeline)
		exit(2);
	pipeline_inorder_run(pipeline, ops, count, NULL);
	pipeline_inorder_result(pipeline, &result);
	pipeline_inorder_free(pipeline);
	return result.cycles;
}

static uint64_t
run_inorder(void)
{
	return run_inorder_of(true);
}

static uint64_t
run_inorder_parts(void)
{
	return run_inorder_of(false);
}

static uint64_t
run_ooo_stepped(void)
{
	return baseline_ooo(uops, count, WIDTH, SIZE, LOAD);
}

static uint64_t
run_ooo(void)
{
	const struct pipeline_ooo_config config = {
		.width = WIDTH, .size = SIZE, .latency = {1, LOAD, 1, 1, 1, 1, 1, 1}};
	struct pipeline_ooo *pipeline = pipeline_ooo_new(&config, NULL);
	struct pipeline_result result;
	if (!pipeline)
		exit(2);
	pipeline_ooo_run(pipeline, &(struct pipeline_ops){ops, NULL, NULL, count}, NULL);
	pipeline_ooo_result(pipeline, &result);
	pipeline_ooo_free(pipeline);
	return result.cycles;
}

static unsigned
lane_width(unsigned lane)
{
	return 1 + lane % 8;
}

static unsigned
lane_load(unsigned lane)
{
	return lane < 8 ? 2 : 3;
}

static uint64_t
run_lanes_stepped(void)
{
	uint64_t hash = 0;
	for (unsigned lane = 0; lane < PIPELINE_LANES; lane++)
		hash = hash * 31 + baseline_inorder(uops, count, (int)lane_width(lane),
					   (int)lane_load(lane));
	return hash;
}

static uint64_t
run_lanes(enum pipeline_way way)
{
	struct pipeline_inorder_config configs[PIPELINE_LANES];
	uint64_t hash = 0;
	for (unsigned lane = 0; lane < PIPELINE_LANES; lane++)
		configs[lane] = inorder_config(lane_width(lane), lane_load(lane));
	struct pipeline_simd *lanes = pipeline_simd_new(configs, PIPELINE_LANES, way, NULL);
	if (!lanes)
		return 0;
	pipeline_simd_run(lanes, ops, count);
	for (unsigned lane = 0; lane < PIPELINE_LANES; lane++)
		hash = hash * 31 + pipeline_simd_cycles(lanes, lane);
	pipeline_simd_free(lanes);
	return hash;
}

static uint64_t
run_lanes_plain(void)
{
	return run_lanes(PIPELINE_PLAIN);
}

static uint64_t
run_lanes_sse2(void)
{
	return run_lanes(PIPELINE_SSE2);
}

static uint64_t
run_lanes_avx2(void)
{
	return run_lanes(PIPELINE_AVX2);
}

static uint64_t
run_lanes_avx512(void)
{
	return run_lanes(PIPELINE_AVX512);
}

struct variant {
	const char *name;
	uint64_t (*run)(void);
};

/* Seconds of each variant, and a hash of its results of all chunks; 0: not supported. */
struct race {
	double seconds[VARIANTS_MAX][ROUNDS_MAX];
	uint64_t results[VARIANTS_MAX];
};

static void
run_chunk(struct race *race, const struct variant *variants, size_t n, int round)
{
	for (size_t i = 0; i < n; i++) {
		const double start = cpu_seconds();
		const uint64_t result = variants[i].run();
		race->seconds[i][round] += cpu_seconds() - start;
		race->results[i] = result ? race->results[i] * 31 + result : 0;
	}
}

static void
compare(const char *title, const struct variant *variants, size_t n, int rounds)
{
	static struct race race;
	double ratios[ROUNDS_MAX];
	race = (struct race){0};
	for (int round = 0; round < rounds; round++) {
		for (size_t from = 0; from < all; from += CHUNK) {
			count = all - from < CHUNK ? all - from : CHUNK;
			memcpy(uops, all_uops + from, count * sizeof *uops);
			memcpy(ops, all_ops + from, count * sizeof *ops);
			run_chunk(&race, variants, n, round);
		}
	}
	printf("%s, %zu micro-ops\n", title, all);
	for (size_t i = 0; i < n; i++) {
		if (!race.results[i]) {
			printf("  %-28s not supported by this processor\n", variants[i].name);
			continue;
		}
		for (int round = 0; round < rounds; round++)
			ratios[round] = race.seconds[0][round] / race.seconds[i][round];
		printf("  %-28s %8.2f ns/micro-op, speedup %8.1f\n", variants[i].name,
			median(race.seconds[i], rounds) / (double)all * 1e9,
			median(ratios, rounds));
		if (race.results[i] != race.results[0]) {
			fprintf(stderr, "pipeline: %s: %" PRIu64 ", expected %" PRIu64 "\n",
				variants[i].name, race.results[i], race.results[0]);
			exit(1);
		}
	}
}

int
main(int argc, char **argv)
{
	static const struct variant inorder[] = {{"stepped", run_inorder_stepped},
		{"time stamps", run_inorder}, {"with CPI stack", run_inorder_parts}};
	static const struct variant ooo[] = {
		{"stepped", run_ooo_stepped}, {"time stamps", run_ooo}};
	static const struct variant lanes[] = {{"stepped, 16 times", run_lanes_stepped},
		{"lanes, plain", run_lanes_plain}, {"lanes, SSE2", run_lanes_sse2},
		{"lanes, AVX2", run_lanes_avx2}, {"lanes, AVX-512", run_lanes_avx512}};
	const int rounds = argc == 3 ? atoi(argv[1]) : 0;
	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	read_trace(argv[2]);
	if (!all)
		return 2;
	compare("in order, 4 wide", inorder, 3, rounds);
	compare("out of order, 4 wide, 128 in flight", ooo, 2, rounds);
	compare("16 pipelines in order", lanes, 5, rounds);
	free(all_uops);
	free(all_ops);
	return 0;
}
