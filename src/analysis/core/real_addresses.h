/* SPDX-License-Identifier: MIT */
/* Rows whose addresses are the real ones of the trace. */
#ifndef ANALYSIS_REAL_ADDRESSES_H
#define ANALYSIS_REAL_ADDRESSES_H

#include "polytrace/stats.h"

/* Columns that are exchanged. */
#define REAL_ADDRESS_COLUMNS pc, real_pc, address, real_address

/* Counted accesses and instructions. */
struct real_addresses {
	bool is_active; /* for the current trace: its addresses are virtual */
	uint64_t accesses, accesses_without, instructions, instructions_without;
};

/* Begins a trace. POLY_ERR_USAGE: its format has no real addresses. */
enum poly_status real_addresses_begin(struct real_addresses *real,
	const struct poly_trace_info *info, struct poly_error *error);

/* Counts accesses and instructions with and without real addresses. */
void real_addresses_count(struct real_addresses *real, const struct poly_batch *batch);

/*
 * Sets view to the rows of a batch, with real_address as address and real_pc as pc, and the
 * reverse. Rows without a real address have no address. Valid as long as the batch.
 */
void real_addresses_view(struct poly_batch *view, const struct poly_batch *batch);

/* Fails if accesses or instructions were counted, but none with a real address. */
enum poly_status real_addresses_finish(
	const struct real_addresses *real, struct poly_error *error);

/* Adds the counts of another run. */
void real_addresses_merge(struct real_addresses *into, const struct real_addresses *from);

/* Reports what has no real address, into the open section. */
void real_addresses_report(const struct real_addresses *real, struct poly_report *report);

#endif
