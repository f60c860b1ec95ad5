/* SPDX-License-Identifier: MIT */
/*
 * What the formats of bus traces have in common: option and information of the six-byte records
 * and their listing, and the end of files whose records all have one size.
 */
#ifndef FORMAT_BUS_TRACE_H
#define FORMAT_BUS_TRACE_H

#include "format/bus/check.h"

/* A row of a table of options. Its value: 0 is 32 bytes, 1 is 8. */
#define BUS_LINE_OPTION                                                                     \
	{                                                                                   \
		"bach.line", POLY_OPTION_CHOICE, POLY_OPTION_READ, 0, 0, 0, bus_line_words, \
			"bytes that a cacheable fetch or read and a write-back are "        \
			"assumed to move",                                                  \
			"reference bach 3/3"                                                \
	}
extern const char *const bus_line_words[];

/* Members of the information of a format whose records are bus cycles. */
#define BUS_CYCLE_INFO                                                                        \
	.spec = "seed 001", .can_read = true, .can_write = true,                              \
	.columns = POLY_HAS(kind) | POLY_HAS(record) | POLY_HAS(access) | POLY_HAS(address) | \
		   POLY_HAS(size) | POLY_HAS(event) | POLY_HAS(byte_enables) |                \
		   POLY_HAS(control) | POLY_HAS(raw) | POLY_HAS(origin),                      \
	.needs = POLY_HAS(access) | POLY_HAS(address), .rules = bus_rules

/* Fills a row of damaged bytes, all columns but origin. record: its name's number. */
void bus_put_damaged(
	struct batch *batch, size_t row, uint8_t record, const uint8_t *bytes, size_t n);

/*
 * Reads what is left, less than the record_size bytes of a whole record, into an empty batch: a
 * damaged row, and a finding of the rule where the input ended there. POLY_END: nothing is
 * left.
 */
enum poly_status bus_read_tail(struct reading *reading, struct batch *batch, unsigned rule,
	uint8_t record, size_t record_size);

#endif
