/* SPDX-License-Identifier: MIT */
/* Cache hierarchies: misses per level, traffic between levels, and access latency. */
#include "analysis/sim/levels.h"

#include "analysis/facts/branch_stream.h"
#include "analysis/sim/counts.h"
#include "analysis/sim/hotspots.h"
#include "analysis/sim/line_refs.h"
#include "base/err.h"
#include "report/terms.h"
#include "report/table.h"

#include <string.h>

enum {
	OPTION_PRESET,
	OPTION_CACHES,
	OPTION_INCLUSION,
	OPTION_TOP,
	OPTION_REGION,
	OPTION_CROSSING,
	OPTION_OPERATIONS
};

struct levels_simulation {
	char source[200]; /* of the caches; "": none */
	struct hierarchy_config config;
	struct hierarchy *hierarchy;
	/* Counts of the rows that count. */
	struct hierarchy_counts counts[HIERARCHY_CACHES];
	struct hierarchy_totals totals;
	uint64_t instructions;
	bool performs_operations;
	bool has_operations; /* rows that count have cache operations */
	struct mem_refs refs;
	struct line_refs lines; /* of the top level */
	struct hotspots_pair hotspots;
	uint32_t cycles[MEM_REFS_MAX];
};

/* Choices of the option: "none", and the names of levels_presets. */
static const char *const presets[] = {"none", "pentium", "ppc7400", "ppc7450", "ppc970",
	"skylake", "zen4", "cortex-a53", "cortex-a72", NULL};

static const char *const initial_caches[] = {
	"l1i=32k/8/64/4 l1d=32k/8/64/4 l2=512k/8/64/10 memory=200", NULL};

/* Returns the caches of a processor; NULL: no such processor. */
static const struct levels_preset *
find_preset(const char *name)
{
	const struct levels_preset *preset = levels_presets;
	while (preset->name && strcmp(preset->name, name) != 0)
		preset++;
	return preset->name ? preset : NULL;
}

static unsigned
shift_of(const struct hierarchy_level *level)
{
	return (unsigned)__builtin_ctz(level->cache.line_size);
}

static enum poly_status
levels_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct levels_simulation *sim = state;
	const struct levels_preset *preset = find_preset(presets[setup->values[OPTION_PRESET]]);
	struct levels levels;
	if (preset && strcmp(setup->texts[OPTION_CACHES], initial_caches[0]) != 0)
		return err_usage(error,
			"option 'levels.preset' (found '%s') conflicts with 'levels.caches'",
			preset->name);
	enum poly_status status = levels_parse(
		preset ? preset->text : setup->texts[OPTION_CACHES], &levels, error);
	if (status != POLY_OK)
		return status;
	sim->config = levels.config;
	sim->performs_operations = setup->values[OPTION_OPERATIONS];
	memcpy(sim->source, levels.source, sizeof sim->source);
	if (setup->values[OPTION_INCLUSION])
		sim->config.inclusion =
			(enum hierarchy_inclusion)(setup->values[OPTION_INCLUSION] - 1);
	status = hotspots_pair_init(&sim->hotspots, setup->values[OPTION_TOP], "levels.region",
		setup->values[OPTION_REGION], error);
	if (status != POLY_OK)
		return status;
	status = hierarchy_new(&sim->config, &sim->hierarchy, error);
	if (status != POLY_OK)
		return status;
	line_refs_set(
		&sim->lines, shift_of(&sim->config.levels[0]), !setup->values[OPTION_CROSSING]);
	if (sim->config.split)
		sim->lines.shifts[CACHE_FETCH] = shift_of(&sim->config.instructions);
	return POLY_OK;
}

static void
levels_begin(void *state, const struct poly_trace_info *info)
{
	struct levels_simulation *sim = state;
	if (sim->performs_operations)
		mem_refs_begin_operations(&sim->refs, info);
}

/* Performs a step of cache operations. */
static void
run_operations(struct levels_simulation *sim, const struct mem_refs *refs)
{
	for (size_t i = 0; i < refs->count; i++)
		hierarchy_operate(sim->hierarchy, (enum cache_operation)refs->kinds[i],
			refs->addresses[i]);
}

/* Simulates a step of references; false: out of memory. */
static bool
run_step(struct levels_simulation *sim, const struct mem_refs *refs, bool counts)
{
	const struct hierarchy_batch batch = {refs->addresses, refs->pcs, refs->kinds,
		refs->count, refs->step == REFS_ALLOCATE ? refs->sizes : NULL};
	if (refs->step == REFS_OPERATIONS) {
		run_operations(sim, refs);
		return true;
	}
	hierarchy_run(sim->hierarchy, &batch, sim->hotspots.max ? sim->cycles : NULL);
	return !counts || !sim->hotspots.max ||
	       hotspots_pair_add(&sim->hotspots, refs, sim->cycles);
}

static bool
levels_update(void *state, const struct analysis_rows *rows)
{
	struct levels_simulation *sim = state;
	const struct mem_refs *refs;
	bool ok = true;
	mem_refs_gather(&sim->refs, rows, MEM_REFS_ALL);
	hierarchy_count_anew(sim->hierarchy);
	line_refs_begin(&sim->lines, &sim->refs);
	while (ok && (refs = line_refs_next(&sim->lines)))
		ok = run_step(sim, refs, rows->counts);
	if (!rows->counts)
		return ok;
	sim->instructions += count_batch_instructions(rows->batch);
	sim->has_operations |= sim->refs.has_operations;
	for (unsigned i = 0; i < HIERARCHY_CACHES; i++)
		counts_add(&sim->counts[i], hierarchy_counts(sim->hierarchy, i), NULL,
			sizeof *sim->counts);
	counts_add(&sim->totals, hierarchy_totals(sim->hierarchy), NULL, sizeof sim->totals);
	return ok;
}

static void
open_table(struct poly_report *report)
{
	static const char *const columns[] = {KEY("ways"), KEY("line_size"), KEY("accesses"),
		KEY("misses"), KEY("miss_ratio"), KEY("mpki"), KEY("read_misses"),
		KEY("write_misses"), KEY("fetch_misses"), KEY("victim_hits"),
		KEY("stores_from_above"), KEY("evictions_from_above"),
		KEY("back_invalidations"), KEY("prefetches_issued"), KEY("useful_prefetches")};
	table_open(report, "cache_levels", "level:text size");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		poly_report_column(report, columns[i], true);
}

static void
report_level(const struct levels_simulation *sim, const struct hierarchy_level *level,
	const struct hierarchy_counts *counts, struct poly_report *report)
{
	const struct cache_config *cache = &level->cache;
	const uint64_t numbers[] = {counts->victim_hits, counts->stores, counts->lines_put,
		counts->invalidations, counts->prefetches, counts->prefetch_hits};
	poly_report_cell_count(report, cache->sets * cache->ways * cache->line_size);
	poly_report_cell_count(report, cache->ways);
	poly_report_cell_count(report, cache->line_size);
	report_access_cells(report, counts->accesses, counts->misses, sim->instructions);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		poly_report_cell_count(report, numbers[i]);
}

/* Returns the name of a level, HIERARCHY_LEVELS: the instruction cache. */
static const char *
name_of(const struct levels_simulation *sim, unsigned level)
{
	static const char *const names[HIERARCHY_CACHES] = {"l1", "l2", "l3", "l4", "l1i"};
	return level == 0 && sim->config.split ? "l1d" : names[level];
}

/* Reports what cache operations did in a level. */
static void
report_level_operations(
	const struct levels_simulation *sim, unsigned level, struct poly_report *report)
{
	const struct hierarchy_counts *counts = &sim->counts[level];
	poly_report_cell_text(report, name_of(sim, level));
	poly_report_cell_count(report, counts->requested);
	poly_report_cell_count(report, counts->unfilled);
	poly_report_cell_count(report, counts->written_back);
	poly_report_cell_count(report, counts->dropped);
}

static void
report_operations(const struct levels_simulation *sim, struct poly_report *report)
{
	table_open(report, "cache_operations",
		"level:text prefetches_issued unfilled_allocations writebacks invalidations");
	if (sim->config.split)
		report_level_operations(sim, HIERARCHY_LEVELS, report);
	for (unsigned i = 0; i < sim->config.count; i++)
		report_level_operations(sim, i, report);
	poly_report_end(report);
}

static void
levels_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct levels_simulation *sim = state;
	const struct hierarchy_totals *totals = &sim->totals;
	(void)ops;
	if (sim->source[0])
		poly_report_text(report, "parameter_source", sim->source);
	report_instructions(report, sim->instructions);
	report_truncated_accesses(report, sim->lines.split ? sim->refs.truncated : 0);
	poly_report_count(report, "accesses", totals->accesses);
	poly_report_count(report, "cycles", totals->cycles);
	if (totals->accesses)
		poly_report_real(report, "cycles_per_access",
			(double)totals->cycles / (double)totals->accesses, 3);
	poly_report_count(report, "memory_reads", totals->memory_reads);
	poly_report_count(report, "memory_writes", totals->memory_writes);
	open_table(report);
	if (sim->config.split) {
		poly_report_cell_text(report, name_of(sim, HIERARCHY_LEVELS));
		report_level(
			sim, &sim->config.instructions, &sim->counts[HIERARCHY_LEVELS], report);
	}
	for (unsigned i = 0; i < sim->config.count; i++) {
		poly_report_cell_text(report, name_of(sim, i));
		report_level(sim, &sim->config.levels[i], &sim->counts[i], report);
	}
	poly_report_end(report);
	if (sim->has_operations)
		report_operations(sim, report);
	hotspots_pair_report(&sim->hotspots, KEY("cycles"), report);
}

static void
levels_fini(void *state)
{
	struct levels_simulation *sim = state;
	hierarchy_free(sim->hierarchy);
	hotspots_pair_fini(&sim->hotspots);
}

/* As the caches describe it, or one of levels_inclusions. */
static const char *const inclusions[] = {
	"as-described", "nine", "inclusive", "exclusive", NULL};

static const struct poly_option options[] = {
	[OPTION_PRESET] = {"levels.preset", POLY_OPTION_CHOICE, .choices = presets,
		.help = "simulate the caches of a processor, instead of levels.caches"},
	[OPTION_CACHES] = {"levels.caches", POLY_OPTION_TEXT, .choices = initial_caches,
		.help = "levels from the first: l1 or l1i and l1d, l2, ... as "
			"SIZE/WAYS/LINE/CYCLES, and memory=CYCLES"},
	[OPTION_INCLUSION] = {"levels.inclusion", POLY_OPTION_CHOICE, .choices = inclusions,
		.help = "inclusion of a level's lines in the next level"},
	[OPTION_TOP] = {"levels.top", POLY_OPTION_NUMBER, .maximum = UINT32_MAX,
		.help = "list the N instructions and regions with the most cycles"},
	[OPTION_REGION] = {"levels.region", POLY_OPTION_SIZE, .initial = 4096, .minimum = 1,
		.maximum = (uint64_t)1 << 40,
		.help = "size of a region in bytes, a power of two"},
	[OPTION_CROSSING] = LINE_REFS_OPTION("levels"),
	[OPTION_OPERATIONS] = MEM_OPERATIONS_OPTION("levels"),
	{0}};

const struct analysis analysis_levels = {
	.info = {.name = "levels",
		.title = "Cache hierarchy",
		.summary = "simulate a cache hierarchy: misses, traffic and latency",
		.kind = POLY_ANALYSIS_SIMULATION,
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(
			MEM_REFS_COLUMNS, MEM_OPERATION_COLUMNS, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.ordered = ORDERED_MACHINE,
	.needs_warmup = true,
	.uses_real = true,
	.state_size = sizeof(struct levels_simulation),
	.suits = has_mem_refs,
	.init = levels_init,
	.begin = levels_begin,
	.update = levels_update,
	.report = levels_report,
	.fini = levels_fini,
};
