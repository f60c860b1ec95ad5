/* SPDX-License-Identifier: MIT */
/*
 * The state of the analysis of events and of any rows with a time.
 *
 * spec: AIX Trace Hook IDs; polytrace-aix(5), L11
 */
#ifndef ANALYSIS_STATS_EVENTS_H
#define ANALYSIS_STATS_EVENTS_H

#include "analysis/core/analysis.h"

#include "base/intern.h"
#include "base/map.h"

/* Max. number of entries of a table; rows of other keys are counted as untracked. */
#define EVENTS_ENTRIES_MAX 65536

/* Number of time bins; a power of two. */
#define EVENTS_BINS 64

/*
 * Gaps are counted by their upper EVENTS_DIGITS binary digits: below 2^EVENTS_DIGITS exactly,
 * above with an error below one part in 2^(EVENTS_DIGITS - 1).
 */
#define EVENTS_DIGITS 8
#define EVENTS_HALF (1u << (EVENTS_DIGITS - 1))
#define EVENTS_GAPS ((64 - EVENTS_DIGITS + 2) * EVENTS_HALF)

/* The tables, by their keys. */
enum {
	EVENTS_HOOKS,	 /* AIX hooks */
	EVENTS_SUBHOOKS, /* hook << 16 | sub-hook, of hook words of 64 bits */
	EVENTS_NAMES,	 /* ids of names */
	EVENTS_CPUS,
	EVENTS_PROCESSES,
	EVENTS_THREADS,
	EVENTS_TABLES
};

struct events_entry {
	uint64_t key, count;
	uint64_t first, last; /* records */
	uint64_t timed;	      /* rows with a time */
	uint64_t start, end;  /* lowest and highest time; 0 without one */
};

struct events_table {
	struct map indices; /* of entries, by key */
	struct events_entry *list;
	uint32_t count, capacity;
	uint32_t recent;    /* the last counted entry */
	uint64_t untracked; /* rows of keys that exceed the table */
};

/* Rows by bins of 2^shift ticks; bin N has the index N modulo EVENTS_BINS. */
struct events_bins {
	uint64_t counts[EVENTS_BINS];
	uint64_t low, high; /* range of times; low above high: none */
	unsigned shift;
};

struct events {
	uint64_t top, counted_rows; /* options */
	unsigned kinds; /* bits 1 << enum poly_kind that count as events in this trace */
	char clock[32]; /* unit of time; "": not known */
	uint64_t multiplier, divisor; /* nanoseconds per tick, if divisor is not 0 */
	uint64_t rows, timed;
	uint64_t wraps, lost; /* log and buffer wraparounds (polytrace-aix(5), L11) */
	struct intern names;
	uint32_t
		name_of[256]; /* name ids, by record type of the trace, + 1; 0: not yet known */
	struct events_table tables[EVENTS_TABLES];
	bool has_first, has_last;
	uint64_t first, last; /* times of the first and of the previous row */
	uint64_t gaps[EVENTS_GAPS], gap_count, max_gap, backward;
	uint64_t gap_sum, gap_carry; /* sum of all gaps, which can exceed 64 bits */
	struct events_bins bins;
};

/* Returns the index of the count of a gap. */
unsigned events_gap(uint64_t gap);

/* Returns the min. gap of such an index. */
uint64_t events_gap_min(unsigned index);

/* Writes the report. */
void events_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
