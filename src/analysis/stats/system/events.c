/* SPDX-License-Identifier: MIT */
/* Counts of events, and inter-event times. */
#include "analysis/stats/system/events.h"

#include "analysis/facts/archive.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_TOP, OPTION_ROWS };
enum { ROWS_AUTO, ROWS_EVENT, ROWS_INSTRUCTION, ROWS_ACCESS, ROWS_ALL };
static const char *const row_words[] = {"auto", "event", "instruction", "access", "all", NULL};

/* Hooks of the trace facility. spec: AIX Trace Hook IDs */
#define HOOK_LOG_WRAP 0x0050
#define HOOK_BUFFER_WRAP 0x0060
#define HOOK_UTILITY 0x00a0
#define SUB_RATE 0x25c
#define RATE_CONVERTED 2

/* Bits of the hook type: hook words of 64 bits have flags above the low four. */
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

static enum poly_status
events_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct events *events = state;
	(void)error;
	events->top = setup->values[OPTION_TOP];
	events->counted_rows = setup->values[OPTION_ROWS];
	events->bins.low = 1;
	return POLY_OK;
}

static bool
events_suits(const struct poly_trace_info *info)
{
	return poly_columns_overlap(info->columns, POLY_COLUMNS(hook, time));
}

static unsigned
kinds_of(uint64_t counted_rows, const struct poly_trace_info *info)
{
	switch (counted_rows) {
	case ROWS_EVENT: return 1u << POLY_KIND_EVENT;
	case ROWS_INSTRUCTION: return 1u << POLY_KIND_INSTRUCTION;
	case ROWS_ACCESS: return 1u << POLY_KIND_ACCESS;
	case ROWS_ALL: return UINT32_MAX;
	default: break;
	}
	if (POLY_HAS(info->columns, hook))
		return 1u << POLY_KIND_EVENT;
	return POLY_HAS(info->columns, pc) ? 1u << POLY_KIND_INSTRUCTION
					   : 1u << POLY_KIND_EVENT | 1u << POLY_KIND_ACCESS;
}

static void
events_begin(void *state, const struct poly_trace_info *info)
{
	struct events *events = state;
	events->kinds = kinds_of(events->counted_rows, info);
	events->has_last = false;
	memset(events->name_of, 0, sizeof events->name_of);
	if (info->clock)
		snprintf(events->clock, sizeof events->clock, "%s", info->clock);
}

/* Adds the counts of a row, or of another entry, to an entry. */
static void
add_entry(struct events_entry *entry, const struct events_entry *added)
{
	if (!entry->count || added->first < entry->first)
		entry->first = added->first;
	if (!entry->count || added->last > entry->last)
		entry->last = added->last;
	entry->count += added->count;
	if (!added->timed)
		return;
	if (!entry->timed || added->start < entry->start)
		entry->start = added->start;
	if (!entry->timed || added->end > entry->end)
		entry->end = added->end;
	entry->timed += added->timed;
}

/* Appends the entry of a new key; NULL: out of memory. */
static struct events_entry *
append(struct events_table *table, uint64_t key)
{
	if (!VEC_ROOM(table->list, table->capacity, table->count))
		return NULL;
	struct events_entry *entry = &table->list[table->count];
	*entry = (struct events_entry){.key = key};
	return entry;
}

/* Adds counts of a key to a table; false: out of memory. */
static bool
count(struct events_table *table, const struct events_entry *entry)
{
	bool added = false;
	if (table->recent < table->count && table->list[table->recent].key == entry->key) {
		add_entry(&table->list[table->recent], entry);
		return true;
	}
	const uint64_t *index = map_find(&table->indices, entry->key);
	if (!index && table->count == EVENTS_ENTRIES_MAX) {
		table->untracked += entry->count;
		return true;
	}
	if (!index) {
		if (!append(table, entry->key))
			return false;
		index = map_get(&table->indices, entry->key, table->count, &added);
		if (!index)
			return false;
		table->count++;
	}
	table->recent = (uint32_t)*index;
	add_entry(&table->list[table->recent], entry);
	return true;
}

/* Doubles the width of bins. */
static void
double_bins(struct events_bins *bins)
{
	uint64_t counts[EVENTS_BINS] = {0};
	const uint64_t first = bins->low >> bins->shift, last = bins->high >> bins->shift;
	/* first + i does not overflow, even if last is UINT64_MAX. */
	for (uint64_t i = 0; i <= last - first; i++)
		counts[(first + i) / 2 % EVENTS_BINS] +=
			bins->counts[(first + i) % EVENTS_BINS];
	memcpy(bins->counts, counts, sizeof counts);
	bins->shift++;
}

/* Doubles the width of bins until times from low to high have one, too. */
static void
coarsen_bins(struct events_bins *bins, uint64_t low, uint64_t high, unsigned shift)
{
	const bool empty = bins->low > bins->high;
	const uint64_t min = empty || low < bins->low ? low : bins->low;
	const uint64_t max = empty || high > bins->high ? high : bins->high;
	while (bins->shift < shift ||
		(max >> bins->shift) - (min >> bins->shift) >= EVENTS_BINS) {
		if (empty)
			bins->shift++;
		else
			double_bins(bins);
	}
	bins->low = min;
	bins->high = max;
}

static void
merge_bins(struct events_bins *sum, const struct events_bins *bins)
{
	struct events_bins copy = *bins;
	if (bins->low > bins->high)
		return;
	coarsen_bins(sum, bins->low, bins->high, bins->shift);
	while (copy.shift < sum->shift)
		double_bins(&copy);
	const uint64_t first = copy.low >> copy.shift, last = copy.high >> copy.shift;
	for (uint64_t i = 0; i <= last - first; i++)
		sum->counts[(first + i) % EVENTS_BINS] +=
			copy.counts[(first + i) % EVENTS_BINS];
}

static void
count_gap(struct events *events, uint64_t previous, uint64_t time)
{
	const uint64_t gap = time - previous;
	if (time < previous) {
		events->backward++;
		return;
	}
	events->gaps[events_gap(gap)]++;
	events->gap_count++;
	events->gap_sum += gap;
	events->gap_carry += events->gap_sum < gap;
	if (gap > events->max_gap)
		events->max_gap = gap;
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
	}
	events->last = time;
	events->has_first = events->has_last = true;
	if (time < bins->low || time > bins->high)
		coarsen_bins(bins, time, time, 0);
	bins->counts[(time >> bins->shift) % EVENTS_BINS]++;
}

/* Reads the length of a tick if the row states it. */
static void
read_rate(struct events *events, const struct poly_batch *batch, size_t row)
{
	size_t n;
	if (!poly_present(batch, POLY_COLUMN_payload, row) ||
		!poly_present(batch, POLY_COLUMN_hook_type, row))
		return;
	const uint8_t *data = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	const unsigned type = batch->hook_type[row];
	const bool narrow = type <= TYPE_NARROW;
	/* The first data word after a hook word of 32 bits has the sub-hook. */
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
	struct events_entry *entry)
{
	const uint16_t hook = batch->hook[row];
	events->wraps += hook == HOOK_LOG_WRAP;
	events->lost += hook == HOOK_BUFFER_WRAP;
	if (hook == HOOK_UTILITY)
		read_rate(events, batch, row);
	entry->key = hook;
	if (!count(&events->tables[EVENTS_HOOKS], entry))
		return false;
	if (!poly_present(batch, POLY_COLUMN_hook_type, row) ||
		batch->hook_type[row] <= TYPE_NARROW ||
		!poly_present(batch, POLY_COLUMN_subhook, row))
		return true;
	entry->key = (uint64_t)hook << 16 | batch->subhook[row];
	return count(&events->tables[EVENTS_SUBHOOKS], entry);
}

/* Counts a row by the name of its event or, if it has none, of its record. */
static bool
count_name(struct events *events, const struct poly_batch *batch, size_t row,
	struct events_entry *entry)
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
	const uint32_t id =
		known && *known ? *known - 1 : intern_add(&events->names, name, strlen(name));
	if (id == INTERN_FAILED)
		return false;
	if (known)
		*known = id + 1;
	entry->key = id;
	return count(&events->tables[EVENTS_NAMES], entry);
}

static bool
count_row(struct events *events, const struct poly_batch *batch, size_t row)
{
	struct events_entry entry = {.count = 1};
	entry.first = entry.last = poly_batch_number(batch, row);
	entry.timed = poly_present(batch, POLY_COLUMN_time, row);
	entry.start = entry.end = entry.timed ? batch->time[row] : 0;
	events->rows++;
	if (entry.timed)
		count_time(events, batch->time[row]);
	bool ok = poly_present(batch, POLY_COLUMN_hook, row)
			  ? count_hook(events, batch, row, &entry)
			  : count_name(events, batch, row, &entry);
#define COUNT_BY(column, table)                                      \
	if (ok && poly_present(batch, POLY_COLUMN_##column, row)) {  \
		entry.key = batch->column[row];                      \
		ok = count(&events->tables[EVENTS_##table], &entry); \
	}
	COUNT_BY(cpu, CPUS)
	COUNT_BY(process, PROCESSES)
	COUNT_BY(thread, THREADS)
#undef COUNT_BY
	return ok;
}

/* Records the time of a row that is not counted, for the gap to the next one. */
static void
skip_row(struct events *events, const struct poly_batch *batch, size_t row)
{
	if (poly_present(batch, POLY_COLUMN_hook, row) && batch->hook[row] == HOOK_UTILITY)
		read_rate(events, batch, row);
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
			skip_row(events, batch, row);
	}
	return ok;
}

/* Returns the id in into of a name of from. */
static uint32_t
name_in(struct events *into, const struct events *from, uint64_t id)
{
	const char *name = intern_text(&from->names, (uint32_t)id);
	return intern_add(&into->names, name, strlen(name));
}

static bool
merge_table(struct events *into, const struct events *from, unsigned table,
	const struct analysis_numbers *numbers)
{
	const struct events_table *added = &from->tables[table];
	for (uint32_t i = 0; i < added->count; i++) {
		struct events_entry entry = added->list[i];
		entry.first += numbers->row_offset;
		entry.last += numbers->row_offset;
		if (table == EVENTS_NAMES)
			entry.key = name_in(into, from, entry.key);
		if ((table == EVENTS_NAMES && entry.key == INTERN_FAILED) ||
			!count(&into->tables[table], &entry))
			return false;
	}
	into->tables[table].untracked += added->untracked;
	return true;
}

/* Counts the gap between the rows of both, and merges the first and last times. */
static void
merge_ends(struct events *sum, const struct events *events)
{
	if (sum->has_last && events->has_first)
		count_gap(sum, sum->last, events->first);
	if (!sum->has_first && events->has_first) {
		sum->first = events->first;
		sum->has_first = true;
	}
	if (events->has_last) {
		sum->last = events->last;
		sum->has_last = true;
	}
}

static bool
events_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct events *sum = into;
	const struct events *events = from;
	sum->has_last = sum->has_last && numbers->continues;
	for (unsigned i = 0; i < EVENTS_TABLES; i++) {
		if (!merge_table(sum, events, i, numbers))
			return false;
	}
	merge_ends(sum, events);
	for (size_t i = 0; i < EVENTS_GAPS; i++)
		sum->gaps[i] += events->gaps[i];
	sum->gap_count += events->gap_count;
	sum->gap_sum += events->gap_sum;
	sum->gap_carry += events->gap_carry + (sum->gap_sum < events->gap_sum);
	sum->backward += events->backward;
	if (events->max_gap > sum->max_gap)
		sum->max_gap = events->max_gap;
	sum->rows += events->rows;
	sum->timed += events->timed;
	sum->wraps += events->wraps;
	sum->lost += events->lost;
	if (events->divisor) {
		sum->multiplier = events->multiplier;
		sum->divisor = events->divisor;
	}
	if (events->clock[0])
		memcpy(sum->clock, events->clock, sizeof sum->clock);
	merge_bins(&sum->bins, &events->bins);
	return true;
}

static void
events_fini(void *state)
{
	struct events *events = state;
	for (size_t i = 0; i < EVENTS_TABLES; i++) {
		map_free(&events->tables[i].indices);
		mem_free(events->tables[i].list);
	}
	intern_free(&events->names);
}

static void
transfer_entry(struct archive *archive, struct events_entry *entry)
{
	ARCHIVE(archive, entry->key);
	ARCHIVE(archive, entry->count);
	ARCHIVE(archive, entry->first);
	ARCHIVE(archive, entry->last);
	ARCHIVE(archive, entry->timed);
	ARCHIVE(archive, entry->start);
	ARCHIVE(archive, entry->end);
}

/* Transfers a table, whose keys are at most max. */
static void
transfer_table(struct archive *archive, struct events_table *table, uint64_t max)
{
	const size_t n = archive_count(archive, table->count, EVENTS_ENTRIES_MAX);
	for (size_t i = 0; i < n && !archive_failed(archive); i++) {
		struct events_entry entry = {0};
		if (!archive_loads(archive))
			entry = table->list[i];
		transfer_entry(archive, &entry);
		archive_require(archive, entry.key <= max);
		if (archive_loads(archive) && !archive_failed(archive)) {
			archive_allocate(archive, count(table, &entry));
			archive_require(archive, table->count == i + 1);
		}
	}
	ARCHIVE(archive, table->untracked);
}

static void
transfer_bins(struct archive *archive, struct events_bins *bins)
{
	ARCHIVE_ARRAY(archive, bins->counts);
	ARCHIVE(archive, bins->low);
	ARCHIVE(archive, bins->high);
	ARCHIVE_UP_TO(archive, bins->shift, 63);
	archive_require(archive,
		bins->low > bins->high ||
			(bins->high >> bins->shift) - (bins->low >> bins->shift) < EVENTS_BINS);
}

static void
events_transfer(void *state, struct archive *archive)
{
	struct events *events = state;
	archive_characters(archive, events->clock, sizeof events->clock);
	ARCHIVE(archive, events->multiplier);
	ARCHIVE(archive, events->divisor);
	ARCHIVE(archive, events->rows);
	ARCHIVE(archive, events->timed);
	ARCHIVE(archive, events->wraps);
	ARCHIVE(archive, events->lost);
	archive_intern(archive, &events->names);
	for (size_t i = 0; i < EVENTS_TABLES; i++) {
		archive_require(archive,
			i != EVENTS_NAMES || !events->tables[i].count || events->names.count);
		transfer_table(archive, &events->tables[i],
			i == EVENTS_NAMES ? events->names.count - (uint64_t)1 : UINT64_MAX);
	}
	ARCHIVE(archive, events->has_first);
	ARCHIVE(archive, events->has_last);
	ARCHIVE(archive, events->first);
	ARCHIVE(archive, events->last);
	ARCHIVE_ARRAY(archive, events->gaps);
	ARCHIVE(archive, events->gap_count);
	ARCHIVE(archive, events->max_gap);
	ARCHIVE(archive, events->backward);
	ARCHIVE(archive, events->gap_sum);
	ARCHIVE(archive, events->gap_carry);
	transfer_bins(archive, &events->bins);
}

static const struct poly_option options[] = {
	[OPTION_TOP] = {"events.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1,
		.maximum = EVENTS_ENTRIES_MAX,
		.help = "list the N most frequent entries per table"},
	[OPTION_ROWS] = {"events.of", POLY_OPTION_CHOICE, .initial = ROWS_AUTO,
		.choices = row_words, .help = "select the rows that count as events"},
	{0},
};

const struct analysis analysis_events = {
	.info = {.name = "events",
		.title = "Events",
		.summary = "events by hook, name, CPU, process and thread, inter-event times, "
			   "event rate",
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(record, time, cpu, process, thread, event, hook,
			subhook, hook_type, payload),
		.is_default = true,
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct events),
	.suits = events_suits,
	.init = events_init,
	.begin = events_begin,
	.update = events_update,
	.merge = events_merge,
	.transfer = events_transfer,
	.report = events_report,
	.fini = events_fini,
};
