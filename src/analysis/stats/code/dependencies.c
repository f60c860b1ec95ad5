/* SPDX-License-Identifier: MIT */
/*
 * Dependencies: distances from the definition of a value in a register or in memory to its use,
 * by context.
 *
 * Bounded: WORDS_MAX stored words of 8 bytes; bytes that exceed the table are counted as such,
 * and their loads as independent.
 */
#include "analysis/stats/code/dependencies.h"

#include "analysis/facts/column_stats.h"
#include "analysis/facts/branch_stream.h"
#include "base/mem.h"
#include "isa/isa.h"

#include <string.h>

#define WORDS_MAX ((uint32_t)1 << 18)
#define WORD_SHIFT 3
#define WORD_BYTES 8

/* Max. number of bytes of an access that count. */
#define ACCESS_BYTES_MAX 4096

enum { OPTION_WINDOW };

/*
 * The last store of a byte; 0: none. The upper bits are the number of its instruction and the
 * lowest eight bits of its index among the stores of that instruction.
 */
enum {
	STORE_SIZE = 0x7f,    /* bytes; the mask itself represents this size and larger ones */
	STORE_STACK = 0x80,   /* by the stack pointer */
	STORE_RELOAD = 0x100, /* loaded again by the stack pointer */
	STORE_COUNT_SHIFT = 9,
	STORE_SHIFT = 17
};

struct stored_word {
	uint64_t stores[WORD_BYTES];
};

static enum poly_status
dependencies_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct dependencies *dependencies = state;
	(void)error;
	dependencies->window = setup->values[OPTION_WINDOW];
	dependencies->stored.shift = WORD_SHIFT;
	dependencies->stored.max_count = WORDS_MAX;
	dependencies->stored.is_fixed = true;
	dependencies->stored.item_size = sizeof(struct stored_word);
	return POLY_OK;
}

static void
dependencies_begin(void *state, const struct poly_trace_info *info)
{
	struct dependencies *dependencies = state;
	dependencies->stack_register = isa_stack_register(info->isa);
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

/* Counts the read of a register. */
static void
read_register(struct dependencies *dependencies, const struct register_context *context,
	struct register_value *value, bool counts)
{
	value->reads++;
	if (!counts)
		return;
	dependencies->reads++;
	if (!value->written) {
		dependencies->unwritten++;
		return;
	}
	const unsigned bin = distance_bin(context->instructions - value->written);
	dependencies->read_distances[bin]++;
	if (value->is_loaded && value->reads == 1)
		dependencies->use_distances[bin]++;
}

/* Counts the write of a register. */
static void
write_register(struct dependencies *dependencies, struct register_value *value,
	struct register_value new_value, bool counts)
{
	if (counts) {
		dependencies->writes++;
		if (value->written) {
			dependencies->overwritten++;
			dependencies
				->reuse[value->reads < READS_MAX ? value->reads : READS_MAX]++;
		}
	}
	*value = new_value;
}

/* Counts an instruction and its register operands. */
static void
execute(struct dependencies *dependencies, struct register_context *context,
	const struct static_op *op, bool counts)
{
	const unsigned stack = dependencies->stack_register;
	context->instructions++;
	context->stores = 0;
	context->has_stack = stack < REGISTERS && op->has_registers &&
			     (op->reads.bits[stack / 64] >> stack % 64 & 1);
	dependencies->undecoded += counts && !op->has_registers;
	if (!op->has_registers)
		return;
	for (size_t i = 0; i < REGISTERS / 64; i++) {
		uint64_t left = op->reads.bits[i];
		while (left)
			read_register(dependencies, context,
				&context->registers[64 * i + row_bits_next(&left)], counts);
	}
	const struct register_value new_value = {
		context->instructions, 0, op->class == OP_LOAD};
	for (size_t i = 0; i < REGISTERS / 64; i++) {
		uint64_t left = op->writes.bits[i];
		while (left)
			write_register(dependencies,
				&context->registers[64 * i + row_bits_next(&left)], new_value,
				counts);
	}
}

/* A range of bytes that a context accesses. */
struct byte_range {
	uint64_t address;
	uint32_t size;
	uint16_t context;
	bool counts;
};

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

/* Returns the source of loaded bytes; *last: the last store among these, or 0. */
static enum load_source
find_source(
	const struct dependencies *dependencies, const struct byte_range *bytes, uint64_t *last)
{
	uint32_t stored = 0;
	bool is_one = true;
	*last = 0;
	for (struct byte_range left = *bytes; left.size;) {
		const struct stored_word *word = word_of(dependencies, &left);
		const uint32_t n = bytes_in_word(&left);
		for (uint32_t i = 0; word && i < n; i++) {
			const uint64_t number = word->stores[left.address % WORD_BYTES + i];
			if (!number)
				continue;
			is_one = is_one && (!stored || number == *last);
			*last = number > *last ? number : *last;
			stored++;
		}
		left.address += n;
		left.size -= n;
	}
	if (!stored)
		return LOAD_INDEPENDENT;
	if (stored < bytes->size)
		return LOAD_PARTIAL;
	if (!is_one)
		return LOAD_SEVERAL;
	return bytes->size < STORE_SIZE && (*last & STORE_SIZE) == bytes->size ? LOAD_SAME
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

/* Counts a load. */
static void
count_load(struct dependencies *dependencies, const struct register_context *context,
	const struct byte_range *bytes)
{
	uint64_t last;
	const enum load_source source = find_source(dependencies, bytes, &last);
	const uint64_t distance = context->instructions - (last >> STORE_SHIFT);
	if (bytes->counts) {
		dependencies->loads[source]++;
		dependencies->load_distances[distance_bin(distance)] +=
			source != LOAD_INDEPENDENT;
		dependencies->near[source] +=
			source != LOAD_INDEPENDENT && distance <= dependencies->window;
	}
	if (source == LOAD_SAME && context->has_stack && (last & STORE_STACK))
		count_reload(dependencies, bytes, last);
}

/* Returns a context; NULL: out of memory. */
static struct register_context *
context_of(struct dependencies *dependencies, uint16_t number)
{
	if (!dependencies->contexts[number])
		dependencies->contexts[number] =
			mem_new(1, sizeof *dependencies->contexts[number]);
	return dependencies->contexts[number];
}

static bool
update_row(struct dependencies *dependencies, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct byte_range bytes = {
		.context = rows->context ? rows->context[row] : rows->sole_context,
		.counts = rows->counts};
	struct register_context *context = context_of(dependencies, bytes.context);
	if (!context)
		return false;
	if (poly_present(batch, POLY_COLUMN_kind, row) &&
		batch->kind[row] == POLY_KIND_INSTRUCTION &&
		!(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]))
		execute(dependencies, context, static_op_at(rows->ops, rows->op[row]),
			rows->counts);
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return true;
	bytes.address = batch->address[row];
	bytes.size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	if (bytes.size > ACCESS_BYTES_MAX)
		bytes.size = ACCESS_BYTES_MAX;
	if (batch->access[row] == POLY_ACCESS_READ)
		count_load(dependencies, context, &bytes);
	return batch->access[row] != POLY_ACCESS_WRITE ||
	       count_store(dependencies, context, &bytes);
}

static bool
dependencies_update(void *state, const struct analysis_rows *rows)
{
	struct dependencies *dependencies = state;
	if (rows->counts)
		dependencies->instructions += count_batch_instructions(rows->batch);
	for (size_t row = 0; row < rows->batch->rows; row++) {
		if (!update_row(state, rows, row))
			return false;
	}
	return true;
}

static void
dependencies_fini(void *state)
{
	struct dependencies *dependencies = state;
	adaptive_bins_fini(&dependencies->stored);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(dependencies->contexts[i]);
}

static const struct poly_option options[] = {
	[OPTION_WINDOW] = {"dependencies.window", POLY_OPTION_NUMBER, .initial = 64,
		.maximum = UINT32_MAX,
		.help = "count a load within N instructions after the store of its bytes as "
			"near"},
	{0}};

const struct analysis analysis_dependencies = {
	.info = {.name = "dependencies",
		.title = "Dependencies",
		.summary = "def-use distances in registers, dead writes, store-to-load "
			   "distances and forwarding",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(access, address, size, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.ordered = ORDERED_HISTORY,
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs = NEEDS_INSTRUCTIONS,
	.needs_warmup = true,
	.state_size = sizeof(struct dependencies),
	.init = dependencies_init,
	.begin = dependencies_begin,
	.update = dependencies_update,
	.report = dependencies_report,
	.fini = dependencies_fini,
};
