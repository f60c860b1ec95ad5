/* SPDX-License-Identifier: MIT */
/*
 * The call graph: follows calls and returns through the instructions of a trace.
 *
 * A call begins when a call instruction is not followed by the next instruction in memory. It
 * ends when a return instruction reaches the return address (after the delay slot, if the
 * instruction set has one). Every thread (CPU, if the trace has no threads) has its own stack.
 * Irregular control flow is counted: a return to an outer caller, or into a function that is on
 * the stack, unwinds all frames in between (longjmp, exceptions); a return from the first
 * function of a thread, whose caller is not in the trace, begins another first function; any
 * other return is a jump.
 *
 * With symbols, a jump to the beginning of another function is a tail call, which returns with
 * the jumping function, and functions have names. Without symbols, the called address
 * identifies a function.
 *
 * If the trace records the link register, a call returns to the value that it has after the
 * call instruction. Then a jump shortly after a write of the link register, with an address
 * just past the jump, is a call, too; and any jump to the return address of the innermost call
 * returns, if the stack pointer is what it was at the call.
 *
 * The opcode identifies call instructions of a known instruction set, otherwise the mnemonic or
 * text, if the trace has either.
 */
#include "analysis/queries/calls.h"
#include "model/context.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/* Maximum distance in bytes to the return address of a call of unknown size. */
#define RETURN_DISTANCE_MAX 16

/* Maximum number of frames to search for the caller of a return. */
#define SEARCH_MAX 1024

#define CONTEXTS_MAX 65536

/* A jump calls if one of the last instructions wrote the link register, with an address at most
 * this many bytes past the jump (the rule of Arm's Tarmac trace utilities). */
#define LINK_AGE_MAX 8
#define LINK_DISTANCE_MAX 64

extern const struct analysis analysis_calls;

enum { OPTION_STYLE, OPTION_UNRETURNED, OPTION_INDENT };

static enum poly_status
calls_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct call_graph *calls = state;
	(void)error;
	calls->symbols = setup->symbols;
	calls->style = (enum calls_style)setup->values[OPTION_STYLE];
	calls->merges_unreturned = setup->values[OPTION_UNRETURNED];
	calls->keeps_each = calls->merges_unreturned || calls->style == CALLS_LIST;
	calls->is_indented = setup->values[OPTION_INDENT];
	return POLY_OK;
}

/* Returns whether opcodes identify calls. */
static bool
is_coded(const struct poly_trace_info *info)
{
	return POLY_HAS(info->columns, opcode) && row_isa_name(info) != NULL;
}

static enum poly_status
calls_check(void *state, const struct poly_trace_info *info, struct poly_error *error)
{
	(void)state;
	if (!POLY_HAS(info->columns, pc))
		return err_usage(error, "the trace has no column 'pc', which calls require");
	if (!is_coded(info) &&
		!(poly_columns_overlap(info->columns, POLY_COLUMNS(mnemonic, text))))
		return err_usage(error,
			"%s%s%s is unknown, and the trace has no text: calls are not "
			"available; "
			"set options.isa if it is a known one",
			info->isa ? "instruction set '" : "the instruction set",
			info->isa ? info->isa : "", info->isa ? "'" : "");
	return POLY_OK;
}

/* Pops all frames. The program did not unwind those that the end of a trace pops. */
static void
end_trace(struct call_graph *calls)
{
	const uint64_t unwound = calls->unwound;
	for (uint32_t i = 0; i < calls->context_count; i++) {
		calls_pop(calls, calls->contexts[i], 0, 0, NULL);
		calls->contexts[i]->has_last = false;
	}
	calls->unwound = unwound;
}

/* Opens the decoder of a trace. */
static void
begin_isa(struct call_graph *calls, const struct poly_trace_info *info)
{
	row_isa_begin(&calls->isa, info);
	calls->is_coded = is_coded(info);
	struct isa_decoder *decoder =
		calls->is_coded ? row_isa_decoder(&calls->isa, ROW_ISA_OF_TRACE, &calls->failed)
				: NULL;
	calls->delay = decoder ? (uint8_t)isa_delay(decoder) : 0;
	calls->slack = decoder ? (uint8_t)isa_slack(decoder) : 0;
	calls_link_begin(&calls->link, info);
}

static void
calls_begin(void *state, const struct poly_trace_info *info)
{
	struct call_graph *calls = state;
	end_trace(calls);
	memset(calls->cache, 0, sizeof calls->cache);
	begin_isa(calls, info);
	calls->digits = info->address_bits ? (info->address_bits + 3) / 4 : 1;
	calls->has_clock |= info->clock != NULL;
}

static poly_columns
calls_columns(const void *state)
{
	const struct call_graph *calls = state;
	poly_columns columns =
		poly_columns_union(analysis_calls.info.needs, analysis_calls.info.wants);
	if (!calls->isa.names[ROW_ISA_THUMB] || !calls->is_coded)
		poly_columns_remove(&columns, POLY_COLUMN_instruction_set);
	columns = poly_columns_union(
		poly_columns_minus(columns, POLY_COLUMNS(reg, value, payload)),
		calls_link_columns(&calls->link));
	if (!calls->is_coded)
		return columns;
	return poly_columns_minus(columns, POLY_COLUMNS(mnemonic, text));
}

/* Returns the context of a row; NULL: out of memory, or too many. */
static struct calls_context *
context_of(struct call_graph *calls, const struct poly_batch *batch, size_t row)
{
	bool added;
	const uint64_t key = context_key(batch, row);
	const uint64_t *number = map_find(&calls->context_numbers, key);
	if (number)
		return calls->contexts[*number];
	calls->full |= calls->context_count == CONTEXTS_MAX;
	if (calls->full)
		return NULL;
	if (!VEC_ROOM(calls->contexts, calls->context_capacity, calls->context_count))
		return NULL;
	struct calls_context *context = mem_new(1, sizeof *context);
	if (!context || !map_get(&calls->context_numbers, key, calls->context_count, &added)) {
		mem_free(context);
		return NULL;
	}
	calls->contexts[calls->context_count++] = context;
	return context;
}

/* Returns the control flow from the text of a row, if present. */
static enum flow
flow_of_row(const struct poly_batch *batch, size_t row)
{
	const char *text = NULL;
	size_t n = 0;
	if (poly_present(batch, POLY_COLUMN_text, row)) {
		text = (const char *)poly_batch_bytes(batch, POLY_COLUMN_text, row, &n);
	} else if (poly_present(batch, POLY_COLUMN_mnemonic, row)) {
		text = poly_trace_name(batch->info, batch->mnemonic[row]);
		n = text ? strlen(text) : 0;
	}
	return text ? flow_of_text(text, n) : FLOW_OTHER;
}

/* Returns the place of an instruction in the cache of recent ones. */
static struct calls_cached *
cache_entry(struct call_graph *calls, uint64_t pc)
{
	return &calls->cache[(pc >> 1 ^ pc >> 13) % CALLS_CACHE];
}

/* As flow_of_row, by the cache. */
static enum flow
cached_flow(struct call_graph *calls, const struct poly_batch *batch, size_t row)
{
	const uint64_t pc = batch->pc[row];
	uint64_t opcode = 0;
	if (poly_present(batch, POLY_COLUMN_opcode, row))
		opcode = batch->opcode[row];
	else if (poly_present(batch, POLY_COLUMN_mnemonic, row))
		opcode = batch->mnemonic[row];
	else
		return flow_of_row(batch, row);
	struct calls_cached *cached = cache_entry(calls, pc);
	if (!cached->is_used || cached->pc != pc || cached->opcode != opcode)
		*cached = (struct calls_cached){.pc = pc,
			.opcode = opcode,
			.is_used = true,
			.flow = (uint8_t)flow_of_row(batch, row)};
	return (enum flow)cached->flow;
}

/* Stores the control flow of an encoding; one of more than 8 bytes is not a call. */
static void
describe_flow(struct call_graph *calls, const struct calls_instruction *instruction,
	struct calls_cached *cached)
{
	const struct isa_instruction *found = row_isa_describe_opcode(&calls->isa,
		(enum row_isa_mode)instruction->mode, instruction->opcode, instruction->size,
		&calls->failed);
	const unsigned flow = found ? found->flow : 0;
	cached->flow = flow & ISA_CALLS	    ? FLOW_CALL
		       : flow & ISA_RETURNS ? FLOW_RETURN
					    : FLOW_OTHER;
	cached->is_indirect = flow & ISA_INDIRECT;
}

/* Returns the control flow of an instruction whose opcode identifies it. */
static const struct calls_cached *
coded_flow(struct call_graph *calls, const struct calls_instruction *instruction)
{
	const uint64_t pc = instruction->moment.pc;
	struct calls_cached *cached = cache_entry(calls, pc);
	if (!cached->is_used || cached->pc != pc || cached->opcode != instruction->opcode ||
		cached->size != instruction->size || cached->mode != instruction->mode) {
		*cached = (struct calls_cached){.pc = pc,
			.opcode = instruction->opcode,
			.size = instruction->size,
			.mode = instruction->mode,
			.is_used = true};
		describe_flow(calls, instruction, cached);
	}
	return cached;
}

static enum flow
classify(struct call_graph *calls, const struct calls_instruction *instruction)
{
	return (enum flow)(
		calls->is_coded ? coded_flow(calls, instruction)->flow : instruction->flow);
}

/* Reads the instruction of a row. */
static void
read_instruction(struct call_graph *calls, const struct poly_batch *batch, size_t row,
	struct calls_instruction *instruction)
{
	instruction->moment.record = poly_batch_number(batch, row);
	instruction->moment.pc = batch->pc[row];
	instruction->moment.has_time = poly_present(batch, POLY_COLUMN_time, row);
	instruction->moment.time = instruction->moment.has_time ? batch->time[row] : 0;
	instruction->size = 0;
	instruction->mode = ROW_ISA_OF_TRACE;
	if (poly_present(batch, POLY_COLUMN_opcode_size, row)) {
		instruction->has_next = true;
		instruction->next = instruction->moment.pc + batch->opcode_size[row];
		if (poly_present(batch, POLY_COLUMN_opcode, row)) {
			instruction->opcode = batch->opcode[row];
			instruction->size = batch->opcode_size[row];
		}
	} else {
		instruction->has_next = poly_present(batch, POLY_COLUMN_fallthrough, row);
		instruction->next = instruction->has_next ? batch->fallthrough[row] : 0;
	}
	if (!calls->is_coded)
		instruction->flow = (uint8_t)cached_flow(calls, batch, row);
	else if (calls->isa.names[ROW_ISA_THUMB])
		instruction->mode = (uint8_t)row_isa_mode_of(&calls->isa, batch, row);
}

/* Whether the instruction at pc is not the next one in memory. */
static bool
is_discontinuous(const struct calls_instruction *last, uint64_t pc)
{
	if (last->has_next)
		return pc != last->next;
	return pc <= last->moment.pc || pc - last->moment.pc > RETURN_DISTANCE_MAX;
}

/* Returns the instruction that transferred control: the last one, or the one with the delay
 * slot. */
static const struct calls_instruction *
origin_of(struct call_graph *calls, const struct calls_context *context)
{
	const bool is_slot = calls->delay && context->previous.has_next &&
			     context->previous.next == context->last.moment.pc;
	return is_slot && classify(calls, &context->previous) != FLOW_OTHER ? &context->previous
									    : &context->last;
}

/* Whether the link register of a context is an address from one up to a distance past it. */
static bool
is_linked(const struct calls_context *context, uint64_t address, uint64_t distance)
{
	return context->link.has_value && context->link.value - address <= distance;
}

/* Whether the last jump of a context is a call by the link register. */
static bool
is_linked_call(
	const struct calls_context *context, const struct calls_instruction *from, uint64_t pc)
{
	const struct calls_link *link = &context->link;
	const struct calls_frame *top = &context->frames[context->depth - 1];
	if (!from->has_next || !is_linked(context, from->next, LINK_DISTANCE_MAX) ||
		pc == link->value)
		return false;
	/* A trace can omit writes that do not change the value. */
	if (link->value == from->next)
		return true;
	/* A function that has restored its own return address jumps to another. */
	return link->written && context->instructions - link->written < LINK_AGE_MAX &&
	       (link->value < top->low || link->value > top->high);
}

/* Sets the return address of a frame to the link register, if the call wrote it. */
static void
link_frame(const struct call_graph *calls, const struct calls_context *context,
	struct calls_frame *frame)
{
	const struct calls_link *link = &context->link;
	/* The instruction in a delay slot can be the last one. */
	const bool is_written = link->has_value && link->written &&
				context->instructions - link->written <= (calls->delay ? 1 : 0);
	if (is_written || is_linked(context, frame->low, RETURN_DISTANCE_MAX))
		frame->low = frame->high = link->value;
}

/* Begins a call from one instruction to another. */
static bool
begin_call(struct call_graph *calls, struct calls_context *context,
	const struct calls_instruction *from, const struct calls_moment *target)
{
	bool added;
	struct calls_frame frame = {
		.low = from->moment.pc + 1, .high = from->moment.pc + RETURN_DISTANCE_MAX};
	frame.function = calls_function_at(calls, target->pc);
	if (frame.function == CALLS_NONE)
		return false;
	if (from->has_next) {
		frame.low = from->next + calls->delay;
		frame.high = frame.low + calls->slack;
	}
	link_frame(calls, context, &frame);
	frame.has_stack = context->link.has_stack;
	frame.stack = context->link.stack;
	const uint32_t caller = context->frames[context->depth - 1].function;
	uint64_t *point = map_get(&calls->points, frame.low, caller, &added);
	if (!point)
		return false;
	*point = caller;
	return calls_push(calls, context, &frame, &from->moment, target);
}

/* Whether the stack pointer is known to be what it was at the call of a frame. */
static bool
is_stack_restored(const struct calls_context *context, const struct calls_frame *frame)
{
	return frame->has_stack && context->link.has_stack &&
	       frame->stack == context->link.stack;
}

/* Returns the innermost frame, from 1, that returns to pc, preferably with the stack pointer of
 * its call; 0: none. */
static uint32_t
find_return(const struct calls_context *context, uint64_t pc)
{
	uint32_t innermost = 0;
	for (uint32_t i = context->depth, remaining = SEARCH_MAX; i-- > 1 && remaining > 0;
		remaining--) {
		const struct calls_frame *frame = &context->frames[i];
		if (pc < frame->low || pc > frame->high)
			continue;
		if (is_stack_restored(context, frame))
			return i;
		innermost = innermost ? innermost : i;
		if (!context->link.has_stack)
			break;
	}
	return innermost;
}

/* Returns the innermost frame of a function; context->depth: none. */
static uint32_t
find_function(const struct calls_context *context, uint32_t function)
{
	for (uint32_t i = context->depth, remaining = SEARCH_MAX; i-- > 0 && remaining > 0;
		remaining--) {
		if (context->frames[i].function == function)
			return i;
	}
	return context->depth;
}

/* The same among the frames that return together with the innermost one. */
static uint32_t
find_in_chain(const struct calls_context *context, uint32_t function)
{
	for (uint32_t i = context->depth, remaining = SEARCH_MAX; i-- > 0 && remaining > 0;
		remaining--) {
		if (context->frames[i].function == function)
			return i;
		if (!context->frames[i].is_tail)
			break;
	}
	return context->depth;
}

/* Returns the function at pc, reached without a call; CALLS_NONE: unknown. */
static uint32_t
known_function(const struct call_graph *calls, uint64_t pc, bool returns)
{
	const uint64_t *point;
	if (calls->symbols) {
		const struct poly_symbol *symbol = poly_symbols_find(calls->symbols, pc);
		point = symbol ? map_find(&calls->function_numbers, symbol->address) : NULL;
		return point ? (uint32_t)*point : CALLS_NONE;
	}
	point = returns ? map_find(&calls->points, pc) : NULL;
	return point ? (uint32_t)*point : CALLS_NONE;
}

/* Begins the first function of a context, or its successor. */
static bool
begin_first(
	struct call_graph *calls, struct calls_context *context, const struct calls_moment *at)
{
	const struct calls_moment none = {0};
	const struct calls_frame frame = {
		.function = calls_function_at(calls, at->pc), .low = 1, .high = 0};
	return frame.function != CALLS_NONE && calls_push(calls, context, &frame, &none, at);
}

/* Unwinds to the frame of the function at pc; false: no such frame. */
static bool
unwind(struct call_graph *calls, struct calls_context *context, uint64_t pc, bool returns)
{
	const uint32_t function = known_function(calls, pc, returns);
	const uint32_t found =
		function == CALLS_NONE ? context->depth : find_function(context, function);
	if (found == context->depth)
		return false;
	calls_pop(calls, context, found + 1, 0, NULL);
	return true;
}

/* Returns the outermost frame that returns with the innermost one. */
static uint32_t
chain_begin(const struct calls_context *context)
{
	uint32_t i = context->depth - 1;
	while (context->frames[i].is_tail)
		i--;
	return i;
}

static bool
follow_return(
	struct call_graph *calls, struct calls_context *context, const struct calls_moment *at)
{
	uint32_t found = find_return(context, at->pc);
	const uint32_t returned = found + 1;
	if (found) {
		while (context->frames[found].is_tail)
			found--;
		calls_pop(calls, context, found, returned, at);
		return true;
	}
	if (unwind(calls, context, at->pc, true))
		return true;
	if (chain_begin(context) > 0) {
		calls->unmatched++;
		return true;
	}
	calls->first_returns++;
	/* A function that was called before the trace has returned. */
	calls_pop(calls, context, 0, context->depth, at);
	return begin_first(calls, context, at);
}

/* Follows a jump or other discontinuity. Only symbols identify jumps to other functions. */
static bool
follow_jump(
	struct call_graph *calls, struct calls_context *context, const struct calls_moment *at)
{
	const struct calls_frame *top = &context->frames[context->depth - 1];
	const struct poly_symbol *own = calls->functions[top->function].symbol;
	if (!calls->symbols || (own && at->pc - own->address < own->size))
		return true;
	const struct poly_symbol *symbol = poly_symbols_find(calls->symbols, at->pc);
	if (!symbol || symbol == own)
		return true;
	if (symbol->address != at->pc || !symbol->is_code) {
		unwind(calls, context, at->pc, false);
		return true;
	}
	struct calls_frame frame = {.is_tail = true, .low = top->low, .high = top->high};
	frame.function = calls_function_at(calls, at->pc);
	if (frame.function == CALLS_NONE)
		return false;
	/* Functions that jump to each other in turn replace each other. */
	const uint32_t found = find_in_chain(context, frame.function);
	if (found != context->depth) {
		calls_pop(calls, context, found + 1, context->depth, at);
		return true;
	}
	calls->tails++;
	return calls_push(calls, context, &frame, &context->last.moment, at);
}

/* Whether an instruction may jump to an address in a register or in memory. */
static bool
is_indirect(struct call_graph *calls, const struct calls_instruction *from)
{
	return !calls->is_coded || coded_flow(calls, from)->is_indirect;
}

/* Whether a jump to pc returns from a call although its instruction is not a return. */
static bool
is_linked_return(const struct calls_context *context, uint64_t pc)
{
	const uint32_t found = find_return(context, pc);
	return found && is_stack_restored(context, &context->frames[found]);
}

/* Returns what a jump to pc does, by its instruction and the link register. */
static enum flow
flow_of_jump(struct call_graph *calls, const struct calls_context *context,
	const struct calls_instruction *from, uint64_t pc)
{
	const enum flow flow = classify(calls, from);
	if (flow == FLOW_CALL || !context->link.has_value || calls->failed)
		return flow;
	if (flow == FLOW_OTHER && !is_indirect(calls, from))
		return flow;
	if (flow == FLOW_RETURN ? find_return(context, pc) != 0 : is_linked_return(context, pc))
		return FLOW_RETURN;
	return is_linked_call(context, from, pc) ? FLOW_CALL : flow;
}

/* Follows a control transfer to the next instruction of a context. */
static bool
follow_transfer(
	struct call_graph *calls, struct calls_context *context, const struct calls_moment *at)
{
	const struct calls_instruction *from = origin_of(calls, context);
	switch (flow_of_jump(calls, context, from, at->pc)) {
	case FLOW_CALL: return begin_call(calls, context, from, at);
	case FLOW_RETURN: return follow_return(calls, context, at);
	case FLOW_OTHER: break;
	}
	if (calls->failed)
		return false;
	return follow_jump(calls, context, at);
}

/* Whether a row is a further micro-operation of the last instruction; it can have the
 * fallthrough address. */
static bool
is_same_instruction(const struct poly_batch *batch, size_t row, struct calls_context *context)
{
	if (!context->has_last || !poly_present(batch, POLY_COLUMN_uop_index, row) ||
		batch->uop_index[row] <= 1 || batch->pc[row] != context->last.moment.pc)
		return false;
	if (poly_present(batch, POLY_COLUMN_fallthrough, row)) {
		context->last.has_next = true;
		context->last.next = batch->fallthrough[row];
	}
	return true;
}

static bool
follow_row(struct call_graph *calls, const struct poly_batch *batch, size_t row)
{
	struct calls_context *context = context_of(calls, batch, row);
	struct calls_instruction next;
	bool ok = context != NULL;
	if (!ok || is_same_instruction(batch, row, context))
		return ok;
	read_instruction(calls, batch, row, &next);
	if (!calls->link.dialect.post)
		calls_link_state(&calls->link, &context->link, batch, row);
	if (!context->has_last)
		ok = begin_first(calls, context, &next.moment);
	else if (is_discontinuous(&context->last, next.moment.pc))
		ok = follow_transfer(calls, context, &next.moment);
	if (!ok)
		return false;
	const struct calls_frame *top = &context->frames[context->depth - 1];
	calls->nodes[top->node].self++;
	if (top->call != CALLS_NONE)
		calls->calls[top->call].self++;
	calls->instructions++;
	context->instructions++;
	if (calls->link.dialect.post)
		calls_link_state(&calls->link, &context->link, batch, row);
	context->previous = context->last;
	context->last = next;
	context->has_last = true;
	return true;
}

/* Applies the record of a register write. */
static bool
follow_register(struct call_graph *calls, const struct poly_batch *batch, size_t row)
{
	struct calls_context *context = context_of(calls, batch, row);
	if (context)
		calls_link_write(
			&calls->link, &context->link, batch, row, context->instructions);
	return context != NULL;
}

/* Whether an instruction of a row is at a known address and not the tracer's own. */
static bool
is_executed(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_pc, row) &&
	       !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]);
}

static bool
calls_update(void *state, const struct analysis_rows *rows)
{
	struct call_graph *calls = state;
	const struct poly_batch *batch = rows->batch;
	for (size_t row = 0; row < batch->rows && !calls->failed; row++) {
		if (!poly_present(batch, POLY_COLUMN_kind, row))
			continue;
		const unsigned kind = batch->kind[row];
		if (kind == POLY_KIND_REGISTER && calls->link.has_registers)
			calls->failed = !follow_register(calls, batch, row);
		else if (kind == POLY_KIND_INSTRUCTION && is_executed(batch, row))
			calls->failed = !follow_row(calls, batch, row);
	}
	return !calls->failed || calls->full;
}

static enum poly_status
calls_status(const void *state, struct poly_error *error)
{
	const struct call_graph *calls = state;
	return calls->full
		       ? err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
				 "more than %d calls or %d threads", CALLS_MAX, CONTEXTS_MAX)
		       : POLY_OK;
}

/* Adds the counts of callees to their callers. */
static void
sum_up(struct call_graph *calls)
{
	for (uint32_t i = 0; i < calls->node_count; i++) {
		calls->nodes[i].total = calls->nodes[i].self;
		calls->functions[calls->nodes[i].function].self += calls->nodes[i].self;
	}
	for (uint32_t i = calls->node_count; i-- > 0;) {
		const struct calls_node *node = &calls->nodes[i];
		if (node->parent != CALLS_NONE)
			calls->nodes[node->parent].total += node->total;
	}
	for (uint32_t i = calls->call_count; i-- > 0;) {
		struct calls_call *call = &calls->calls[i];
		call->total += call->self;
		if (call->parent != CALLS_NONE)
			calls->calls[call->parent].total += call->total;
	}
	for (uint32_t i = 0; i < calls->call_count; i++) {
		struct calls_call *call = &calls->calls[i];
		if (call->parent != CALLS_NONE)
			call->depth = calls->calls[call->parent].depth + 1;
	}
}

static enum poly_status
calls_finish(void *state, struct poly_error *error)
{
	struct call_graph *calls = state;
	end_trace(calls);
	if (calls->merges_unreturned && !calls_merge_unreturned(calls))
		return err_memory(error);
	sum_up(calls);
	return POLY_OK;
}

static void
calls_fini(void *state)
{
	struct call_graph *calls = state;
	row_isa_fini(&calls->isa);
	for (uint32_t i = 0; i < calls->context_count; i++) {
		mem_free(calls->contexts[i]->frames);
		mem_free(calls->contexts[i]);
	}
	mem_free(calls->contexts);
	mem_free(calls->functions);
	mem_free(calls->nodes);
	mem_free(calls->calls);
	map_free(&calls->context_numbers);
	map_free(&calls->function_numbers);
	map_free(&calls->node_numbers);
	map_free(&calls->points);
}

static const char *const styles[] = {"tree", "profile", "list", NULL};
static const char *const unreturned[] = {"keep", "merge", NULL};

static const struct poly_option options[] = {
	[OPTION_STYLE] = {.name = "calls.style",
		.type = POLY_OPTION_CHOICE,
		.use = POLY_OPTION_READ,
		.choices = styles,
		.help = "report a call tree, functions, or each call"},
	[OPTION_UNRETURNED] = {.name = "calls.unreturned",
		.type = POLY_OPTION_CHOICE,
		.use = POLY_OPTION_READ,
		.choices = unreturned,
		.help = "keep calls that never return, or merge them into their callers"},
	[OPTION_INDENT] = {.name = "calls.indent",
		.type = POLY_OPTION_BOOL,
		.use = POLY_OPTION_READ,
		.maximum = 1,
		.help = "indent the names of functions instead of a column of depths"},
	{0},
};

static const struct poly_analysis_output outputs[] = {
	{"folded", "one line per call stack in which instructions were executed, outermost "
		   "function first, and their number, for flame-graph tools"},
	{0},
};

/* No merge: stacks need the order of all records. */
const struct analysis analysis_calls = {
	.info = {.name = "calls",
		.title = "Calls",
		.summary = "call graph: callers and callees, the number of calls, and the "
			   "instructions executed in each function",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(CONTEXT_COLUMNS, opcode, opcode_size, fallthrough,
			uop_index, synthetic, time, mnemonic, text, instruction_set, reg, value,
			payload),
		.kind = POLY_ANALYSIS_QUERY,
		.options = options,
		.outputs = outputs},
	.ordered = "a call is linked to the open calls of all preceding records",
	.state_size = sizeof(struct call_graph),
	.check = calls_check,
	.columns = calls_columns,
	.init = calls_init,
	.begin = calls_begin,
	.update = calls_update,
	.status = calls_status,
	.finish = calls_finish,
	.report = calls_report,
	.write = calls_fold,
	.fini = calls_fini,
};
