/* SPDX-License-Identifier: MIT */
/* Calls while they are counted. */
#ifndef ANALYSIS_CALLS_H
#define ANALYSIS_CALLS_H

#include "polytrace/calls.h"

#include "base/map.h"
#include "isa/flow.h"

#define CALLS_NONE UINT32_MAX

/* Frames of one stack, and contexts, beyond which calls count as part of the last one. */
#define CALLS_FRAMES ((uint32_t)1 << 20)
#define CALLS_NODES ((uint32_t)1 << 22)

/* An executed instruction. */
struct calls_moment {
	uint64_t record, time, pc;
	bool has_time;
};

struct calls_function {
	uint64_t entry; /* that of its symbol, if it has one */
	const struct poly_symbol *symbol;
	uint64_t calls, self, total, nested; /* total and nested: while reporting */
};

/* A function in the context of those that led to it. */
struct calls_node {
	uint32_t function;
	uint32_t parent; /* a smaller number, or CALLS_NONE */
	uint32_t child, last_child, sibling;
	uint32_t depth;
	uint64_t calls, self, total;
};

/* One call, where each is kept. */
struct calls_call {
	uint32_t parent; /* a smaller number, or CALLS_NONE */
	uint32_t function;
	uint32_t depth;
	bool has_returned;
	uint64_t self, total;
	struct calls_moment site, first, last, back; /* record 0: none */
};

struct calls_frame {
	uint32_t node, call, function;
	bool is_tail;	    /* returns with the frame below it */
	uint64_t low, high; /* where it returns to */
};

/* An instruction that may turn out to call. */
struct calls_instruction {
	struct calls_moment moment;
	uint64_t opcode, next; /* next: the address behind it */
	uint8_t size;	       /* of the opcode in bytes */
	bool has_next;
	bool is_thumb;
	uint8_t flow; /* enum flow, where it is known by text */
};

/* A thread, or what stands for one. */
struct calls_context {
	struct calls_frame *frames;
	uint32_t depth, capacity; /* of frames */
	bool has_last;
	struct calls_instruction last, before; /* instructions executed last */
};

#define CALLS_CACHE 4096

/* What the text of an instruction said. */
struct calls_cached {
	uint64_t pc, opcode;
	bool is_used;
	uint8_t flow;
};

struct poly_calls {
	struct poly_calls_options options;
	const struct poly_trace_info *info;
	const struct flow_set *set;
	const struct flow_set *thumb;
	struct map context_numbers;
	struct calls_context **contexts;
	uint32_t context_count, context_capacity;
	struct map function_numbers; /* by entry */
	struct calls_function *functions;
	uint32_t function_count, function_capacity;
	struct map node_numbers; /* by function and parent */
	struct calls_node *nodes;
	uint32_t node_count, node_capacity;
	struct calls_call *calls;
	uint32_t call_count, call_capacity;
	struct map points; /* address to return to: the function that called */
	uint64_t instructions, all, returned, tails, unwound, first_returns, unmatched, deep;
	bool failed, full;
	struct calls_cached cache[CALLS_CACHE];
};

/* The number of the function that an address belongs to or begins; CALLS_NONE: no memory. */
uint32_t calls_function_at(struct poly_calls *calls, uint64_t address);

/*
 * The node of a function that a node, or none, calls; where they are too many or too deep, the
 * node that calls. CALLS_NONE: no memory.
 */
uint32_t calls_node_of(struct poly_calls *calls, uint32_t parent, uint32_t function);

/*
 * Begins a call of the function at a moment of a context; low to high is where it returns to.
 * False: no memory, or too many.
 */
bool calls_push(struct poly_calls *calls, struct calls_context *context,
	const struct calls_frame *like, const struct calls_moment *site,
	const struct calls_moment *first);

/* Ends the frames of a context down to depth; those from returned on go on at back. */
void calls_pop(struct poly_calls *calls, struct calls_context *context, uint32_t depth,
	uint32_t returned, const struct calls_moment *back);

/* Makes nodes anew of calls, with those that never returned as part of their callers. */
bool calls_merge_unreturned(struct poly_calls *calls);

#endif
