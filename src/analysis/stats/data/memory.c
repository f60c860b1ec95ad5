/* SPDX-License-Identifier: MIT */
/*
 * Memory accesses by kind and size, misaligned accesses, line and page crossings, the hottest
 * lines and pages, and store-to-load forwarding.
 *
 * Bounded: LINES_MAX lines (line sizes double if there are more), two windows per context.
 */
#include "analysis/stats/data/memory.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/column_stats.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define LINES_MAX ((uint32_t)1 << 18)

/* log2 of the bytes of the words that index stores. */
#define WORD_SHIFT 3

enum { OPTION_LINE, OPTION_TOP, OPTION_WINDOW };

static void
merge_line(void *into, const void *from)
{
	struct memory_line *sum = into;
	const struct memory_line *line = from;
	sum->reads += line->reads;
	sum->writes += line->writes;
	sum->fetches += line->fetches;
	sum->others += line->others;
}

static enum poly_status
memory_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct memory *memory = state;
	memory->line_option = (uint32_t)setup->values[OPTION_LINE];
	memory->top = (uint32_t)setup->values[OPTION_TOP];
	memory->window = (uint32_t)setup->values[OPTION_WINDOW];
	if (memory->line_option & (memory->line_option - 1))
		return err_usage(error,
			"memory.line: invalid line size (found %u bytes, expected a power of "
			"two)",
			(unsigned)memory->line_option);
	memory->lines.max_count = LINES_MAX;
	memory->lines.item_size = sizeof(struct memory_line);
	memory->lines.merge_item = merge_line;
	return POLY_OK;
}

/* Clears the last accesses of a context. */
static void
ring_clear(struct memory_ring *ring, uint32_t window)
{
	memset(ring->last, 0, window * sizeof *ring->last);
	memset(ring->words, 0, sizeof ring->words);
	ring->wide = 0;
}

static void
clear_rings(struct memory *memory)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (memory->rings[i])
			ring_clear(memory->rings[i], memory->window);
	}
}

static void
memory_begin(void *state, const struct poly_trace_info *info)
{
	struct memory *memory = state;
	clear_rings(memory);
	if (memory->line)
		return;
	const char *fact = poly_trace_fact(info, "bach.line");
	const unsigned long bytes = fact ? strtoul(fact, NULL, 10) : 0;
	memory->line = memory->line_option ? memory->line_option : 64;
	if (!memory->line_option && bytes && bytes <= MEMORY_PAGE && !(bytes & (bytes - 1)))
		memory->line = (uint32_t)bytes;
	memory->lines.shift = (unsigned)__builtin_ctz(memory->line);
}

/* Allocates the ring of a context; NULL: out of memory. */
static struct memory_ring *
ring_new(struct memory *memory, uint16_t context)
{
	struct memory_ring *ring = mem_new(1, sizeof *ring);
	if (!ring)
		return NULL;
	ring->last = mem_new(memory->window, sizeof *ring->last);
	ring->first = mem_new(memory->window, sizeof *ring->first);
	if (!ring->last || !ring->first) {
		mem_free(ring->last);
		mem_free(ring->first);
		mem_free(ring);
		return NULL;
	}
	memory->rings[context] = ring;
	return ring;
}

/* Returns the ring of a context; NULL: out of memory. */
static inline struct memory_ring *
ring_of(struct memory *memory, uint16_t context)
{
	struct memory_ring *ring = memory->rings[context];
	return ring ? ring : ring_new(memory, context);
}

/* Sets the buckets of the first and last word of an access; false: it spans more than two. */
static inline bool
words_of(const struct ring_access *access, uint8_t *low, uint8_t *high)
{
	const uint64_t first = access->address >> WORD_SHIFT;
	const uint64_t last = (access->address + access->size - 1) >> WORD_SHIFT;
	*low = (uint8_t)first;
	*high = (uint8_t)last;
	return last - first < 2;
}

/* Appends an access to its ring. */
static inline void
ring_push(struct memory_ring *ring, uint32_t window, const struct ring_access *access)
{
	uint8_t low, high;
	ring->last[ring->next].is_store = access->is_store;
	ring->count++;
	if (access->is_store) {
		ring->last[ring->next] = *access;
		if (words_of(access, &low, &high))
			ring->words[low] = ring->words[high] = ring->count;
		else
			ring->wide = ring->count;
	}
	ring->next = ring->next + 1 == window ? 0 : ring->next + 1;
}

static inline bool
overlap(const struct ring_access *a, const struct ring_access *b)
{
	return a->address - b->address < b->size || b->address - a->address < a->size;
}

/* Searches the window for the last store that overlaps a load; NULL: none. */
static const struct ring_access *
ring_search(const struct memory_ring *ring, uint32_t window, const struct ring_access *load)
{
	for (uint32_t i = 0, at = ring->next; i < window; i++) {
		at = at ? at - 1 : window - 1;
		if (ring->last[at].is_store && overlap(load, &ring->last[at]))
			return &ring->last[at];
	}
	return NULL;
}

/* As ring_search, but finds the store by the words of the load if possible. */
static inline const struct ring_access *
ring_find(const struct memory_ring *ring, uint32_t window, const struct ring_access *load)
{
	uint8_t low, high;
	if (!words_of(load, &low, &high) || (ring->wide && ring->count - ring->wide < window))
		return ring_search(ring, window, load);
	const uint64_t number =
		ring->words[low] > ring->words[high] ? ring->words[low] : ring->words[high];
	const uint64_t back = ring->count - number + 1;
	if (!number || back > window)
		return NULL;
	/* No later store is to a word of the load. */
	const struct ring_access *store =
		&ring->last[ring->next >= back ? ring->next - back
					       : ring->next + window - back];
	return overlap(load, store) ? store : ring_search(ring, window, load);
}

/* Counts a load whose bytes a store of the window wrote; false: it finds none. */
static inline bool
count_load(
	struct memory *memory, const struct memory_ring *ring, const struct ring_access *load)
{
	const struct ring_access *store = ring_find(ring, memory->window, load);
	if (!store)
		return false;
	memory->candidates++;
	memory->contained += load->size <= store->size &&
			     load->address - store->address <= store->size - load->size;
	return true;
}

/* Counts and appends a read or write of a context. */
static inline void
ring_step(struct memory *memory, struct memory_ring *ring, struct ring_access access)
{
	if (!access.is_store && !access.is_done)
		access.is_done = count_load(memory, ring, &access);
	if (ring->first_count < memory->window)
		ring->first[ring->first_count++] = access;
	ring_push(ring, memory->window, &access);
}

/* Counts accesses larger than MEMORY_SIZES; false: out of memory. */
static bool
count_large(struct memory *memory, uint64_t key, uint64_t count)
{
	bool added;
	uint64_t *known = map_get(&memory->sizes, key, 0, &added);
	if (known)
		*known += count;
	return known;
}

/* Counts the size of an access of a kind; false: out of memory. */
static inline bool
count_size(struct memory *memory, unsigned which, uint32_t size)
{
	struct memory_kind *kind = &memory->kinds[which];
	if (size <= MEMORY_SIZES) {
		kind->sizes[size]++;
		return true;
	}
	kind->large++;
	kind->large_bytes += size;
	if (size > MEMORY_SIZES_EXACT)
		size = UINT32_C(1) << (31 - __builtin_clz(size));
	return count_large(memory, memory_large_key(which, size), 1);
}

/* Counts an access of a kind; false: out of memory. */
static inline bool
count_row(struct memory *memory, unsigned which, uint64_t address, uint32_t size)
{
	struct memory_kind *kind = &memory->kinds[which];
	const uint64_t line = memory->line;
	if (!count_size(memory, which, size))
		return false;
	if (size) {
		kind->misaligned += !(size & (size - 1)) && (address & (size - 1));
		kind->line_crossings += (address & (line - 1)) + size > line;
		kind->page_crossings += (address % MEMORY_PAGE) + size > MEMORY_PAGE;
	}
	if (which == POLY_ACCESS_IO_READ || which == POLY_ACCESS_IO_WRITE)
		return true;
	const uint32_t found = adaptive_bins_get(&memory->lines, address, 0);
	if (found == ADAPTIVE_BIN_NONE)
		return false;
	struct memory_line *bin = adaptive_bins_item(&memory->lines, found);
	bin->reads += which == POLY_ACCESS_READ;
	bin->writes += which == POLY_ACCESS_WRITE;
	bin->fetches += which == POLY_ACCESS_FETCH;
	bin->others += which == POLY_ACCESS_PREFETCH || which == POLY_ACCESS_CACHE;
	return true;
}

static bool
update_row(struct memory *memory, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const unsigned which = batch->access[row];
	const uint32_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 0;
	const uint64_t address = batch->address[row];
	if (which >= POLY_ACCESS_COUNT)
		return true;
	if (rows->counts && !count_row(memory, which, address, size))
		return false;
	if (which > POLY_ACCESS_WRITE)
		return true;
	struct memory_ring *ring =
		ring_of(memory, rows->context ? rows->context[row] : rows->sole_context);
	if (!ring)
		return false;
	memory->loads += rows->counts && which == POLY_ACCESS_READ;
	ring_step(memory, ring,
		(struct ring_access){
			address, size ? size : 1, which == POLY_ACCESS_WRITE, !rows->counts});
	return true;
}

static bool
memory_update(void *state, const struct analysis_rows *rows)
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

/* Continues a ring with the accesses of the next slice of the trace. */
static void
ring_merge(struct memory *memory, struct memory_ring *into, const struct memory_ring *from)
{
	for (uint32_t i = 0; i < from->first_count; i++)
		ring_step(memory, into, from->first[i]);
	for (uint32_t i = 0; from->count > from->first_count && i < memory->window; i++)
		ring_push(into, memory->window, &from->last[(from->next + i) % memory->window]);
}

static bool
memory_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct memory *sum = into;
	const struct memory *memory = from;
	for (size_t i = 0; i < POLY_ACCESS_COUNT; i++) {
		struct memory_kind *kind = &sum->kinds[i];
		for (size_t size = 0; size <= MEMORY_SIZES; size++)
			kind->sizes[size] += memory->kinds[i].sizes[size];
		kind->large += memory->kinds[i].large;
		kind->large_bytes += memory->kinds[i].large_bytes;
		kind->misaligned += memory->kinds[i].misaligned;
		kind->line_crossings += memory->kinds[i].line_crossings;
		kind->page_crossings += memory->kinds[i].page_crossings;
	}
	struct map_entry *large = map_sorted(&memory->sizes);
	bool ok = large || !memory->sizes.count;
	for (size_t i = 0; i < memory->sizes.count && ok; i++)
		ok = count_large(sum, large[i].key, large[i].value);
	mem_free(large);
	if (!ok)
		return false;
	sum->loads += memory->loads;
	sum->candidates += memory->candidates;
	sum->contained += memory->contained;
	if (!sum->line)
		sum->line = memory->line;
	if (!adaptive_bins_merge(&sum->lines, &memory->lines, NULL))
		return false;
	if (!numbers->continues)
		clear_rings(sum);
	for (uint16_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (!memory->rings[i])
			continue;
		struct memory_ring *ring = ring_of(sum, numbers->contexts[i]);
		if (!ring)
			return false;
		ring_merge(sum, ring, memory->rings[i]);
	}
	return true;
}

static size_t
memory_ratios(const void *state, struct analysis_ratio *ratios)
{
	const struct memory *memory = state;
	ratios[0] = (struct analysis_ratio){"forwarded_ratio", "Forwarded loads per load",
		memory->candidates, memory->loads};
	return 1;
}

static void
memory_fini(void *state)
{
	struct memory *memory = state;
	adaptive_bins_fini(&memory->lines);
	map_free(&memory->sizes);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (!memory->rings[i])
			continue;
		mem_free(memory->rings[i]->last);
		mem_free(memory->rings[i]->first);
		mem_free(memory->rings[i]);
	}
}

static void
transfer_line(struct archive *archive, void *item)
{
	struct memory_line *line = item;
	ARCHIVE(archive, line->reads);
	ARCHIVE(archive, line->writes);
	ARCHIVE(archive, line->fetches);
	ARCHIVE(archive, line->others);
}

static void
transfer_access(struct archive *archive, struct ring_access *access)
{
	ARCHIVE(archive, access->address);
	ARCHIVE(archive, access->size);
	ARCHIVE(archive, access->is_store);
	ARCHIVE(archive, access->is_done);
}

static void
transfer_ring(struct archive *archive, struct memory *memory, uint16_t context)
{
	bool is_used = memory->rings[context] != NULL;
	ARCHIVE(archive, is_used);
	struct memory_ring *ring = is_used ? ring_of(memory, context) : NULL;
	archive_allocate(archive, ring || !is_used);
	if (!ring)
		return;
	ARCHIVE_UP_TO(archive, ring->next, memory->window - 1);
	ARCHIVE_UP_TO(archive, ring->first_count, memory->window);
	ARCHIVE(archive, ring->count);
	ARCHIVE_ARRAY(archive, ring->words);
	ARCHIVE(archive, ring->wide);
	for (uint32_t i = 0; i < memory->window && !archive_failed(archive); i++)
		transfer_access(archive, &ring->last[i]);
	for (uint32_t i = 0; i < ring->first_count && !archive_failed(archive); i++)
		transfer_access(archive, &ring->first[i]);
}

static void
transfer_kind(struct archive *archive, struct memory_kind *kind)
{
	ARCHIVE_ARRAY(archive, kind->sizes);
	ARCHIVE(archive, kind->large);
	ARCHIVE(archive, kind->large_bytes);
	ARCHIVE(archive, kind->misaligned);
	ARCHIVE(archive, kind->line_crossings);
	ARCHIVE(archive, kind->page_crossings);
}

static void
memory_transfer(void *state, struct archive *archive)
{
	struct memory *memory = state;
	ARCHIVE_UP_TO(archive, memory->line, MEMORY_LINE_MAX);
	archive_require(archive, !(memory->line & (memory->line - 1)));
	for (size_t i = 0; i < POLY_ACCESS_COUNT; i++)
		transfer_kind(archive, &memory->kinds[i]);
	archive_map(archive, &memory->sizes, UINT64_MAX);
	archive_bins(archive, &memory->lines, 1, transfer_line);
	for (uint16_t i = 0; i < archive->contexts && !archive_failed(archive); i++)
		transfer_ring(archive, memory, i);
	ARCHIVE(archive, memory->loads);
	ARCHIVE(archive, memory->candidates);
	ARCHIVE(archive, memory->contained);
}

static const struct poly_option options[] = {
	[OPTION_LINE] = {"memory.line", POLY_OPTION_SIZE, .maximum = MEMORY_LINE_MAX,
		.help = "set the line size in bytes, a power of two (0: that of a BACH trace, "
			"else 64)"},
	[OPTION_TOP] = {"memory.top", POLY_OPTION_NUMBER, .initial = 10, .maximum = 1000000,
		.help = "list the N hottest lines and pages"},
	[OPTION_WINDOW] = {"memory.window", POLY_OPTION_NUMBER, .initial = 32, .minimum = 1,
		.maximum = 1024,
		.help = "search the store of a load among the N preceding reads and writes"},
	{0}};

const struct analysis analysis_memory = {
	.info = {.name = "memory",
		.title = "Memory accesses",
		.summary = "accesses by kind and size, alignment, crossings, hottest lines and "
			   "pages, store-to-load forwarding",
		.needs = POLY_COLUMNS_INIT(access, address),
		.wants = POLY_COLUMNS_INIT(size),
		.is_default = true,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.uses_real = true,
	.state_size = sizeof(struct memory),
	.init = memory_init,
	.begin = memory_begin,
	.update = memory_update,
	.merge = memory_merge,
	.transfer = memory_transfer,
	.ratios = memory_ratios,
	.report = memory_report,
	.fini = memory_fini,
};
