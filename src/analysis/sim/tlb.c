/* SPDX-License-Identifier: MIT */
/* Translation look-aside buffers of two levels, the first split or not, and walks of tables. */
#include "analysis/branch_stream.h"
#include "analysis/sim/mem_refs.h"
#include "base/err.h"
#include "report/tree.h"
#include "sim/tlb.h"

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
	OPTION_OF
};

#define LEVELS 3 /* that are told of: the first, the second, and the first of instructions */

struct state {
	struct tlb *tlb;
	enum mem_refs_selection of;
	struct tlb_counts ignored[LEVELS];
	struct tlb_totals ignored_totals;
	uint64_t instructions; /* that count */
	struct mem_refs uses;
};

/* What was counted at some moment. */
struct moment {
	struct tlb_counts levels[LEVELS];
	struct tlb_totals totals;
};

static const unsigned levels[LEVELS] = {0, 1, TLB_LEVELS};
static const char *const names[LEVELS] = {"L1", "L2", "L1 instructions"};

static enum poly_status
tlb_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct state *it = state;
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
	it->of = (enum mem_refs_selection)values[OPTION_OF];
	return tlb_new(&config, &it->tlb, error);
}

static void
look(const struct state *it, struct moment *moment)
{
	for (int i = 0; i < LEVELS; i++)
		tlb_count(it->tlb, levels[i], &moment->levels[i]);
	tlb_total(it->tlb, &moment->totals);
}

static bool
tlb_update(void *state, const struct analysis_rows *rows)
{
	struct state *it = state;
	struct moment before, now;
	mem_refs_find(&it->uses, rows->batch, it->of);
	look(it, &before);
	tlb_run(it->tlb, it->uses.addresses, it->uses.kinds, it->uses.count, NULL);
	if (rows->counts) {
		it->instructions += count_batch_instructions(rows->batch);
		return true;
	}
	look(it, &now);
	for (int i = 0; i < LEVELS; i++) {
		it->ignored[i].accesses += now.levels[i].accesses - before.levels[i].accesses;
		it->ignored[i].misses += now.levels[i].misses - before.levels[i].misses;
	}
	it->ignored_totals.accesses += now.totals.accesses - before.totals.accesses;
	it->ignored_totals.walks += now.totals.walks - before.totals.walks;
	it->ignored_totals.cycles += now.totals.cycles - before.totals.cycles;
	return true;
}

static void
report_levels(const struct state *it, const struct moment *now, struct poly_report *report)
{
	poly_report_table(report, "tlb_levels");
	poly_report_column(report, "level", false);
	poly_report_column(report, "accesses", true);
	poly_report_column(report, "misses", true);
	poly_report_column(report, "miss_ratio", true);
	report_mpki_column(report);
	for (int i = 0; i < LEVELS; i++) {
		const uint64_t accesses = now->levels[i].accesses - it->ignored[i].accesses;
		const uint64_t misses = now->levels[i].misses - it->ignored[i].misses;
		if (!accesses)
			continue;
		poly_report_cell_text(report, names[i]);
		poly_report_cell_count(report, accesses);
		poly_report_cell_count(report, misses);
		poly_report_cell_ratio(report, (double)misses, (double)accesses, 3);
		report_mpki_cell(report, misses, it->instructions);
	}
	poly_report_end(report);
}

static void
tlb_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct state *it = state;
	struct moment now;
	(void)ops;
	look(it, &now);
	const uint64_t accesses = now.totals.accesses - it->ignored_totals.accesses;
	const uint64_t cycles = now.totals.cycles - it->ignored_totals.cycles;
	poly_report_count(report, "accesses", accesses);
	poly_report_count(report, "page_walks", now.totals.walks - it->ignored_totals.walks);
	poly_report_count(report, "cycles", cycles);
	if (accesses)
		poly_report_real(
			report, "cycles_per_access", (double)cycles / (double)accesses, 3);
	report_levels(it, &now, report);
}

static void
tlb_fini(void *state)
{
	struct state *it = state;
	tlb_free(it->tlb);
}

static const struct poly_option options[] = {
	[OPTION_PAGE] = {"tlb.page", POLY_OPTION_NUMBER, POLY_OPTION_READ, 4096, 4,
		(uint64_t)1 << 30, NULL, "bytes of a page, a power of two", NULL},
	[OPTION_ENTRIES] = {"tlb.entries", POLY_OPTION_NUMBER, POLY_OPTION_READ, 64, 1, 1 << 20,
		NULL, "entries of the first level", NULL},
	[OPTION_WAYS] = {"tlb.ways", POLY_OPTION_NUMBER, POLY_OPTION_READ, 4, 1, 1 << 20, NULL,
		"ways of the first level", NULL},
	[OPTION_SPLIT] = {"tlb.split", POLY_OPTION_BOOL, POLY_OPTION_READ, 0, 0, 1, NULL,
		"have two first levels alike, of data and of instructions", NULL},
	[OPTION_SECOND] = {"tlb.second", POLY_OPTION_NUMBER, POLY_OPTION_READ, 1024, 0, 1 << 20,
		NULL, "entries of the second level; 0: there is none", NULL},
	[OPTION_SECOND_WAYS] = {"tlb.second-ways", POLY_OPTION_NUMBER, POLY_OPTION_READ, 8, 1,
		1 << 20, NULL, "ways of the second level", NULL},
	[OPTION_SECOND_CYCLES] = {"tlb.second-cycles", POLY_OPTION_NUMBER, POLY_OPTION_READ, 7,
		0, 100000, NULL, "cycles that asking the second level costs", NULL},
	[OPTION_STEPS] = {"tlb.steps", POLY_OPTION_NUMBER, POLY_OPTION_READ, 4, 0, 100, NULL,
		"levels of page tables", NULL},
	[OPTION_STEP_CYCLES] = {"tlb.step-cycles", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 0,
		100000, NULL, "cycles of a level of page tables", NULL},
	[OPTION_OF] = {"tlb.of", POLY_OPTION_CHOICE, POLY_OPTION_READ, MEM_REFS_ALL, 0, 0,
		mem_refs_words, "which addresses are translated", NULL},
	{0}};

const struct analysis analysis_tlb = {
	.info = {.name = "tlb",
		.title = "Translation look-aside buffers",
		.summary = "misses of simulated translation buffers, and what they cost",
		.is_simulation = true,
		.needs = POLY_HAS(kind),
		.wants = MEM_REFS_COLUMNS | INSTRUCTION_COUNT_COLUMNS,
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct state),
	.suits = mem_refs_suit,
	.init = tlb_init,
	.update = tlb_update,
	.report = tlb_report,
	.fini = tlb_fini,
};
