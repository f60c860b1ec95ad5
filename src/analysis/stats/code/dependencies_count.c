/* SPDX-License-Identifier: MIT */
/* Counts uses of values in registers and in memory. */
#include "analysis/stats/code/dependencies.h"

#include "base/mem.h"

#define WORDS_MAX ((uint32_t)1 << 18)
#define WORD_SHIFT 3

void
dependencies_init_stored(struct dependencies *dependencies)
{
	dependencies->stored.shift = WORD_SHIFT;
	dependencies->stored.max_count = WORDS_MAX;
	dependencies->stored.is_fixed = true;
	dependencies->stored.item_size = sizeof(struct stored_word);
	dependencies->log.item_size = sizeof(struct dependent_event);
}

void
dependencies_clear(struct dependencies *dependencies)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (dependencies->contexts[i])
			*dependencies->contexts[i] = (struct register_context){0};
	}
	adaptive_bins_clear(&dependencies->stored);
}

static unsigned
distance_bin(uint64_t distance)
{
	return distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
}

bool
dependencies_read(
	struct dependencies *dependencies, const struct dependent_event *read, bool counts)
{
	struct register_value *value =
		&dependencies->contexts[read->load.bytes.context]->registers[read->reg];
	value->reads++;
	if (!counts)
		return true;
	if (!value->written) {
		dependencies->unwritten += !dependencies->log.is_part;
		return part_log_add(&dependencies->log, read);
	}
	const unsigned bin = distance_bin(read->load.now - value->written);
	dependencies->read_distances[bin]++;
	if (value->is_loaded && value->reads == 1)
		dependencies->use_distances[bin]++;
	return true;
}

void
dependencies_overwrite(struct dependencies *dependencies, const struct register_value *value)
{
	if (!value->written)
		return;
	dependencies->overwritten++;
	dependencies->reuse[value->reads < READS_MAX ? value->reads : READS_MAX]++;
}

/* Returns the number of bytes of a range in its first word. */
static inline uint32_t
bytes_in_word(const struct byte_range *bytes)
{
	const uint32_t room = WORD_BYTES - (uint32_t)(bytes->address % WORD_BYTES);
	return bytes->size < room ? bytes->size : room;
}

/* Returns the first word of a range; NULL: no store to it. */
static inline struct stored_word *
word_of(const struct dependencies *dependencies, const struct byte_range *bytes)
{
	const uint32_t found =
		adaptive_bins_known(&dependencies->stored, bytes->address, bytes->context);
	return found == ADAPTIVE_BIN_NONE ? NULL
					  : adaptive_bins_item(&dependencies->stored, found);
}

/* Counts a store and records it for its bytes; false: out of memory. */
static bool
count_store(struct dependencies *dependencies, struct register_context *context,
	const struct byte_range *bytes)
{
	const uint64_t number = context->instructions << STORE_SHIFT |
				(uint64_t)context->stores++ << STORE_COUNT_SHIFT |
				(context->has_stack ? STORE_STACK : 0) |
				(bytes->size < STORE_SIZE ? bytes->size : STORE_SIZE);
	dependencies->stores += bytes->counts;
	dependencies->stack_stores += bytes->counts && context->has_stack;
	for (struct byte_range left = *bytes; left.size;) {
		const uint32_t found =
			adaptive_bins_get(&dependencies->stored, left.address, left.context);
		const uint32_t n = bytes_in_word(&left);
		if (found != ADAPTIVE_BIN_NONE) {
			struct stored_word *word =
				adaptive_bins_item(&dependencies->stored, found);
			for (uint32_t i = 0; i < n; i++)
				word->stores[left.address % WORD_BYTES + i] = number;
		} else if (dependencies->stored.failed) {
			return false;
		} else {
			dependencies->untracked_bytes += bytes->counts ? n : 0;
		}
		left.address += n;
		left.size -= n;
	}
	return true;
}

/* Whether the store of a byte of a load is not known. */
static inline bool
is_unknown(const struct dependent_load *load, uint64_t byte)
{
	return load->bytes.size > 64 || (load->mask >> byte & 1);
}

/* Returns the source of a load; load gets the last store and the bytes that were not stored. */
static enum load_source
find_source(const struct dependencies *dependencies, struct dependent_load *load)
{
	const struct dependent_load known = *load;
	uint32_t unstored = 0;
	bool is_one = !known.last;
	load->mask = 0;
	for (struct byte_range left = known.bytes; left.size;) {
		const struct stored_word *word = word_of(dependencies, &left);
		const uint32_t n = bytes_in_word(&left);
		for (uint32_t i = 0; i < n; i++) {
			const uint64_t byte = left.address - known.bytes.address + i;
			const uint64_t number =
				word ? word->stores[left.address % WORD_BYTES + i] : 0;
			if (!is_unknown(&known, byte))
				continue;
			if (!number) {
				load->mask |= (uint64_t)1 << byte % 64;
				unstored++;
				continue;
			}
			is_one = is_one && (!load->last || number == load->last);
			load->last = number > load->last ? number : load->last;
		}
		left.address += n;
		left.size -= n;
	}
	if (!load->last)
		return LOAD_INDEPENDENT;
	if (unstored)
		return LOAD_PARTIAL;
	if (!is_one)
		return LOAD_SEVERAL;
	return load->bytes.size < STORE_SIZE && (load->last & STORE_SIZE) == load->bytes.size
		       ? LOAD_SAME
		       : LOAD_CONTAINED;
}

/* Counts the load by the stack pointer of a value that it stored. */
static void
count_reload(struct dependencies *dependencies, const struct byte_range *bytes, uint64_t store)
{
	dependencies->reloads += bytes->counts;
	if (store & STORE_RELOAD)
		return;
	dependencies->reloaded += bytes->counts;
	for (struct byte_range left = *bytes; left.size;) {
		struct stored_word *word = word_of(dependencies, &left);
		const uint32_t n = bytes_in_word(&left);
		for (uint32_t i = 0; word && i < n; i++)
			word->stores[left.address % WORD_BYTES + i] |= STORE_RELOAD;
		left.address += n;
		left.size -= n;
	}
}

/* Stores a load of a part with bytes that it did not store; false: out of memory. */
static bool
store_load(struct dependencies *dependencies, const struct dependent_load *load)
{
	const struct dependent_event event = {.kind = DEPENDENT_LOAD, .load = *load};
	dependencies->is_too_long |= load->bytes.size > 64 && load->last;
	return part_log_add(&dependencies->log, &event);
}

bool
dependencies_load(struct dependencies *dependencies, const struct dependent_load *load)
{
	struct dependent_load found = *load;
	const struct byte_range *bytes = &found.bytes;
	const enum load_source source = find_source(dependencies, &found);
	const uint64_t distance = load->now - (found.last >> STORE_SHIFT);
	if (dependencies->log.is_part && found.mask)
		return store_load(dependencies, &found);
	if (bytes->counts) {
		dependencies->loads[source]++;
		dependencies->load_distances[distance_bin(distance)] +=
			source != LOAD_INDEPENDENT;
		dependencies->near[source] +=
			source != LOAD_INDEPENDENT && distance <= dependencies->window;
	}
	if (source == LOAD_SAME && load->has_stack && (found.last & STORE_STACK))
		count_reload(dependencies, bytes, found.last);
	return true;
}

struct register_context *
dependencies_context(struct dependencies *dependencies, uint16_t number)
{
	if (!dependencies->contexts[number])
		dependencies->contexts[number] =
			mem_new(1, sizeof *dependencies->contexts[number]);
	return dependencies->contexts[number];
}

bool
dependencies_access(
	struct dependencies *dependencies, const struct byte_range *bytes, bool is_store)
{
	struct register_context *context = dependencies->contexts[bytes->context];
	const struct dependent_load load = {.bytes = *bytes,
		.now = context->instructions,
		.mask = UINT64_MAX,
		.has_stack = context->has_stack};
	if (dependencies->log.is_part && !context->instructions)
		return part_log_add(&dependencies->log,
			&(struct dependent_event){
				.kind = DEPENDENT_ACCESS, .load = load, .is_store = is_store});
	return is_store ? count_store(dependencies, context, bytes)
			: dependencies_load(dependencies, &load);
}

void
dependencies_fini(void *state)
{
	struct dependencies *dependencies = state;
	adaptive_bins_fini(&dependencies->stored);
	part_log_fini(&dependencies->log);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(dependencies->contexts[i]);
}
