/* SPDX-License-Identifier: MIT */
/* Merges the dependencies of parts of a trace: what depends on earlier rows is repeated. */
#include "analysis/stats/code/dependencies.h"

#include "base/mem.h"

static void
add_list(uint64_t *into, const uint64_t *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		into[i] += from[i];
}

static void
add_counts(struct dependencies *into, const struct dependencies *from)
{
	into->instructions += from->instructions;
	into->undecoded += from->undecoded;
	into->reads += from->reads;
	into->unwritten += from->unwritten;
	into->writes += from->writes;
	into->overwritten += from->overwritten;
	add_list(into->read_distances, from->read_distances, DISTANCE_BINS);
	add_list(into->use_distances, from->use_distances, DISTANCE_BINS);
	add_list(into->reuse, from->reuse, READS_MAX + 1);
	add_list(into->loads, from->loads, LOAD_SOURCES);
	add_list(into->near, from->near, LOAD_SOURCES);
	add_list(into->load_distances, from->load_distances, DISTANCE_BINS);
	into->stores += from->stores;
	into->untracked_bytes += from->untracked_bytes;
	into->truncated += from->truncated;
	into->stack_stores += from->stack_stores;
	into->reloaded += from->reloaded;
	into->reloads += from->reloads;
}

/* Two states; bases: instructions of contexts of from before the border. */
struct dependencies_border {
	struct dependencies *into;
	const struct dependencies *from;
	const uint16_t *contexts;
	uint64_t *bases;
};

/* Repeats an event of the later state; false: out of memory. */
static bool
repeat_event(const struct dependencies_border *border, struct dependent_event event)
{
	const uint16_t context = event.load.bytes.context;
	const uint64_t base = border->bases[context];
	event.load.bytes.context = border->contexts[context];
	event.load.now += base;
	if (event.load.last)
		event.load.last += base << STORE_SHIFT;
	if (event.kind == DEPENDENT_READ)
		return dependencies_read(border->into, &event);
	if (event.kind == DEPENDENT_LOAD)
		return dependencies_load(border->into, &event.load);
	return dependencies_access(border->into, &event.load.bytes, event.is_store);
}

/* Continues a context with the registers that the later state wrote. */
static void
merge_context(struct dependencies *dependencies, struct register_context *into,
	const struct register_context *from, uint64_t base)
{
	for (size_t i = 0; i < REGISTERS; i++) {
		if (!from->registers[i].written)
			continue;
		dependencies_overwrite(dependencies, &into->registers[i]);
		into->registers[i] = from->registers[i];
		into->registers[i].written += base;
	}
	into->instructions = base + from->instructions;
	if (!from->instructions)
		return;
	into->stores = from->stores;
	into->has_stack = from->has_stack;
}

/* Copies the stores of a word over earlier ones. */
static void
merge_word(struct stored_word *into, const struct stored_word *from, uint64_t base)
{
	for (size_t i = 0; i < WORD_BYTES; i++) {
		if (from->stores[i])
			into->stores[i] = from->stores[i] + (base << STORE_SHIFT);
	}
}

static bool
merge_words(const struct dependencies_border *border)
{
	const struct adaptive_bins *from = &border->from->stored;
	struct adaptive_bins *into = &border->into->stored;
	for (uint32_t i = 0; i < from->count; i++) {
		const uint32_t context = from->list[i].tag;
		const uint32_t found = adaptive_bins_get(
			into, adaptive_bins_address(from, i), border->contexts[context]);
		const struct stored_word *word = adaptive_bins_item(from, i);
		if (found != ADAPTIVE_BIN_NONE) {
			merge_word(
				adaptive_bins_item(into, found), word, border->bases[context]);
			continue;
		}
		if (into->failed)
			return false;
		for (size_t k = 0; k < WORD_BYTES; k++)
			border->into->untracked_bytes += word->stores[k] != 0;
	}
	return true;
}

static bool
merge_history(const struct dependencies_border *border, size_t contexts)
{
	for (size_t i = 0; i < contexts; i++) {
		if (!border->from->contexts[i])
			continue;
		const struct register_context *context =
			dependencies_context(border->into, border->contexts[i]);
		if (!context)
			return false;
		border->bases[i] = context->instructions;
	}
	const struct part_log *log = &border->from->log;
	for (size_t i = 0; i < log->count; i++) {
		if (!repeat_event(border, *(const struct dependent_event *)part_log_at(log, i)))
			return false;
	}
	for (size_t i = 0; i < contexts; i++) {
		if (border->from->contexts[i])
			merge_context(border->into, border->into->contexts[border->contexts[i]],
				border->from->contexts[i], border->bases[i]);
	}
	return merge_words(border);
}

/* Merges a part into an empty state, which then replaces it; false: out of memory. */
static bool
merge_alone(struct dependencies *part, struct dependencies *whole)
{
	uint16_t *contexts = mem_new(ANALYSIS_CONTEXTS_MAX, sizeof *contexts);
	struct dependencies_border border = {
		whole, part, contexts, mem_new(ANALYSIS_CONTEXTS_MAX, sizeof *border.bases)};
	bool ok = contexts && border.bases;
	for (uint16_t i = 0; ok && i < ANALYSIS_CONTEXTS_MAX; i++)
		contexts[i] = i;
	add_counts(whole, part);
	ok = ok && merge_history(&border, ANALYSIS_CONTEXTS_MAX);
	mem_free(contexts);
	mem_free(border.bases);
	return ok;
}

bool
dependencies_count_log(struct dependencies *dependencies)
{
	if (!dependencies->log.is_part)
		return true;
	struct dependencies *whole = mem_new(1, sizeof *whole);
	if (!whole)
		return false;
	whole->window = dependencies->window;
	whole->stack_register = dependencies->stack_register;
	whole->is_too_long = dependencies->is_too_long;
	dependencies_init_stored(whole);
	const bool ok = merge_alone(dependencies, whole);
	whole->log = dependencies->log;
	dependencies->log = (struct part_log){0};
	part_log_end(&whole->log);
	dependencies_fini(dependencies);
	*dependencies = *whole;
	mem_free(whole);
	return ok;
}

bool
dependencies_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct dependencies *sum = into;
	const struct dependencies *dependencies = from;
	struct dependencies_border border = {sum, dependencies, numbers->contexts,
		mem_new((size_t)numbers->context_count + 1, sizeof *border.bases)};
	bool ok = border.bases != NULL;
	if (!numbers->continues) {
		ok = ok && dependencies_count_log(sum);
		dependencies_clear(sum);
	}
	part_log_merge(&sum->log, &dependencies->log, numbers->continues);
	sum->stack_register = dependencies->stack_register;
	add_counts(sum, dependencies);
	ok = ok && merge_history(&border, numbers->context_count);
	mem_free(border.bases);
	return ok && (!sum->log.is_full || dependencies_count_log(sum));
}
