/* SPDX-License-Identifier: MIT */
/*
 * Strides: how far the accesses of a static instruction are apart, by context.
 *
 * Bounded: PLACES_MOST instructions of contexts, STRIDES_MOST different strides of them;
 * accesses beyond are counted as such.
 */
#include "analysis/analysis.h"

#include "analysis/adaptive_bins.h"
#include "analysis/counters.h"
#include "analysis/pair_index.h"
#include "analysis/column_stats.h"
#include "base/mem.h"
#include "report/tree.h"

#include <stdlib.h>

#define PLACES_MOST ((uint32_t)1 << 18)
#define STRIDES_MOST ((uint32_t)1 << 20)

/* Lengths of runs are told by powers of two. */
#define RUN_BINS 64

enum { OPTION_TOP };

/* An instruction of a context. */
struct place {
	uint64_t last, stride; /* address of the last access, and how far it was from the one
				  before */
	uint64_t count, zero, repeated, changed;
	uint32_t pair; /* number of the last stride's count */
	bool is_begun; /* there is a last address */
	bool has_stride, has_pair;
};

/* Accesses of a context that follow each other in memory. */
struct run {
	uint64_t end, length;
};

struct strides {
	const struct contexts *contexts;
	uint32_t top;
	struct adaptive_bins places; /* by number of the site and context */
	struct pair_index pairs;     /* of a place and a stride */
	uint64_t *counts;	     /* by number of the pair */
	uint32_t capacity;
	uint64_t accesses, unplaced, untold;
	struct run runs[ANALYSIS_CONTEXTS_MAX];
	uint64_t run_counts[RUN_BINS], run_accesses[RUN_BINS];
};

static enum poly_status
strides_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct strides *strides = state;
	(void)error;
	strides->contexts = setup->contexts;
	strides->top = (uint32_t)setup->values[OPTION_TOP];
	strides->places.max_count = PLACES_MOST;
	strides->places.is_fixed = true;
	strides->places.item_size = sizeof(struct place);
	return POLY_OK;
}

/* Adds a run that has ended. */
static void
end_run(uint64_t counts[RUN_BINS], uint64_t accesses[RUN_BINS], uint64_t length)
{
	if (!length)
		return;
	const int bin = 63 - __builtin_clzll(length);
	counts[bin]++;
	accesses[bin] += length;
}

static void
strides_begin(void *state, const struct poly_trace_info *info)
{
	struct strides *strides = state;
	(void)info;
	for (uint32_t i = 0; i < strides->places.count; i++) {
		struct place *place = adaptive_bins_item(&strides->places, i);
		place->is_begun = place->has_stride = place->has_pair = false;
	}
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		end_run(strides->run_counts, strides->run_accesses, strides->runs[i].length);
		strides->runs[i] = (struct run){0, 0};
	}
}

/* A run goes on, or another one begins. */
static inline void
add_run(struct run *run, struct strides *strides, uint64_t address, bool counts)
{
	if (run->end != address) {
		end_run(strides->run_counts, strides->run_accesses, run->length);
		run->length = 0;
	}
	run->length += counts;
}

/* Finds the count of a place's new stride; false: no memory. */
static bool
find_stride(struct strides *strides, struct place *place, uint32_t number)
{
	place->pair = pair_index_add(&strides->pairs, number, place->stride, STRIDES_MOST);
	if (place->pair == PAIR_INDEX_FAILED)
		return false;
	void *counts = strides->counts;
	const bool has_room = counters_grow_array(
		&counts, &strides->capacity, strides->pairs.count, sizeof *strides->counts);
	strides->counts = counts;
	return has_room;
}

/* Counts an access of a place behind another one; false: no memory. */
static inline bool
count_stride(struct strides *strides, struct place *place, uint32_t number, bool same)
{
	place->zero += place->stride == 0;
	place->repeated += place->stride != 0 && same;
	place->changed += place->stride != 0 && !same;
	if (!place->has_pair && !find_stride(strides, place, number))
		return false;
	place->has_pair = true;
	if (place->pair == PAIR_INDEX_FULL)
		strides->untold++;
	else
		strides->counts[place->pair]++;
	return true;
}

/* Adds an access of a place; false: no memory. */
static inline bool
add_stride(struct strides *strides, uint32_t number, uint64_t address, bool counts)
{
	struct place *place = adaptive_bins_item(&strides->places, number);
	const uint64_t stride = address - place->last;
	const bool same = place->has_stride && stride == place->stride;
	const bool was_begun = place->is_begun;
	place->count += counts;
	place->last = address;
	place->is_begun = true;
	if (!was_begun)
		return true;
	place->stride = stride;
	place->has_pair &= same;
	place->has_stride = true;
	return !counts || count_stride(strides, place, number, same);
}

static bool
update_row(struct strides *strides, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint16_t context = rows->context ? rows->context[row] : rows->sole_context;
	const uint64_t address = batch->address[row];
	struct run *run = &strides->runs[context];
	if (batch->access[row] > POLY_ACCESS_WRITE)
		return true;
	strides->accesses += rows->counts;
	add_run(run, strides, address, rows->counts);
	run->end =
		address + (poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1);
	const uint32_t number = rows->site[row] == OP_NONE ? ADAPTIVE_BIN_NONE
							   : adaptive_bins_get(&strides->places,
								     rows->site[row], context);
	if (number != ADAPTIVE_BIN_NONE)
		return add_stride(strides, number, address, rows->counts);
	strides->unplaced += rows->counts;
	return !strides->places.failed;
}

static bool
strides_update(void *state, const struct analysis_rows *rows)
{
	const struct poly_batch *batch = rows->batch;
	const size_t words = batch->access && batch->address ? row_bits_words(batch) : 0;
	for (size_t w = 0; w < words; w++) {
		uint64_t left = row_bits_present(batch, POLY_COLUMN_access, w) &
				row_bits_present(batch, POLY_COLUMN_address, w);
		while (left) {
			if (!update_row(state, rows, 64 * w + row_bits_next(&left)))
				return false;
		}
	}
	return true;
}

/* A stride of a place or of all, to be ordered. */
struct frequent {
	uint64_t stride, count;
};

static int
compare_strides(const void *a, const void *b)
{
	const struct frequent *x = a, *y = b;
	return (x->stride > y->stride) - (x->stride < y->stride);
}

static int
compare_counts(const void *a, const void *b)
{
	const struct frequent *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return ((int64_t)x->stride > (int64_t)y->stride) -
	       ((int64_t)x->stride < (int64_t)y->stride);
}

static double
percent(uint64_t part, uint64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

/* The strides of all places, most frequent first; how many. */
static size_t
sum_strides(const struct strides *strides, struct frequent *all)
{
	size_t count = 0;
	for (uint32_t i = 0; i < strides->pairs.count; i++)
		all[i] = (struct frequent){strides->pairs.list[i].b, strides->counts[i]};
	qsort(all, strides->pairs.count, sizeof *all, compare_strides);
	for (uint32_t i = 0; i < strides->pairs.count; i++) {
		if (count && all[count - 1].stride == all[i].stride)
			all[count - 1].count += all[i].count;
		else
			all[count++] = all[i];
	}
	qsort(all, count, sizeof *all, compare_counts);
	return count;
}

static void
report_strides(const struct strides *strides, const struct frequent *all, size_t count,
	struct poly_report *report)
{
	uint64_t total = strides->untold;
	for (size_t i = 0; i < count; i++)
		total += all[i].count;
	poly_report_table(report, "strides");
	poly_report_column(report, "stride", true);
	poly_report_column(report, "count", true);
	poly_report_column(report, "percent", true);
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "stride";
	plot.y[0] = "count";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < count && i < strides->top; i++) {
		poly_report_cell_real(report, (double)(int64_t)all[i].stride, 0);
		poly_report_cell_count(report, all[i].count);
		poly_report_cell_real(report, percent(all[i].count, total), 2);
	}
	poly_report_end(report);
}

/* The dominant stride of every place: the most frequent, and the least of these. */
static void
find_dominant(const struct strides *strides, struct frequent *dominant)
{
	for (uint32_t i = 0; i < strides->pairs.count; i++) {
		const struct indexed_pair *pair = &strides->pairs.list[i];
		const struct frequent it = {pair->b, strides->counts[i]};
		if (compare_counts(&it, &dominant[pair->a]) < 0)
			dominant[pair->a] = it;
	}
}

/* A place, to be ordered by its accesses. */
struct hot {
	uint64_t count, pc;
	uint32_t number, context;
};

static int
compare_hot(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The places that were counted, hottest first. */
static void
sort_places(const struct strides *strides, const struct static_ops *ops, struct hot *hot)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < strides->places.count; i++) {
		const struct adaptive_bin *bin = &strides->places.list[i];
		const struct place *place = adaptive_bins_item(&strides->places, i);
		if (place->count)
			hot[count++] = (struct hot){
				place->count, ops->sites[bin->number].pc, i, bin->tag};
	}
	qsort(hot, count, sizeof *hot, compare_hot);
}

static void
open_places(struct poly_report *report)
{
	poly_report_table(report, "sites");
	poly_report_column(report, "pc", true);
	poly_report_column(report, "mnemonic", false);
	poly_report_column(report, "context", false);
	poly_report_column(report, "count", true);
	poly_report_column(report, "zero", true);
	poly_report_column(report, "repeated", true);
	poly_report_column(report, "changed", true);
	poly_report_column(report, "stride", true);
	poly_report_column(report, "stride_percent", true);
}

static void
report_places(const struct strides *strides, const struct static_ops *ops,
	const struct hot *hot, const struct frequent *dominant, struct poly_report *report)
{
	struct buf name = {0};
	open_places(report);
	for (uint32_t i = 0; hot[i].count && i < strides->top; i++) {
		const uint32_t number = hot[i].number;
		const struct place *place = adaptive_bins_item(&strides->places, number);
		const uint64_t whole = place->zero + place->repeated + place->changed;
		const struct static_site *site =
			&ops->sites[strides->places.list[number].number];
		poly_report_cell_address(report, hot[i].pc, 8);
		poly_report_cell_text(report, static_op_at(ops, site->op)->mnemonic);
		buf_clear(&name);
		contexts_append_name(strides->contexts, (uint16_t)hot[i].context, &name);
		poly_report_cell_text(report, name.size ? buf_text(&name) : NULL);
		poly_report_cell_count(report, place->count);
		poly_report_cell_count(report, place->zero);
		poly_report_cell_count(report, place->repeated);
		poly_report_cell_count(report, place->changed);
		if (dominant[number].count)
			poly_report_cell_real(
				report, (double)(int64_t)dominant[number].stride, 0);
		else
			poly_report_cell_text(report, NULL);
		poly_report_cell_real(report, percent(dominant[number].count, whole), 2);
	}
	poly_report_end(report);
	if (name.failed)
		tree_fail(report);
	buf_free(&name);
}

static void
report_runs(const struct strides *strides, struct poly_report *report)
{
	uint64_t counts[RUN_BINS], accesses[RUN_BINS];
	for (size_t i = 0; i < RUN_BINS; i++) {
		counts[i] = strides->run_counts[i];
		accesses[i] = strides->run_accesses[i];
	}
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		end_run(counts, accesses, strides->runs[i].length);
	poly_report_table(report, "runs");
	poly_report_column(report, "run_length", true);
	poly_report_column(report, "runs", true);
	poly_report_column(report, "accesses", true);
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "run_length";
	plot.y[0] = "accesses";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < RUN_BINS; i++) {
		if (!counts[i])
			continue;
		poly_report_cell_count(report, (uint64_t)1 << i);
		poly_report_cell_count(report, counts[i]);
		poly_report_cell_count(report, accesses[i]);
	}
	poly_report_end(report);
}

/* How the accesses of all places are apart. */
static void
report_classes(const struct strides *strides, struct poly_report *report)
{
	uint64_t count = 0, zero = 0, repeated = 0, changed = 0, places = 0;
	for (uint32_t i = 0; i < strides->places.count; i++) {
		const struct place *place = adaptive_bins_item(&strides->places, i);
		places += place->count != 0;
		count += place->count;
		zero += place->zero;
		repeated += place->repeated;
		changed += place->changed;
	}
	const struct {
		const char *class;
		uint64_t count;
	} classes[] = {{"first", count - zero - repeated - changed}, {"zero", zero},
		{"repeated", repeated}, {"changed", changed}};
	poly_report_count(report, "accesses", strides->accesses);
	poly_report_count(report, "unplaced", strides->unplaced);
	poly_report_count(report, "instructions", places);
	poly_report_table(report, "classes");
	poly_report_column(report, "class", false);
	poly_report_column(report, "count", true);
	poly_report_column(report, "percent", true);
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		poly_report_cell_text(report, classes[i].class);
		poly_report_cell_count(report, classes[i].count);
		poly_report_cell_real(report, percent(classes[i].count, count), 2);
	}
	poly_report_end(report);
}

static void
strides_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct strides *strides = state;
	const size_t places = (size_t)strides->places.count + 1,
		     pairs = (size_t)strides->pairs.count + 1;
	struct frequent *all = mem_new(pairs, sizeof *all);
	struct frequent *dominant = mem_new(places, sizeof *dominant);
	struct hot *hot = mem_new(places, sizeof *hot);
	report_classes(strides, report);
	if (all && dominant && hot) {
		report_strides(strides, all, sum_strides(strides, all), report);
		find_dominant(strides, dominant);
		sort_places(strides, ops, hot);
		report_places(strides, ops, hot, dominant, report);
	} else {
		tree_fail(report);
	}
	report_runs(strides, report);
	mem_free(all);
	mem_free(dominant);
	mem_free(hot);
}

static void
strides_fini(void *state)
{
	struct strides *strides = state;
	adaptive_bins_fini(&strides->places);
	pair_index_fini(&strides->pairs);
	mem_free(strides->counts);
}

static const struct poly_option options[] = {
	[OPTION_TOP] = {"strides.top", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 0, 1000000,
		NULL, "instructions and strides that are listed", NULL},
	{0}};

const struct analysis analysis_strides = {
	.info = {.name = "strides",
		.title = "Strides",
		.summary = "how far the accesses of each instruction are apart, and runs of "
			   "accesses that follow each other",
		.needs = POLY_HAS(pc) | POLY_HAS(access) | POLY_HAS(address),
		.wants = POLY_HAS(size),
		.options = options},
	.shares = SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct strides),
	.init = strides_init,
	.begin = strides_begin,
	.update = strides_update,
	.report = strides_report,
	.fini = strides_fini,
};
