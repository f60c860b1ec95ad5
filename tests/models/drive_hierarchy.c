/* SPDX-License-Identifier: MIT */
/* Levels of caches; l0.ways=2 and so on are of a level, i. of the instruction cache. */
#include "drive.h"

#include "sim/cache/hierarchy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct hierarchy_level
make_level(const struct settings *s, const char *prefix)
{
	return (struct hierarchy_level){
		.cache = {.sets = setting(s, prefix, "sets", 4),
			.ways = (uint32_t)setting(s, prefix, "ways", 2),
			.line_size = (uint32_t)setting(s, prefix, "line", 32),
			.write_through = setting(s, prefix, "through", 0),
			.no_allocate = setting(s, prefix, "around", 0)},
		.latency = (uint32_t)setting(s, prefix, "latency", 1),
		.victims = (uint32_t)setting(s, prefix, "victims", 0),
		.prefetch = (enum prefetch_kind)setting(s, prefix, "prefetch", 0),
		.prefetch_degree = (uint32_t)setting(s, prefix, "degree", 1),
	};
}

static void
print_counts(const struct hierarchy_counts *c)
{
	printf("level");
	for (int kind = 0; kind < CACHE_KINDS; kind++)
		printf(" %" PRIu64 " %" PRIu64, c->accesses[kind], c->misses[kind]);
	printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		c->victim_hits, c->stores, c->lines_put, c->invalidations, c->prefetches,
		c->prefetch_hits);
}

void
drive_hierarchy(const struct settings *s, const struct accesses *accesses)
{
	static const char *const prefixes[] = {"l0.", "l1.", "l2.", "l3."};
	struct hierarchy_config config = {.count = (unsigned)setting(s, NULL, "count", 2),
		.split = setting(s, NULL, "split", 0),
		.instructions = make_level(s, "i."),
		.inclusion = (enum hierarchy_inclusion)setting(s, NULL, "inclusion", 0),
		.memory_latency = 100};
	struct hierarchy *hierarchy;
	struct poly_error error;
	uint32_t *cycles = malloc((accesses->count + 1) * sizeof *cycles);
	for (unsigned i = 0; i < HIERARCHY_LEVELS; i++)
		config.levels[i] = make_level(s, prefixes[i]);
	if (!cycles || hierarchy_new(&config, &hierarchy, &error) != POLY_OK) {
		puts(error.message);
		exit(1);
	}
	/* Few instructions, so that each has many accesses. */
	uint64_t *pcs = malloc((accesses->count + 1) * sizeof *pcs);
	for (size_t i = 0; pcs && i < accesses->count; i++)
		pcs[i] = accesses->sizes[i] * 4 + (uint64_t)accesses->kinds[i] * 1024;
	hierarchy_run(hierarchy,
		&(struct hierarchy_batch){
			accesses->addresses, pcs, accesses->kinds, accesses->count, NULL},
		cycles);
	for (size_t i = 0; i < accesses->count; i++)
		printf("%" PRIu32 "\n", cycles[i]);
	for (unsigned i = 0; i < config.count; i++)
		print_counts(hierarchy_counts(hierarchy, i));
	print_counts(hierarchy_counts(hierarchy, HIERARCHY_LEVELS));
	const struct hierarchy_totals *totals = hierarchy_totals(hierarchy);
	printf("totals %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", totals->accesses,
		totals->cycles, totals->memory_reads, totals->memory_writes);
	hierarchy_free(hierarchy);
	free(cycles);
	free(pcs);
}
