/* SPDX-License-Identifier: MIT */
/* Call graph under construction. */
#ifndef ANALYSIS_CALLS_H
#define ANALYSIS_CALLS_H

#include "analysis/core/analysis.h"
#include "analysis/facts/row_isa.h"
#include "analysis/queries/calls_link.h"

#include "base/map.h"
#include "isa/flow.h"

#define CALLS_NONE UINT32_MAX

/* Maximum depth of nested calls; instructions of deeper ones count as part of the last frame.
 */
#define CALLS_DEPTH 1024

/* Maximum number of calls that can be stored one by one. */
#define CALLS_MAX 4194304

/* Maximum number of frames of a stack, and of call-graph nodes; calls beyond count as part of
 * the last one. */
#define CALLS_FRAMES ((uint32_t)1 << 20)
#define CALLS_NODES ((uint32_t)1 << 22)

/* Styles of reports. */
enum calls_style {
	CALLS_TREE,    /* functions by call path */
	CALLS_PROFILE, /* functions */
	CALLS_LIST,    /* each call, in order of its start */
};

/* An executed instruction. */
struct calls_moment {
	uint64_t record, time, pc;
	bool has_time;
};

struct calls_function {
	uint64_t entry; /* address of its symbol, if any */
	const struct poly_symbol *symbol;
	uint64_t calls, self, total, nested; /* total and nested: while reporting */
};

/* A function with its call path. */
struct calls_node {
	uint32_t function;
	uint32_t parent; /* with a smaller number, or CALLS_NONE */
	uint32_t child, last_child, sibling;
	uint32_t depth;
	uint64_t calls, self, total;
};

/* A stored call. */
struct calls_call {
	uint32_t parent; /* with a smaller number, or CALLS_NONE */
	uint32_t function;
	uint32_t depth;
	bool has_returned;
	uint64_t self, total;
	struct calls_moment site, first, last,
		back; /* back: after the return. record 0: none */
};

struct calls_frame {
	uint32_t node, call, function;
	bool is_tail;	    /* returns with the frame below it */
	bool has_stack;	    /* stack is known */
	uint64_t low, high; /* range of its return address */
	uint64_t stack;	    /* pointer at the call */
};

/* An executed instruction, possibly a call. */
struct calls_instruction {
	struct calls_moment moment;
	uint64_t opcode, next; /* next: address of the next instruction in memory */
	uint8_t size;	       /* of the opcode in bytes */
	bool has_next;
	uint8_t mode; /* enum row_isa_mode */
	uint8_t flow; /* enum flow, from text */
};

/* An execution context and its call stack. */
struct calls_context {
	struct calls_frame *frames;
	uint32_t depth, capacity; /* of frames */
	uint64_t instructions;
	struct calls_link link;
	bool has_last;
	struct calls_instruction last, previous; /* the last two instructions */
};

#define CALLS_CACHE 4096

/* Control flow of an instruction. */
struct calls_cached {
	uint64_t pc, opcode;
	uint8_t size, mode; /* of the opcode; 0 with text */
	bool is_used;
	uint8_t flow;
	bool is_indirect; /* may jump to any address; opcodes only */
};

struct call_graph {
	const struct poly_symbols *symbols; /* NULL: none */
	enum calls_style style;
	bool is_indented; /* names by their depth, instead of a column */
	bool keeps_each, merges_unreturned;
	unsigned digits; /* of addresses */
	bool has_clock;
	struct row_isa isa;
	struct calls_link_source link;
	bool is_coded;	      /* opcodes identify calls, else text does */
	uint8_t delay, slack; /* as isa_delay and isa_slack */
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
	struct map points; /* calling function, by return address */
	uint64_t instructions, all, returned, tails, unwound, first_returns, unmatched, deep;
	bool failed, full;
	struct calls_cached cache[CALLS_CACHE];
};

/* Returns the number of the function of an address, adding it if new; CALLS_NONE: out of
 * memory.
 */
uint32_t calls_function_at(struct call_graph *calls, uint64_t address);

/*
 * Returns the node of a function that the node parent calls, or CALLS_NONE; if there are too
 * many nodes or the depth limit is exceeded, parent. CALLS_NONE: out of memory.
 */
uint32_t calls_node_of(struct call_graph *calls, uint32_t parent, uint32_t function);

/*
 * Pushes a frame: the function of prototype was called at site and begins with first; low to
 * high is its range of return addresses. False: out of memory, or too many calls.
 */
bool calls_push(struct call_graph *calls, struct calls_context *context,
	const struct calls_frame *prototype, const struct calls_moment *site,
	const struct calls_moment *first);

/* Pops the frames of a context down to depth; those below returned have returned to back. */
void calls_pop(struct call_graph *calls, struct calls_context *context, uint32_t depth,
	uint32_t returned, const struct calls_moment *back);

/* Rebuilds nodes from calls, with calls that never returned as part of their callers. */
bool calls_merge_unreturned(struct call_graph *calls);

/* Appends the call stacks in the folded format. */
enum poly_status calls_fold(const void *state, size_t output, const struct static_ops *ops,
	struct output_text *text, struct poly_error *error);

/* Writes the report. */
void calls_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
