/* SPDX-License-Identifier: MIT */
/* The state of the analysis dependencies. */
#ifndef ANALYSIS_STATS_DEPENDENCIES_H
#define ANALYSIS_STATS_DEPENDENCIES_H

#include "analysis/core/analysis.h"

#include "analysis/facts/adaptive_bins.h"
#include "analysis/facts/part_log.h"
#include "base/mem.h"

#define REGISTERS 128

/* Bins of distances, by powers of two: 0; 1; 2 and 3; 4 to 7; and so on. */
#define DISTANCE_BINS 65

/* Max. number of counted reads of a value; the last count includes more reads. */
#define READS_MAX 16

/* The sources of the bytes of a load. */
enum load_source {
	LOAD_INDEPENDENT, /* no byte was stored */
	LOAD_SAME,	  /* one store of exactly these bytes */
	LOAD_CONTAINED,	  /* one store of more bytes */
	LOAD_SEVERAL,	  /* several stores */
	LOAD_PARTIAL,	  /* only some bytes were stored */
	LOAD_SOURCES
};

/* The value of a register. */
struct register_value {
	uint64_t written; /* number of the writing instruction; 0: before the trace */
	uint64_t reads;
	bool is_loaded;
};

/* The registers of a context. */
struct register_context {
	uint64_t instructions;
	uint8_t stores; /* of the last instruction, modulo 256 */
	bool has_stack; /* the last instruction reads the stack pointer */
	struct register_value registers[REGISTERS];
};

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

#define WORD_BYTES 8

struct stored_word {
	uint64_t stores[WORD_BYTES];
};

/* A range of bytes that a context accesses. */
struct byte_range {
	uint64_t address;
	uint32_t size;
	uint16_t context;
	bool counts;
};

/* A load, and what is known of the stores of its bytes. */
struct dependent_load {
	struct byte_range bytes;
	uint64_t now;  /* number of its instruction */
	uint64_t mask; /* bytes whose store is not known, if the load has at most 64 bytes */
	uint64_t last; /* the last store of the others; 0: all bytes are in mask */
	bool has_stack;
};

/* What the rows before a part decide. */
enum dependent_kind {
	DEPENDENT_READ,	  /* the read of a register that the part did not write before */
	DEPENDENT_LOAD,	  /* a load with bytes that the part did not store before */
	DEPENDENT_ACCESS, /* an access of an instruction before the part */
};

struct dependent_event {
	struct dependent_load load; /* of a read: only now and context */
	uint8_t kind, reg;
	bool is_store;
};

struct dependencies {
	uint64_t window;
	unsigned stack_register;
	struct register_context *contexts[ANALYSIS_CONTEXTS_MAX];
	struct adaptive_bins stored; /* words by context: the last store of each byte */
	uint64_t instructions, undecoded;
	uint64_t reads, unwritten, writes, overwritten;
	uint64_t read_distances[DISTANCE_BINS], use_distances[DISTANCE_BINS];
	uint64_t reuse[READS_MAX + 1];
	uint64_t loads[LOAD_SOURCES], near[LOAD_SOURCES], load_distances[DISTANCE_BINS];
	uint64_t stores, untracked_bytes; /* untracked: stored bytes that exceed the table */
	uint64_t truncated;		  /* accesses whose first bytes alone count */
	uint64_t stack_stores, reloaded, reloads;
	struct part_log log; /* of struct dependent_event; not counted yet */
	bool is_too_long;    /* an event of a part cannot be stored */
	bool failed;	     /* out of memory */
};

/* Returns a context; NULL: out of memory. */
static inline struct register_context *
dependencies_context(struct dependencies *dependencies, uint16_t number)
{
	if (!dependencies->contexts[number])
		dependencies->contexts[number] =
			mem_new(1, sizeof *dependencies->contexts[number]);
	return dependencies->contexts[number];
}

/* Counts the read of a register by an instruction; false: out of memory. */
bool dependencies_read(struct dependencies *dependencies, const struct dependent_event *read);

/* Counts the rows of a batch; false: out of memory. */
bool dependencies_count_rows(
	struct dependencies *dependencies, const struct analysis_rows *rows);

/* Counts a load; false: out of memory. */
bool dependencies_load(struct dependencies *dependencies, const struct dependent_load *load);

/* Counts an access of the last instruction of its context; false: out of memory. */
bool dependencies_access(
	struct dependencies *dependencies, const struct byte_range *bytes, bool is_store);

/* Counts the value of a register that is overwritten. */
void dependencies_overwrite(
	struct dependencies *dependencies, const struct register_value *value);

/* Clears the history: the next row is of another trace. */
void dependencies_clear(struct dependencies *dependencies);

/* Prepares the table of stores of a zeroed state, and frees the memory of a state. */
void dependencies_init_stored(struct dependencies *dependencies);
void dependencies_fini(void *state);

/* Counts the log of a part that nothing precedes; false: out of memory. */
bool dependencies_count_log(struct dependencies *dependencies);

bool dependencies_merge(void *into, const void *from, const struct analysis_numbers *numbers);

void dependencies_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
