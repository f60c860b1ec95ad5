/* SPDX-License-Identifier: MIT */
/* The state of a summary. */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include "polytrace/summary.h"

#include "analysis/tally.h"

/* Room for every access, and for indexing by three bits. */
#define SUMMARY_ACCESSES 8

/* Rows with access and address, by access. */
struct summary_accesses {
	uint64_t counts[SUMMARY_ACCESSES];
	uint64_t bytes[SUMMARY_ACCESSES];      /* sums of size, where it is present */
	uint64_t low[SUMMARY_ACCESSES];	       /* lowest address */
	uint64_t extent[SUMMARY_ACCESSES];     /* highest address - low + 1, modulo 2^64 */
	struct range ranges[SUMMARY_ACCESSES]; /* of addresses; what the two above stand for */
};

/* Who did it: columns of which different values are counted. */
enum summary_party {
	PARTY_CPU,
	PARTY_PROCESS,
	PARTY_THREAD,
	PARTY_COUNT,
};

struct poly_summary {
	const struct poly_trace_info *info; /* of a batch; NULL before the first */
	uint64_t rows;
	struct tally kinds, records;
	uint64_t synthetic; /* instructions put there by the tracer */
	uint64_t later;	    /* further micro-operations of an instruction, not synthetic */
	uint64_t uops;	    /* rows with a number of micro-operation */
	uint64_t raw;	    /* rows of kind other with raw bytes */
	struct summary_accesses accesses;
	struct range pc, time;
	struct distinct parties[PARTY_COUNT];
};

#endif
