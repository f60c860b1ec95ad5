/* SPDX-License-Identifier: MIT */
/*
 * What is counted of events, and of any rows that have a time.
 *
 * spec: reference aix 4.8, 5 (L11), 6
 */
#ifndef ANALYSIS_STATS_EVENTS_H
#define ANALYSIS_STATS_EVENTS_H

#include "analysis/analysis.h"

#include "base/intern.h"
#include "base/map.h"

/* Most entries of a table; what further ones would count is counted together. */
#define EVENTS_ENTRIES 65536

/* Stretches of time that are counted apart; a power of two. */
#define EVENTS_BINS 64

/*
 * Gaps are counted by their upper EVENTS_DIGITS binary digits: below 2^EVENTS_DIGITS exactly,
 * above with an error below one part in 2^(EVENTS_DIGITS - 1).
 */
#define EVENTS_DIGITS 8
#define EVENTS_HALF (1u << (EVENTS_DIGITS - 1))
#define EVENTS_GAPS ((64 - EVENTS_DIGITS + 2) * EVENTS_HALF)

/* What the keys of a table are. */
enum {
	EVENTS_HOOKS,	  /* AIX hooks */
	EVENTS_SUBHOOKS,  /* hook << 16 | sub-hook, of hook words of 64 bits */
	EVENTS_NAMES,	  /* by number in names */
	EVENTS_CPUS,	  /* by number */
	EVENTS_PROCESSES, /* by number */
	EVENTS_THREADS,	  /* by number */
	EVENTS_TABLES
};

struct events_entry {
	uint64_t key, count;
	uint64_t first, last; /* records */
	uint64_t timed;	      /* rows with a time */
	uint64_t start, end;  /* lowest and highest time; 0 where there is none */
};

struct events_table {
	struct map numbers; /* of entries, by key */
	struct events_entry *list;
	uint32_t count, capacity;
	uint32_t recent; /* the entry that was counted last */
	uint64_t beyond; /* rows of keys that found no place */
};

/* How many rows stretches of 2^shift ticks have, by the number of the stretch modulo BINS. */
struct events_bins {
	uint64_t counts[EVENTS_BINS];
	uint64_t low, high; /* times so far; low above high: none */
	unsigned shift;
};

struct events {
	uint64_t top, of;	      /* options */
	unsigned kinds;		      /* bits 1 << enum poly_kind that count in this trace */
	char clock[32];		      /* unit of time; "": not known */
	uint64_t multiplier, divisor; /* nanoseconds of a tick, where divisor is not 0 */
	uint64_t rows, timed;
	uint64_t wraps, lost; /* log and buffer wraparounds (reference aix L11) */
	struct intern names;
	uint32_t name_of[256]; /* numbers of the trace's names of records, + 1; 0: not yet */
	struct events_table tables[EVENTS_TABLES];
	bool has_first, has_last; /* of the next two */
	uint64_t first, last;	  /* times: of the first row, of the one before */
	/* Traces that began, and how many had when the first row with a time came. */
	uint64_t traces, first_trace;
	uint64_t gaps[EVENTS_GAPS], gap_count, gap_most, backward;
	uint64_t gap_sum, gap_carry; /* of all gaps, which times can make 2^64 or more */
	struct events_bins bins;
};

/* The count of a gap, and the least gap that is counted there. */
unsigned events_gap(uint64_t gap);
uint64_t events_gap_least(unsigned index);

/* Writes what was counted. */
void events_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
