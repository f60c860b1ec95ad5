/* SPDX-License-Identifier: MIT */
/*
 * Prediction of lines changes no result: every sample, repeated, valid and corrupt, read with
 * it and without, in the same batches and in others. TAP.
 *
 * usage: prediction ROOT SAMPLES, as of laws
 */
#include "../fuzz/lines.h"
#include "../sampling.h"

#include "format/core/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Repetitions of a sample, maximum bytes of it, and number of corrupt copies. */
#define TIMES 3
#define PIECE ((size_t)24 << 10)
#define CORRUPT_COPIES 60

static const char *const way_names[PREDICT_WAYS] = {
	"the best way", "", "plain C", "SSE2", "AVX2"};

struct sample {
	char format[32], path[200], option[64];
	uint8_t *data;
	size_t size;
};

static uint64_t seed = 1;

static size_t
random_below(size_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((seed >> 33) % n);
}

/* Clears the data of absent elements. */
static void
load(struct sample *sample, const char *root)
{
	char path[600];
	snprintf(path, sizeof path, "%s/tests/data/%s", root, sample->path);
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(TIMES * PIECE);
	size_t n = file && data ? fread(data, 1, PIECE, file) : 0;
	if (file)
		fclose(file);
	for (size_t i = 1; i < TIMES; i++)
		memcpy(data + i * n, data, n);
	if (n)
		sample->data = data;
	else
		free(data);
	sample->size = TIMES * n;
}

/* Options in turn: columns, batches, blocks, skipping of corrupt data. */
static void
vary(struct poly_read_options *options, unsigned turn)
{
	static const poly_columns columns[] = {POLY_ALL_COLUMNS_INIT, POLY_COLUMNS_INIT(kind),
		POLY_COLUMNS_INIT(address, value), POLY_COLUMNS_EXCEPT_INIT(raw, text),
		POLY_COLUMNS_INIT(site, origin)};
	options->columns = columns[turn % 5];
	options->batch_rows = turn % 3 ? POLY_BATCH_ROWS : 100;
	options->block_size = turn % 4 ? 0 : 1000;
	options->skip_errors = turn % 2;
	options->check = turn % 7 == 0;
}

static void
corrupt_bytes(uint8_t *to, const struct sample *sample)
{
	static const char likely[] = "0123456789abcdefABCDEF -xRWTNLS_:\n\r\t";
	memcpy(to, sample->data, sample->size);
	for (size_t n = 1 + random_below(6); n; n--)
		to[random_below(sample->size)] =
			random_below(4) ? (uint8_t)likely[random_below(sizeof likely - 1)]
					: (uint8_t)random_below(256);
}

static const char *
try_way(const struct sample *sample, enum predict_way way)
{
	const char *words[] = {sample->option, NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = sample->format;
	options.one_thread = true;
	options.options = sample->option[0] ? words : NULL;
	uint8_t *copy = malloc(sample->size);
	const char *difference = copy ? NULL : "memory";
	for (unsigned turn = 0; turn < CORRUPT_COPIES && !difference; turn++) {
		if (!sample_takes())
			continue;
		vary(&options, turn);
		if (turn >= 10)
			corrupt_bytes(copy, sample);
		difference = lines_difference(
			turn < 10 ? sample->data : copy, sample->size, &options, way);
	}
	free(copy);
	return difference;
}

/* What reading gave: a hash of all cells of all rows, and how it ended. */
struct outcome {
	uint64_t rows;
	struct poly_reader_counts counts;
	struct poly_error error;
};

static uint64_t
hash(uint64_t hash, const void *data, size_t n)
{
	const uint8_t *p = data;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 1099511628211u;
	return hash;
}

static uint64_t
hash_cell(uint64_t all, const struct poly_batch *batch, enum poly_column column, size_t row)
{
	const enum poly_form form = poly_column_form(column);
	uint64_t v = 0;
	size_t n = 0;
	const void *bytes = "";
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
		bytes = poly_batch_bytes(batch, column, row, &n);
	else
		v = poly_batch_integer(batch, column, row);
	if (form == POLY_FORM_NAME) {
		bytes = poly_trace_name(batch->info, (uint32_t)v);
		n = strlen(bytes);
		v = 0;
	}
	const uint64_t head[] = {column, v, n};
	return hash(hash(all, head, sizeof head), bytes, n);
}

static uint64_t
hash_row(uint64_t all, const struct poly_batch *batch, size_t row)
{
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (poly_present(batch, (enum poly_column)c, row))
			all = hash_cell(all, batch, (enum poly_column)c, row);
	}
	return hash(all, "\n", 1);
}

/* False where the bytes cannot be opened, or the processor cannot predict that way. */
static bool
read_by(const uint8_t *data, size_t size, const struct poly_read_options *options,
	enum predict_way way, struct outcome *outcome)
{
	struct poly_reader *reader;
	const struct poly_batch *batch;
	memset(outcome, 0, sizeof *outcome);
	bool good = poly_reader_open_memory(data, size, options, &reader, NULL) == POLY_OK &&
		    reader_predict_by(reader, way);
	while (good && poly_reader_next(reader, &batch, &outcome->error) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			outcome->rows = hash_row(outcome->rows, batch, row);
	}
	if (good)
		poly_reader_count(reader, &outcome->counts);
	poly_reader_close(reader);
	return good;
}

/* What of two outcomes is not the same, or NULL. */
static const char *
different(const struct outcome *a, const struct outcome *b)
{
	if (a->counts.records != b->counts.records ||
		a->counts.content_bytes != b->counts.content_bytes ||
		a->counts.skipped_bytes != b->counts.skipped_bytes ||
		a->counts.skipped_places != b->counts.skipped_places)
		return "a count";
	if (a->error.status != b->error.status || a->error.offset != b->error.offset ||
		a->error.record != b->error.record || a->error.line != b->error.line ||
		strcmp(a->error.message, b->error.message) != 0)
		return "error";
	return a->rows == b->rows ? NULL : "a row";
}

/* Batches of predicted rows that end anywhere, and full ones of plain rows. */
static const char *
try_batches(const struct sample *sample, enum predict_way way)
{
	static const size_t rows[] = {7, 0, 1}, blocks[] = {0, 1000, 4093, 64, 1};
	const char *words[] = {sample->option, NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = sample->format;
	options.one_thread = true;
	options.options = sample->option[0] ? words : NULL;
	uint8_t *copy = malloc(sample->size);
	const char *difference = copy ? NULL : "memory";
	for (unsigned turn = 0; turn < 30 && !difference; turn++) {
		if (!sample_takes())
			continue;
		struct outcome plain, predicted;
		const uint8_t *data = turn < 15 ? sample->data : copy;
		options.skip_errors = turn >= 15;
		if (turn >= 15)
			corrupt_bytes(copy, sample);
		options.batch_rows = options.block_size = 0;
		bool good = read_by(data, sample->size, &options, PREDICT_NEVER, &plain);
		options.batch_rows = rows[turn % 3];
		options.block_size = blocks[turn % 5];
		if (good && read_by(data, sample->size, &options, way, &predicted))
			difference = different(&plain, &predicted);
	}
	free(copy);
	return difference;
}

/* Both comparisons for one way. */
static unsigned
try_sample(const struct sample *sample, enum predict_way way, unsigned tests)
{
	const char *differences[] = {sample->data ? try_way(sample, way) : "no file",
		sample->data ? try_batches(sample, way) : "no file"};
	static const char *const ends[] = {"nothing", "nothing_wherever_batches_end"};
	for (unsigned i = 0; i < 2; i++) {
		if (differences[i])
			printf("# %s differs\n", differences[i]);
		printf("%sok %u - prediction_by_%s_changes_%s: %s\n",
			differences[i] ? "not " : "", ++tests, way_names[way], ends[i],
			sample->path);
	}
	return tests;
}

int
main(int argc, char **argv)
{
	char line[400];
	unsigned tests = 0;
	FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
	if (!list) {
		fprintf(stderr, "usage: prediction ROOT SAMPLES\n");
		return 2;
	}
	while (fgets(line, sizeof line, list)) {
		struct sample sample = {0};
		if (line[0] == '#' || sscanf(line, "%31s %199s %63s", sample.format,
					      sample.path, sample.option) < 2)
			continue;
		load(&sample, argv[1]);
		seed = 1 + sample_seed();
		for (unsigned way = 0; way < PREDICT_WAYS; way++) {
			if (way != PREDICT_NEVER)
				tests = try_sample(&sample, (enum predict_way)way, tests);
		}
		free(sample.data);
	}
	fclose(list);
	printf("1..%u\n", tests);
	return 0;
}
