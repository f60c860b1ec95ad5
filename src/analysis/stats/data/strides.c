/* SPDX-License-Identifier: MIT */
/*
 * Strides: distances between consecutive accesses of a static instruction, by context.
 *
 * Bounded by the memory limit, most of it for the tables of static instructions: accesses that
 * exceed a table of instructions of contexts, or of unique strides of these, are
 * counted as such.
 */
#include "analysis/core/analysis.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/adaptive_bins.h"
#include "analysis/facts/counters.h"
#include "analysis/facts/pair_index.h"
#include "analysis/facts/column_stats.h"
#include "base/mem.h"
#include "base/vec.h"
#include "report/table.h"
#include "report/tree.h"

#include <stdlib.h>

/* Maximum memory of an entry, and shares of the memory limit, in sixteenths. */
#define SITE_MEMORY 200
#define SITES_SHARE 1
#define STRIDE_MEMORY 160
#define STRIDES_SHARE 3

/* Run lengths are binned by powers of two. */
#define RUN_BINS 64

enum { OPTION_TOP };

/* A static instruction of a context. */
struct stride_site {
	uint64_t last,
		stride; /* address of the last access, its distance from the previous one */
	/* Of the first trace, compared with the accesses of the rows before it: the first
	 * address, and the stride from it to the second one. */
	uint64_t first, first_stride;
	uint64_t count, zero, repeated, changed;
	uint32_t pair; /* index of the last stride's count */
	bool has_last; /* there is a last address */
	bool has_stride, has_pair;
	uint8_t firsts; /* how many there are of the first address and stride */
};

/* Sequential accesses of a context: its last run, and the first one, which may continue a run
 * of the rows before. */
struct access_run {
	uint64_t end, length;
	uint64_t first, head; /* address and length of the first run */
	bool has_first;	      /* there are accesses */
	bool is_head;	      /* the last run is the first one; head is not known yet */
};

struct strides {
	const struct contexts *contexts;
	uint32_t top;
	struct adaptive_bins sites; /* by index of the static site and context */
	struct pair_index pairs;    /* of an entry of sites and a stride */
	uint64_t *counts;	    /* by index of the pair */
	uint32_t capacity;
	uint32_t strides_max;
	bool full; /* instructions beyond the table have accesses */
	uint64_t accesses, unattributed, untracked;
	struct access_run runs[ANALYSIS_CONTEXTS_MAX];
	uint64_t run_counts[RUN_BINS], run_accesses[RUN_BINS];
};

/* Returns the number of entries that a share of the memory has room for. */
static uint32_t
max_entries(uint64_t memory, unsigned share, unsigned entry)
{
	const uint64_t count = memory / 16 * share / entry;
	return count < UINT32_MAX / 4 ? (uint32_t)count : UINT32_MAX / 4;
}

static enum poly_status
strides_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct strides *strides = state;
	(void)error;
	strides->contexts = setup->contexts;
	strides->top = (uint32_t)setup->values[OPTION_TOP];
	strides->sites.max_count = max_entries(setup->memory, SITES_SHARE, SITE_MEMORY);
	strides->strides_max = max_entries(setup->memory, STRIDES_SHARE, STRIDE_MEMORY);
	strides->sites.is_fixed = true;
	strides->sites.item_size = sizeof(struct stride_site);
	return POLY_OK;
}

/* Counts a complete run. */
static void
end_run(uint64_t counts[RUN_BINS], uint64_t accesses[RUN_BINS], uint64_t length)
{
	if (!length)
		return;
	const int bin = 63 - __builtin_clzll(length);
	counts[bin]++;
	accesses[bin] += length;
}

/* Forgets the last accesses. */
static void
clear_last(struct strides *strides)
{
	for (uint32_t i = 0; i < strides->sites.count; i++) {
		struct stride_site *site = adaptive_bins_item(&strides->sites, i);
		site->has_last = site->has_stride = site->has_pair = false;
	}
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		end_run(strides->run_counts, strides->run_accesses, strides->runs[i].length);
		end_run(strides->run_counts, strides->run_accesses, strides->runs[i].head);
		strides->runs[i] = (struct access_run){0};
	}
}

static void
strides_begin(void *state, const struct poly_trace_info *info)
{
	(void)info;
	clear_last(state);
}

/* Ends the last run of a context. */
static inline void
close_run(struct strides *strides, struct access_run *run)
{
	if (run->is_head)
		run->head = run->length;
	else
		end_run(strides->run_counts, strides->run_accesses, run->length);
	run->is_head = !run->has_first;
	run->length = 0;
}

/* Extends a run by an access, or begins another one. */
static inline void
extend_run(struct access_run *run, struct strides *strides, uint64_t address, bool counts)
{
	if (run->end != address || !run->has_first)
		close_run(strides, run);
	if (!run->has_first) {
		run->first = address;
		run->has_first = true;
	}
	run->length += counts;
}

/* Finds or adds the count of a site's new stride; false: out of memory. */
static bool
find_stride(struct strides *strides, struct stride_site *site, uint32_t number)
{
	site->pair =
		pair_index_add(&strides->pairs, number, site->stride, strides->strides_max);
	if (site->pair == PAIR_INDEX_FAILED)
		return false;
	return VEC_RESERVE_ZEROED(strides->counts, strides->capacity, strides->pairs.count);
}

/* Counts the last stride of a site; false: out of memory. */
static inline bool
count_stride(struct strides *strides, struct stride_site *site, uint32_t number, bool same)
{
	site->zero += site->stride == 0;
	site->repeated += site->stride != 0 && same;
	site->changed += site->stride != 0 && !same;
	if (!site->has_pair && !find_stride(strides, site, number))
		return false;
	site->has_pair = true;
	if (site->pair == PAIR_INDEX_FULL)
		strides->untracked++;
	else
		strides->counts[site->pair]++;
	return true;
}

/* Records the first address of a site, or the stride to the second one. */
static void
add_first(struct stride_site *site, uint64_t address, uint64_t stride, bool had_last)
{
	if (!site->firsts) {
		site->first = address;
		site->firsts = 1;
	} else if (had_last) {
		site->first_stride = stride;
		site->firsts = 2;
	}
}

/* Counts an access of a site; false: out of memory. */
static inline bool
count_access(struct strides *strides, uint32_t number, uint64_t address, bool counts)
{
	struct stride_site *site = adaptive_bins_item(&strides->sites, number);
	const uint64_t stride = address - site->last;
	const bool same = site->has_stride && stride == site->stride;
	const bool had_last = site->has_last;
	site->count += counts;
	site->last = address;
	site->has_last = true;
	if (site->firsts < 2)
		add_first(site, address, stride, had_last);
	if (!had_last)
		return true;
	site->stride = stride;
	site->has_pair &= same;
	site->has_stride = true;
	return !counts || count_stride(strides, site, number, same);
}

static bool
update_row(struct strides *strides, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint16_t context = rows->context ? rows->context[row] : rows->sole_context;
	const uint64_t address = batch->address[row];
	struct access_run *run = &strides->runs[context];
	if (batch->access[row] > POLY_ACCESS_WRITE)
		return true;
	strides->accesses += rows->counts;
	extend_run(run, strides, address, rows->counts);
	run->end =
		address + (poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1);
	const uint32_t number = rows->site[row] == OP_NONE ? ADAPTIVE_BIN_NONE
							   : adaptive_bins_get(&strides->sites,
								     rows->site[row], context);
	if (number != ADAPTIVE_BIN_NONE)
		return count_access(strides, number, address, rows->counts);
	strides->unattributed += rows->counts;
	strides->full |= rows->counts && rows->site[row] != OP_NONE;
	return !strides->sites.failed;
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

/* Continues the runs of a context with those of later rows. */
static void
merge_run(struct strides *strides, struct access_run *into, const struct access_run *from)
{
	if (!from->has_first)
		return;
	if (!into->has_first) {
		*into = *from;
		return;
	}
	if (into->end != from->first)
		close_run(strides, into);
	into->length += from->is_head ? from->length : from->head;
	if (!from->is_head) {
		close_run(strides, into);
		into->length = from->length;
	}
	into->end = from->end;
}

/* Continues a site with the accesses of later rows; false: out of memory. */
static bool
merge_site(struct strides *strides, uint32_t number, const struct stride_site *from)
{
	const bool ok = count_access(strides, number, from->first, true);
	struct stride_site *into = adaptive_bins_item(&strides->sites, number);
	const bool repeats = from->firsts == 2 && from->first_stride && into->has_stride &&
			     from->first_stride == into->stride;
	into->count += from->count - 1;
	into->zero += from->zero;
	into->repeated += from->repeated + repeats;
	into->changed += from->changed - repeats;
	if (into->firsts == 1 && from->firsts == 2) {
		into->first_stride = from->first_stride;
		into->firsts = 2;
	}
	into->last = from->last;
	into->has_last = from->has_last;
	if (from->has_stride) {
		into->stride = from->stride;
		into->has_stride = true;
		into->has_pair = false;
	}
	return ok;
}

/* Merges the sites; items gets the numbers of those of from, ADAPTIVE_BIN_NONE: not attributed.
 * False: out of memory. */
static bool
merge_sites(struct strides *into, const struct strides *from,
	const struct analysis_numbers *numbers, uint32_t *items)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < from->sites.count; i++) {
		const struct adaptive_bin *bin = &from->sites.list[i];
		const struct stride_site *site = adaptive_bins_item(&from->sites, i);
		const uint32_t number = bin->number == SITE_OPEN ? numbers->open_sites[bin->tag]
								 : numbers->sites[bin->number];
		items[i] = number == OP_NONE ? ADAPTIVE_BIN_NONE
					     : adaptive_bins_get(&into->sites, number,
						       numbers->contexts[bin->tag]);
		if (items[i] != ADAPTIVE_BIN_NONE) {
			ok = merge_site(into, items[i], site);
			continue;
		}
		into->unattributed += site->count;
		into->full |= number != OP_NONE;
		ok = !into->sites.failed;
	}
	return ok;
}

/* Adds the counts of strides; false: out of memory. */
static bool
merge_pairs(struct strides *into, const struct strides *from, const uint32_t *items)
{
	for (uint32_t i = 0; i < from->pairs.count; i++) {
		const struct indexed_pair *pair = &from->pairs.list[i];
		if (items[pair->a] == ADAPTIVE_BIN_NONE)
			continue;
		const uint32_t index = pair_index_add(
			&into->pairs, items[pair->a], pair->b, into->strides_max);
		if (index == PAIR_INDEX_FAILED ||
			!VEC_RESERVE_ZEROED(into->counts, into->capacity, into->pairs.count))
			return false;
		if (index == PAIR_INDEX_FULL)
			into->untracked += from->counts[i];
		else
			into->counts[index] += from->counts[i];
	}
	return true;
}

static bool
strides_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct strides *sum = into;
	const struct strides *strides = from;
	uint32_t *items = mem_new((size_t)strides->sites.count + 1, sizeof *items);
	if (!items)
		return false;
	if (!numbers->continues)
		clear_last(sum);
	sum->accesses += strides->accesses;
	sum->unattributed += strides->unattributed;
	sum->untracked += strides->untracked;
	sum->full |= strides->full;
	for (size_t i = 0; i < RUN_BINS; i++) {
		sum->run_counts[i] += strides->run_counts[i];
		sum->run_accesses[i] += strides->run_accesses[i];
	}
	for (size_t i = 0; i < numbers->context_count; i++)
		merge_run(sum, &sum->runs[numbers->contexts[i]], &strides->runs[i]);
	const bool ok =
		merge_sites(sum, strides, numbers, items) && merge_pairs(sum, strides, items);
	mem_free(items);
	return ok;
}

/* Whether the instruction of a site is before the trace: its accesses are not attributed. */
static bool
is_open(const struct strides *strides, uint64_t site)
{
	return strides->sites.list[site].number == SITE_OPEN;
}

/* A stride of a site or of all sites, and its count. */
struct stride_count {
	uint64_t stride, count;
};

static int
compare_strides(const void *a, const void *b)
{
	const struct stride_count *x = a, *y = b;
	return (x->stride > y->stride) - (x->stride < y->stride);
}

static int
compare_counts(const void *a, const void *b)
{
	const struct stride_count *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return ((int64_t)x->stride > (int64_t)y->stride) -
	       ((int64_t)x->stride < (int64_t)y->stride);
}

/* Sums the strides of all sites, most frequent first; returns their number. */
static size_t
sum_strides(const struct strides *strides, struct stride_count *all)
{
	size_t count = 0, pairs = 0;
	for (uint32_t i = 0; i < strides->pairs.count; i++)
		if (!is_open(strides, strides->pairs.list[i].a))
			all[pairs++] = (struct stride_count){
				strides->pairs.list[i].b, strides->counts[i]};
	qsort(all, pairs, sizeof *all, compare_strides);
	for (size_t i = 0; i < pairs; i++) {
		if (count && all[count - 1].stride == all[i].stride)
			all[count - 1].count += all[i].count;
		else
			all[count++] = all[i];
	}
	qsort(all, count, sizeof *all, compare_counts);
	return count;
}

static void
report_strides(const struct strides *strides, const struct stride_count *all, size_t count,
	struct poly_report *report)
{
	uint64_t total = strides->untracked;
	for (size_t i = 0; i < count; i++)
		total += all[i].count;
	table_open(report, "most_frequent_strides", "stride accesses share");
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "stride";
	plot.y[0] = "accesses";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < count && i < strides->top; i++) {
		poly_report_cell_real(report, (double)(int64_t)all[i].stride, 0);
		poly_report_cell_count(report, all[i].count);
		poly_report_cell_ratio(report, (double)all[i].count, (double)total, 2);
	}
	poly_report_end(report);
}

/* Finds the dominant stride of each site: the most frequent one, of several the smallest. */
static void
find_dominant(const struct strides *strides, struct stride_count *dominant)
{
	for (uint32_t i = 0; i < strides->pairs.count; i++) {
		const struct indexed_pair *pair = &strides->pairs.list[i];
		const struct stride_count candidate = {pair->b, strides->counts[i]};
		if (compare_counts(&candidate, &dominant[pair->a]) < 0)
			dominant[pair->a] = candidate;
	}
}

/* A site and its accesses. */
struct hot_site {
	uint64_t count, pc;
	uint32_t number, context;
};

static int
compare_hot(const void *a, const void *b)
{
	const struct hot_site *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Sorts the sites with counted accesses, hottest first. */
static void
sort_sites(const struct strides *strides, const struct static_ops *ops, struct hot_site *hot)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < strides->sites.count; i++) {
		const struct adaptive_bin *bin = &strides->sites.list[i];
		const struct stride_site *site = adaptive_bins_item(&strides->sites, i);
		if (site->count && !is_open(strides, i))
			hot[count++] = (struct hot_site){
				site->count, ops->sites[bin->number].pc, i, bin->tag};
	}
	qsort(hot, count, sizeof *hot, compare_hot);
}

static void
open_sites(struct poly_report *report)
{
	table_open(report, "hottest_instructions",
		"pc mnemonic:text context:text accesses zero_strides repeated_strides "
		"changed_strides dominant_stride dominant_stride_ratio");
}

static void
report_sites(const struct strides *strides, const struct static_ops *ops,
	const struct hot_site *hot, const struct stride_count *dominant,
	struct poly_report *report)
{
	struct buf name = {0};
	open_sites(report);
	for (uint32_t i = 0; hot[i].count && i < strides->top; i++) {
		const uint32_t number = hot[i].number;
		const struct stride_site *site = adaptive_bins_item(&strides->sites, number);
		const uint64_t whole = site->zero + site->repeated + site->changed;
		const struct static_site *static_site =
			&ops->sites[strides->sites.list[number].number];
		poly_report_cell_address(report, hot[i].pc, 8);
		poly_report_cell_text(report, static_op_at(ops, static_site->op)->mnemonic);
		buf_clear(&name);
		contexts_append_name(strides->contexts, (uint16_t)hot[i].context, &name);
		poly_report_cell_text(report, name.size ? buf_text(&name) : NULL);
		poly_report_cell_count(report, site->count);
		poly_report_cell_count(report, site->zero);
		poly_report_cell_count(report, site->repeated);
		poly_report_cell_count(report, site->changed);
		if (dominant[number].count)
			poly_report_cell_real(
				report, (double)(int64_t)dominant[number].stride, 0);
		else
			poly_report_cell_text(report, NULL);
		poly_report_cell_ratio(
			report, (double)dominant[number].count, (double)whole, 2);
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
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		end_run(counts, accesses, strides->runs[i].length);
		end_run(counts, accesses, strides->runs[i].head);
	}
	table_open(report, "sequential_access_runs", "access_run_length runs accesses");
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "access_run_length";
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

/* Reports the accesses of all sites by class of their stride. */
static void
report_classes(const struct strides *strides, struct poly_report *report)
{
	uint64_t count = 0, zero = 0, repeated = 0, changed = 0, sites = 0;
	uint64_t unattributed = strides->unattributed;
	for (uint32_t i = 0; i < strides->sites.count; i++) {
		const struct stride_site *site = adaptive_bins_item(&strides->sites, i);
		if (is_open(strides, i)) {
			unattributed += site->count;
			continue;
		}
		sites += site->count != 0;
		count += site->count;
		zero += site->zero;
		repeated += site->repeated;
		changed += site->changed;
	}
	const struct {
		const char *class;
		uint64_t count;
	} classes[] = {{"first", count - zero - repeated - changed}, {"zero", zero},
		{"repeated", repeated}, {"changed", changed}};
	poly_report_count(report, "accesses", strides->accesses);
	poly_report_count(report, "unattributed_accesses", unattributed);
	poly_report_count(report, "memory_instructions", sites);
	if (strides->untracked)
		poly_report_count(report, "untracked_strides", strides->untracked);
	table_open(report, "stride_classes", "class:text accesses share");
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		poly_report_cell_text(report, classes[i].class);
		poly_report_cell_count(report, classes[i].count);
		poly_report_cell_ratio(report, (double)classes[i].count, (double)count, 2);
	}
	poly_report_end(report);
}

static const char *
strides_limit(const void *state)
{
	const struct strides *strides = state;
	return strides->untracked || strides->full
		       ? "more instructions or strides than fit in the memory limit: accesses "
			 "of further instructions are unattributed, and the tables lack "
			 "further strides"
		       : NULL;
}

static void
strides_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct strides *strides = state;
	const size_t sites = (size_t)strides->sites.count + 1,
		     pairs = (size_t)strides->pairs.count + 1;
	struct stride_count *all = mem_new(pairs, sizeof *all);
	struct stride_count *dominant = mem_new(sites, sizeof *dominant);
	struct hot_site *hot = mem_new(sites, sizeof *hot);
	report_classes(strides, report);
	if (all && dominant && hot) {
		report_strides(strides, all, sum_strides(strides, all), report);
		find_dominant(strides, dominant);
		sort_sites(strides, ops, hot);
		report_sites(strides, ops, hot, dominant, report);
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
	adaptive_bins_fini(&strides->sites);
	pair_index_fini(&strides->pairs);
	mem_free(strides->counts);
}

static void
transfer_site(struct archive *archive, void *item)
{
	struct stride_site *site = item;
	ARCHIVE(archive, site->last);
	ARCHIVE(archive, site->stride);
	ARCHIVE(archive, site->first);
	ARCHIVE(archive, site->first_stride);
	ARCHIVE(archive, site->count);
	ARCHIVE(archive, site->zero);
	ARCHIVE(archive, site->repeated);
	ARCHIVE(archive, site->changed);
	ARCHIVE(archive, site->has_last);
	ARCHIVE(archive, site->has_stride);
	ARCHIVE_UP_TO(archive, site->firsts, 2);
	/* The index of the last stride is looked up again. */
	site->has_pair = site->has_pair && !archive_loads(archive);
}

static void
transfer_run(struct archive *archive, struct access_run *run)
{
	ARCHIVE(archive, run->end);
	ARCHIVE(archive, run->length);
	ARCHIVE(archive, run->first);
	ARCHIVE(archive, run->head);
	ARCHIVE(archive, run->has_first);
	ARCHIVE(archive, run->is_head);
	archive_require(
		archive, !run->has_first || (run->length && (run->is_head || run->head)));
}

static void
strides_transfer(void *state, struct archive *archive)
{
	struct strides *strides = state;
	archive_site_bins(archive, &strides->sites, transfer_site);
	archive_pairs(archive, &strides->pairs, strides->sites.count);
	const size_t pairs =
		ARCHIVE_ROOM(archive, strides->counts, strides->capacity, strides->pairs.count);
	archive_require(archive, pairs == strides->pairs.count);
	archive_numbers(archive, strides->counts, sizeof *strides->counts, pairs, UINT64_MAX);
	ARCHIVE(archive, strides->full);
	ARCHIVE(archive, strides->accesses);
	ARCHIVE(archive, strides->unattributed);
	ARCHIVE(archive, strides->untracked);
	for (size_t i = 0; i < archive->contexts; i++)
		transfer_run(archive, &strides->runs[i]);
	ARCHIVE_ARRAY(archive, strides->run_counts);
	ARCHIVE_ARRAY(archive, strides->run_accesses);
}

static const struct poly_option options[] = {
	[OPTION_TOP] = {"strides.top", POLY_OPTION_NUMBER, .initial = 10, .maximum = 1000000,
		.help = "list the N hottest instructions and most frequent strides"},
	{0}};

const struct analysis analysis_strides = {
	.info = {.name = "strides",
		.title = "Strides",
		.summary = "strides of memory instructions, and runs of sequential accesses",
		.needs = POLY_COLUMNS_INIT(pc, access, address),
		.wants = POLY_COLUMNS_INIT(size),
		.options = options},
	.shares = SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.uses_real = true,
	.state_size = sizeof(struct strides),
	.init = strides_init,
	.begin = strides_begin,
	.update = strides_update,
	.merge = strides_merge,
	.transfer = strides_transfer,
	.limit = strides_limit,
	.report = strides_report,
	.fini = strides_fini,
};
