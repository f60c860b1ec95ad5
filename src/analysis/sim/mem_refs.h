/* SPDX-License-Identifier: MIT */
/* Fetches and accesses of rows, as input of simulators. */
#ifndef ANALYSIS_SIM_MEM_REFS_H
#define ANALYSIS_SIM_MEM_REFS_H

#include "analysis/core/analysis.h"

#include "analysis/facts/access_stats.h"
#include "isa/isa.h"
#include "sim/cache/cache.h"

/* The references to simulate; choices of options, in this order. MEM_REFS_UOPS: instructions,
 * with a fetch of each micro-operation. */
enum mem_refs_selection { MEM_REFS_DATA, MEM_REFS_INSTRUCTIONS, MEM_REFS_ALL, MEM_REFS_UOPS };
extern const char *const mem_refs_choices[];

/* A row is a fetch, an access, or both, in this order. */
#define MEM_REFS_MAX (2 * POLY_BATCH_ROWS)

/* Further kinds of references, besides enum cache_kind and, on request, enum cache_operation.
 */
enum mem_ref_kind {
	REF_ALLOCATE = CACHE_OPERATIONS_END, /* a write of a whole line */
	REF_STREAM /* prefetches of blocks; the size is their description (mem_refs.c) */
};

/* What the references of a step are. */
enum mem_refs_step {
	REFS_DEMAND,
	REFS_ALLOCATE,	/* writes of whole lines, as CACHE_WRITE */
	REFS_OPERATIONS /* enum cache_operation */
};

struct mem_refs {
	uint64_t addresses[MEM_REFS_MAX];
	uint64_t pcs[MEM_REFS_MAX];   /* of the instruction; the address if it is unknown */
	uint32_t sizes[MEM_REFS_MAX]; /* bytes; 0: unknown */
	uint8_t kinds[MEM_REFS_MAX];  /* enum cache_kind, cache_operation or mem_ref_kind */
	uint16_t rows[MEM_REFS_MAX];  /* of the batch */
	size_t count;
	bool operates;		    /* cache operations are gathered */
	isa_cache_fn *operation_of; /* of instructions; NULL: not known */
	bool has_operations;	    /* some are operations */
	uint64_t truncated;	    /* accesses that were longer, in rows that count, so far */
	enum mem_refs_step step;    /* if they are those of a step */
};

/* Blocks that a stream prefetches, from its address on. */
struct mem_stream {
	uint32_t size;	/* bytes of a block */
	uint32_t count; /* blocks */
	int32_t stride; /* bytes from a block to the next one */
};

/* Columns that are read, besides INSTRUCTION_COUNT_COLUMNS to count instructions. */
#define MEM_REFS_COLUMNS pc, opcode_size, access, address, size

/* Further columns of cache operations. */
#define MEM_OPERATION_COLUMNS opcode, value, event

/* The option of an analysis to gather them. */
#define MEM_OPERATIONS_OPTION(name)                                                    \
	{                                                                              \
		name ".operations", POLY_OPTION_BOOL,                                  \
			.initial = 1,                                                  \
			.help = "perform cache operations and prefetches of the trace" \
	}

/* Begins a trace whose cache operations are gathered. */
void mem_refs_begin_operations(struct mem_refs *refs, const struct poly_trace_info *info);

/* Returns the blocks of a REF_STREAM, from its size. */
struct mem_stream mem_refs_stream(uint32_t description);

/*
 * Gathers the references of rows: reads, writes and fetches; instructions with a pc are
 * fetches, too: executed ones, one fetch each, for all its micro-operations. The pcs
 * of references to real addresses are virtual.
 */
void mem_refs_gather(struct mem_refs *refs, const struct analysis_rows *rows,
	enum mem_refs_selection selection);

/* Reports the number of instructions, the denominator of MPKI; empty: the trace has none. */
void report_instructions(struct poly_report *report, uint64_t instructions);

/* Appends a cell of misses per thousand instructions, empty if there are zero instructions. */
void report_mpki_cell(struct poly_report *report, uint64_t misses, uint64_t instructions);

/* Appends cells of misses, their ratio to accesses, and per thousand instructions. */
void report_miss_cells(
	struct poly_report *report, uint64_t misses, uint64_t accesses, uint64_t instructions);

/* Returns the sum over all kinds. */
uint64_t sum_kinds(const uint64_t *counts);

/* Appends cells of accesses, misses, their ratio and MPKI, and the misses of each kind. */
void report_access_cells(struct poly_report *report, const uint64_t *accesses,
	const uint64_t *misses, uint64_t instructions);

/* Returns whether a trace has columns of references. */
bool has_mem_refs(const struct poly_trace_info *info);

#endif
