/* SPDX-License-Identifier: MIT */
/* Functions, the call tree, and the call stacks. */
#include "analysis/queries/calls.h"

#include "base/mem.h"
#include "base/vec.h"

uint32_t
calls_function_at(struct call_graph *calls, uint64_t address)
{
	bool added;
	const struct poly_symbol *symbol =
		calls->symbols ? poly_symbols_find(calls->symbols, address) : NULL;
	const uint64_t entry = symbol ? symbol->address : address;
	/* Room first: a key without an element would outlive the failure. */
	if (!VEC_ROOM(calls->functions, calls->function_capacity, calls->function_count))
		return CALLS_NONE;
	const uint64_t *number =
		map_get(&calls->function_numbers, entry, calls->function_count, &added);
	if (!number)
		return CALLS_NONE;
	if (!added)
		return (uint32_t)*number;
	calls->functions[calls->function_count] =
		(struct calls_function){.entry = entry, .symbol = symbol};
	return calls->function_count++;
}

/* Appends the newest node to the children of its parent. */
static void
link_node(struct call_graph *calls, uint32_t parent)
{
	const uint32_t number = calls->node_count - 1;
	if (parent == CALLS_NONE)
		return;
	struct calls_node *node = &calls->nodes[parent];
	if (node->child == CALLS_NONE)
		node->child = number;
	else
		calls->nodes[node->last_child].sibling = number;
	node->last_child = number;
}

uint32_t
calls_node_of(struct call_graph *calls, uint32_t parent, uint32_t function)
{
	bool added;
	const uint32_t depth = parent == CALLS_NONE ? 0 : calls->nodes[parent].depth + 1;
	const uint64_t key = (uint64_t)function << 32 | parent;
	if (parent != CALLS_NONE &&
		(depth >= CALLS_DEPTH || calls->node_count >= CALLS_NODES)) {
		const uint64_t *known = map_find(&calls->node_numbers, key);
		calls->deep += !known;
		return known ? (uint32_t)*known : parent;
	}
	if (!VEC_ROOM(calls->nodes, calls->node_capacity, calls->node_count))
		return CALLS_NONE;
	const uint64_t *number = map_get(&calls->node_numbers, key, calls->node_count, &added);
	if (!number)
		return CALLS_NONE;
	if (!added)
		return (uint32_t)*number;
	calls->nodes[calls->node_count++] = (struct calls_node){.function = function,
		.parent = parent,
		.child = CALLS_NONE,
		.last_child = CALLS_NONE,
		.sibling = CALLS_NONE,
		.depth = depth};
	link_node(calls, parent);
	return calls->node_count - 1;
}

/* Stores a call and returns its number; CALLS_NONE: out of memory, or too many. */
static uint32_t
store_call(struct call_graph *calls, const struct calls_call *call)
{
	calls->full |= calls->call_count == CALLS_MAX;
	if (calls->full || !VEC_ROOM(calls->calls, calls->call_capacity, calls->call_count))
		return CALLS_NONE;
	calls->calls[calls->call_count] = *call;
	return calls->call_count++;
}

bool
calls_push(struct call_graph *calls, struct calls_context *context,
	const struct calls_frame *prototype, const struct calls_moment *site,
	const struct calls_moment *first)
{
	struct calls_frame frame = *prototype;
	const struct calls_frame *top =
		context->depth ? &context->frames[context->depth - 1] : NULL;
	if (context->depth == CALLS_FRAMES) {
		calls->deep++;
		return true;
	}
	if (!VEC_ROOM(context->frames, context->capacity, context->depth))
		return false;
	/* The array can have moved. */
	top = context->depth ? &context->frames[context->depth - 1] : NULL;
	const uint32_t parent = top ? top->node : CALLS_NONE;
	frame.node = calls_node_of(calls, parent, frame.function);
	frame.call = CALLS_NONE;
	if (frame.node == CALLS_NONE)
		return false;
	if (calls->keeps_each) {
		const struct calls_call call = {.parent = top ? top->call : CALLS_NONE,
			.function = frame.function,
			.site = *site,
			.first = *first};
		frame.call = store_call(calls, &call);
		if (frame.call == CALLS_NONE)
			return false;
	}
	if (frame.node != parent) {
		calls->nodes[frame.node].calls++;
		calls->functions[frame.function].calls++;
	}
	calls->all++;
	context->frames[context->depth++] = frame;
	return true;
}

void
calls_pop(struct call_graph *calls, struct calls_context *context, uint32_t depth,
	uint32_t returned, const struct calls_moment *back)
{
	while (context->depth > depth) {
		const struct calls_frame *frame = &context->frames[--context->depth];
		const bool has_returned = context->depth < returned;
		calls->returned += has_returned;
		calls->unwound += !has_returned;
		if (frame->call == CALLS_NONE)
			continue;
		struct calls_call *call = &calls->calls[frame->call];
		call->has_returned = has_returned;
		call->last = context->last.moment;
		if (has_returned && back)
			call->back = *back;
	}
}

bool
calls_merge_unreturned(struct call_graph *calls)
{
	uint32_t *node_of = mem_new((size_t)calls->call_count + 1, sizeof *node_of);
	if (!node_of)
		return false;
	map_free(&calls->node_numbers);
	calls->node_count = 0;
	for (uint32_t i = 0; i < calls->function_count; i++)
		calls->functions[i].calls = 0;
	bool ok = true;
	for (uint32_t i = 0; i < calls->call_count && ok; i++) {
		struct calls_call *call = &calls->calls[i];
		const bool is_first = call->parent == CALLS_NONE;
		const uint32_t parent = is_first ? CALLS_NONE : node_of[call->parent];
		node_of[i] = parent;
		if (is_first || call->has_returned) {
			node_of[i] = calls_node_of(calls, parent, call->function);
			ok = node_of[i] != CALLS_NONE;
		}
		if (ok && node_of[i] != parent) {
			calls->nodes[node_of[i]].calls++;
			calls->functions[call->function].calls++;
		}
		if (ok)
			calls->nodes[node_of[i]].self += call->self;
	}
	mem_free(node_of);
	return ok;
}
