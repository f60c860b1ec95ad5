/* SPDX-License-Identifier: MIT */
/* The rules of bus cycle traces, for binary records and for their listing. */
#ifndef FORMAT_BUS_CHECK_H
#define FORMAT_BUS_CHECK_H

#include "format/bus/rows.h"

/* Indexes into bus_rules. */
enum bus_rule {
	BUS_B01,
	BUS_B02,
	BUS_B03,
	BUS_B04,
	BUS_B05,
	BUS_B06,
	BUS_B07,
	BUS_B08,
	BUS_B09,
	BUS_B10,
	BUS_B11,
	BUS_RULE_COUNT
};
extern const struct poly_rule bus_rules[BUS_RULE_COUNT + 1];

/* State of the check between records. */
struct bus_check {
	uint64_t aligned[2]; /* addresses with A2 to A0 = 0: in this byte order, in the other */
	uint64_t lines, singles; /* cacheable operations; noncacheable fetches and reads */
	uint64_t pending; /* record of an acknowledge whose second cycle is pending; 0: none */
	uint64_t pending_offset; /* offset of that record */
};

/* Checks a batch; NULL: end of the trace. Decoders of chunks count what the batch has. */
void bus_check(
	struct reading *reading, struct bus_check *check, const struct poly_batch *batch);

/* Checks an interrupt acknowledge, which decoders defer. */
void bus_check_deferred(struct reading *reading, struct bus_check *check,
	const struct poly_batch *batch, size_t row);

/* Adds what a decoder has counted. */
void bus_check_add(struct bus_check *check, const struct bus_check *counted);

#endif
