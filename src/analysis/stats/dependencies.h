/* SPDX-License-Identifier: MIT */
/* What the analysis dependencies counts. */
#ifndef ANALYSIS_STATS_DEPENDENCIES_H
#define ANALYSIS_STATS_DEPENDENCIES_H

#include "analysis/analysis.h"

#include "analysis/adaptive_bins.h"

#define REGISTERS 128

/* Distances by powers of two: 0; 1; 2 and 3; 4 to 7; and so on. */
#define DISTANCE_BINS 65

/* Values by how often they were read; the last one stands for more, too. */
#define READS_MOST 16

/* Where the bytes of a load come from. */
enum load_source {
	LOAD_INDEPENDENT, /* none was stored */
	LOAD_SAME,	  /* all by one store, which stored nothing else */
	LOAD_CONTAINED,	  /* all by one store, which stored more */
	LOAD_SEVERAL,	  /* all, by several stores */
	LOAD_PARTIAL,	  /* some */
	LOAD_SOURCES
};

/* A value in a register. */
struct held {
	uint64_t written; /* number of the instruction; 0: before the trace */
	uint64_t reads;
	bool is_loaded;
};

/* A context. */
struct thread {
	uint64_t instructions;
	uint8_t stores; /* of the instruction, modulo 256 */
	bool has_stack; /* the instruction reads the stack pointer */
	struct held registers[REGISTERS];
};

struct dependencies {
	uint64_t window;
	unsigned stack_register;
	struct thread *threads[ANALYSIS_CONTEXTS_MAX];
	struct adaptive_bins stored; /* words by context: which store each byte is of */
	uint64_t instructions, unknown;
	uint64_t reads, unwritten, writes, overwritten;
	uint64_t read_distances[DISTANCE_BINS], use_distances[DISTANCE_BINS];
	uint64_t reuse[READS_MOST + 1];
	uint64_t loads[LOAD_SOURCES], near[LOAD_SOURCES], load_distances[DISTANCE_BINS];
	uint64_t stores, untold; /* untold: bytes of stores beyond the table */
	uint64_t stack_stores, reloaded, reloads;
};

void dependencies_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
