/* SPDX-License-Identifier: MIT */
/* The state of the analysis dependencies. */
#ifndef ANALYSIS_STATS_DEPENDENCIES_H
#define ANALYSIS_STATS_DEPENDENCIES_H

#include "analysis/core/analysis.h"

#include "analysis/facts/adaptive_bins.h"

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
	uint64_t stack_stores, reloaded, reloads;
};

void dependencies_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
