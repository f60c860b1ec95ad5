/* SPDX-License-Identifier: MIT */
/* Rows as the fetches and accesses that simulators are given. */
#ifndef ANALYSIS_SIM_MEM_REFS_H
#define ANALYSIS_SIM_MEM_REFS_H

#include "analysis/analysis.h"

#include "sim/cache.h"

/* Which uses of memory are looked at; choices of options, in this order. */
enum mem_refs_selection { MEM_REFS_DATA, MEM_REFS_INSTRUCTIONS, MEM_REFS_ALL };
extern const char *const mem_refs_words[];

/* A row is a fetch, an access, or both: then it fetches first. */
#define MEM_REFS_MAX (2 * POLY_BATCH_ROWS)

struct mem_refs {
	uint64_t addresses[MEM_REFS_MAX];
	uint64_t pcs[MEM_REFS_MAX]; /* of the instruction; the address where it is not known */
	uint32_t sizes[MEM_REFS_MAX]; /* bytes; 0 where they are not known */
	uint8_t kinds[MEM_REFS_MAX];  /* enum cache_kind */
	uint16_t rows[MEM_REFS_MAX];  /* of the batch */
	size_t count;
};

/* Columns that are looked at; to count instructions, INSTRUCTION_COUNT_COLUMNS besides. */
#define MEM_REFS_COLUMNS                                                               \
	(POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(access) | POLY_HAS(address) | \
		POLY_HAS(size))

/*
 * Finds the uses in rows: reads and writes, and fetches, which are instructions with a pc, and
 * accesses that say so.
 */
void mem_refs_find(
	struct mem_refs *uses, const struct poly_batch *batch, enum mem_refs_selection of);

/* A column of misses per thousand instructions, and a cell of it; there is nothing in it where
 * the trace has no instructions. */
void report_mpki_column(struct poly_report *report);
void report_mpki_cell(struct poly_report *report, uint64_t misses, uint64_t instructions);

/* Whether a trace has any. */
bool mem_refs_suit(const struct poly_trace_info *info);

#endif
