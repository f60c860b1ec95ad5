/* SPDX-License-Identifier: MIT */
/*
 * The state of the analysis of synchronization.
 *
 * spec: Apple amber traces 4.4, 6.10, 7.1 (R1 to R6)
 */
#ifndef ANALYSIS_STATS_SYNC_H
#define ANALYSIS_STATS_SYNC_H

#include "analysis/core/analysis.h"

#include "analysis/facts/part_log.h"
#include "base/map.h"

/* Max. number of addresses, users (of an address and a context) and pairs of addresses. */
#define SYNC_OBJECTS_MAX 16384
#define SYNC_USERS_MAX 65536
#define SYNC_PAIRS_MAX 65536

/* Max. number of tracked addresses that a context holds at once. */
#define SYNC_HELD_MAX 32

#define SYNC_NONE UINT32_MAX

/* A hold: from a wait to the signal of the same context. */
struct sync_hold {
	uint64_t length;       /* instructions of the context */
	uint64_t wait, signal; /* records */
	uint16_t context;
};

/* An address. */
struct sync_address {
	uint64_t address;
	uint64_t counts[POLY_SYNC_COUNT];
	uint32_t contexts;
	bool alternates; /* waits and signals of each context alternate */
	bool has_signal; /* there is a last signal in this trace */
	uint16_t signal_context;
	uint64_t signal_row;
	uint64_t handovers, blocked;
	/* Increments between two operations of a context, and pairs of these by kind. */
	uint64_t increments, wait_signal, signal_wait, signal_signal;
	uint64_t holds, held, hold_bits[65]; /* by binary digits of the length */
	struct sync_hold longest;
};

/* A context that uses an address. */
struct sync_user {
	uint32_t object;
	uint16_t context;
	bool has_count, was_signal; /* of the previous operation */
	uint64_t count;
	bool is_held;
	uint64_t since, since_record; /* instructions of the context, record */
	uint64_t counts[POLY_SYNC_COUNT], blocked, held;
};

struct sync_context {
	uint64_t instructions;
	uint64_t last_row; /* from 1; 0: none */
	uint32_t held[SYNC_HELD_MAX], held_count;
};

/* An address that a context acquired while it held another one. */
struct sync_pair {
	uint32_t outer, inner;
	uint64_t count, first; /* first: record */
};

/* An operation of a context. */
struct sync_operation {
	uint64_t address, value; /* value: if has_value */
	uint64_t record;
	uint64_t row; /* of the run, from 1 */
	/* Of its context before it: instructions of the run, and last row, 0: none. */
	uint64_t instructions, last_row;
	uint16_t context;
	uint8_t operation; /* enum poly_sync */
	bool has_value;
};

struct sync_profile {
	uint64_t top, numbering; /* options */
	const struct contexts *names;
	uint64_t rows; /* of all kinds */
	struct map object_numbers, user_numbers, pair_numbers;
	struct sync_address *objects;
	struct sync_user *users;
	struct sync_pair *pairs;
	uint32_t object_count, object_capacity;
	uint32_t user_count, user_capacity;
	uint32_t pair_count, pair_capacity;
	uint64_t after, before; /* signals that carry the count after or before themselves */
	uint64_t backward;	/* decreased counts */
	uint64_t untracked;	/* operations that exceed a table */
	struct sync_context contexts[ANALYSIS_CONTEXTS_MAX];
	struct part_log log; /* of struct sync_operation */
};

/* Values of the option sync.count. */
enum { SYNC_COUNT_AUTO, SYNC_COUNT_AFTER, SYNC_COUNT_BEFORE };

/* Merges the operations of later rows. */
bool sync_merge(void *into, const void *from, const struct analysis_numbers *numbers);

/* Clears the history: the next row is of another trace, or follows skipped rows. */
void sync_clear_history(struct sync_profile *sync);

/* Counts an operation of a context; false: out of memory. */
bool sync_count_operation(struct sync_profile *sync, const struct sync_operation *event);

/* Return the object of an address, and a user; NULL with *ok: there are too many. */
struct sync_address *sync_object_of(struct sync_profile *sync, uint64_t address, bool *ok);
struct sync_user *sync_user_of(
	struct sync_profile *sync, uint32_t object, uint16_t context, bool *ok);

/* Counts acquisitions of inner by contexts that hold outer, the first one in a record; false:
 * out of memory. */
bool sync_count_pairs(struct sync_profile *sync, const struct sync_pair *pairs);

/* Saves or loads the addresses, their users and their pairs. */
void sync_transfer_tables(struct sync_profile *sync, struct archive *archive);

/* Writes the report. */
void sync_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
