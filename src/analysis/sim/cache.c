/* SPDX-License-Identifier: MIT */
/*
 * Single caches, many at once: misses by cause, and traffic. An access is to the line of its
 * first byte (reference cis501 7.1.4); stores of unknown size have four bytes.
 */
#include "analysis/branch_stream.h"
#include "analysis/sim/access_log.h"
#include "analysis/sim/sweep.h"
#include "analysis/sim/hotspots.h"
#include "analysis/sim/mem_refs.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/terms.h"
#include "report/tree.h"
#include "sim/miss_classes.h"
#include "sim/belady.h"

#include <string.h>

/* Different lines that causes are told of; beyond, those of the cache are not told. */
#define LINES_MOST ((uint32_t)1 << 21)

enum { OPTION_SWEEP, OPTION_OF, OPTION_CAUSES, OPTION_TOP, OPTION_REGION };

#define COUNTED 7 /* columns of a cache that are counted, without causes */

/* A cache and what it counted while rows were not to be counted. */
struct one {
	struct cache *cache; /* NULL where policy is opt: */
	struct belady *opt;
	size_t ahead;		       /* place of its size of lines in the replay */
	struct miss_classes *classify; /* NULL: not asked for, or there were too many lines */
	uint32_t *missed; /* MEM_REFS_MAX, of the last batch; NULL: nobody looks at it */
	bool failed;	  /* memory was lacking in the last update */
	struct cache_counts ignored;
	uint64_t causes[MISS_CLASSES];
};

struct state {
	enum mem_refs_selection of;
	bool causes;
	unsigned address_bits; /* the most of the traces */
	struct sweep sweep;
	struct one *caches;
	uint64_t instructions;	/* that count */
	struct access_log *log; /* NULL: none of them is opt */
	bool finished;		/* those have seen the trace */
	struct mem_refs uses;
	const struct cache_batch *batch; /* with counts: of the update under way */
	bool counts;
	struct hotspots_pair tops;	/* of the first cache */
	uint32_t weights[MEM_REFS_MAX]; /* 1 where it missed */
};

/* A cache that is opt, and what it looks at. */
static enum poly_status
open_opt(struct state *it, const struct poly_stats_stores *stores, size_t i,
	struct poly_error *error)
{
	const struct cache_config *config = &it->sweep.configs[i];
	const unsigned shift = (unsigned)__builtin_ctz(config->line_size);
	enum poly_status status = it->log ? POLY_OK : access_log_new(stores, &it->log, error);
	if (status == POLY_OK)
		status = access_log_add_size(it->log, shift, &it->caches[i].ahead, error);
	return status == POLY_OK ? belady_new(config, &it->caches[i].opt, error) : status;
}

/* Whether anybody looks at which accesses miss in a cache. */
static bool
tells_missed(const struct state *it, size_t i)
{
	return it->causes || (it->tops.most && i == 0);
}

static enum poly_status
open_one(struct state *it, const struct poly_stats_stores *stores, size_t i,
	struct poly_error *error)
{
	const struct cache_config *config = &it->sweep.configs[i];
	struct one *one = &it->caches[i];
	enum poly_status status = it->sweep.is_opt[i] ? open_opt(it, stores, i, error)
						      : cache_new(config, &one->cache, error);
	if (status == POLY_OK && it->causes)
		status = miss_classes_new(config, LINES_MOST, &one->classify, error);
	if (status != POLY_OK || !tells_missed(it, i))
		return status;
	one->missed = mem_new(MEM_REFS_MAX, sizeof *one->missed);
	return one->missed ? POLY_OK : err_memory(error);
}

static enum poly_status
open_caches(struct state *it, const struct poly_stats_stores *stores, struct poly_error *error)
{
	it->caches = mem_new(it->sweep.count, sizeof *it->caches);
	if (!it->caches) {
		it->sweep.count = 0;
		return err_memory(error);
	}
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < it->sweep.count && status == POLY_OK; i++)
		status = open_one(it, stores, i, error);
	return status;
}

/* What misses by instruction and by region is counted of. */
static enum poly_status
open_tops(struct state *it, const uint64_t *values, struct poly_error *error)
{
	if (it->tops.most && it->sweep.is_opt[0])
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option 'cache.top' is about the first cache, whose policy must not be "
			"opt");
	return hotspots_pair_init(
		&it->tops, it->tops.most, "cache.region", values[OPTION_REGION], error);
}

static enum poly_status
cache_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct state *it = state;
	it->of = (enum mem_refs_selection)setup->values[OPTION_OF];
	it->causes = setup->values[OPTION_CAUSES];
	it->tops.most = setup->values[OPTION_TOP];
	enum poly_status status = sweep_parse(setup->texts[OPTION_SWEEP], &it->sweep, error);
	if (status != POLY_OK) {
		it->sweep.count = 0;
		return status;
	}
	status = open_caches(it, setup->stores, error);
	return status == POLY_OK ? open_tops(it, setup->values, error) : status;
}

/* Adds to what is to be ignored what was counted since before. */
static void
ignore(struct cache_counts *ignored, const struct cache_counts *before,
	const struct cache_counts *now)
{
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		ignored->accesses[kind] += now->accesses[kind] - before->accesses[kind];
		ignored->misses[kind] += now->misses[kind] - before->misses[kind];
	}
	ignored->evictions += now->evictions - before->evictions;
	ignored->dirty_evictions += now->dirty_evictions - before->dirty_evictions;
	ignored->bytes_from_below += now->bytes_from_below - before->bytes_from_below;
	ignored->bytes_to_below += now->bytes_to_below - before->bytes_to_below;
}

/* False: no memory. */
static bool
run_classify(struct one *one, const struct cache_batch *batch, struct classified_misses *misses,
	bool counts)
{
	const enum poly_status status = miss_classes_run(one->classify, batch, misses, NULL);
	const uint64_t *causes = miss_classes_counts(one->classify);
	for (int i = 0; counts && i < MISS_CLASSES; i++)
		one->causes[i] += causes[i];
	miss_classes_reset(one->classify);
	if (status != POLY_ERR_LIMIT)
		return status == POLY_OK;
	miss_classes_free(one->classify);
	one->classify = NULL;
	return true;
}

static void
cache_begin(void *state, const struct poly_trace_info *info)
{
	struct state *it = state;
	const unsigned bits = info->address_bits ? info->address_bits : 64;
	it->address_bits = bits > it->address_bits ? bits : it->address_bits;
}

static void
count(const struct one *one, struct cache_counts *counts)
{
	if (one->opt)
		belady_count(one->opt, counts);
	else
		cache_count(one->cache, counts);
}

/* Counts what missed in the first cache by instruction and region; false: no memory. */
static bool
count_tops(struct state *it, size_t misses)
{
	const struct mem_refs *uses = &it->uses;
	memset(it->weights, 0, uses->count * sizeof *it->weights);
	for (size_t i = 0; i < misses; i++)
		it->weights[it->caches->missed[i]] = 1;
	return hotspots_pair_add(&it->tops, uses, it->weights);
}

/* Gives a batch to a cache; next: of one that is opt. False: no memory. */
static bool
run_one(struct state *it, struct one *one, const struct cache_batch *batch,
	const uint64_t *next, bool counts)
{
	struct cache_counts before, now;
	struct classified_misses misses = {.missed = one->missed};
	count(one, &before);
	misses.count = one->opt ? belady_run(one->opt, batch, next, one->missed)
				: cache_run(one->cache, batch, one->missed);
	count(one, &now);
	if (!counts)
		ignore(&one->ignored, &before, &now);
	if (counts && it->tops.most && one == it->caches && !count_tops(it, misses.count))
		return false;
	return !one->classify || run_classify(one, batch, &misses, counts);
}

/* Gives the batch that was met last to a cache that is not opt. */
static void
run_cache(void *user, size_t i)
{
	struct state *it = user;
	struct one *one = &it->caches[i];
	if (one->cache)
		one->failed = !run_one(it, one, it->batch, NULL, it->counts);
}

static size_t
cache_tasks(const void *state)
{
	const struct state *it = state;
	return it->sweep.count;
}

static bool
cache_update(void *state, const struct analysis_rows *rows)
{
	struct state *it = state;
	bool ok = true;
	mem_refs_find(&it->uses, rows->batch, it->of);
	for (size_t i = 0; i < it->uses.count; i++)
		if (!it->uses.sizes[i])
			it->uses.sizes[i] = CACHE_STORE_SIZE;
	const struct cache_batch batch = {
		it->uses.addresses, it->uses.kinds, it->uses.sizes, it->uses.count};
	it->batch = &batch;
	it->counts = rows->counts;
	it->instructions += rows->counts ? count_batch_instructions(rows->batch) : 0;
	team_share(rows->team, run_cache, it, it->sweep.count);
	for (size_t i = 0; i < it->sweep.count; i++)
		ok &= !it->caches[i].failed;
	if (it->log)
		access_log_append(it->log, &it->uses, rows->counts);
	return ok;
}

/* Some uses of the second pass, of caches that are opt. */
static bool
run_again(void *user, const struct access_log_step *step)
{
	struct state *it = user;
	bool ok = true;
	for (size_t i = 0; i < it->sweep.count && ok; i++) {
		struct one *one = &it->caches[i];
		ok = !one->opt ||
		     run_one(it, one, &step->uses, step->next[one->ahead], step->counts);
	}
	return ok;
}

static enum poly_status
cache_finish(void *state, struct poly_error *error)
{
	struct state *it = state;
	return it->log ? access_log_replay(it->log, run_again, it, &it->finished, error)
		       : POLY_OK;
}

static void
open_table(const struct state *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "caches");
	poly_report_column(report, "size", true);
	poly_report_column(report, "ways", true);
	poly_report_column(report, "line_size", true);
	poly_report_column(report, "policy", false);
	poly_report_column(report, "storage_bits", true);
	poly_report_column(report, "accesses", true);
	poly_report_column(report, "misses", true);
	poly_report_column(report, "miss_ratio", true);
	report_mpki_column(report);
	poly_report_column(report, "dirty_evictions", true);
	poly_report_column(report, "fill_traffic", true);
	poly_report_column(report, "writeback_traffic", true);
	if (it->causes) {
		poly_report_column(report, "compulsory_misses", true);
		poly_report_column(report, "capacity_misses", true);
		poly_report_column(report, "conflict_misses", true);
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y[0] = "miss_ratio";
	plot.series = "ways";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	plot.title = "Miss ratio by storage";
	plot.x = "storage_bits";
	poly_report_plot(report, &plot);
}

/* Accesses and misses that count. */
static void
total(const struct one *one, uint64_t *accesses, uint64_t *misses)
{
	struct cache_counts counts;
	*accesses = *misses = 0;
	count(one, &counts);
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		*accesses += counts.accesses[kind] - one->ignored.accesses[kind];
		*misses += counts.misses[kind] - one->ignored.misses[kind];
	}
}

/* The cache that misses least of those that have at most so many bits; NULL: none is. */
static const struct one *
best_of(const struct state *it, uint64_t budget)
{
	const struct one *best = NULL;
	uint64_t accesses, misses, least = 0, bits = 0;
	for (size_t i = 0; i < it->sweep.count; i++) {
		const struct one *one = &it->caches[i];
		const uint64_t own = sweep_bits(&it->sweep.configs[i], it->address_bits);
		total(one, &accesses, &misses);
		if (one->opt || own > budget ||
			(best && (misses > least || (misses == least && own >= bits))))
			continue;
		best = one;
		least = misses;
		bits = own;
	}
	return best;
}

/* The best cache of each budget of bits that is a power of two, where there are several. */
static void
report_budgets(const struct state *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t most = 0, accesses, misses;
	for (size_t i = 0; i < it->sweep.count; i++) {
		const uint64_t bits = sweep_bits(&it->sweep.configs[i], it->address_bits);
		most = bits > most && !it->caches[i].opt ? bits : most;
	}
	poly_report_table(report, "lowest_miss_ratio_per_storage_budget");
	poly_report_column(report, "budget", true);
	poly_report_column(report, "storage_bits", true);
	poly_report_column(report, "size", true);
	poly_report_column(report, "ways", true);
	poly_report_column(report, "line_size", true);
	poly_report_column(report, "policy", false);
	poly_report_column(report, "misses", true);
	poly_report_column(report, "miss_ratio", true);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "budget";
	plot.y[0] = "miss_ratio";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (uint64_t budget = 1; budget < 2 * most; budget *= 2) {
		const struct one *one = best_of(it, budget);
		if (!one)
			continue;
		const struct cache_config *config = &it->sweep.configs[one - it->caches];
		total(one, &accesses, &misses);
		poly_report_cell_count(report, budget);
		poly_report_cell_count(report, sweep_bits(config, it->address_bits));
		poly_report_cell_count(report, config->sets * config->ways * config->line_size);
		poly_report_cell_count(report, config->ways);
		poly_report_cell_count(report, config->line_size);
		poly_report_cell_text(report, sweep_policies[config->policy]);
		poly_report_cell_count(report, misses);
		poly_report_cell_ratio(report, (double)misses, (double)accesses, 3);
	}
	poly_report_end(report);
}

static void
report_cache(const struct state *it, const struct one *one, struct poly_report *report)
{
	const size_t place = (size_t)(one - it->caches);
	const struct cache_config *config = &it->sweep.configs[place];
	struct cache_counts all, counts = {.evictions = 0};
	uint64_t accesses = 0, misses = 0;
	count(one, &all);
	ignore(&counts, &one->ignored, &all);
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		accesses += counts.accesses[kind];
		misses += counts.misses[kind];
	}
	poly_report_cell_count(report, config->sets * config->ways * config->line_size);
	poly_report_cell_count(report, config->ways);
	poly_report_cell_count(report, config->line_size);
	poly_report_cell_text(
		report, sweep_policies[one->opt ? SWEEP_OPT : (unsigned)config->policy]);
	if (one->opt)
		poly_report_cell_text(report, NULL);
	else
		poly_report_cell_count(report, sweep_bits(config, it->address_bits));
	if (one->opt && !it->finished) {
		for (int i = 0; i < COUNTED + (it->causes ? MISS_CLASSES : 0); i++)
			poly_report_cell_text(report, NULL);
		return;
	}
	poly_report_cell_count(report, accesses);
	poly_report_cell_count(report, misses);
	poly_report_cell_ratio(report, (double)misses, (double)accesses, 3);
	report_mpki_cell(report, misses, it->instructions);
	poly_report_cell_count(report, counts.dirty_evictions);
	poly_report_cell_count(report, counts.bytes_from_below);
	poly_report_cell_count(report, counts.bytes_to_below);
	for (int i = 0; it->causes && i < MISS_CLASSES; i++) {
		if (one->classify)
			poly_report_cell_count(report, one->causes[i]);
		else
			poly_report_cell_text(report, NULL);
	}
}

static void
cache_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct state *it = state;
	(void)ops;
	open_table(it, report);
	for (size_t i = 0; i < it->sweep.count; i++)
		report_cache(it, &it->caches[i], report);
	poly_report_end(report);
	if (it->sweep.count > 1)
		report_budgets(it, report);
	hotspots_pair_report(&it->tops, KEY("misses"), report);
}

static void
cache_fini(void *state)
{
	struct state *it = state;
	for (size_t i = 0; it->caches && i < it->sweep.count; i++) {
		cache_free(it->caches[i].cache);
		belady_free(it->caches[i].opt);
		miss_classes_free(it->caches[i].classify);
		mem_free(it->caches[i].missed);
	}
	mem_free(it->caches);
	hotspots_pair_fini(&it->tops);
	access_log_free(it->log);
}

static const char *const initial_sweep[] = {"size=32k,ways=8,line=64,policy=lru", NULL};

static const struct poly_option options[] = {
	[OPTION_SWEEP] = {"cache.sweep", POLY_OPTION_TEXT, POLY_OPTION_READ, 0, 0, 0,
		initial_sweep,
		"caches: lists of size, ways, line, policy, write, allocate and valid, all "
		"combined",
		"reference cis501 7.1.4"},
	[OPTION_OF] = {"cache.of", POLY_OPTION_CHOICE, POLY_OPTION_READ, MEM_REFS_DATA, 0, 0,
		mem_refs_words, "what goes through the caches", NULL},
	[OPTION_CAUSES] = {"cache.causes", POLY_OPTION_BOOL, POLY_OPTION_READ, 0, 0, 1, NULL,
		"tell compulsory, capacity and conflict misses apart", NULL},
	[OPTION_TOP] = {"cache.top", POLY_OPTION_NUMBER, POLY_OPTION_READ, 0, 0, UINT32_MAX,
		NULL, "instructions and regions that miss most in the first cache; 0: neither",
		NULL},
	[OPTION_REGION] = {"cache.region", POLY_OPTION_NUMBER, POLY_OPTION_READ, 4096, 1,
		(uint64_t)1 << 40, NULL, "bytes of a region, a power of two", NULL},
	{0}};

const struct analysis analysis_cache = {
	.info = {.name = "cache",
		.title = "Caches",
		.summary = "misses and traffic of simulated caches, many at once",
		.is_simulation = true,
		.needs = POLY_HAS(kind),
		.wants = MEM_REFS_COLUMNS | INSTRUCTION_COUNT_COLUMNS,
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct state),
	.suits = mem_refs_suit,
	.init = cache_init,
	.begin = cache_begin,
	.update = cache_update,
	.task_count = cache_tasks,
	.finish = cache_finish,
	.report = cache_report,
	.fini = cache_fini,
};
