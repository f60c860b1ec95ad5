/* SPDX-License-Identifier: MIT */
/* Counts uses of values in registers and in memory. */
#include "analysis/stats/code/dependencies.h"

#include "analysis/facts/access_stats.h"
#include "analysis/facts/column_stats.h"
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

/* Counts the read of a value by an instruction; the part did not write it: returns false. */
static inline bool
read_value(struct dependencies *dependencies, struct register_value *value, uint64_t now)
{
	value->reads++;
	if (!value->written) {
		dependencies->unwritten += !dependencies->log.is_part;
		return !dependencies->log.is_part;
	}
	const unsigned bin = distance_bin(now - value->written);
	dependencies->read_distances[bin]++;
	if (value->is_loaded && value->reads == 1)
		dependencies->use_distances[bin]++;
	return true;
}

bool
dependencies_read(struct dependencies *dependencies, const struct dependent_event *read)
{
	struct register_context *context = dependencies->contexts[read->load.bytes.context];
	return read_value(dependencies, &context->registers[read->reg], read->load.now) ||
	       part_log_add(&dependencies->log, read);
}

/* Stores the read of a register; false: out of memory. */
static bool
store_read(struct dependencies *dependencies, uint16_t number, size_t reg)
{
	const struct dependent_event read = {.kind = DEPENDENT_READ,
		.load = {.bytes.context = number,
			.now = dependencies->contexts[number]->instructions},
		.reg = (uint8_t)reg};
	return part_log_add(&dependencies->log, &read);
}

/* Counts the registers that an instruction of a context reads; false: out of memory. */
static inline bool
read_registers(struct dependencies *dependencies, uint16_t number, const struct static_op *op,
	bool counts)
{
	struct register_context *context = dependencies->contexts[number];
	for (size_t i = 0; i < REGISTERS / 64; i++) {
		uint64_t left = op->reads.bits[i];
		while (left) {
			const size_t reg = 64 * i + row_bits_next(&left);
			struct register_value *value = &context->registers[reg];
			dependencies->reads += counts;
			value->reads += !counts;
			if (counts && !read_value(dependencies, value, context->instructions) &&
				!store_read(dependencies, number, reg))
				return false;
		}
	}
	return true;
}

/* Counts a value that is overwritten. */
static inline void
overwrite_value(struct dependencies *dependencies, const struct register_value *value)
{
	if (!value->written)
		return;
	dependencies->overwritten++;
	dependencies->reuse[value->reads < READS_MAX ? value->reads : READS_MAX]++;
}

void
dependencies_overwrite(struct dependencies *dependencies, const struct register_value *value)
{
	overwrite_value(dependencies, value);
}

/* Counts an instruction of a context and its register operands; false: out of memory. */
static inline bool
execute(struct dependencies *dependencies, uint16_t number, const struct static_op *op,
	bool counts)
{
	const unsigned stack = dependencies->stack_register;
	struct register_context *context = dependencies->contexts[number];
	context->instructions++;
	context->stores = 0;
	context->has_stack = stack < REGISTERS && op->has_registers &&
			     (op->reads.bits[stack / 64] >> stack % 64 & 1);
	dependencies->undecoded += counts && !op->has_registers;
	if (!op->has_registers)
		return true;
	if (!read_registers(dependencies, number, op, counts))
		return false;
	const struct register_value new_value = {
		context->instructions, 0, op->class == OP_LOAD};
	for (size_t i = 0; i < REGISTERS / 64; i++) {
		uint64_t left = op->writes.bits[i];
		while (left) {
			struct register_value *value =
				&context->registers[64 * i + row_bits_next(&left)];
			dependencies->writes += counts;
			if (counts)
				overwrite_value(dependencies, value);
			*value = new_value;
		}
	}
	return true;
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

/* The stores of the bytes of a load. */
struct found_stores {
	uint64_t last; /* the last one */
	uint32_t stored;
	bool is_one; /* all are the same one */
};

/* Adds the store of a byte, if there is one. */
static inline void
find_store(struct found_stores *found, uint64_t number)
{
	if (!number)
		return;
	found->is_one = found->is_one && (!found->stored || number == found->last);
	found->last = number > found->last ? number : found->last;
	found->stored++;
}

/* Returns the source of a load, from the stores of its bytes. */
static inline enum load_source
source_of(const struct found_stores *found, uint32_t size)
{
	if (!found->stored)
		return LOAD_INDEPENDENT;
	if (found->stored < size)
		return LOAD_PARTIAL;
	if (!found->is_one)
		return LOAD_SEVERAL;
	return size < STORE_SIZE && (found->last & STORE_SIZE) == size ? LOAD_SAME
								       : LOAD_CONTAINED;
}

/* Returns the source of loaded bytes; *last: the last store among these, or 0. */
static enum load_source
find_source(
	const struct dependencies *dependencies, const struct byte_range *bytes, uint64_t *last)
{
	struct found_stores found = {.is_one = true};
	for (struct byte_range left = *bytes; left.size;) {
		const struct stored_word *word = word_of(dependencies, &left);
		const uint32_t n = bytes_in_word(&left);
		for (uint32_t i = 0; word && i < n; i++)
			find_store(&found, word->stores[left.address % WORD_BYTES + i]);
		left.address += n;
		left.size -= n;
	}
	*last = found.last;
	return source_of(&found, bytes->size);
}

/* As find_source, of a load of which some stores may be known; load gets the last store, and
 * the bytes without one. */
static enum load_source
find_remaining(const struct dependencies *dependencies, struct dependent_load *load)
{
	const uint32_t size = load->bytes.size;
	const uint64_t mask = load->mask;
	struct found_stores found = {.last = load->last, .is_one = !load->last};
	load->mask = 0;
	for (uint32_t i = 0; i < size; i++) {
		struct byte_range byte = load->bytes;
		byte.address += i;
		byte.size = 1;
		const bool is_known = size <= 64 && !(mask >> i & 1);
		const struct stored_word *word = is_known ? NULL : word_of(dependencies, &byte);
		const uint64_t number = word ? word->stores[byte.address % WORD_BYTES] : 0;
		found.stored += is_known;
		find_store(&found, number);
		if (!is_known && !number)
			load->mask |= (uint64_t)1 << i % 64;
	}
	load->last = found.last;
	return source_of(&found, size);
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

/* Counts a load of a source; last: its last store. */
static inline void
count_load(struct dependencies *dependencies, const struct dependent_load *load,
	enum load_source source, uint64_t last)
{
	const struct byte_range *bytes = &load->bytes;
	const uint64_t distance = load->now - (last >> STORE_SHIFT);
	if (bytes->counts) {
		dependencies->loads[source]++;
		dependencies->load_distances[distance_bin(distance)] +=
			source != LOAD_INDEPENDENT;
		dependencies->near[source] +=
			source != LOAD_INDEPENDENT && distance <= dependencies->window;
	}
	if (source == LOAD_SAME && load->has_stack && (last & STORE_STACK))
		count_reload(dependencies, bytes, last);
}

bool
dependencies_load(struct dependencies *dependencies, const struct dependent_load *load)
{
	struct dependent_load found = *load;
	const enum load_source source = find_remaining(dependencies, &found);
	if (dependencies->log.is_part && found.mask)
		return store_load(dependencies, &found);
	count_load(dependencies, load, source, found.last);
	return true;
}

/* Stores or counts an access of a part. */
static bool
access_part(struct dependencies *dependencies, const struct dependent_load *load, bool is_store)
{
	const struct dependent_event event = {
		.kind = DEPENDENT_ACCESS, .load = *load, .is_store = is_store};
	if (!load->now)
		return part_log_add(&dependencies->log, &event);
	return is_store ? count_store(dependencies, dependencies->contexts[load->bytes.context],
				  &load->bytes)
			: dependencies_load(dependencies, load);
}

/* Counts an access of the last instruction of its context; false: out of memory. */
static inline bool
count_access(struct dependencies *dependencies, const struct byte_range *bytes, bool is_store)
{
	struct register_context *context = dependencies->contexts[bytes->context];
	if (is_store && !dependencies->log.is_part)
		return count_store(dependencies, context, bytes);
	const struct dependent_load load = {.bytes = *bytes,
		.now = context->instructions,
		.mask = UINT64_MAX,
		.has_stack = context->has_stack};
	if (dependencies->log.is_part)
		return access_part(dependencies, &load, is_store);
	uint64_t last;
	const enum load_source source = find_source(dependencies, bytes, &last);
	count_load(dependencies, &load, source, last);
	return true;
}

bool
dependencies_access(
	struct dependencies *dependencies, const struct byte_range *bytes, bool is_store)
{
	return count_access(dependencies, bytes, is_store);
}

static inline bool
update_row(struct dependencies *dependencies, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct byte_range bytes = {
		.context = rows->context ? rows->context[row] : rows->sole_context,
		.counts = rows->counts};
	if (!dependencies_context(dependencies, bytes.context))
		return false;
	if (poly_present(batch, POLY_COLUMN_kind, row) &&
		batch->kind[row] == POLY_KIND_INSTRUCTION &&
		!(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]) &&
		!execute(dependencies, bytes.context, static_op_at(rows->ops, rows->op[row]),
			rows->counts))
		return false;
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row) ||
		(batch->access[row] != POLY_ACCESS_READ &&
			batch->access[row] != POLY_ACCESS_WRITE))
		return true;
	bytes.address = batch->address[row];
	bytes.size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	dependencies->truncated += bytes.counts && bytes.size > ACCESS_BYTES_MAX;
	if (bytes.size > ACCESS_BYTES_MAX)
		bytes.size = ACCESS_BYTES_MAX;
	return count_access(dependencies, &bytes, batch->access[row] == POLY_ACCESS_WRITE);
}

bool
dependencies_count_rows(struct dependencies *dependencies, const struct analysis_rows *rows)
{
	bool ok = true;
	for (size_t row = 0; ok && row < rows->batch->rows; row++)
		ok = update_row(dependencies, rows, row);
	return ok;
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
