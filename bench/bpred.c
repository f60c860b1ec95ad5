/* SPDX-License-Identifier: MIT */
/*
 * 36 branch predictors on a trace in memory in one sweep over the conditional branches of the
 * columns, compared with one scan of the records per predictor. Interleaved runs, medians of
 * process CPU time; the mispredictions must be equal.
 *
 * usage: bpred TRACE ROUNDS
 */
#include "baseline/baseline.h"
#include "measure.h"
#include "polytrace/polytrace.h"

#include "sim/branch/bpred_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS_MAX 10000000

/* The trace as records, and as columns. */
static struct {
	struct baseline_uop *uops;
	uint64_t *pc;
	uint8_t *branch, *flags;
	uint64_t *present; /* bitmap of the rows with a branch, as in batches */
	size_t n;
} trace;

static void *
allocate(size_t size)
{
	void *p = calloc(RECORDS_MAX, size);
	if (!p) {
		fputs("bpred: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static void
die(const char *what, const struct poly_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->message);
	exit(1);
}

static void
add_row(const struct poly_batch *batch, size_t i)
{
	bool is_branch = poly_present(batch, POLY_COLUMN_branch, i);
	bool reads = batch->flags && batch->flags[i] == POLY_FLAGS_READ;
	struct baseline_uop *uop = &trace.uops[trace.n];
	uop->pc = trace.pc[trace.n] = batch->pc[i];
	trace.branch[trace.n] = is_branch ? batch->branch[i] : 0;
	trace.present[trace.n / 64] |= (uint64_t)is_branch << (trace.n % 64);
	trace.flags[trace.n] = reads ? POLY_FLAGS_READ : POLY_FLAGS_NONE;
	uop->branch = '-';
	if (is_branch)
		uop->branch = batch->branch[i] == POLY_BRANCH_TAKEN ? 'T' : 'N';
	uop->flags = reads ? 'R' : '-';
	trace.n++;
}

static void
load(const char *path)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	const struct poly_batch *batch;
	options.columns = POLY_COLUMNS(pc, branch, flags);
	trace.uops = allocate(sizeof *trace.uops);
	trace.pc = allocate(sizeof *trace.pc);
	trace.branch = allocate(1);
	trace.flags = allocate(1);
	trace.present = allocate(1);
	if (poly_reader_open(path, &options, &reader, &error) != POLY_OK)
		die(path, &error);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		for (size_t i = 0; i < batch->rows && trace.n < RECORDS_MAX; i++)
			add_row(batch, i);
	poly_reader_close(reader);
}

/* Selects the conditional branches of at most a batch of rows. */
static size_t
select_branches(size_t from, size_t rows, uint64_t *pc, uint8_t *taken)
{
	size_t n = 0;
	for (size_t word = from / 64; 64 * word < from + rows; word++) {
		for (uint64_t left = trace.present[word]; left; left &= left - 1) {
			size_t i = 64 * word + (size_t)__builtin_ctzll(left);
			pc[n] = trace.pc[i];
			taken[n] = trace.branch[i] == POLY_BRANCH_TAKEN;
			n += trace.flags[i] == POLY_FLAGS_READ;
		}
	}
	return n;
}

static uint64_t
run_sweep(uint64_t *wrong)
{
	static struct bpred_config configs[BASELINE_PREDICTORS];
	static uint64_t pc[POLY_BATCH_ROWS + 1];
	static uint8_t taken[POLY_BATCH_ROWS + 1];
	struct bpred_sweep *sweep;
	struct poly_error error;
	uint64_t branches = 0;
	for (unsigned i = 0; i < BASELINE_PREDICTORS; i++) {
		unsigned log2 = BASELINE_PREDICTOR_MIN + i / 2;
		configs[i] = (struct bpred_config){.kind = i % 2 ? BPRED_GSHARE : BPRED_BIMODAL,
			.entries_log2 = log2,
			.history = log2};
	}
	if (bpred_sweep_new(configs, BASELINE_PREDICTORS, &sweep, &error) != POLY_OK)
		die("sweep", &error);
	for (size_t from = 0; from < trace.n; from += POLY_BATCH_ROWS) {
		size_t left = trace.n - from;
		struct bpred_batch batch = {pc, NULL, taken, 0};
		batch.n = select_branches(
			from, left < POLY_BATCH_ROWS ? left : POLY_BATCH_ROWS, pc, taken);
		branches += batch.n;
		bpred_sweep_run(sweep, &batch);
	}
	for (unsigned i = 0; i < BASELINE_PREDICTORS; i++)
		wrong[i] = bpred_sweep_wrong(sweep, i);
	bpred_sweep_free(sweep);
	return branches;
}

int
main(int argc, char **argv)
{
	static double passes[ROUNDS_MAX], sweeps[ROUNDS_MAX];
	uint64_t expected[BASELINE_PREDICTORS], found[BASELINE_PREDICTORS], branches = 0;
	int rounds = argc == 3 ? atoi(argv[2]) : 0;
	if (rounds < 1 || rounds > ROUNDS_MAX) {
		fputs("usage: bpred TRACE ROUNDS\n", stderr);
		return 2;
	}
	load(argv[1]);
	for (int round = 0; round < rounds; round++) {
		double start = cpu_seconds();
		baseline_predictors(trace.uops, trace.n, expected);
		passes[round] = cpu_seconds() - start;
		start = cpu_seconds();
		branches = run_sweep(found);
		sweeps[round] = cpu_seconds() - start;
	}
	if (memcmp(expected, found, sizeof found) != 0) {
		fputs("bpred: the mispredictions differ\n", stderr);
		return 1;
	}
	double slow = median(passes, rounds), fast = median(sweeps, rounds);
	printf("branch predictors: %d on %zu records with %llu conditional branches: one scan "
	       "per predictor %.0f ms, one sweep %.0f ms: speedup %.1f\n",
		BASELINE_PREDICTORS, trace.n, (unsigned long long)branches, slow * 1e3,
		fast * 1e3, slow / fast);
	return 0;
}
