/* SPDX-License-Identifier: MIT */
/* Levels of caches: what misses where, what goes between them, and what an access costs. */
#include "analysis/sim/levels.h"

#include "analysis/branch_stream.h"
#include "analysis/sim/hotspots.h"
#include "base/err.h"
#include "report/terms.h"
#include "report/tree.h"

#include <string.h>

enum { OPTION_PRESET, OPTION_CACHES, OPTION_INCLUSION, OPTION_TOP, OPTION_REGION };

struct state {
	char source[200]; /* of the caches; "": not said */
	struct hierarchy_config config;
	struct hierarchy *hierarchy;
	/* What was counted where rows were to be. */
	struct hierarchy_counts counts[HIERARCHY_CACHES];
	struct hierarchy_totals totals;
	uint64_t instructions;
	struct mem_refs uses;
	struct hotspots_pair tops;
	uint32_t cycles[MEM_REFS_MAX];
};

/* Choices of the option; "none", and names of levels_presets. */
static const char *const presets[] = {"none", "pentium", "ppc7400", "ppc7450", "ppc970",
	"skylake", "zen4", "cortex-a53", "cortex-a72", NULL};

static const char *const initial_caches[] = {
	"l1i=32k/8/64/4 l1d=32k/8/64/4 l2=512k/8/64/10 memory=200", NULL};

/* The caches of a processor; NULL: there are none of that name. */
static const struct levels_preset *
find_preset(const char *name)
{
	const struct levels_preset *preset = levels_presets;
	while (preset->name && strcmp(preset->name, name) != 0)
		preset++;
	return preset->name ? preset : NULL;
}

static enum poly_status
levels_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct state *it = state;
	const struct levels_preset *preset = find_preset(presets[setup->values[OPTION_PRESET]]);
	struct levels levels;
	if (preset && strcmp(setup->texts[OPTION_CACHES], initial_caches[0]) != 0)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option 'levels.preset' is '%s' and 'levels.caches' has others, "
			"expected one of them",
			preset->name);
	enum poly_status status = levels_parse(
		preset ? preset->text : setup->texts[OPTION_CACHES], &levels, error);
	if (status != POLY_OK)
		return status;
	it->config = levels.config;
	memcpy(it->source, levels.source, sizeof it->source);
	if (setup->values[OPTION_INCLUSION])
		it->config.inclusion =
			(enum hierarchy_inclusion)(setup->values[OPTION_INCLUSION] - 1);
	status = hotspots_pair_init(&it->tops, setup->values[OPTION_TOP], "levels.region",
		setup->values[OPTION_REGION], error);
	if (status != POLY_OK)
		return status;
	return hierarchy_new(&it->config, &it->hierarchy, error);
}

static void
add_counts(struct hierarchy_counts *to, const struct hierarchy_counts *from)
{
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		to->accesses[kind] += from->accesses[kind];
		to->misses[kind] += from->misses[kind];
	}
	to->victim_hits += from->victim_hits;
	to->stores += from->stores;
	to->lines_put += from->lines_put;
	to->invalidations += from->invalidations;
	to->prefetches += from->prefetches;
	to->prefetch_hits += from->prefetch_hits;
}

static bool
levels_update(void *state, const struct analysis_rows *rows)
{
	struct state *it = state;
	mem_refs_find(&it->uses, rows->batch, MEM_REFS_ALL);
	hierarchy_count_anew(it->hierarchy);
	hierarchy_run(it->hierarchy,
		&(struct hierarchy_batch){
			it->uses.addresses, it->uses.pcs, it->uses.kinds, it->uses.count},
		it->tops.most ? it->cycles : NULL);
	if (!rows->counts)
		return true;
	it->instructions += count_batch_instructions(rows->batch);
	const struct hierarchy_totals *totals = hierarchy_totals(it->hierarchy);
	for (unsigned i = 0; i < HIERARCHY_CACHES; i++)
		add_counts(&it->counts[i], hierarchy_counts(it->hierarchy, i));
	it->totals.accesses += totals->accesses;
	it->totals.cycles += totals->cycles;
	it->totals.memory_reads += totals->memory_reads;
	it->totals.memory_writes += totals->memory_writes;
	return !it->tops.most || hotspots_pair_add(&it->tops, &it->uses, it->cycles);
}

static void
open_table(struct poly_report *report)
{
	static const char *const columns[] = {KEY("ways"), KEY("line_size"), KEY("accesses"),
		KEY("misses"), KEY("miss_ratio"), KEY("mpki"), KEY("victim_hits"),
		KEY("stores_from_above"), KEY("evictions_from_above"),
		KEY("back_invalidations"), KEY("prefetches_issued"), KEY("useful_prefetches")};
	poly_report_table(report, "cache_levels");
	poly_report_column(report, "level", false);
	poly_report_column(report, "size", true);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		poly_report_column(report, columns[i], true);
}

static void
report_level(const struct state *it, const struct hierarchy_level *level,
	const struct hierarchy_counts *counts, struct poly_report *report)
{
	const struct cache_config *cache = &level->cache;
	uint64_t accesses = 0, misses = 0;
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		accesses += counts->accesses[kind];
		misses += counts->misses[kind];
	}
	const uint64_t numbers[] = {counts->victim_hits, counts->stores, counts->lines_put,
		counts->invalidations, counts->prefetches, counts->prefetch_hits};
	poly_report_cell_count(report, cache->sets * cache->ways * cache->line_size);
	poly_report_cell_count(report, cache->ways);
	poly_report_cell_count(report, cache->line_size);
	poly_report_cell_count(report, accesses);
	poly_report_cell_count(report, misses);
	poly_report_cell_ratio(report, (double)misses, (double)accesses, 3);
	report_mpki_cell(report, misses, it->instructions);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		poly_report_cell_count(report, numbers[i]);
}

static void
levels_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	static const char *const names[HIERARCHY_LEVELS] = {"l1", "l2", "l3", "l4"};
	const struct state *it = state;
	const struct hierarchy_totals *totals = &it->totals;
	(void)ops;
	if (it->source[0])
		poly_report_text(report, "parameter_source", it->source);
	poly_report_count(report, "accesses", totals->accesses);
	poly_report_count(report, "cycles", totals->cycles);
	if (totals->accesses)
		poly_report_real(report, "cycles_per_access",
			(double)totals->cycles / (double)totals->accesses, 3);
	poly_report_count(report, "memory_reads", totals->memory_reads);
	poly_report_count(report, "memory_writes", totals->memory_writes);
	open_table(report);
	if (it->config.split) {
		poly_report_cell_text(report, "l1i");
		report_level(
			it, &it->config.instructions, &it->counts[HIERARCHY_LEVELS], report);
	}
	for (unsigned i = 0; i < it->config.count; i++) {
		poly_report_cell_text(report, i == 0 && it->config.split ? "l1d" : names[i]);
		report_level(it, &it->config.levels[i], &it->counts[i], report);
	}
	poly_report_end(report);
	hotspots_pair_report(&it->tops, KEY("cycles"), report);
}

static void
levels_fini(void *state)
{
	struct state *it = state;
	hierarchy_free(it->hierarchy);
	hotspots_pair_fini(&it->tops);
}

/* As the caches say, or one of levels_inclusions. */
static const char *const inclusions[] = {"as-said", "nine", "inclusive", "exclusive", NULL};

static const struct poly_option options[] = {
	[OPTION_PRESET] = {"levels.preset", POLY_OPTION_CHOICE, POLY_OPTION_READ, 0, 0, 0,
		presets, "caches of a processor, instead of levels.caches", NULL},
	[OPTION_CACHES] = {"levels.caches", POLY_OPTION_TEXT, POLY_OPTION_READ, 0, 0, 0,
		initial_caches,
		"caches from the first on: l1 or l1i and l1d, l2, ... as "
		"SIZE/WAYS/LINE/CYCLES, and memory=CYCLES",
		NULL},
	[OPTION_INCLUSION] = {"levels.inclusion", POLY_OPTION_CHOICE, POLY_OPTION_READ, 0, 0, 0,
		inclusions, "whether levels hold what those above them hold", NULL},
	[OPTION_TOP] = {"levels.top", POLY_OPTION_NUMBER, POLY_OPTION_READ, 0, 0, UINT32_MAX,
		NULL, "instructions and regions that cost most; 0: neither", NULL},
	[OPTION_REGION] = {"levels.region", POLY_OPTION_NUMBER, POLY_OPTION_READ, 4096, 1,
		(uint64_t)1 << 40, NULL, "bytes of a region, a power of two", NULL},
	{0}};

const struct analysis analysis_levels = {
	.info = {.name = "levels",
		.title = "Levels of caches",
		.summary = "misses and traffic of simulated levels of caches, and what an "
			   "access costs",
		.is_simulation = true,
		.needs = POLY_HAS(kind),
		.wants = MEM_REFS_COLUMNS | INSTRUCTION_COUNT_COLUMNS,
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct state),
	.suits = mem_refs_suit,
	.init = levels_init,
	.update = levels_update,
	.report = levels_report,
	.fini = levels_fini,
};
