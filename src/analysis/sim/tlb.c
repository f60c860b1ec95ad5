/* SPDX-License-Identifier: MIT */
/* Two-level TLBs, the first level optionally split, and page walks. */
#include "analysis/facts/branch_stream.h"
#include "analysis/sim/counts.h"
#include "analysis/sim/line_refs.h"
#include "base/err.h"
#include "report/table.h"
#include "sim/memory/tlb.h"

enum {
	OPTION_PAGE,
	OPTION_ENTRIES,
	OPTION_WAYS,
	OPTION_SPLIT,
	OPTION_SECOND,
	OPTION_SECOND_WAYS,
	OPTION_SECOND_CYCLES,
	OPTION_STEPS,
	OPTION_STEP_CYCLES,
	OPTION_OF,
	OPTION_CROSSING
};

#define LEVELS 3 /* reported: the first, the second, and the first of instructions */

/* Counts at a point of the trace, or of the rows that count. */
struct tlb_snapshot {
	struct tlb_counts levels[LEVELS];
	struct tlb_totals totals;
};

struct tlb_simulation {
	struct tlb *tlb;
	enum mem_refs_selection selection;
	struct tlb_snapshot counts;
	uint64_t instructions; /* counted */
	struct mem_refs refs;
	struct line_refs pages;
};

static const unsigned levels[LEVELS] = {0, 1, TLB_LEVELS};
static const char *const level_names[LEVELS] = {"L1", "L2", "L1 instructions"};

static enum poly_status
tlb_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct tlb_simulation *sim = state;
	const uint64_t *values = setup->values;
	const struct tlb_level first = {
		(uint32_t)values[OPTION_ENTRIES], (uint32_t)values[OPTION_WAYS], CACHE_LRU, 0};
	const struct tlb_level second = {(uint32_t)values[OPTION_SECOND],
		(uint32_t)values[OPTION_SECOND_WAYS], CACHE_LRU,
		(uint32_t)values[OPTION_SECOND_CYCLES]};
	const struct tlb_config config = {.page_size = (uint32_t)values[OPTION_PAGE],
		.levels = {first, second},
		.count = values[OPTION_SECOND] ? 2 : 1,
		.split = values[OPTION_SPLIT],
		.instructions = first,
		.walk_steps = (uint32_t)values[OPTION_STEPS],
		.step_latency = (uint32_t)values[OPTION_STEP_CYCLES]};
	sim->selection = (enum mem_refs_selection)values[OPTION_OF];
	line_refs_set(&sim->pages, (unsigned)__builtin_ctzll(values[OPTION_PAGE]),
		!values[OPTION_CROSSING]);
	return tlb_new(&config, &sim->tlb, error);
}

static void
take_snapshot(const struct tlb_simulation *sim, struct tlb_snapshot *snapshot)
{
	for (int i = 0; i < LEVELS; i++)
		tlb_count(sim->tlb, levels[i], &snapshot->levels[i]);
	tlb_total(sim->tlb, &snapshot->totals);
}

static bool
tlb_update(void *state, const struct analysis_rows *rows)
{
	struct tlb_simulation *sim = state;
	struct tlb_snapshot before, now;
	const struct mem_refs *refs;
	mem_refs_gather(&sim->refs, rows, sim->selection);
	take_snapshot(sim, &before);
	line_refs_begin(&sim->pages, &sim->refs);
	while ((refs = line_refs_next(&sim->pages)))
		tlb_run(sim->tlb, refs->addresses, refs->kinds, refs->count, NULL);
	if (!rows->counts)
		return true;
	take_snapshot(sim, &now);
	counts_add(&sim->counts, &now, &before, sizeof now);
	sim->instructions += count_batch_instructions(rows->batch);
	return true;
}

static void
report_levels(const struct tlb_simulation *sim, struct poly_report *report)
{
	table_open(report, "tlb_levels",
		"level:text accesses misses miss_ratio mpki "
		"read_misses write_misses fetch_misses");
	for (int i = 0; i < LEVELS; i++) {
		const struct tlb_counts *counts = &sim->counts.levels[i];
		if (!sum_kinds(counts->accesses))
			continue;
		poly_report_cell_text(report, level_names[i]);
		report_access_cells(
			report, counts->accesses, counts->misses, sim->instructions);
	}
	poly_report_end(report);
}

static void
tlb_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct tlb_simulation *sim = state;
	const struct tlb_totals *totals = &sim->counts.totals;
	(void)ops;
	report_instructions(report, sim->instructions);
	report_truncated_accesses(report, sim->pages.split ? sim->refs.truncated : 0);
	poly_report_count(report, "accesses", totals->accesses);
	poly_report_count(report, "page_walks", totals->walks);
	poly_report_count(report, "cycles", totals->cycles);
	if (totals->accesses)
		poly_report_real(report, "cycles_per_access",
			(double)totals->cycles / (double)totals->accesses, 3);
	report_levels(sim, report);
}

static void
tlb_fini(void *state)
{
	struct tlb_simulation *sim = state;
	tlb_free(sim->tlb);
}

static const struct poly_option options[] = {
	[OPTION_PAGE] = {"tlb.page", POLY_OPTION_SIZE, .initial = 4096, .minimum = 4,
		.maximum = (uint64_t)1 << 30, .help = "page size in bytes, a power of two"},
	[OPTION_ENTRIES] = {"tlb.entries", POLY_OPTION_NUMBER, .initial = 64, .minimum = 1,
		.maximum = 1 << 20, .help = "entries of the first level"},
	[OPTION_WAYS] = {"tlb.ways", POLY_OPTION_NUMBER, .initial = 4, .minimum = 1,
		.maximum = 1 << 20, .help = "ways of the first level"},
	[OPTION_SPLIT] = {"tlb.split", POLY_OPTION_BOOL,
		.help = "split the first level into a data TLB and an instruction TLB"},
	[OPTION_SECOND] = {"tlb.second", POLY_OPTION_NUMBER, .initial = 1024,
		.maximum = 1 << 20, .help = "entries of the second level; 0: no second level"},
	[OPTION_SECOND_WAYS] = {"tlb.second-ways", POLY_OPTION_NUMBER, .initial = 8,
		.minimum = 1, .maximum = 1 << 20, .help = "ways of the second level"},
	[OPTION_SECOND_CYCLES] = {"tlb.second-cycles", POLY_OPTION_NUMBER, .initial = 7,
		.maximum = 100000, .help = "latency of the second level in cycles"},
	[OPTION_STEPS] = {"tlb.steps", POLY_OPTION_NUMBER, .initial = 4, .maximum = 100,
		.help = "levels of the page table"},
	[OPTION_STEP_CYCLES] = {"tlb.step-cycles", POLY_OPTION_NUMBER, .initial = 10,
		.maximum = 100000, .help = "latency of a level of the page table in cycles"},
	[OPTION_OF] = {"tlb.of", POLY_OPTION_CHOICE, .initial = MEM_REFS_ALL,
		.choices = mem_refs_choices, .help = "addresses to translate"},
	[OPTION_CROSSING] = LINE_REFS_OPTION("tlb"),
	{0}};

const struct analysis analysis_tlb = {
	.info = {.name = "tlb",
		.title = "TLBs",
		.summary = "simulate a two-level TLB and page walks",
		.kind = POLY_ANALYSIS_SIMULATION,
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(MEM_REFS_COLUMNS, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.ordered = ORDERED_MACHINE,
	.needs_warmup = true,
	.state_size = sizeof(struct tlb_simulation),
	.suits = has_mem_refs,
	.init = tlb_init,
	.update = tlb_update,
	.report = tlb_report,
	.fini = tlb_fini,
};
