/* SPDX-License-Identifier: MIT */
/* Rows as the fetches and accesses that simulators are given. */
#ifndef ANALYSIS_SIM_USES_H
#define ANALYSIS_SIM_USES_H

#include "analysis/analysis.h"

#include "sim/cache.h"

/* Which uses of memory are looked at; choices of options, in this order. */
enum uses_of { USES_DATA, USES_INSTRUCTIONS, USES_ALL };
extern const char *const uses_words[];

/* A row is a fetch, an access, or both: then it fetches first. */
#define USES_MOST (2 * POLY_BATCH_ROWS)

struct uses {
	uint64_t addresses[USES_MOST];
	uint64_t pcs[USES_MOST];   /* of the instruction; the address where it is not known */
	uint32_t sizes[USES_MOST]; /* bytes; 0 where they are not known */
	uint8_t kinds[USES_MOST];  /* enum cache_kind */
	uint16_t rows[USES_MOST];  /* of the batch */
	size_t count;
};

/* Columns that are looked at; to count instructions, JUMPS_INSTRUCTIONS_COLUMNS besides. */
#define USES_COLUMNS                                                                   \
	(POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(access) | POLY_HAS(address) | \
		POLY_HAS(size))

/*
 * Finds the uses in rows: reads and writes, and fetches, which are instructions with a pc, and
 * accesses that say so.
 */
void uses_find(struct uses *uses, const struct poly_batch *batch, enum uses_of of);

/* A column of misses per thousand instructions, and a cell of it; there is nothing in it where
 * the trace has no instructions. */
void uses_mpki_column(struct poly_report *report);
void uses_mpki_cell(struct poly_report *report, uint64_t misses, uint64_t instructions);

/* Whether a trace has any. */
bool uses_suit(const struct poly_trace_info *info);

#endif
