/* SPDX-License-Identifier: MIT */
/* Rows of any trace as bus cycles: as they were recorded, or converted. */
#ifndef FORMAT_BUS_ROWS_H
#define FORMAT_BUS_ROWS_H

#include "format/bus/cycle.h"
#include "format/format.h"

/* What the column raw of a trace holds. */
enum bus_raw {
	BUS_RAW_NONE,	/* nothing that is understood here */
	BUS_RAW_BIG,	/* six-byte records, address big end first */
	BUS_RAW_LITTLE, /* the same, little end first */
	BUS_RAW_TEXT,	/* lines of the listing */
};

/* What the column raw of a trace with these facts holds. */
enum bus_raw bus_raw_of(const struct poly_trace_info *info);

/*
 * The columns that rows of such a trace are made cycles of: what was recorded says it all where
 * the trace is read as bus cycles.
 */
poly_columns bus_uses(const struct poly_trace_info *info);

/* True where every row has an address of 32 bits, byte_enables and control, and no raw bytes.
 */
bool bus_rows_plain(const struct poly_batch *batch);

/* The cycle that a row records, address as it was recorded; false where it records none. */
bool bus_recorded(
	const struct poly_batch *batch, size_t row, enum bus_raw raw, struct bus_cycle *cycle);

/* Most cycles that stand for one row. */
#define BUS_ROW_CYCLES 9

/* A conversion of rows, and the cycles that stand for the last one. */
struct bus_conversion {
	enum bus_raw raw; /* of the source */
	size_t count;	  /* 0: none can stand for it, which is noted */
	struct bus_cycle cycles[BUS_ROW_CYCLES];
};

/*
 * The cycles that stand for a row: the one it records, or what access, event, address and size
 * say (reference bach 6.7). POLY_ERR_LOSS: the address has more than 32 bits, or is absent.
 */
enum poly_status bus_convert(struct writing *writing, struct bus_conversion *to,
	const struct poly_batch *batch, size_t row, struct poly_error *error);

#endif
