/* SPDX-License-Identifier: MIT */
/*
 * Declarations shared by the formats of bus traces: option and information of the six-byte
 * records and their listing, and the end of files with records of one size.
 */
#ifndef FORMAT_BUS_TRACE_H
#define FORMAT_BUS_TRACE_H

#include "format/bus/check.h"

/* A row of a table of options. Values: 0 is 32 bytes, 1 is 8. */
#define BUS_LINE_OPTION                                                                  \
	{                                                                                \
		"bach.line", POLY_OPTION_CHOICE, POLY_OPTION_READ,                       \
			.choices = bus_line_words,                                       \
			.help = "bytes that a cacheable fetch or read and a write-back " \
				"transfer (default 32)",                                 \
			.source = "BYU BACH bus trace reference 3/3"                     \
	}
extern const char *const bus_line_words[];

/* Members of the format information of formats whose records are bus cycles. */
#define BUS_CYCLE_INFO                                                                         \
	.spec = "BYU BACH trace format", .can_read = true, .can_write = true,                  \
	.columns = POLY_COLUMNS_INIT(kind, record, access, address, size, event, byte_enables, \
		control, raw, origin, requested_address),                                      \
	.needs = POLY_COLUMNS_INIT(access, address), .rules = bus_rules

/* Fills a row of corrupt bytes, except origin. record: index of its name. */
void bus_put_corrupt(
	struct batch *batch, size_t row, uint8_t record, const uint8_t *bytes, size_t n);

/*
 * Reads the remaining bytes, fewer than the record_size of a complete record, into an empty
 * batch: one corrupt row, and a finding of the rule if the input ended there. POLY_END: no
 * bytes remain.
 */
enum poly_status bus_read_tail(struct reading *reading, struct batch *batch, unsigned rule,
	uint8_t record, size_t record_size);

#endif
