/* SPDX-License-Identifier: MIT */
/*
 * Dependencies: how far instructions are from those whose results they read, in registers and
 * in memory, by context.
 *
 * Bounded: WORDS_MOST words of 8 bytes that were stored to; stores beyond are counted as such
 * and what loads them counts as independent.
 */
#include "analysis/stats/dependencies.h"

#include "analysis/column_stats.h"
#include "base/mem.h"

#include <string.h>

#define WORDS_MOST ((uint32_t)1 << 18)
#define WORD_SHIFT 3
#define WORD_BYTES 8

/* Bytes of one access that count. */
#define ACCESS_MOST 4096

enum { OPTION_WINDOW };

/*
 * What is kept of the store that a byte is of; 0: none. Its number is that of its instruction,
 * and among those of the same instruction the lowest eight bits of a count.
 */
enum {
	STORE_SIZE = 0x7f,    /* bytes; the mask itself stands for as many and more */
	STORE_STACK = 0x80,   /* by the stack pointer */
	STORE_RELOAD = 0x100, /* loaded again by the stack pointer */
	STORE_COUNT_SHIFT = 9,
	STORE_SHIFT = 17
};

struct word {
	uint64_t stores[WORD_BYTES];
};

static enum poly_status
dependencies_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct dependencies *it = state;
	(void)error;
	it->window = setup->values[OPTION_WINDOW];
	it->stored.shift = WORD_SHIFT;
	it->stored.max_count = WORDS_MOST;
	it->stored.is_fixed = true;
	it->stored.item_size = sizeof(struct word);
	return POLY_OK;
}

/* The number of the stack pointer; REGISTERS: not known. */
static unsigned
stack_register(const char *isa)
{
	static const struct {
		const char *isa;
		unsigned number;
	} known[] = {{"powerpc", 1}, {"x86", 4}, {"arm", 13}};
	for (size_t i = 0; isa && i < sizeof known / sizeof *known; i++) {
		if (strcmp(isa, known[i].isa) == 0)
			return known[i].number;
	}
	return REGISTERS;
}

static void
dependencies_begin(void *state, const struct poly_trace_info *info)
{
	struct dependencies *it = state;
	it->stack_register = stack_register(info->isa);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (it->threads[i])
			*it->threads[i] = (struct thread){0};
	}
	adaptive_bins_clear(&it->stored);
}

static unsigned
distance_bin(uint64_t distance)
{
	return distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
}

/* A register is read. */
static void
read_register(
	struct dependencies *it, const struct thread *thread, struct held *held, bool counts)
{
	held->reads++;
	if (!counts)
		return;
	it->reads++;
	if (!held->written) {
		it->unwritten++;
		return;
	}
	const unsigned bin = distance_bin(thread->instructions - held->written);
	it->read_distances[bin]++;
	if (held->is_loaded && held->reads == 1)
		it->use_distances[bin]++;
}

/* A register is written. */
static void
write_register(struct dependencies *it, struct held *held, struct held fresh, bool counts)
{
	if (counts) {
		it->writes++;
		if (held->written) {
			it->overwritten++;
			it->reuse[held->reads < READS_MOST ? held->reads : READS_MOST]++;
		}
	}
	*held = fresh;
}

/* An instruction is executed. */
static void
execute(struct dependencies *it, struct thread *thread, const struct static_op *op, bool counts)
{
	const unsigned stack = it->stack_register;
	thread->instructions++;
	thread->stores = 0;
	thread->has_stack = stack < REGISTERS && op->has_registers &&
			    (op->reads.bits[stack / 64] >> stack % 64 & 1);
	it->instructions += counts;
	it->unknown += counts && !op->has_registers;
	if (!op->has_registers)
		return;
	for (size_t i = 0; i < REGISTERS / 64; i++) {
		uint64_t left = op->reads.bits[i];
		while (left)
			read_register(it, thread,
				&thread->registers[64 * i + row_bits_next(&left)], counts);
	}
	const struct held fresh = {thread->instructions, 0, op->class == OP_LOAD};
	for (size_t i = 0; i < REGISTERS / 64; i++) {
		uint64_t left = op->writes.bits[i];
		while (left)
			write_register(it, &thread->registers[64 * i + row_bits_next(&left)],
				fresh, counts);
	}
}

/* Some bytes, which are of one context. */
struct bytes {
	uint64_t address;
	uint32_t size;
	uint16_t context;
	bool counts;
};

/* The bytes of the first word of some bytes. */
static inline uint32_t
in_word(const struct bytes *bytes)
{
	const uint32_t room = WORD_BYTES - (uint32_t)(bytes->address % WORD_BYTES);
	return bytes->size < room ? bytes->size : room;
}

/* The word that bytes begin in; NULL: nothing was stored to it. */
static inline struct word *
word_of(const struct dependencies *it, const struct bytes *bytes)
{
	const uint32_t found = adaptive_bins_known(&it->stored, bytes->address, bytes->context);
	return found == ADAPTIVE_BIN_NONE ? NULL : adaptive_bins_item(&it->stored, found);
}

/* Bytes are stored; false: no memory. */
static bool
store(struct dependencies *it, struct thread *thread, const struct bytes *bytes)
{
	const uint64_t number = thread->instructions << STORE_SHIFT |
				(uint64_t)thread->stores++ << STORE_COUNT_SHIFT |
				(thread->has_stack ? STORE_STACK : 0) |
				(bytes->size < STORE_SIZE ? bytes->size : STORE_SIZE);
	it->stores += bytes->counts;
	it->stack_stores += bytes->counts && thread->has_stack;
	for (struct bytes left = *bytes; left.size;) {
		const uint32_t found =
			adaptive_bins_get(&it->stored, left.address, left.context);
		const uint32_t n = in_word(&left);
		if (found != ADAPTIVE_BIN_NONE) {
			struct word *word = adaptive_bins_item(&it->stored, found);
			for (uint32_t i = 0; i < n; i++)
				word->stores[left.address % WORD_BYTES + i] = number;
		} else if (it->stored.failed) {
			return false;
		} else {
			it->untold += bytes->counts ? n : 0;
		}
		left.address += n;
		left.size -= n;
	}
	return true;
}

/* Where loaded bytes come from; *last: the last store among these, or 0. */
static enum load_source
find_source(const struct dependencies *it, const struct bytes *bytes, uint64_t *last)
{
	uint32_t stored = 0;
	bool is_one = true;
	*last = 0;
	for (struct bytes left = *bytes; left.size;) {
		const struct word *word = word_of(it, &left);
		const uint32_t n = in_word(&left);
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

/* A value that was stored by the stack pointer is loaded again by it. */
static void
reload(struct dependencies *it, const struct bytes *bytes, uint64_t store)
{
	it->reloads += bytes->counts;
	if (store & STORE_RELOAD)
		return;
	it->reloaded += bytes->counts;
	for (struct bytes left = *bytes; left.size;) {
		struct word *word = word_of(it, &left);
		const uint32_t n = in_word(&left);
		for (uint32_t i = 0; word && i < n; i++)
			word->stores[left.address % WORD_BYTES + i] |= STORE_RELOAD;
		left.address += n;
		left.size -= n;
	}
}

/* Bytes are loaded. */
static void
load(struct dependencies *it, const struct thread *thread, const struct bytes *bytes)
{
	uint64_t last;
	const enum load_source source = find_source(it, bytes, &last);
	const uint64_t distance = thread->instructions - (last >> STORE_SHIFT);
	if (bytes->counts) {
		it->loads[source]++;
		it->load_distances[distance_bin(distance)] += source != LOAD_INDEPENDENT;
		it->near[source] += source != LOAD_INDEPENDENT && distance <= it->window;
	}
	if (source == LOAD_SAME && thread->has_stack && (last & STORE_STACK))
		reload(it, bytes, last);
}

/* The context of a row; NULL: no memory. */
static struct thread *
thread_of(struct dependencies *it, uint16_t context)
{
	if (!it->threads[context])
		it->threads[context] = mem_new(1, sizeof *it->threads[context]);
	return it->threads[context];
}

static bool
update_row(struct dependencies *it, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct bytes bytes = {
		.context = rows->context ? rows->context[row] : rows->sole_context,
		.counts = rows->counts};
	struct thread *thread = thread_of(it, bytes.context);
	if (!thread)
		return false;
	if (poly_present(batch, POLY_COLUMN_kind, row) &&
		batch->kind[row] == POLY_KIND_INSTRUCTION)
		execute(it, thread, static_op_at(rows->ops, rows->op[row]), rows->counts);
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return true;
	bytes.address = batch->address[row];
	bytes.size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	if (bytes.size > ACCESS_MOST)
		bytes.size = ACCESS_MOST;
	if (batch->access[row] == POLY_ACCESS_READ)
		load(it, thread, &bytes);
	return batch->access[row] != POLY_ACCESS_WRITE || store(it, thread, &bytes);
}

static bool
dependencies_update(void *state, const struct analysis_rows *rows)
{
	for (size_t row = 0; row < rows->batch->rows; row++) {
		if (!update_row(state, rows, row))
			return false;
	}
	return true;
}

static void
dependencies_fini(void *state)
{
	struct dependencies *it = state;
	adaptive_bins_fini(&it->stored);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(it->threads[i]);
}

static const struct poly_option options[] = {
	[OPTION_WINDOW] = {"dependencies.window", POLY_OPTION_NUMBER, POLY_OPTION_READ, 64, 0,
		UINT32_MAX, NULL,
		"instructions behind a store within which a load of its bytes is near", NULL},
	{0}};

const struct analysis analysis_dependencies = {
	.info = {.name = "dependencies",
		.title = "Dependencies",
		.summary = "how far values are read from where they were made, in registers "
			   "and memory",
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = POLY_HAS(access) | POLY_HAS(address) | POLY_HAS(size),
		.options = options},
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct dependencies),
	.init = dependencies_init,
	.begin = dependencies_begin,
	.update = dependencies_update,
	.report = dependencies_report,
	.fini = dependencies_fini,
};
