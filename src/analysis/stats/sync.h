/* SPDX-License-Identifier: MIT */
/*
 * What is counted of synchronisation.
 *
 * spec: reference amber 4.4, 6.10, 7.1 (R1 to R6)
 */
#ifndef ANALYSIS_STATS_SYNC_H
#define ANALYSIS_STATS_SYNC_H

#include "analysis/analysis.h"

#include "base/map.h"

/* Most addresses, places (of an address and a context) and pairs of addresses. */
#define SYNC_OBJECTS 16384
#define SYNC_PLACES 65536
#define SYNC_PAIRS 65536

/* Most addresses that a context is known to hold at once. */
#define SYNC_HELD 32

#define SYNC_NONE UINT32_MAX

/* The wait that was held longest. */
struct sync_hold {
	uint64_t length;       /* instructions of the context */
	uint64_t wait, signal; /* records */
	uint16_t context;
};

/* An address. */
struct sync_object {
	uint64_t address;
	uint64_t counts[POLY_SYNC_COUNT];
	uint32_t contexts;
	bool alternates; /* each context waits, signals, waits, ... */
	bool has_signal; /* of this trace: the last one, and when it was */
	uint16_t signal_context;
	uint64_t signal_row;
	uint64_t handovers, contended;
	/* Counts that rose between two operations of one context, by what these were. */
	uint64_t risen, wait_signal, signal_wait, signal_signal;
	uint64_t holds, held, hold_bits[65]; /* by binary digits of the length */
	struct sync_hold longest;
};

/* An address and a context. */
struct sync_place {
	uint32_t object;
	uint16_t context;
	bool has_count, was_signal; /* of the operation before */
	uint64_t count;
	bool is_held;
	uint64_t since, since_record; /* instructions of the context, record */
	uint64_t counts[POLY_SYNC_COUNT], contended, held;
};

struct sync_context {
	uint64_t instructions;
	uint64_t last_row; /* its last one so far, from 1; 0: none */
	uint32_t held[SYNC_HELD], held_count;
};

/* An address that was acquired while another one was held. */
struct sync_pair {
	uint32_t outer, inner;
	uint64_t count, first; /* first: record */
};

struct sync {
	uint64_t top, numbering; /* options */
	const struct contexts *names;
	uint64_t rows; /* of all kinds, so far */
	struct map object_numbers, place_numbers, pair_numbers;
	struct sync_object *objects;
	struct sync_place *places;
	struct sync_pair *pairs;
	uint32_t object_count, object_capacity;
	uint32_t place_count, place_capacity;
	uint32_t pair_count, pair_capacity;
	uint64_t after, before; /* votes on what a signal carries */
	uint64_t backward;	/* counts that fell */
	uint64_t beyond;	/* operations that found no place */
	struct sync_context contexts[ANALYSIS_CONTEXTS_MAX];
};

/* Values of the option sync.count. */
enum { SYNC_COUNT_AUTO, SYNC_COUNT_AFTER, SYNC_COUNT_BEFORE };

/* Writes what was counted. */
void sync_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
