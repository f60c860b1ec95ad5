/* SPDX-License-Identifier: MIT */
/* Bus cycles of the rows of any trace: recorded, or converted. */
#ifndef FORMAT_BUS_ROWS_H
#define FORMAT_BUS_ROWS_H

#include "format/bus/cycle.h"
#include "format/core/format.h"

/* Contents of the column raw of a trace. */
enum bus_raw {
	BUS_RAW_NONE,	/* nothing that is understood here */
	BUS_RAW_BIG,	/* six-byte records, big endian addresses */
	BUS_RAW_LITTLE, /* six-byte records, little endian addresses */
	BUS_RAW_TEXT,	/* lines of the listing */
};

/* Returns the contents of the column raw of a trace with these facts. */
enum bus_raw bus_raw_contents(const struct poly_trace_info *info);

/*
 * Returns the columns needed to convert rows of such a trace to cycles: only the recorded ones
 * if it is a trace of bus cycles.
 */
poly_columns bus_uses(const struct poly_trace_info *info);

/* Returns whether every row has an address of 32 bits, byte_enables and control, and none has
 * raw bytes or transfers a line. */
bool bus_rows_plain(const struct poly_batch *batch);

/* Returns the cycle that a row records, with the recorded address; false: it records none. */
bool bus_recorded_cycle(
	const struct poly_batch *batch, size_t row, enum bus_raw raw, struct bus_cycle *cycle);

/* Maximum number of cycles per row. */
#define BUS_ROW_CYCLES 12

/* A conversion of rows, and the cycles of the last row. */
struct bus_conversion {
	enum bus_raw raw; /* of the source */
	size_t count;	  /* 0: the row has no cycle, which is noted */
	struct bus_cycle cycles[BUS_ROW_CYCLES];
};

/*
 * Converts a row to cycles: the recorded one, or those by access, event, address and size (BYU
 * BACH bus trace reference 6.7), after the fetches of an x86 instruction, as with the caches
 * off. POLY_ERR_LOSS: the address exceeds 32 bits, or is absent.
 */
enum poly_status bus_convert(struct writing *writing, struct bus_conversion *conversion,
	const struct poly_batch *batch, size_t row, struct poly_error *error);

#endif
