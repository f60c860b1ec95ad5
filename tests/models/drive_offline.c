/* SPDX-License-Identifier: MIT */
/* Classes of misses, what is best, buffers of translations, and pages. */
#include "drive.h"

#include "sim/cache/miss_classes.h"
#include "sim/cache/next_use.h"
#include "sim/cache/belady.h"
#include "sim/memory/paging.h"
#include "sim/memory/tlb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP 100

static void
need(enum poly_status status, const struct poly_error *error)
{
	if (status == POLY_OK)
		return;
	puts(error->message);
	exit(1);
}

static struct cache_batch
part_of(const struct accesses *accesses, size_t from)
{
	const size_t rest = accesses->count - from;
	return (struct cache_batch){accesses->addresses + from, accesses->kinds + from,
		accesses->sizes + from, rest < STEP ? rest : STEP};
}

static struct cache_config
make_config(const struct settings *s)
{
	return (struct cache_config){.sets = setting(s, NULL, "sets", 4),
		.ways = (uint32_t)setting(s, NULL, "ways", 2),
		.line_size = (uint32_t)setting(s, NULL, "line", 32),
		.no_allocate = setting(s, NULL, "around", 0)};
}

void
drive_classify(const struct settings *s, const struct accesses *accesses)
{
	const struct cache_config config = make_config(s);
	static const struct line_sample all_lines = {0};
	struct line_table lines;
	struct miss_classes *classify;
	struct cache *cache;
	struct poly_error error;
	need(cache_new(&config, &cache, &error), &error);
	need(miss_classes_new(&config, &classify, &error), &error);
	need(line_table_init(&lines, 1 << 20, &all_lines, &error), &error);
	for (size_t from = 0; from < accesses->count; from += STEP) {
		const struct cache_batch batch = part_of(accesses, from);
		uint64_t numbers[STEP];
		uint32_t missed[STEP];
		uint8_t classes[STEP], first[STEP];
		struct classified_misses misses = {missed, 0, classes, 0};
		misses.count = cache_run(cache, &batch, missed);
		for (size_t i = 0; i < batch.count; i++)
			numbers[i] = batch.addresses[i] / config.line_size;
		need(line_table_weigh(&lines, numbers, batch.count, first), &error);
		miss_classes_run(classify, &batch, first, &misses);
		for (size_t i = 0; i < misses.count; i++)
			printf("%zu %d\n", from + missed[i], classes[i]);
	}
	struct miss_class_estimate estimate;
	miss_class_counts_estimate(miss_classes_counts(classify), &estimate);
	printf("counts %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", estimate.misses[0],
		estimate.misses[1], estimate.misses[2]);
	line_table_fini(&lines);
	miss_classes_free(classify);
	cache_free(cache);
}

static bool
put(void *user, uint64_t at, const void *data, size_t size)
{
	memcpy((char *)user + at, data, size);
	return true;
}

static bool
get(void *user, uint64_t at, void *data, size_t size)
{
	memcpy(data, (char *)user + at, size);
	return true;
}

/* Next uses of all accesses by line size. */
static uint64_t *
next_uses(const struct accesses *accesses, uint64_t line_size)
{
	const size_t count = accesses->count;
	uint64_t *lines = calloc(count + 1, sizeof *lines), *next = calloc(count + 1, 8);
	char *memory[] = {calloc(count + 1, 8), calloc(count + 1, 8)};
	const struct sim_store stores[] = {{put, get, memory[0]}, {put, get, memory[1]}};
	struct next_use *next_use;
	struct poly_error error;
	if (!lines || !next || !memory[0] || !memory[1])
		exit(1);
	for (size_t i = 0; i < count; i++)
		lines[i] = accesses->addresses[i] / line_size;
	need(next_use_new(stores, &next_use, &error), &error);
	need(next_use_add(next_use, lines, count, &error), &error);
	need(next_use_resolve(next_use, 1 << 20, NULL, &error), &error);
	need(next_use_read(next_use, lines, next, count, &error), &error);
	next_use_free(next_use);
	free(memory[0]);
	free(memory[1]);
	free(lines);
	return next;
}

void
drive_opt(const struct settings *s, const struct accesses *accesses)
{
	const struct cache_config config = make_config(s);
	uint64_t *next = next_uses(accesses, config.line_size);
	struct belady *opt;
	struct poly_error error;
	struct cache_counts counts;
	need(belady_new(&config, &opt, &error), &error);
	for (size_t from = 0; from < accesses->count; from += STEP) {
		const struct cache_batch batch = part_of(accesses, from);
		uint32_t missed[STEP];
		const size_t misses = belady_run(opt, &batch, next + from, missed);
		for (size_t i = 0; i < misses; i++)
			printf("miss %zu\n", from + missed[i]);
	}
	belady_count(opt, &counts);
	printf("counts %" PRIu64 " %" PRIu64 "\n", counts.evictions, counts.dirty_evictions);
	belady_free(opt);
	free(next);
}

void
drive_paging(const struct settings *s, const struct accesses *accesses)
{
	const struct paging_config config = {(uint32_t)setting(s, NULL, "frames", 4),
		(uint32_t)setting(s, NULL, "page", 4096),
		(enum paging_policy)setting(s, NULL, "policy", 0)};
	uint64_t *next = next_uses(accesses, config.page_size);
	struct paging *paging;
	struct poly_error error;
	struct paging_counts counts;
	need(paging_new(&config, &paging, &error), &error);
	for (size_t from = 0; from < accesses->count; from += STEP) {
		const struct cache_batch batch = part_of(accesses, from);
		uint32_t missed[STEP];
		const size_t misses = paging_run(paging, &batch, next + from, missed);
		for (size_t i = 0; i < misses; i++)
			printf("fault %zu\n", from + missed[i]);
	}
	paging_count(paging, &counts);
	printf("counts %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts.accesses, counts.faults,
		counts.written);
	paging_free(paging);
	free(next);
}

static struct tlb_level
make_level(const struct settings *s, const char *prefix)
{
	return (struct tlb_level){(uint32_t)setting(s, prefix, "entries", 8),
		(uint32_t)setting(s, prefix, "ways", 2), CACHE_LRU,
		(uint32_t)setting(s, prefix, "latency", 0)};
}

void
drive_tlb(const struct settings *s, const struct accesses *accesses)
{
	const struct tlb_config config = {.page_size = (uint32_t)setting(s, NULL, "page", 4096),
		.levels = {make_level(s, "l0."), make_level(s, "l1.")},
		.count = (unsigned)setting(s, NULL, "count", 2),
		.split = setting(s, NULL, "split", 0),
		.instructions = make_level(s, "i."),
		.walk_steps = 4,
		.step_latency = 9};
	uint32_t *cycles = malloc((accesses->count + 1) * sizeof *cycles);
	struct tlb *tlb;
	struct poly_error error;
	struct tlb_totals totals;
	need(tlb_new(&config, &tlb, &error), &error);
	if (!cycles)
		exit(1);
	tlb_run(tlb, accesses->addresses, accesses->kinds, accesses->count, cycles);
	for (size_t i = 0; i < accesses->count; i++)
		printf("%" PRIu32 "\n", cycles[i]);
	for (unsigned level = 0; level <= TLB_LEVELS; level++) {
		struct tlb_counts counts;
		tlb_count(tlb, level, &counts);
		for (int kind = 0; kind < CACHE_KINDS; kind++)
			printf("%s %" PRIu64 " %" PRIu64, kind ? "" : "level",
				counts.accesses[kind], counts.misses[kind]);
		putchar('\n');
	}
	tlb_total(tlb, &totals);
	printf("totals %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", totals.accesses, totals.walks,
		totals.cycles);
	tlb_free(tlb);
	free(cycles);
}
