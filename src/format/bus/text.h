/* SPDX-License-Identifier: MIT */
/*
 * Lines of the listing of bus cycles: "00123458 00 NC_I_FETCH". Pure.
 *
 * spec: seed 001, its program; reference bach 4.5
 */
#ifndef FORMAT_BUS_TEXT_H
#define FORMAT_BUS_TEXT_H

#include "format/bus/cycle.h"

/*
 * A line of n bytes, its newline included if there is one: address, byte enables and name
 * between blanks. False where it is not one; *exact says whether it is just as the listing has
 * it.
 */
bool bus_parse(const char *line, size_t n, struct bus_cycle *cycle, bool *exact);

/* True where n bytes are printable ASCII, blanks and line ends: what no binary record is. */
bool bus_is_text(const uint8_t *p, size_t n);

/* Most bytes of a line of the listing, and the room that writing one takes. */
#define BUS_LINE_MOST 23
#define BUS_PRINT_ROOM 32

/* Writes a line of the listing and returns its length; BUS_PRINT_ROOM bytes are touched. */
size_t bus_print(char *to, const struct bus_cycle *cycle);

/*
 * Writes the lines of n rows that have address, byte_enables and control, leaving A2 to A0 0,
 * and returns their length; 0 where an address has more than 32 bits. Up to BUS_PRINT_ROOM
 * bytes behind them are touched.
 */
typedef size_t (*bus_print_fn)(char *to, const struct poly_batch *batch, size_t row, size_t n);

/* The reference, by tables. */
size_t bus_print_plain(char *to, const struct poly_batch *batch, size_t row, size_t n);

/* The version for this processor. */
bus_print_fn bus_printer(void);

#endif
