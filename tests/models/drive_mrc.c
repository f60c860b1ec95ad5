/* SPDX-License-Identifier: MIT */
/* Caches of all sizes: stack distances, all set counts and ways, samples. */
#include "drive.h"

#include "sim/cache/all_associativity.h"
#include "sim/memory/dense_index.h"
#include "sim/memory/shards.h"
#include "sim/memory/stack_distance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void
need(enum poly_status status, const struct poly_error *error)
{
	if (status == POLY_OK)
		return;
	puts(error->message);
	exit(1);
}

/* Lines and their dense numbers. */
struct lines {
	uint64_t *lines;
	uint32_t *ids;
	uint32_t count;
};

static struct lines
make_lines(const struct settings *s, const struct accesses *accesses)
{
	struct lines lines = {malloc((accesses->count + 1) * sizeof *lines.lines),
		malloc((accesses->count + 1) * sizeof *lines.ids), 0};
	struct poly_error error;
	struct dense_index dense;
	if (!lines.lines || !lines.ids)
		exit(1);
	for (size_t i = 0; i < accesses->count; i++)
		lines.lines[i] = accesses->addresses[i] / setting(s, NULL, "line", 64);
	need(dense_index_init(&dense, DENSE_INDEX_MAX, &error), &error);
	need(dense_index_find(&dense, lines.lines, accesses->count, lines.ids, &error), &error);
	lines.count = dense.count;
	dense_index_fini(&dense);
	return lines;
}

static void
free_lines(struct lines *lines)
{
	free(lines->lines);
	free(lines->ids);
}

void
drive_distance(const struct settings *s, const struct accesses *accesses)
{
	struct lines lines = make_lines(s, accesses);
	struct stack_distance *distance;
	struct poly_error error;
	need(stack_distance_new(&distance, &error), &error);
	need(stack_distance_run(distance, lines.ids, accesses->count, lines.count, &error),
		&error);
	size_t count;
	const uint64_t *counts = stack_distance_counts(distance, &count);
	printf("first %" PRIu64 "\n", stack_distance_first(distance));
	for (size_t i = 0; i < count; i++)
		if (counts[i])
			printf("%zu %" PRIu64 "\n", i, counts[i]);
	for (uint64_t size = 1; size < 2 * count + 2; size *= 2)
		printf("size %" PRIu64 " %" PRIu64 "\n", size,
			stack_distance_misses(distance, size));
	stack_distance_free(distance);
	free_lines(&lines);
}

void
drive_associativity(const struct settings *s, const struct accesses *accesses)
{
	const unsigned least = (unsigned)setting(s, NULL, "least", 0);
	const unsigned most = (unsigned)setting(s, NULL, "most", 6);
	struct lines lines = make_lines(s, accesses);
	struct all_associativity *all;
	struct poly_error error;
	need(all_associativity_new(least, most, &all, &error), &error);
	all_associativity_run(all, lines.lines, lines.ids, accesses->count);
	for (unsigned bits = least; bits <= most; bits++)
		for (unsigned ways = 1; ways <= ALL_ASSOCIATIVITY_WAYS; ways++)
			printf("%u %u %" PRIu64 "\n", bits, ways,
				all_associativity_misses(all, bits, ways));
	all_associativity_free(all);
	free_lines(&lines);
}

void
drive_shards(const struct settings *s, const struct accesses *accesses)
{
	struct lines lines = make_lines(s, accesses);
	struct shards *shards;
	struct poly_error error;
	need(shards_new((unsigned)setting(s, NULL, "k", 3), 1 << 20, &shards, &error), &error);
	need(shards_run(shards, lines.lines, accesses->count, &error), &error);
	printf("sampled %" PRIu64 "\n", shards_sampled(shards));
	for (uint64_t size = 1; size < 5000; size = size * 3 / 2 + 1) {
		struct shards_ratio ratio;
		shards_ratio(shards, size, &ratio);
		printf("%" PRIu64 " %.9f %.9f %.9f\n", size, ratio.mean, ratio.min, ratio.max);
	}
	shards_free(shards);
	free_lines(&lines);
}
