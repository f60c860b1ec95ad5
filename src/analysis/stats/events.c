/* SPDX-License-Identifier: MIT */
/* What happened when: counts of events, and the time between them. */
#include "analysis/stats/events.h"

#include "base/bits.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_TOP, OPTION_OF };
enum { OF_AUTO, OF_EVENT, OF_INSTRUCTION, OF_ACCESS, OF_ALL };
static const char *const of_words[] = {"auto", "event", "instruction", "access", "all", NULL};

/* Hooks of the trace facility itself (reference aix 4.8). */
#define HOOK_LOG_WRAP 0x0050
#define HOOK_BUFFER_WRAP 0x0060
#define HOOK_UTILITY 0x00a0
#define SUB_RATE 0x25c
#define RATE_CONVERTED 2

/* Of the hook type: a word of 64 bits has flags above, one of 32 bits only the low four. */
#define TYPE_NARROW 0xf
#define TYPE_GENERIC 0x4000

unsigned
events_gap(uint64_t gap)
{
	if (gap < EVENTS_HALF)
		return (unsigned)gap;
	const unsigned shift = 64 - EVENTS_DIGITS - (unsigned)__builtin_clzll(gap);
	return gap < 2 * EVENTS_HALF ? (unsigned)gap
				     : shift * EVENTS_HALF + (unsigned)(gap >> shift);
}

uint64_t
events_gap_least(unsigned index)
{
	if (index < 2 * EVENTS_HALF)
		return index;
	const unsigned shift = index / EVENTS_HALF - 1;
	return (uint64_t)(index - shift * EVENTS_HALF) << shift;
}

static enum poly_status
events_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct events *events = state;
	(void)error;
	events->top = setup->values[OPTION_TOP];
	events->of = setup->values[OPTION_OF];
	events->bins.low = 1;
	return POLY_OK;
}

static bool
events_suits(const struct poly_trace_info *info)
{
	return info->columns & (POLY_HAS(hook) | POLY_HAS(time));
}

static unsigned
kinds_of(uint64_t of, const struct poly_trace_info *info)
{
	switch (of) {
	case OF_EVENT: return 1u << POLY_KIND_EVENT;
	case OF_INSTRUCTION: return 1u << POLY_KIND_INSTRUCTION;
	case OF_ACCESS: return 1u << POLY_KIND_ACCESS;
	case OF_ALL: return UINT32_MAX;
	default: break;
	}
	if (info->columns & POLY_HAS(hook))
		return 1u << POLY_KIND_EVENT;
	return info->columns & POLY_HAS(pc) ? 1u << POLY_KIND_INSTRUCTION
					    : 1u << POLY_KIND_EVENT | 1u << POLY_KIND_ACCESS;
}

static void
events_begin(void *state, const struct poly_trace_info *info)
{
	struct events *events = state;
	events->kinds = kinds_of(events->of, info);
	events->has_last = false;
	events->traces++;
	memset(events->name_of, 0, sizeof events->name_of);
	if (info->clock)
		snprintf(events->clock, sizeof events->clock, "%s", info->clock);
}

/* What an entry gets of a row, or of another entry. */
static void
widen(struct events_entry *entry, const struct events_entry *more)
{
	if (!entry->count || more->first < entry->first)
		entry->first = more->first;
	if (!entry->count || more->last > entry->last)
		entry->last = more->last;
	entry->count += more->count;
	if (!more->timed)
		return;
	if (!entry->timed || more->start < entry->start)
		entry->start = more->start;
	if (!entry->timed || more->end > entry->end)
		entry->end = more->end;
	entry->timed += more->timed;
}

/* The entry of a new key; NULL: no memory. */
static struct events_entry *
append(struct events_table *table, uint64_t key)
{
	if (table->count == table->capacity) {
		const uint32_t capacity = table->capacity ? 2 * table->capacity : 16;
		struct events_entry *list = mem_resize(table->list, capacity, sizeof *list);
		if (!list)
			return NULL;
		table->list = list;
		table->capacity = capacity;
	}
	struct events_entry *entry = &table->list[table->count];
	*entry = (struct events_entry){.key = key};
	return entry;
}

/* Counts more of the same key in a table; false: no memory. */
static bool
count(struct events_table *table, const struct events_entry *more)
{
	bool added = false;
	if (table->recent < table->count && table->list[table->recent].key == more->key) {
		widen(&table->list[table->recent], more);
		return true;
	}
	const uint64_t *number = map_find(&table->numbers, more->key);
	if (!number && table->count == EVENTS_ENTRIES) {
		table->beyond += more->count;
		return true;
	}
	if (!number) {
		if (!append(table, more->key))
			return false;
		number = map_get(&table->numbers, more->key, table->count, &added);
		if (!number)
			return false;
		table->count++;
	}
	table->recent = (uint32_t)*number;
	widen(&table->list[table->recent], more);
	return true;
}

/* Makes stretches twice as long. */
static void
double_bins(struct events_bins *bins)
{
	uint64_t counts[EVENTS_BINS] = {0};
	const uint64_t first = bins->low >> bins->shift, last = bins->high >> bins->shift;
	/* The last one may be the last number that there is. */
	for (uint64_t i = 0; i <= last - first; i++)
		counts[(first + i) / 2 % EVENTS_BINS] +=
			bins->counts[(first + i) % EVENTS_BINS];
	memcpy(bins->counts, counts, sizeof counts);
	bins->shift++;
}

/* Makes stretches so long that times from low to high have room too. */
static void
widen_bins(struct events_bins *bins, uint64_t low, uint64_t high, unsigned shift)
{
	const bool empty = bins->low > bins->high;
	const uint64_t from = empty || low < bins->low ? low : bins->low;
	const uint64_t to = empty || high > bins->high ? high : bins->high;
	while (bins->shift < shift ||
		(to >> bins->shift) - (from >> bins->shift) >= EVENTS_BINS) {
		if (empty)
			bins->shift++;
		else
			double_bins(bins);
	}
	bins->low = from;
	bins->high = to;
}

static void
merge_bins(struct events_bins *to, const struct events_bins *more)
{
	struct events_bins copy = *more;
	if (more->low > more->high)
		return;
	widen_bins(to, more->low, more->high, more->shift);
	while (copy.shift < to->shift)
		double_bins(&copy);
	const uint64_t first = copy.low >> copy.shift, last = copy.high >> copy.shift;
	for (uint64_t i = 0; i <= last - first; i++)
		to->counts[(first + i) % EVENTS_BINS] += copy.counts[(first + i) % EVENTS_BINS];
}

static void
count_gap(struct events *events, uint64_t from, uint64_t to)
{
	if (to < from) {
		events->backward++;
		return;
	}
	events->gaps[events_gap(to - from)]++;
	events->gap_count++;
	events->gap_sum += to - from;
	events->gap_carry += events->gap_sum < to - from;
	if (to - from > events->gap_most)
		events->gap_most = to - from;
}

static void
count_time(struct events *events, uint64_t time)
{
	struct events_bins *bins = &events->bins;
	events->timed++;
	if (events->has_last)
		count_gap(events, events->last, time);
	if (!events->has_first) {
		events->first = time;
		events->first_trace = events->traces;
	}
	events->last = time;
	events->has_first = events->has_last = true;
	if (time < bins->low || time > bins->high)
		widen_bins(bins, time, time, 0);
	bins->counts[(time >> bins->shift) % EVENTS_BINS]++;
}

/* Takes how long a tick is, where the row tells it. */
static void
take_rate(struct events *events, const struct poly_batch *batch, size_t row)
{
	size_t n;
	if (!poly_present(batch, POLY_COLUMN_payload, row) ||
		!poly_present(batch, POLY_COLUMN_hook_type, row))
		return;
	const uint8_t *data = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	const unsigned type = batch->hook_type[row];
	const bool narrow = type <= TYPE_NARROW;
	/* A hook word of 32 bits tells its sub-hook in the first data word. */
	const size_t word = narrow ? 4 : 8;
	const bool generic = narrow ? (type & 7) == 0 : type & TYPE_GENERIC;
	uint32_t sub = poly_present(batch, POLY_COLUMN_subhook, row) ? batch->subhook[row] : 0;
	if (narrow && generic)
		sub = n >= 4 ? load_be32(data) : 0;
	const size_t at = generic && (narrow || n >= 32) ? word : 0;
	if (sub != SUB_RATE || n < at + 24)
		return;
	events->multiplier = load_be64(data + at);
	events->divisor = load_be64(data + at + 8);
	if (load_be64(data + at + 16) != RATE_CONVERTED || !events->multiplier ||
		!events->divisor)
		events->multiplier = events->divisor = 1;
}

static bool
count_hook(struct events *events, const struct poly_batch *batch, size_t row,
	struct events_entry *one)
{
	const uint16_t hook = batch->hook[row];
	events->wraps += hook == HOOK_LOG_WRAP;
	events->lost += hook == HOOK_BUFFER_WRAP;
	if (hook == HOOK_UTILITY)
		take_rate(events, batch, row);
	one->key = hook;
	if (!count(&events->tables[EVENTS_HOOKS], one))
		return false;
	if (!poly_present(batch, POLY_COLUMN_hook_type, row) ||
		batch->hook_type[row] <= TYPE_NARROW ||
		!poly_present(batch, POLY_COLUMN_subhook, row))
		return true;
	one->key = (uint64_t)hook << 16 | batch->subhook[row];
	return count(&events->tables[EVENTS_SUBHOOKS], one);
}

/* Counts a row by the name of its event, or else of its record. */
static bool
count_name(struct events *events, const struct poly_batch *batch, size_t row,
	struct events_entry *one)
{
	const bool has_event = poly_present(batch, POLY_COLUMN_event, row);
	const char *name = NULL;
	uint32_t *known = NULL;
	if (has_event) {
		name = poly_enum_name(POLY_FORM_EVENT, batch->event[row]);
	} else if (poly_present(batch, POLY_COLUMN_record, row) &&
		   batch->record[row] < batch->info->record_count) {
		known = &events->name_of[batch->record[row]];
		name = batch->info->records[batch->record[row]];
	}
	if (!name)
		name = "unnamed";
	const uint32_t number =
		known && *known ? *known - 1 : intern_add(&events->names, name, strlen(name));
	if (number == INTERN_FAILED)
		return false;
	if (known)
		*known = number + 1;
	one->key = number;
	return count(&events->tables[EVENTS_NAMES], one);
}

static bool
count_row(struct events *events, const struct poly_batch *batch, size_t row)
{
	struct events_entry one = {.count = 1};
	one.first = one.last = poly_batch_number(batch, row);
	one.timed = poly_present(batch, POLY_COLUMN_time, row);
	one.start = one.end = one.timed ? batch->time[row] : 0;
	events->rows++;
	if (one.timed)
		count_time(events, batch->time[row]);
	bool ok = poly_present(batch, POLY_COLUMN_hook, row)
			  ? count_hook(events, batch, row, &one)
			  : count_name(events, batch, row, &one);
#define COUNT_BY(column, table)                                     \
	if (ok && poly_present(batch, POLY_COLUMN_##column, row)) { \
		one.key = batch->column[row];                       \
		ok = count(&events->tables[EVENTS_##table], &one);  \
	}
	COUNT_BY(cpu, CPUS)
	COUNT_BY(process, PROCESSES)
	COUNT_BY(thread, THREADS)
#undef COUNT_BY
	return ok;
}

/* A row that is not counted, but behind which the next one comes. */
static void
remember_row(struct events *events, const struct poly_batch *batch, size_t row)
{
	if (poly_present(batch, POLY_COLUMN_hook, row) && batch->hook[row] == HOOK_UTILITY)
		take_rate(events, batch, row);
	if (!poly_present(batch, POLY_COLUMN_time, row))
		return;
	events->last = batch->time[row];
	events->has_last = true;
}

static bool
events_update(void *state, const struct analysis_rows *rows)
{
	struct events *events = state;
	const struct poly_batch *batch = rows->batch;
	bool ok = true;
	for (size_t row = 0; ok && row < batch->rows; row++) {
		if (!poly_present(batch, POLY_COLUMN_kind, row) ||
			!(events->kinds >> batch->kind[row] & 1))
			continue;
		if (rows->counts)
			ok = count_row(events, batch, row);
		else
			remember_row(events, batch, row);
	}
	return ok;
}

/* The number that a name of from has in into. */
static uint32_t
name_in(struct events *into, const struct events *from, uint64_t number)
{
	const char *name = intern_text(&from->names, (uint32_t)number);
	return intern_add(&into->names, name, strlen(name));
}

static bool
merge_table(struct events *into, const struct events *from, unsigned table)
{
	const struct events_table *more = &from->tables[table];
	for (uint32_t i = 0; i < more->count; i++) {
		struct events_entry one = more->list[i];
		if (table == EVENTS_NAMES)
			one.key = name_in(into, from, one.key);
		if ((table == EVENTS_NAMES && one.key == INTERN_FAILED) ||
			!count(&into->tables[table], &one))
			return false;
	}
	into->tables[table].beyond += more->beyond;
	return true;
}

/* The gap between the rows of both, and what the first and the last row of them are now. */
static void
merge_ends(struct events *to, const struct events *more)
{
	/* The trace that to has ended in is the first one of more. */
	const uint64_t further = more->traces ? more->traces - 1 : 0;
	if (to->has_last && more->has_first && more->first_trace <= 1)
		count_gap(to, to->last, more->first);
	if (!to->has_first && more->has_first) {
		to->first = more->first;
		to->has_first = true;
		to->first_trace = to->traces + more->first_trace - 1;
	}
	if (more->has_last) {
		to->last = more->last;
		to->has_last = true;
	} else if (further) {
		to->has_last = false;
	}
	to->traces += further;
}

static bool
events_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct events *to = into;
	const struct events *more = from;
	(void)numbers;
	for (unsigned i = 0; i < EVENTS_TABLES; i++) {
		if (!merge_table(to, more, i))
			return false;
	}
	merge_ends(to, more);
	for (size_t i = 0; i < EVENTS_GAPS; i++)
		to->gaps[i] += more->gaps[i];
	to->gap_count += more->gap_count;
	to->gap_sum += more->gap_sum;
	to->gap_carry += more->gap_carry + (to->gap_sum < more->gap_sum);
	to->backward += more->backward;
	if (more->gap_most > to->gap_most)
		to->gap_most = more->gap_most;
	to->rows += more->rows;
	to->timed += more->timed;
	to->wraps += more->wraps;
	to->lost += more->lost;
	if (more->divisor) {
		to->multiplier = more->multiplier;
		to->divisor = more->divisor;
	}
	if (more->clock[0])
		memcpy(to->clock, more->clock, sizeof to->clock);
	merge_bins(&to->bins, &more->bins);
	return true;
}

static void
events_fini(void *state)
{
	struct events *events = state;
	for (size_t i = 0; i < EVENTS_TABLES; i++) {
		map_free(&events->tables[i].numbers);
		mem_free(events->tables[i].list);
	}
	intern_free(&events->names);
}

static const struct poly_option options[] = {
	[OPTION_TOP] = {"events.top", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 1,
		EVENTS_ENTRIES, NULL, "hooks, processes and so on that are listed", NULL},
	[OPTION_OF] = {"events.of", POLY_OPTION_CHOICE, POLY_OPTION_READ, OF_AUTO, 0, 0,
		of_words, "the rows that count as events", NULL},
	{0},
};

const struct analysis analysis_events = {
	.info = {.name = "events",
		.title = "Events",
		.summary = "what happened when: events by hook, process and processor, and the "
			   "time between them",
		.needs = POLY_HAS(kind),
		.wants = POLY_HAS(record) | POLY_HAS(time) | POLY_HAS(cpu) | POLY_HAS(process) |
			 POLY_HAS(thread) | POLY_HAS(event) | POLY_HAS(hook) |
			 POLY_HAS(subhook) | POLY_HAS(hook_type) | POLY_HAS(payload),
		.is_default = true,
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct events),
	.suits = events_suits,
	.init = events_init,
	.begin = events_begin,
	.update = events_update,
	.merge = events_merge,
	.report = events_report,
	.fini = events_fini,
};
