/* SPDX-License-Identifier: MIT */
/* Page replacement over frames of memory: faults of policies by the number of frames. */
#include "analysis/branch_stream.h"
#include "analysis/sim/access_log.h"
#include "analysis/sim/sweep.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/tree.h"
#include "sim/paging.h"

#include <stdio.h>

enum { OPTION_SWEEP, OPTION_OF };

#define COUNTED 6 /* columns of a memory that are counted */

/* A memory, and what it counted while rows were not to be counted. */
struct one {
	struct paging_config config;
	struct paging *paging;
	struct paging_counts ignored;
	size_t ahead; /* of opt: place of its size of pages in the replay */
};

struct state {
	enum mem_refs_selection of;
	struct one *memories;
	size_t count;
	struct access_log *log; /* NULL: none of them is opt */
	bool finished;		/* those have seen the trace */
	uint64_t instructions;	/* that count */
	struct mem_refs uses;
};

static const char *const policies[] = {"fifo", "lru", "clock", "opt", NULL};

enum { PAGE, POLICY, FRAMES, KEYS };

static const struct sweep_key keys[KEYS + 1] = {
	[PAGE] = {"page", NULL, 4096},
	[POLICY] = {"policy", policies, PAGING_LRU},
	[FRAMES] = {"frames", NULL, 64},
};

static enum poly_status
open_memory(struct state *it, const struct poly_stats_stores *stores, const uint64_t *chosen,
	struct poly_error *error)
{
	struct one *one = &it->memories[it->count++];
	if (!chosen[FRAMES] || chosen[FRAMES] > CACHE_LINES_MAX || !chosen[PAGE] ||
		chosen[PAGE] > CACHE_LINE_MAX)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"%llu frames of %llu bytes, expected 1 to %llu of at most %lu",
			(unsigned long long)chosen[FRAMES], (unsigned long long)chosen[PAGE],
			(unsigned long long)CACHE_LINES_MAX, (unsigned long)CACHE_LINE_MAX);
	one->config = (struct paging_config){(uint32_t)chosen[FRAMES], (uint32_t)chosen[PAGE],
		(enum paging_policy)chosen[POLICY]};
	enum poly_status status = paging_new(&one->config, &one->paging, error);
	if (status != POLY_OK || one->config.policy != PAGING_OPT)
		return status;
	if (!it->log)
		status = access_log_new(stores, &it->log, error);
	return status == POLY_OK
		       ? access_log_add_size(it->log, (unsigned)__builtin_ctzll(chosen[PAGE]),
				 &one->ahead, error)
		       : status;
}

static enum poly_status
paging_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct state *it = state;
	struct sweep_values values[KEYS] = {{{0}, 0}};
	uint64_t chosen[KEYS];
	it->of = (enum mem_refs_selection)setup->values[OPTION_OF];
	enum poly_status status = sweep_take(setup->texts[OPTION_SWEEP], keys,
		"memories, expected frames=64, page=4k or policy=fifo, lru, clock or opt",
		values, error);
	if (status != POLY_OK)
		return status;
	const size_t count = sweep_combinations(keys, values);
	if (count > SWEEP_MOST)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET, "more than %d at once",
			SWEEP_MOST);
	it->memories = mem_new(count, sizeof *it->memories);
	if (!it->memories)
		return err_memory(error);
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		sweep_combine(keys, values, i, chosen);
		status = open_memory(it, setup->stores, chosen, error);
	}
	return status;
}

static void
run_one(struct one *one, const struct cache_batch *batch, const uint64_t *next, bool counts)
{
	struct paging_counts before, now;
	paging_count(one->paging, &before);
	paging_run(one->paging, batch, next, NULL);
	paging_count(one->paging, &now);
	if (counts)
		return;
	one->ignored.accesses += now.accesses - before.accesses;
	one->ignored.faults += now.faults - before.faults;
	one->ignored.written += now.written - before.written;
}

static bool
paging_update(void *state, const struct analysis_rows *rows)
{
	struct state *it = state;
	it->instructions += rows->counts ? count_batch_instructions(rows->batch) : 0;
	mem_refs_find(&it->uses, rows->batch, it->of);
	const struct cache_batch batch = {
		it->uses.addresses, it->uses.kinds, NULL, it->uses.count};
	for (size_t i = 0; i < it->count; i++)
		if (it->memories[i].config.policy != PAGING_OPT)
			run_one(&it->memories[i], &batch, NULL, rows->counts);
	if (it->log)
		access_log_append(it->log, &it->uses, rows->counts);
	return true;
}

/* Some uses of the second pass, of memories that are opt. */
static bool
run_again(void *user, const struct access_log_step *step)
{
	struct state *it = user;
	for (size_t i = 0; i < it->count; i++) {
		struct one *one = &it->memories[i];
		if (one->config.policy == PAGING_OPT)
			run_one(one, &step->uses, step->next[one->ahead], step->counts);
	}
	return true;
}

static enum poly_status
paging_finish(void *state, struct poly_error *error)
{
	struct state *it = state;
	return it->log ? access_log_replay(it->log, run_again, it, &it->finished, error)
		       : POLY_OK;
}

static uint64_t
faults(const struct one *one)
{
	struct paging_counts counts;
	paging_count(one->paging, &counts);
	return counts.faults - one->ignored.faults;
}

/* Whether fewer frames of the same pages and policy have fewer faults (Belady's anomaly). */
static bool
is_anomaly(const struct state *it, const struct one *one)
{
	for (size_t i = 0; i < it->count; i++) {
		const struct one *other = &it->memories[i];
		if (other->config.policy == one->config.policy &&
			other->config.page_size == one->config.page_size &&
			other->config.frames < one->config.frames &&
			faults(other) < faults(one))
			return true;
	}
	return false;
}

static void
open_table(struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "memories");
	poly_report_column(report, "page_size", true);
	poly_report_column(report, "policy", false);
	poly_report_column(report, "frames", true);
	poly_report_column(report, "accesses", true);
	poly_report_column(report, "faults", true);
	poly_report_column(report, "fault_ratio", true);
	report_mpki_column(report);
	poly_report_column(report, "page_writebacks", true);
	poly_report_column(report, "belady_anomaly", false);
	poly_report_column(report, "curve", false);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "frames";
	plot.y[0] = "faults";
	plot.series = "curve";
	poly_report_plot(report, &plot);
}

static void
report_memory(const struct state *it, const struct one *one, struct poly_report *report)
{
	struct paging_counts counts;
	char series[40];
	paging_count(one->paging, &counts);
	const uint64_t accesses = counts.accesses - one->ignored.accesses;
	const bool unknown = one->config.policy == PAGING_OPT && !it->finished;
	poly_report_cell_count(report, one->config.page_size);
	poly_report_cell_text(report, policies[one->config.policy]);
	poly_report_cell_count(report, one->config.frames);
	for (int i = 0; i < COUNTED && unknown; i++)
		poly_report_cell_text(report, NULL);
	if (!unknown) {
		poly_report_cell_count(report, accesses);
		poly_report_cell_count(report, faults(one));
		poly_report_cell_ratio(report, (double)faults(one), (double)accesses, 3);
		report_mpki_cell(report, faults(one), it->instructions);
		poly_report_cell_count(report, counts.written - one->ignored.written);
		poly_report_cell_text(report, is_anomaly(it, one) ? "yes" : NULL);
	}
	snprintf(series, sizeof series, "%s, pages of %lu", policies[one->config.policy],
		(unsigned long)one->config.page_size);
	poly_report_cell_text(report, series);
}

static void
paging_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct state *it = state;
	(void)ops;
	open_table(report);
	for (size_t i = 0; i < it->count; i++)
		report_memory(it, &it->memories[i], report);
	poly_report_end(report);
}

static void
paging_fini(void *state)
{
	struct state *it = state;
	for (size_t i = 0; i < it->count; i++)
		paging_free(it->memories[i].paging);
	mem_free(it->memories);
	access_log_free(it->log);
}

static const char *const initial_sweep[] = {"frames=1..1k,page=4k,policy=lru", NULL};

static const struct poly_option options[] = {
	[OPTION_SWEEP] = {"paging.sweep", POLY_OPTION_TEXT, POLY_OPTION_READ, 0, 0, 0,
		initial_sweep, "memories: lists of page, policy and frames, all combined",
		NULL},
	[OPTION_OF] = {"paging.of", POLY_OPTION_CHOICE, POLY_OPTION_READ, MEM_REFS_ALL, 0, 0,
		mem_refs_words, "which addresses use pages", NULL},
	{0}};

const struct analysis analysis_paging = {
	.info = {.name = "paging",
		.title = "Page replacement",
		.summary = "page faults by the frames of a memory and by what is replaced",
		.is_simulation = true,
		.needs = POLY_HAS(kind),
		.wants = MEM_REFS_COLUMNS | INSTRUCTION_COUNT_COLUMNS,
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct state),
	.suits = mem_refs_suit,
	.init = paging_init,
	.update = paging_update,
	.finish = paging_finish,
	.report = paging_report,
	.fini = paging_fini,
};
