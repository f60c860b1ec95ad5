/* SPDX-License-Identifier: MIT */
/*
 * Prediction of lines changes nothing: every sample, repeated, whole and damaged, read with it
 * and without. TAP.
 *
 * usage: prediction ROOT SAMPLES, as of laws
 */
#include "../fuzz/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often a sample is repeated, how much of it, and how many damaged copies are tried. */
#define TIMES 3
#define PIECE ((size_t)24 << 10)
#define DAMAGED 60

static const char *const way_names[PREDICT_WAYS] = {
	"the best way", "", "plain C", "SSE2", "AVX2", "AVX-512"};

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

static bool
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
	sample->data = data;
	sample->size = TIMES * n;
	return n != 0;
}

/* Options in turn: columns, batches, blocks, passing over damage. */
static void
vary(struct poly_read_options *options, unsigned turn)
{
	static const poly_columns columns[] = {POLY_ALL_COLUMNS, POLY_HAS(kind),
		POLY_HAS(address) | POLY_HAS(value), ~(POLY_HAS(raw) | POLY_HAS(text)),
		POLY_HAS(site) | POLY_HAS(origin)};
	options->columns = columns[turn % 5];
	options->batch_rows = turn % 3 ? POLY_BATCH_ROWS : 100;
	options->block_size = turn % 4 ? 0 : 1000;
	options->skip_errors = turn % 2;
	options->check = turn % 7 == 0;
}

static void
damage(uint8_t *to, const struct sample *sample)
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
	for (unsigned turn = 0; turn < DAMAGED && !difference; turn++) {
		vary(&options, turn);
		if (turn >= 10)
			damage(copy, sample);
		difference = lines_difference(
			turn < 10 ? sample->data : copy, sample->size, &options, way);
	}
	free(copy);
	return difference;
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
		const bool loaded = load(&sample, argv[1]);
		for (unsigned way = 0; way < PREDICT_WAYS; way++) {
			if (way == PREDICT_NEVER)
				continue;
			const char *difference =
				loaded ? try_way(&sample, (enum predict_way)way) : "no file";
			if (difference)
				printf("# %s differs\n", difference);
			printf("%sok %u - prediction_by_%s_changes_nothing: %s\n",
				difference ? "not " : "", ++tests, way_names[way], sample.path);
		}
		free(sample.data);
	}
	fclose(list);
	printf("1..%u\n", tests);
	return 0;
}
