/* SPDX-License-Identifier: MIT */
/*
 * Miss ratios of fully associative lru caches of all sizes, of data and of instructions, each
 * with caches of its own; and of all numbers of sets and ways. Exact, or from samples of lines.
 */
#include "analysis/branch_stream.h"
#include "analysis/sim/mem_refs.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/terms.h"
#include "report/tree.h"
#include "sim/all_associativity.h"
#include "sim/dense_index.h"
#include "sim/shards.h"
#include "sim/stack_distance.h"

/* Different lines that distances are exact for, and of a sample; beyond, no more are looked at.
 */
#define LINES_MOST ((uint32_t)1 << 22)

/* Numbers of sets: 2^0 to 2^13. */
#define SETS_MOST 13

/* Threads that have caches of their own, and different lines of each. */
#define THREADS_MOST 64
#define THREAD_LINES_MOST ((uint32_t)1 << 18)

enum { OPTION_LINE, OPTION_SAMPLE, OPTION_SETS, OPTION_THREADS };

/* Data, or instructions. */
struct part {
	uint64_t uses;
	uint64_t instructions; /* executed while these were looked at */
	bool full;	       /* there are more lines than can be told apart */
	/* Exact: */
	struct dense_index dense;
	struct stack_distance *distance;
	struct all_associativity *all; /* NULL: not asked for */
	/* Or: */
	struct shards *shards;
};

enum { DATA, INSTRUCTIONS, PARTS };

/* Which uses are of a part. */
struct whose {
	int part;
	const uint16_t *context; /* of rows; NULL: those of all are */
	uint16_t number;
	uint64_t instructions; /* in these rows */
};

struct state {
	unsigned line_shift;
	unsigned sample; /* k, 0: exact */
	struct part parts[PARTS];
	bool by_thread;
	const struct contexts *names;
	struct part threads[THREADS_MOST][PARTS]; /* opened when one is seen */
	uint64_t left_out;			  /* uses of further ones */
	struct mem_refs uses;
	uint64_t lines[MEM_REFS_MAX];
	uint32_t ids[MEM_REFS_MAX];
};

static enum poly_status
open_exact(struct part *part, uint32_t lines, struct poly_error *error)
{
	const enum poly_status status = dense_index_init(&part->dense, lines, error);
	return status == POLY_OK ? stack_distance_new(&part->distance, error) : status;
}

static enum poly_status
open_part(const struct state *it, struct part *part, bool sets, struct poly_error *error)
{
	if (it->sample)
		return shards_new(it->sample, LINES_MOST, &part->shards, error);
	enum poly_status status = open_exact(part, LINES_MOST, error);
	if (status == POLY_OK && sets)
		status = all_associativity_new(0, SETS_MOST, &part->all, error);
	return status;
}

static enum poly_status
mrc_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct state *it = state;
	const uint64_t line = setup->values[OPTION_LINE];
	enum poly_status status = POLY_OK;
	if (line & (line - 1))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option 'mrc.line' is %llu bytes, a power of two is needed",
			(unsigned long long)line);
	it->line_shift = (unsigned)__builtin_ctzll(line);
	it->sample = (unsigned)setup->values[OPTION_SAMPLE];
	if (it->sample && it->sample < SHARDS_MIN)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option 'mrc.sample' is %u, expected 0 or %d to %d", it->sample,
			SHARDS_MIN, SHARDS_MAX);
	it->by_thread = setup->values[OPTION_THREADS];
	it->names = setup->contexts;
	if (it->sample && (it->by_thread || setup->values[OPTION_SETS]))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"options 'mrc.%s' and 'mrc.sample' exclude each other",
			it->by_thread ? "threads" : "sets");
	for (int i = 0; i < PARTS && status == POLY_OK; i++)
		status = open_part(it, &it->parts[i], setup->values[OPTION_SETS], error);
	return status;
}

static enum poly_status
run_exact(struct state *it, struct part *part, size_t count, bool counts)
{
	enum poly_status status =
		dense_index_find(&part->dense, it->lines, count, it->ids, NULL);
	if (status != POLY_OK)
		return status;
	stack_distance_counting(part->distance, counts);
	if (part->all) {
		all_associativity_counting(part->all, counts);
		all_associativity_run(part->all, it->lines, it->ids, count);
	}
	return stack_distance_run(part->distance, it->ids, count, part->dense.count, NULL);
}

/* Gives a part its uses; false: no memory. */
static bool
run_part(struct state *it, struct part *part, const struct whose *whose, bool counts)
{
	enum poly_status status;
	size_t count = 0;
	if (part->full)
		return true;
	for (size_t i = 0; i < it->uses.count; i++) {
		const bool fetched = it->uses.kinds[i] == CACHE_FETCH;
		const bool own =
			!whose->context || whose->context[it->uses.rows[i]] == whose->number;
		it->lines[count] = it->uses.addresses[i] >> it->line_shift;
		count += own && fetched == (whose->part == INSTRUCTIONS);
	}
	if (it->sample) {
		shards_counting(part->shards, counts);
		status = shards_run(part->shards, it->lines, count, NULL);
	} else {
		status = run_exact(it, part, count, counts);
	}
	part->full = status == POLY_ERR_LIMIT;
	part->uses += counts && !part->full ? count : 0;
	part->instructions += counts && !part->full ? whose->instructions : 0;
	return status == POLY_OK || part->full;
}

/* Gives a thread its uses; whose: of its data. False: no memory. */
static bool
run_thread(struct state *it, struct whose whose, bool counts)
{
	bool ok = true;
	for (whose.part = 0; whose.part < PARTS && ok; whose.part++) {
		struct part *part = &it->threads[whose.number][whose.part];
		ok = (part->distance || open_exact(part, THREAD_LINES_MOST, NULL) == POLY_OK) &&
		     run_part(it, part, &whose, counts);
	}
	return ok;
}

static bool
run_threads(struct state *it, const struct analysis_rows *rows)
{
	uint64_t seen = 0, instructions[THREADS_MOST] = {0};
	bool ok = true;
	count_context_instructions(rows, instructions, THREADS_MOST);
	for (uint16_t i = 0; i < THREADS_MOST; i++)
		seen |= instructions[i] ? UINT64_C(1) << i : 0;
	for (size_t i = 0; i < it->uses.count; i++) {
		const uint16_t context =
			rows->context ? rows->context[it->uses.rows[i]] : rows->sole_context;
		if (context < THREADS_MOST)
			seen |= UINT64_C(1) << context;
		else
			it->left_out += rows->counts;
	}
	for (; seen && ok; seen &= seen - 1) {
		const uint16_t number = (uint16_t)__builtin_ctzll(seen);
		ok = run_thread(it,
			(struct whose){DATA, rows->context, number, instructions[number]},
			rows->counts);
	}
	return ok;
}

static bool
mrc_update(void *state, const struct analysis_rows *rows)
{
	struct state *it = state;
	bool ok = true;
	const uint64_t instructions = count_batch_instructions(rows->batch);
	mem_refs_find(&it->uses, rows->batch, MEM_REFS_ALL);
	for (int i = 0; i < PARTS && ok; i++)
		ok = run_part(it, &it->parts[i], &(struct whose){i, NULL, 0, instructions},
			rows->counts);
	return ok && (!it->by_thread || run_threads(it, rows));
}

static const struct {
	const char *uses, *percent, *least, *most, *misses, *mpki;
} words[PARTS] = {
	[DATA] = {KEY("data_accesses"), KEY("data_miss_ratio"), KEY("data_miss_ratio_min"),
		KEY("data_miss_ratio_max"), KEY("data_misses"), KEY("data_mpki")},
	[INSTRUCTIONS] = {KEY("fetches"), KEY("fetch_miss_ratio"), KEY("fetch_miss_ratio_min"),
		KEY("fetch_miss_ratio_max"), KEY("fetch_misses"), KEY("fetch_mpki")},
};

static void
open_curve(const struct state *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "fully_associative_caches");
	poly_report_column(report, "size", true);
	for (int i = 0; i < PARTS; i++) {
		if (!it->sample)
			poly_report_column(report, words[i].misses, true);
		poly_report_column(report, words[i].percent, true);
		plot.y[i] = words[i].percent;
		if (!it->sample) {
			poly_report_column(report, words[i].mpki, true);
			continue;
		}
		poly_report_column(report, words[i].least, true);
		poly_report_column(report, words[i].most, true);
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y_title = "Miss ratio";
	plot.y_unit = "%";
	plot.log_x = true;
	poly_report_plot(report, &plot);
}

/* What samples tell of a size: nothing where no line was chosen of those that were used. */
static void
report_ratio(
	const struct part *part, const struct shards_ratio *ratio, struct poly_report *report)
{
	const double told[] = {ratio->mean, ratio->min, ratio->max};
	const bool any = !part->uses || shards_sampled(part->shards);
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		if (any)
			poly_report_cell_ratio(report, told[i], 1, 3);
		else
			poly_report_cell_text(report, NULL);
	}
}

/* What misses in so many lines; whether more lines would change it. */
static bool
report_size(const struct state *it, uint64_t lines, struct poly_report *report)
{
	bool more = false;
	poly_report_cell_count(report, lines << it->line_shift);
	for (int i = 0; i < PARTS; i++) {
		const struct part *part = &it->parts[i];
		if (it->sample) {
			struct shards_ratio ratio, last;
			shards_ratio(part->shards, lines, &ratio);
			shards_ratio(part->shards, UINT64_MAX, &last);
			report_ratio(part, &ratio, report);
			more |= ratio.mean > last.mean;
			continue;
		}
		const uint64_t misses = stack_distance_misses(part->distance, lines);
		poly_report_cell_count(report, misses);
		poly_report_cell_ratio(report, (double)misses, (double)part->uses, 3);
		report_mpki_cell(report, misses, part->instructions);
		more |= misses > stack_distance_first(part->distance);
	}
	return more;
}

/* Data caches of all numbers of sets and ways. */
static void
report_sets(const struct state *it, struct poly_report *report)
{
	const struct part *part = &it->parts[DATA];
	struct poly_plot plot = POLY_PLOT_INIT;
	if (!part->all)
		return;
	poly_report_table(report, "set_associative_data_caches");
	poly_report_column(report, "sets", true);
	poly_report_column(report, "ways", true);
	poly_report_column(report, "size", true);
	poly_report_column(report, "misses", true);
	poly_report_column(report, "miss_ratio", true);
	report_mpki_column(report);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y[0] = "miss_ratio";
	plot.series = "sets";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (unsigned bits = 0; bits <= SETS_MOST; bits++) {
		for (unsigned ways = 1; ways <= ALL_ASSOCIATIVITY_WAYS; ways++) {
			const uint64_t misses = all_associativity_misses(part->all, bits, ways);
			poly_report_cell_count(report, (uint64_t)1 << bits);
			poly_report_cell_count(report, ways);
			poly_report_cell_count(
				report, (uint64_t)ways << bits << it->line_shift);
			poly_report_cell_count(report, misses);
			poly_report_cell_ratio(report, (double)misses, (double)part->uses, 3);
			report_mpki_cell(report, misses, part->instructions);
		}
	}
	poly_report_end(report);
}

static void
open_threads(struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "caches_per_context");
	poly_report_column(report, "context", false);
	poly_report_column(report, "kind", false);
	poly_report_column(report, "size", true);
	poly_report_column(report, "accesses", true);
	poly_report_column(report, "misses", true);
	poly_report_column(report, "miss_ratio", true);
	report_mpki_column(report);
	poly_report_column(report, "curve", false);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y[0] = "miss_ratio";
	plot.series = "curve";
	plot.log_x = true;
	poly_report_plot(report, &plot);
}

/* The curve of a thread, as far as it falls; name is of the thread, may be empty. */
static void
report_thread(const struct state *it, const struct part *part, const char *const names[2],
	struct poly_report *report)
{
	uint64_t lines = 1, misses;
	struct buf curve = {0};
	if (!part->uses)
		return;
	buf_printf(&curve, "%s%s%s", names[0], *names[0] ? ", " : "", names[1]);
	do {
		misses = stack_distance_misses(part->distance, lines);
		poly_report_cell_text(report, *names[0] ? names[0] : NULL);
		poly_report_cell_text(report, names[1]);
		poly_report_cell_count(report, lines << it->line_shift);
		poly_report_cell_count(report, part->uses);
		poly_report_cell_count(report, misses);
		poly_report_cell_ratio(report, (double)misses, (double)part->uses, 3);
		report_mpki_cell(report, misses, part->instructions);
		poly_report_cell_text(report, buf_text(&curve));
		lines *= 2;
	} while (misses > stack_distance_first(part->distance) && lines < UINT64_C(1) << 40);
	buf_free(&curve);
}

static void
report_threads(const struct state *it, struct poly_report *report)
{
	static const char *const uses[PARTS] = {"data", "instructions"};
	open_threads(report);
	for (uint16_t thread = 0; thread < THREADS_MOST; thread++) {
		for (int i = 0; i < PARTS; i++) {
			struct buf name = {0};
			contexts_append_name(it->names, thread, &name);
			report_thread(it, &it->threads[thread][i],
				(const char *[2]){buf_text(&name), uses[i]}, report);
			buf_free(&name);
		}
	}
	poly_report_end(report);
}

static bool
is_complete(const struct state *it)
{
	bool full = it->left_out;
	for (int i = 0; i < PARTS; i++) {
		full |= it->parts[i].full;
		for (int thread = 0; thread < THREADS_MOST; thread++)
			full |= it->threads[thread][i].full;
	}
	return !full;
}

static void
mrc_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct state *it = state;
	(void)ops;
	poly_report_count(report, "line_size", (uint64_t)1 << it->line_shift);
	for (int i = 0; i < PARTS; i++)
		poly_report_count(report, words[i].uses, it->parts[i].uses);
	poly_report_bool(report, "complete", is_complete(it));
	open_curve(it, report);
	/* Samples do not tell smaller sizes apart. */
	uint64_t lines = it->sample ? UINT64_C(4) << it->sample : 1;
	while (report_size(it, lines, report) && lines < UINT64_C(1) << 40)
		lines *= 2;
	poly_report_end(report);
	report_sets(it, report);
	if (it->by_thread)
		report_threads(it, report);
}

static void
close_part(struct part *part)
{
	dense_index_fini(&part->dense);
	stack_distance_free(part->distance);
	all_associativity_free(part->all);
	shards_free(part->shards);
}

static void
mrc_fini(void *state)
{
	struct state *it = state;
	for (int i = 0; i < PARTS; i++) {
		close_part(&it->parts[i]);
		for (int thread = 0; thread < THREADS_MOST; thread++)
			close_part(&it->threads[thread][i]);
	}
}

static const struct poly_option options[] = {
	[OPTION_LINE] = {"mrc.line", POLY_OPTION_NUMBER, POLY_OPTION_READ, 64, 1,
		(uint64_t)1 << 30, NULL, "bytes of a line, a power of two", NULL},
	[OPTION_SAMPLE] = {"mrc.sample", POLY_OPTION_NUMBER, POLY_OPTION_READ, 0, 0, SHARDS_MAX,
		NULL, "take eight samples of one of 2^N lines, N from 3 on; 0: all lines",
		NULL},
	[OPTION_SETS] = {"mrc.sets", POLY_OPTION_BOOL, POLY_OPTION_READ, 0, 0, 1, NULL,
		"tell of data caches of 1 to 8192 sets and 1 to 16 ways, too; not of samples",
		NULL},
	[OPTION_THREADS] = {"mrc.threads", POLY_OPTION_BOOL, POLY_OPTION_READ, 0, 0, 1, NULL,
		"tell of caches of each thread alone, too; not of samples", NULL},
	{0}};

const struct analysis analysis_mrc = {
	.info = {.name = "mrc",
		.title = "Miss ratios by size",
		.summary = "misses of lru caches of all sizes, exactly or from samples",
		.is_simulation = true,
		.needs = POLY_HAS(kind),
		.wants = MEM_REFS_COLUMNS | INSTRUCTION_COUNT_COLUMNS,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct state),
	.suits = mem_refs_suit,
	.init = mrc_init,
	.update = mrc_update,
	.report = mrc_report,
	.fini = mrc_fini,
};
