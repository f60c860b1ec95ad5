/* SPDX-License-Identifier: MIT */
/*
 * Memory: accesses by kind and size, their alignment, what they cross, the lines that are
 * accessed most, and loads of what was stored just before.
 *
 * Bounded: LINES_MOST lines (beyond, lines become larger), two windows a context.
 */
#include "analysis/stats/memory.h"

#include "analysis/column_stats.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define LINES_MOST ((uint32_t)1 << 18)

/* Bytes of the words by which stores are found, as a power of two. */
#define WORD_SHIFT 3

enum { OPTION_LINE, OPTION_TOP, OPTION_WINDOW };

static void
line_join(void *into, const void *from)
{
	struct memory_line *to = into;
	const struct memory_line *more = from;
	to->reads += more->reads;
	to->writes += more->writes;
	to->fetches += more->fetches;
	to->others += more->others;
}

static enum poly_status
memory_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct memory *memory = state;
	memory->line_option = (uint32_t)setup->values[OPTION_LINE];
	memory->top = (uint32_t)setup->values[OPTION_TOP];
	memory->window = (uint32_t)setup->values[OPTION_WINDOW];
	if (memory->line_option & (memory->line_option - 1))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"memory.line is %u bytes, expected a power of two",
			(unsigned)memory->line_option);
	memory->lines.max_count = LINES_MOST;
	memory->lines.item_size = sizeof(struct memory_line);
	memory->lines.merge_item = line_join;
	return POLY_OK;
}

/* Forgets what a context did last. */
static void
ring_clear(struct memory_ring *ring, uint32_t window)
{
	memset(ring->last, 0, window * sizeof *ring->last);
	memset(ring->words, 0, sizeof ring->words);
	ring->wide = 0;
}

static void
memory_begin(void *state, const struct poly_trace_info *info)
{
	struct memory *memory = state;
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (memory->rings[i])
			ring_clear(memory->rings[i], memory->window);
	}
	if (memory->line)
		return;
	const char *stated = poly_trace_fact(info, "bach.line");
	const unsigned long bytes = stated ? strtoul(stated, NULL, 10) : 0;
	memory->line = memory->line_option ? memory->line_option : 64;
	if (!memory->line_option && bytes && bytes <= MEMORY_PAGE && !(bytes & (bytes - 1)))
		memory->line = (uint32_t)bytes;
	memory->lines.shift = (unsigned)__builtin_ctz(memory->line);
}

/* Makes the ring of a context; NULL: no memory. */
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

/* The ring of a context; NULL: no memory. */
static inline struct memory_ring *
ring_of(struct memory *memory, uint16_t context)
{
	struct memory_ring *ring = memory->rings[context];
	return ring ? ring : ring_new(memory, context);
}

/* The places of the words that an access begins and ends in; false: it has more. */
static inline bool
words_of(const struct memory_access *access, uint8_t *low, uint8_t *high)
{
	const uint64_t first = access->address >> WORD_SHIFT;
	const uint64_t last = (access->address + access->size - 1) >> WORD_SHIFT;
	*low = (uint8_t)first;
	*high = (uint8_t)last;
	return last - first < 2;
}

/* An access that becomes the last one of its ring. */
static inline void
ring_push(struct memory_ring *ring, uint32_t window, const struct memory_access *access)
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
overlap(const struct memory_access *a, const struct memory_access *b)
{
	return a->address - b->address < b->size || b->address - a->address < a->size;
}

/* The last store of the window that a load has a byte of, by looking at each; NULL: none. */
static const struct memory_access *
ring_search(const struct memory_ring *ring, uint32_t window, const struct memory_access *load)
{
	for (uint32_t i = 0, at = ring->next; i < window; i++) {
		at = at ? at - 1 : window - 1;
		if (ring->last[at].is_store && overlap(load, &ring->last[at]))
			return &ring->last[at];
	}
	return NULL;
}

/* The same, found by the words of the load where that can be. */
static inline const struct memory_access *
ring_find(const struct memory_ring *ring, uint32_t window, const struct memory_access *load)
{
	uint8_t low, high;
	if (!words_of(load, &low, &high) || (ring->wide && ring->count - ring->wide < window))
		return ring_search(ring, window, load);
	const uint64_t number =
		ring->words[low] > ring->words[high] ? ring->words[low] : ring->words[high];
	const uint64_t back = ring->count - number + 1;
	if (!number || back > window)
		return NULL;
	/* No store behind this one is to a word of the load. */
	const struct memory_access *store =
		&ring->last[ring->next >= back ? ring->next - back
					       : ring->next + window - back];
	return overlap(load, store) ? store : ring_search(ring, window, load);
}

/* A load: is what it reads in a store of the window? False: not, or it was counted already. */
static inline bool
count_load(
	struct memory *memory, const struct memory_ring *ring, const struct memory_access *load)
{
	const struct memory_access *store = ring_find(ring, memory->window, load);
	if (!store)
		return false;
	memory->candidates++;
	memory->contained += load->size <= store->size &&
			     load->address - store->address <= store->size - load->size;
	return true;
}

/* A read or write of a context. */
static inline void
ring_step(struct memory *memory, struct memory_ring *ring, struct memory_access access)
{
	if (!access.is_store && !access.is_done)
		access.is_done = count_load(memory, ring, &access);
	if (ring->first_count < memory->window)
		ring->first[ring->first_count++] = access;
	ring_push(ring, memory->window, &access);
}

/* Adds a row of a kind. */
static inline bool
count_row(struct memory *memory, unsigned which, uint64_t address, uint32_t size)
{
	struct memory_kind *kind = &memory->kinds[which];
	const uint64_t line = memory->line;
	kind->sizes[size < MEMORY_SIZES ? size : MEMORY_SIZES]++;
	if (size > MEMORY_SIZES)
		kind->more += size - MEMORY_SIZES;
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
	struct memory_line *it = adaptive_bins_item(&memory->lines, found);
	it->reads += which == POLY_ACCESS_READ;
	it->writes += which == POLY_ACCESS_WRITE;
	it->fetches += which == POLY_ACCESS_FETCH;
	it->others += which == POLY_ACCESS_PREFETCH || which == POLY_ACCESS_CACHE;
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
		(struct memory_access){
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

/* Goes on in a ring with what a later part of the trace did. */
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
	struct memory *to = into;
	const struct memory *more = from;
	for (size_t i = 0; i < POLY_ACCESS_COUNT; i++) {
		struct memory_kind *kind = &to->kinds[i];
		for (size_t size = 0; size <= MEMORY_SIZES; size++)
			kind->sizes[size] += more->kinds[i].sizes[size];
		kind->more += more->kinds[i].more;
		kind->misaligned += more->kinds[i].misaligned;
		kind->line_crossings += more->kinds[i].line_crossings;
		kind->page_crossings += more->kinds[i].page_crossings;
	}
	to->loads += more->loads;
	to->candidates += more->candidates;
	to->contained += more->contained;
	if (!to->line)
		to->line = more->line;
	if (!adaptive_bins_merge(&to->lines, &more->lines, NULL))
		return false;
	for (uint16_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (!more->rings[i])
			continue;
		struct memory_ring *ring = ring_of(to, numbers->contexts[i]);
		if (!ring)
			return false;
		ring_merge(to, ring, more->rings[i]);
	}
	return true;
}

static size_t
memory_ratios(const void *state, struct analysis_ratio *ratios)
{
	const struct memory *memory = state;
	ratios[0] = (struct analysis_ratio){"forwarding",
		"Loads of what was stored just before", memory->candidates, memory->loads};
	return 1;
}

static void
memory_fini(void *state)
{
	struct memory *memory = state;
	adaptive_bins_fini(&memory->lines);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (!memory->rings[i])
			continue;
		mem_free(memory->rings[i]->last);
		mem_free(memory->rings[i]->first);
		mem_free(memory->rings[i]);
	}
}

static const struct poly_option options[] = {
	[OPTION_LINE] = {"memory.line", POLY_OPTION_SIZE, POLY_OPTION_READ, 0, 0, MEMORY_PAGE,
		NULL, "bytes of a line, a power of two; 0: what a BACH trace states, else 64",
		NULL},
	[OPTION_TOP] = {"memory.top", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 0, 1000000,
		NULL, "lines and pages that are listed", NULL},
	[OPTION_WINDOW] = {"memory.window", POLY_OPTION_NUMBER, POLY_OPTION_READ, 32, 1, 1024,
		NULL, "reads and writes before a load among which its store is looked for",
		NULL},
	{0}};

const struct analysis analysis_memory = {
	.info = {.name = "memory",
		.title = "Memory accesses",
		.summary = "accesses by kind and size, alignment, crossings, hot lines and "
			   "pages, loads of what was just stored",
		.needs = POLY_HAS(access) | POLY_HAS(address),
		.wants = POLY_HAS(size),
		.is_default = true,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct memory),
	.init = memory_init,
	.begin = memory_begin,
	.update = memory_update,
	.merge = memory_merge,
	.ratios = memory_ratios,
	.report = memory_report,
	.fini = memory_fini,
};
